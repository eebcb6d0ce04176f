package service

import (
	"context"
	"errors"

	"lore/internal/index"
	"lore/internal/ingest"
)

// StorageResult says what takes how much room, in bytes, and how it grew.
type StorageResult struct {
	Schema  string         `json:"schema"`  // "lore.storage.v1"
	Content int64          `json:"content"` // of the newest snapshots, as the sources wrote them
	Archive StorageArchive `json:"archive"`
	Index   StorageIndex   `json:"index"`
	Stores  []StorageStore `json:"stores"` // the largest first
	Months  []StorageMonth `json:"months"` // the oldest first
}

// StorageArchive is the room that the archive takes.
type StorageArchive struct {
	Total   int64 `json:"total"`
	Blocks  int64 `json:"blocks"`  // compressed content
	Lists   int64 `json:"lists"`   // files, snapshots and which blocks they are made of
	Filters int64 `json:"filters"` // for grep
	Other   int64 `json:"other"`   // marks, import log, names that changed
	Free    int64 `json:"free"`    // holds nothing: `lore compact` gives it back
}

// StorageIndex is the room that the index takes.
type StorageIndex struct {
	Total int64 `json:"total"`
}

// StorageStore is what a store of a source holds.
type StorageStore struct {
	Source    string `json:"source"`
	Store     string `json:"store"`
	Files     int    `json:"files"`
	Snapshots int    `json:"snapshots"`
	Content   int64  `json:"content"` // of the newest snapshots
}

// StorageMonth is what was kept in a month.
type StorageMonth struct {
	Month     string `json:"month"` // 2026-03
	Snapshots int    `json:"snapshots"`
	Content   int64  `json:"content"` // bytes by which files grew, or were new
}

// Storage reads through the archive to tell what takes the room.
func (s *Service) Storage(ctx context.Context) (*StorageResult, error) {
	a, err := s.openArchive(ctx)
	if err != nil {
		return nil, s.noArchive(err)
	}
	defer a.Close()
	u, err := a.Usage(ctx)
	if err != nil {
		return nil, s.failure(err)
	}
	res := &StorageResult{Schema: "lore.storage.v1", Stores: []StorageStore{}, Months: []StorageMonth{},
		Archive: StorageArchive{Total: u.Total, Blocks: u.Blocks, Lists: u.Lists, Filters: u.Filters, Other: u.Other, Free: u.Free}}
	for _, st := range u.Stores {
		res.Stores = append(res.Stores, StorageStore(st))
		res.Content += st.Content
	}
	for _, m := range u.Months {
		res.Months = append(res.Months, StorageMonth(m))
	}
	dir, err := ingest.IndexDir(s.Dir)
	if err == nil {
		res.Index.Total, err = index.Bytes(dir)
	}
	if errors.Is(err, index.ErrNone) || errors.Is(err, index.ErrRebuild) {
		err = nil
	}
	return res, s.failure(err)
}
