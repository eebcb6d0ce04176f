package ingest

import (
	"cmp"
	"context"
	"errors"

	"lore"
	"lore/adapter"
	"lore/internal/config"
)

// Surveyed is one place that was looked at, without reading a file.
type Surveyed struct {
	Source   string
	Name     string // home-collapsed
	Found    bool   // the folder exists and could be opened
	Err      error  // why it could not; nil when it does not exist
	Files    int    // evidences
	Bytes    int64
	Excluded int       // evidences that the configuration leaves out; the place itself when it is of an excluded source
	Failures []Failure // folders in it that cannot be looked at
	Skipped  []lore.Loss
}

// Survey looks at the places of every adapter, in their order.
func Survey(ctx context.Context, m Machine, adapters []adapter.Adapter, out config.Exclude) []Surveyed {
	found, absent := places(m, adapters)
	defer closePlaces(found)
	var all []Surveyed
	for i := range found {
		all = append(all, survey(ctx, &found[i], m.Home, out))
	}
	for _, a := range absent {
		all = append(all, Surveyed{Source: a.source, Name: a.name, Err: a.err})
	}
	return all
}

func survey(ctx context.Context, p *place, home string, out config.Exclude) Surveyed {
	s := Surveyed{Source: p.Root.Source, Name: p.Name, Found: true}
	if out.Source(s.Source) {
		s.Excluded = 1
		return s
	}
	for src, err := range p.adapter.Find(ctx, p.Place) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			loss.File = cmp.Or(loss.File, joinName(p.Name, src.Path))
			s.Skipped = append(s.Skipped, loss)
		case err != nil:
			s.Failures = append(s.Failures, Failure{Source: s.Source, File: joinName(p.Name, cmp.Or(src.Path, ".")), Err: cause(err)})
		case out.Source(cmp.Or(src.Product, s.Source)), out.Folder(joinName(p.Name, src.Path), home):
			s.Excluded++
		default:
			s.Files++
			if src.Info != nil {
				s.Bytes += src.Info.Size()
			}
		}
	}
	return s
}
