package ingest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// Plan is what an import would do.
type Plan struct {
	Sources  []SourceReport // Read counts what would be read
	Files    []PlannedFile  // all but the unchanged ones
	Failures []Failure
	Losses   []lore.Loss
	Looked   bool
}

// PlannedFile is an evidence that an import would not leave as it is.
type PlannedFile struct {
	Source string
	File   string // home-collapsed
	Bytes  int64
	State  string // "new", "changed", "reread" from the archive, "excluded", "gone"
}

// Prepare looks for what an import would read, and writes nothing: not to lore's folder either, which need not exist.
func Prepare(ctx context.Context, o Options) (*Plan, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &run{o: o, adapters: readersOf(o.Adapters), tally: newTally(nil), seen: map[string]bool{}, reading: map[string]bool{}}
	var err error
	if r.known, r.buried, err = knownToRead(o.Dir); err != nil {
		return nil, err
	}
	found, err := r.places()
	if err != nil {
		return nil, err
	}
	defer closePlaces(found)
	jobs, err := r.find(ctx, found)
	if err != nil {
		return nil, err
	}
	p := &Plan{Looked: len(found) > 0}
	for _, j := range append(jobs, r.archived()...) {
		f := PlannedFile{Source: j.source.Product, File: j.path(), State: "changed"}
		if j.source.Info != nil {
			f.Bytes = j.source.Info.Size()
		}
		switch {
		case j.keep && r.ofExcludedProject(ctx, j):
			f.State = "excluded"
			r.tally.count(f.Source, func(s *SourceReport) { s.Excluded++ })
		case !j.keep:
			f.State = "reread"
		case j.file.ID == 0:
			f.State = "new"
		}
		if f.State != "excluded" {
			r.tally.count(f.Source, func(s *SourceReport) { s.Read++ })
		}
		p.Files = append(p.Files, f)
	}
	for _, f := range r.gone() {
		p.Files = append(p.Files, PlannedFile{Source: f.Source, File: f.Path, Bytes: f.Stat.Size, State: "gone"})
	}
	p.Files = append(p.Files, r.left...)
	slices.SortFunc(p.Files, func(a, b PlannedFile) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.File, b.File))
	})
	report := r.tally.report()
	p.Sources, p.Failures, p.Losses = report.Sources, report.Failures, report.Losses
	p.Looked = p.Looked && (len(o.Paths) == 0 || metAny(p.Sources))
	return p, ctx.Err()
}

// knownToRead returns what archive and index have, and what was forgotten, opened for reading alone; nothing where there is none.
func knownToRead(dir string) (*known, *buried, error) {
	a, err := archive.Open(dir, archive.Options{})
	if errors.Is(err, archive.ErrNone) {
		return newKnown(nil, nil, map[int64]index.State{}), &buried{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	states := map[int64]index.State{}
	at, err := IndexDir(dir)
	if err == nil {
		var x *index.Reader
		if x, err = index.Open(at, index.ReaderOptions{}); err == nil {
			defer x.Close()
			states, err = x.States()
		}
	}
	if err != nil && !errors.Is(err, index.ErrNone) && !errors.Is(err, index.ErrRebuild) {
		return nil, nil, err
	}
	files, err := a.Files()
	if err != nil {
		return nil, nil, err
	}
	pairs, err := a.Pairs()
	if err != nil {
		return nil, nil, err
	}
	gone, err := loadBuried(a)
	return newKnown(files, pairs, states), gone, err
}
