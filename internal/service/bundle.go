package service

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// BundleFormat is the format of an export that carries the archive itself.
const BundleFormat = "bundle"

// BundleRequest asks for a bundle: archived bytes with ids, marks and notes, for another machine.
type BundleRequest struct {
	IDs   []string  // as ExportRequest; none, and no Query, is everything
	Query string    // every conversation with a match
	All   bool      // everything
	To    string    // file; empty: Out
	Out   io.Writer // gets the bundle where no file is named
}

// BundleResult says what is in a bundle.
type BundleResult struct {
	Schema string `json:"schema"` // "lore.bundle.v1"
	To     string `json:"to,omitempty"`
	Whole  bool   `json:"whole"` // all of the archive is in it
	archive.BundleStats
}

// Bundle writes a bundle. Nothing is at its place before all of it is written.
func (s *Service) Bundle(ctx context.Context, req BundleRequest) (*BundleResult, error) {
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	what := archive.BundleRequest{Program: s.Build}
	whole := req.All || len(req.IDs) == 0 && req.Query == ""
	if !whole {
		if what.Files, what.Ids, err = s.bundled(ctx, l, req); err != nil {
			return nil, s.failure(err)
		}
	}
	res := &BundleResult{Schema: "lore.bundle.v1", To: req.To, Whole: whole}
	write := func(w io.Writer) (err error) {
		buffered := bufio.NewWriterSize(w, 1<<20)
		res.BundleStats, err = l.archive.WriteBundle(ctx, buffered, what)
		return errors.Join(err, buffered.Flush())
	}
	if req.To == "" {
		return res, s.failure(write(req.Out))
	}
	return res, s.failure(writeBundle(req.To, write))
}

// writeBundle writes beside the file and puts it in its place in one step. Only a bundle is written over.
func writeBundle(to string, write func(io.Writer) error) error {
	if info, err := os.Stat(to); err == nil && (info.IsDir() || !archive.IsBundle(to)) {
		return failf(Usage, nil, "%q is there and is no bundle; name another file with --to", to)
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".lore-bundle-*")
	if err != nil {
		return failf(Usage, err, "cannot write %q: %v; name a file in a folder that can be written to", to, err)
	}
	err = write(f)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// bundled returns the evidences and ids of the conversations that were asked for.
func (s *Service) bundled(ctx context.Context, l *library, req BundleRequest) (map[int64]bool, map[lore.ID]bool, error) {
	x := &exporting{library: l, req: ExportRequest{IDs: req.IDs, Query: req.Query}}
	entries, err := x.chosen(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) == 0 {
		return nil, nil, failf(NotFound, nil, "no conversation matches: there is nothing to write")
	}
	files, ids := map[int64]bool{}, map[lore.ID]bool{}
	for i := range entries {
		ids[entries[i].ID] = true
		if err := s.evidences(l, &entries[i], files); err != nil {
			return nil, nil, err
		}
		messages, err := l.index.Messages(entries[i].ID)
		if err != nil {
			return nil, nil, err
		}
		for k := range messages {
			ids[messages[k].ID] = true
		}
	}
	return files, ids, nil
}

// evidences adds the files that speak of a conversation, and their companions. A list of typed prompts, which speaks of
// many others, is left out where there is a richer one.
func (s *Service) evidences(l *library, e *index.Entry, files map[int64]bool) error {
	links, err := l.index.Links(e.ID)
	if err != nil {
		return err
	}
	var lists []int64
	found := false
	for _, link := range links {
		f, err := l.archive.File(link.Evidence)
		if err != nil {
			return err
		}
		if s.isPrompts(f.Source, f.Store) {
			lists = append(lists, f.ID)
			continue
		}
		found = found || !link.Partial
		if link.Partial {
			continue
		}
		files[f.ID] = true
		companions, err := l.archive.Companions(f.ID)
		if err != nil {
			return err
		}
		for _, c := range companions {
			files[c.ID] = true
		}
	}
	for _, id := range lists {
		files[id] = files[id] || !found
	}
	return nil
}

func (s *Service) isPrompts(source, store string) bool {
	for _, a := range s.Adapters {
		for _, x := range a.Info().Stores {
			if x.Source == source && x.Name == store {
				return x.Prompts
			}
		}
	}
	return false
}
