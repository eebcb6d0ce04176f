package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
	"lore/internal/archive"
)

// Live is the sources of this machine as they are now. Nothing is written, neither there nor to an archive.
type Live struct {
	Evidences []*LiveEvidence // transcripts first, stores of typed prompts behind them; else by place and name
	Failures  []Failure       // folders that cannot be looked at

	places []place
}

// LiveEvidence is one evidence at its source.
type LiveEvidence struct {
	Source adapter.Source
	Store  adapter.Store
	Name   string // home-collapsed path

	place *place
}

// OpenLive finds the evidences of every source: names and stats only. The caller closes it.
func OpenLive(ctx context.Context, m Machine, adapters []adapter.Adapter) (*Live, error) {
	found, absent := places(m, adapters)
	l := &Live{places: found}
	for _, a := range absent {
		if a.err != nil {
			l.Failures = append(l.Failures, Failure{Source: a.source, File: a.name, Err: cause(a.err)})
		}
	}
	seen := map[string]bool{}
	for i := range found {
		p := &found[i]
		for s, err := range p.adapter.Find(ctx, p.Place) {
			if err != nil {
				l.fail(p, s, err)
				continue
			}
			e := &LiveEvidence{Source: s, Name: joinName(p.Name, s.Path), place: p}
			e.Source.Product = cmp.Or(s.Product, p.Root.Source)
			e.Store = storeOf(p.adapter, e.Source.Product, s.Store)
			if key := fileKey(e.Source.Product, e.Name); !seen[key] {
				seen[key] = true // two roots may lead to one folder
				l.Evidences = append(l.Evidences, e)
			}
		}
		if err := ctx.Err(); err != nil {
			l.Close()
			return nil, err
		}
	}
	slices.SortStableFunc(l.Evidences, func(a, b *LiveEvidence) int { return rankOf(a.Store) - rankOf(b.Store) })
	return l, nil
}

func rankOf(s adapter.Store) int {
	if s.Prompts {
		return 1
	}
	return 0
}

// fail notes a folder that cannot be looked at. What is skipped on purpose is none.
func (l *Live) fail(p *place, s adapter.Source, err error) {
	var loss lore.Loss
	if errors.As(err, &loss) {
		return
	}
	l.Failures = append(l.Failures, Failure{Source: cmp.Or(s.Product, p.Root.Source), File: joinName(p.Name, cmp.Or(s.Path, ".")), Err: cause(err)})
}

// Close gives the folders back.
func (l *Live) Close() { closePlaces(l.places) }

// MayHold reports whether one of the literals may stand in the evidence or in one of its companions. Where the bytes do
// not show it (databases, whose pages part a text; compressed files), it may.
func (e *LiveEvidence) MayHold(ctx context.Context, f *archive.Finder) (bool, error) {
	if f.Any() || len(e.Source.Ranges) > 0 {
		return true, nil
	}
	for _, name := range append([]string{e.Source.Path}, e.Source.Companions...) {
		if may, err := mayHold(ctx, e.place.FS, name, f); may || err != nil {
			return may, err
		}
	}
	return false, nil
}

func mayHold(ctx context.Context, files fs.FS, name string, f *archive.Finder) (bool, error) {
	file, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it has gone since the folder was looked at
	}
	if err != nil {
		return false, cause(err)
	}
	defer file.Close()
	var magic [4]byte
	n, err := io.ReadFull(file, magic[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, cause(err)
	}
	if kit.IsZstd(magic[:n]) {
		return true, nil
	}
	holds, err := f.Holds(ctx, io.MultiReader(bytes.NewReader(magic[:n]), file))
	return holds, cause(err)
}

// Read yields the pieces of every conversation that the evidence speaks of, as it says them: not joined, not sealed.
func (e *LiveEvidence) Read(ctx context.Context, yield func(*lore.Conversation) error) error {
	for c, err := range e.place.adapter.Read(ctx, adapter.Input{Source: e.Source, FS: e.place.FS, Place: e.place.Name}) {
		if err != nil {
			return cause(err)
		}
		if c.Partial {
			continue
		}
		if err := yield(c); err != nil {
			return err
		}
	}
	return ctx.Err()
}
