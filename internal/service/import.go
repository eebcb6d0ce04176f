package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// Import finds every source (or reads the paths), archives what is new and indexes it. A source that cannot be read is
// in the result, not an error.
func (s *Service) Import(ctx context.Context, req ImportRequest) (*ImportResult, error) {
	began := s.Now()
	bundles, paths := parted(req.Paths)
	if len(bundles) > 0 {
		return s.importBundles(ctx, req, bundles, paths)
	}
	options, err := s.importOptions(req)
	if err != nil {
		return nil, err
	}
	report, err := ingest.Run(ctx, options)
	if err != nil {
		return nil, s.failure(err)
	}
	return importResult(report, s.Now().Sub(began)), nil
}

func (s *Service) importOptions(req ImportRequest) (ingest.Options, error) {
	conf, err := s.configuration()
	if err != nil {
		return ingest.Options{}, err
	}
	o := ingest.Options{Dir: s.Dir, Machine: s.machine(), Adapters: s.Adapters, Paths: req.Paths, Verify: req.Verify,
		Reindex: req.Reindex, Memory: s.memory(), Exclude: conf.Exclude, Program: s.Build, Now: s.Now}
	if req.Progress != nil {
		o.Progress = func(p ingest.Progress) {
			req.Progress(Progress{Files: p.Files, FilesTotal: p.FilesTotal, Bytes: p.Bytes, BytesTotal: p.BytesTotal,
				Conversations: p.Conversations})
		}
	}
	return o, nil
}

func (s *Service) machine() ingest.Machine {
	m := ingest.Machine{Home: s.Home, Env: s.Env}
	if s.OwnHome {
		m.Env = nil
	}
	return m
}

func (s *Service) memory() int64 {
	if s.Memory > 0 {
		return s.Memory
	}
	return DefaultMemory
}

func importResult(r *ingest.Report, took time.Duration) *ImportResult {
	res := &ImportResult{Schema: "lore.import.v1", ElapsedMS: took.Milliseconds(), BytesRead: r.BytesRead,
		Sources: []SourceReport{}, Losses: r.Losses, Failures: []Fault{}, Found: r.Looked,
		Conversations: ImportCounts{Total: r.Total, New: r.New, Changed: r.Changed, Unchanged: r.Total - r.New - r.Changed, Kept: r.Kept}}
	if res.Losses == nil {
		res.Losses = []lore.Loss{}
	}
	for _, x := range r.Sources {
		res.Sources = append(res.Sources, SourceReport(x))
	}
	for _, f := range r.Failures {
		res.Failures = append(res.Failures, Fault{Source: f.Source, File: f.File, Error: f.Err.Error()})
	}
	return res
}

// failure sorts an error of the rooms below.
func (s *Service) failure(err error) error {
	var f *Failure
	var path *fs.PathError
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, archive.ErrBusy), errors.Is(err, index.ErrBusy):
		return failf(Busy, err, "%v", err)
	case errors.Is(err, archive.ErrNewer):
		return failf(Damaged, err, "the archive in %q was written by a newer lore; nothing was changed: update lore", s.Dir)
	case errors.Is(err, archive.ErrOlder):
		return failf(Usage, err, "an older lore wrote the archive in %q; run `lore import` to bring it up", s.Dir)
	case errors.Is(err, archive.ErrDamaged):
		return failf(Damaged, err, "the archive in %q is damaged: %v; run `lore check`", s.Dir, err)
	case errors.Is(err, index.ErrRebuild):
		return failf(Damaged, err, "the index in %q is damaged: %v; run `lore import --reindex`", s.Dir, err)
	case errors.Is(err, archive.ErrUnknown):
		return failf(Damaged, err, "the index in %q speaks of what the archive has not: %v; run `lore check`", s.Dir, err)
	case errors.Is(err, archive.ErrFull), index.IsFull(err):
		return failf(Internal, err, "cannot write to %q: no space left; nothing is half-written: make room and run again", s.Dir)
	case errors.As(err, &path) && errors.Is(err, fs.ErrPermission):
		return failf(Internal, err, "cannot use %q: permission denied; choose another folder with --dir", path.Path)
	case errors.Is(err, ingest.ErrNoFile):
		return failf(Usage, err, "%v", err)
	case errors.As(err, &path) && errors.Is(err, syscall.ENOTDIR):
		return failf(Usage, err, "%q is no folder; choose another one with --dir", s.Dir)
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return failf(Usage, err, "no such file or folder: %q", path.Path)
	}
	return failf(Internal, err, "%v", fmt.Errorf("internal error: %w", err))
}
