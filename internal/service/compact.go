package service

import (
	"context"

	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// CompactResult says what a compaction gave back.
type CompactResult struct {
	Schema string `json:"schema"` // "lore.compact.v1"
	Before int64  `json:"before"` // bytes of archive and index
	After  int64  `json:"after"`
	Blocks int    `json:"removed_blocks"` // that no snapshot needed any more
}

// Compact gives back the space that archive and index do not need. It takes as much free space again as they need.
func (s *Service) Compact(ctx context.Context) (*CompactResult, error) {
	res := &CompactResult{Schema: "lore.compact.v1"}
	a, err := s.openArchive(ctx)
	if err != nil {
		return nil, s.noArchive(err)
	}
	a.Close()
	if res.Before, err = s.size(); err != nil {
		return nil, s.failure(err)
	}
	err = s.patiently(ctx, func() error {
		swept, err := ingest.Compact(ctx, ingest.Options{Dir: s.Dir, Now: s.Now})
		res.Blocks = swept.Blocks
		return err
	})
	if err != nil {
		return nil, err
	}
	res.After, err = s.size()
	return res, s.failure(err)
}

// size returns the bytes of archive and index.
func (s *Service) size() (int64, error) {
	a, err := archive.Open(s.Dir, archive.Options{})
	if err != nil {
		return 0, err
	}
	defer a.Close()
	st, err := a.Stats()
	if err != nil {
		return 0, err
	}
	dir, err := ingest.IndexDir(s.Dir)
	if err != nil {
		return st.Disk, nil
	}
	n, err := index.Bytes(dir)
	return st.Disk + n, err
}
