package service

import (
	"context"
	"errors"
	"path/filepath"

	"lore/internal/archive"
	"lore/internal/ingest"
)

// ImportedBundle is a bundle that was put together with the archive.
type ImportedBundle struct {
	File      string `json:"file"`
	Machine   string `json:"machine"` // name of the archive that made it
	Whole     bool   `json:"whole"`   // it held all of that archive
	Files     int    `json:"files"`   // that were not known here
	Snapshots int    `json:"snapshots"`
	Bytes     int64  `json:"bytes"` // of content that was not here
	Marks     int    `json:"marks"` // things done to marks
	Renames   int    `json:"renames"`
	Forgotten int    `json:"forgotten"` // things that were forgotten there and are forgotten here now
	Buried    int    `json:"buried"`    // evidences of forgotten things that were removed again; counted at the last bundle
}

// parted tells bundles from other paths.
func parted(paths []string) (bundles, rest []string) {
	for _, p := range paths {
		if archive.IsBundle(p) {
			bundles = append(bundles, p)
		} else {
			rest = append(rest, p)
		}
	}
	return bundles, rest
}

// importBundles checks every bundle, then puts them together with the archive, brings the index up, and imports what else
// was named.
func (s *Service) importBundles(ctx context.Context, req ImportRequest, paths, rest []string) (*ImportResult, error) {
	began := s.Now()
	var all []*archive.Bundle
	defer func() {
		for _, b := range all {
			b.Close()
		}
	}()
	for _, p := range paths {
		b, err := archive.OpenBundle(ctx, p)
		if err != nil {
			return nil, s.bundleFailure(p, err)
		}
		all = append(all, b)
	}
	var done []ImportedBundle
	o, err := s.importOptions(req)
	if err != nil {
		return nil, err
	}
	o.Paths, o.Within = nil, true
	o.Before = func(w *archive.Writer) error {
		for i, b := range all {
			m, err := w.Merge(ctx, b)
			if err != nil {
				return err
			}
			done = append(done, ImportedBundle{File: filepath.ToSlash(paths[i]), Machine: b.Info.Machine, Whole: b.Info.Whole, Files: m.Files,
				Snapshots: m.Snapshots, Bytes: m.Bytes, Marks: m.Marks, Renames: m.Renames, Forgotten: m.Forgotten})
		}
		again, err := ingest.Rebury(ctx, w, s.Adapters)
		done[len(done)-1].Buried = again
		return err
	}
	report, err := ingest.Run(ctx, o)
	if err != nil {
		return nil, s.bundleFailure(paths[0], err)
	}
	res := importResult(report, s.Now().Sub(began))
	if len(rest) > 0 {
		req.Paths, req.Reindex = rest, false
		if res, err = s.Import(ctx, req); err != nil {
			return nil, err
		}
	}
	res.Bundles, res.Found, res.ElapsedMS = done, true, s.Now().Sub(began).Milliseconds()
	return res, nil
}

// bundleFailure sorts what is wrong with a bundle.
func (s *Service) bundleFailure(path string, err error) error {
	switch {
	case errors.Is(err, archive.ErrBundle):
		return failf(Damaged, err, "the bundle %v; nothing of it was taken: write it again", err)
	case errors.Is(err, archive.ErrBundleVersion):
		return failf(Damaged, err, "cannot read the bundle %q: %v", path, err)
	}
	return s.failure(err)
}
