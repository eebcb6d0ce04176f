package service

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"lore/internal/archive"
)

// BackupRequest names the file to write.
type BackupRequest struct{ File string }

// BackupResult says what was written.
type BackupResult struct {
	Schema    string `json:"schema"` // "lore.backup.v1"
	File      string `json:"file"`
	Bytes     int64  `json:"bytes"`
	Files     int    `json:"files"` // evidences in it
	Snapshots int    `json:"snapshots"`
}

// Backup writes a consistent copy of the archive to a new file, while others write. As the archive.db of a folder of its
// own it is all that lore needs: the index is made from it.
func (s *Service) Backup(ctx context.Context, req BackupRequest) (*BackupResult, error) {
	name, err := filepath.Abs(req.File)
	if err != nil {
		return nil, failf(Usage, err, "%q is no name of a file: %v", req.File, err)
	}
	a, err := s.openArchive(ctx)
	if err != nil {
		return nil, s.noArchive(err)
	}
	defer a.Close()
	st, err := a.Stats()
	if err != nil {
		return nil, s.failure(err)
	}
	size, err := a.Backup(ctx, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, failf(Usage, err, "%q is there already and is not written over; give another name", req.File)
	case errors.Is(err, archive.ErrFull):
		return nil, failf(Internal, err, "cannot write %q: no space left; make room and run again", req.File)
	case err != nil:
		return nil, s.failure(err)
	}
	return &BackupResult{Schema: "lore.backup.v1", File: name, Bytes: size, Files: st.Files, Snapshots: st.Snapshots}, nil
}

// noArchive says what to do where there is none.
func (s *Service) noArchive(err error) error {
	if errors.Is(err, archive.ErrNone) {
		return failf(NotFound, err, "there is no archive in %q yet: run `lore import`", s.Dir)
	}
	return s.failure(err)
}
