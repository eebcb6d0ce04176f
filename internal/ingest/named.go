package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// findNamed finds the one file that a user named: the first place whose adapter knows it.
func (r *run) findNamed(ctx context.Context, places []place) ([]*job, error) {
	var jobs []*job
	taken := map[string]bool{}
	for i := range places {
		p := &places[i]
		abs := p.dir + "/" + p.only
		if taken[abs] {
			continue
		}
		s, err := claim(ctx, p)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		taken[abs] = true
		if j := r.consider(p, *s); j != nil {
			r.reading[fileKey(j.source.Product, j.path())] = j.source.Split != nil
			jobs = append(jobs, j)
		}
	}
	for i := range places {
		if p := &places[i]; !taken[p.dir+"/"+p.only] && len(taken) == 0 {
			r.tally.fail("", joinName(p.Name, p.only), errors.New("no source of this program writes such a file"))
			break
		}
	}
	return jobs, nil
}

// claim returns the named file as its adapter finds it; nil when the adapter does not know it.
func claim(ctx context.Context, p *place) (*adapter.Source, error) {
	for s, err := range p.adapter.Find(ctx, p.Place) {
		if err == nil && s.Path == p.only {
			return &s, nil
		}
	}
	info, err := fs.Stat(p.FS, p.only)
	if err != nil {
		return nil, fmt.Errorf("cannot read %q: %w", joinName(p.Name, p.only), cause(err))
	}
	s := adapter.Source{Product: p.Root.Source, Path: p.only, Info: info}
	if kit.IsDatabase(p.FS, p.only) {
		return claimDatabase(ctx, p, s), nil
	}
	if !knows(ctx, p, s) {
		return nil, nil
	}
	return &s, nil
}

// claimDatabase returns a database with the rows that its adapter reads: what else is in it, logins above all, is not
// kept. Nil when the adapter does not know it.
func claimDatabase(ctx context.Context, p *place, s adapter.Source) *adapter.Source {
	if !knows(ctx, p, s) {
		return nil
	}
	var tables []string
	err := kit.ReadDatabase(ctx, p.FS, p.only, func(db *kit.Database) error {
		tables = db.Tables()
		return nil
	})
	for _, d := range p.adapter.Info().Databases {
		missing := func(table string) bool { return !slices.Contains(tables, table) }
		if err == nil && slices.ContainsFunc(d.Tables, missing) {
			continue
		}
		// One that cannot be opened will fail when its rows are kept.
		s.Store, s.Ranges, s.Split = d.Store, d.Ranges, d.Split
		return &s
	}
	return nil
}

// knows reports whether an adapter takes a file for its own: it begins to read it.
func knows(ctx context.Context, p *place, s adapter.Source) bool {
	for _, err := range p.adapter.Read(ctx, adapter.Input{Source: s, FS: p.FS, Place: p.Name}) {
		return !errors.Is(err, adapter.ErrNotMine)
	}
	return false
}

// Examined is what one evidence says, read at its source, without an archive.
type Examined struct {
	Source, Store, Name string
	Size                int64
	Companions          []string
	Ledger              lore.Ledger // of units that belong to no conversation
	Losses              []lore.Loss
	Records             []*lore.Conversation // sealed; without messages
	Err                 error                // why the evidence, or the rest of it, cannot be read
}

// Examine reads one file that need not have been imported. Nil when no adapter knows it.
func Examine(ctx context.Context, m Machine, adapters []adapter.Adapter, path string) (*Examined, error) {
	places, err := named(m, adapters, path)
	defer closePlaces(places)
	if err != nil {
		return nil, err
	}
	for i := range places {
		p := &places[i]
		if p.only == "" {
			return nil, fmt.Errorf("cannot inspect %q: it is a folder; name a file in it", path)
		}
		s, err := claim(ctx, p)
		if err != nil {
			return nil, err
		}
		if s != nil {
			return examine(ctx, p, *s), nil
		}
	}
	return nil, nil
}

func examine(ctx context.Context, p *place, s adapter.Source) *Examined {
	x := &Examined{Source: s.Product, Store: s.Store, Name: joinName(p.Name, s.Path), Size: s.Info.Size(), Companions: s.Companions}
	var sealer *lore.Sealer
	var whole *lore.Conversation
	for c, err := range p.adapter.Read(ctx, adapter.Input{Source: s, FS: p.FS, Place: p.Name}) {
		if err != nil {
			x.Err = err
			break
		}
		if x.Store == "" {
			x.Store = c.Store
		}
		if c.Partial {
			x.Ledger.Add(c.Ledger)
			x.Losses = append(x.Losses, c.Losses...)
			continue
		}
		if sealer == nil {
			sealer = lore.NewSealer()
		}
		sealer.Piece(c)
		c.Messages = nil
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		if !c.More {
			sealer.Finish(whole)
			x.Records = append(x.Records, whole)
			sealer, whole = nil, nil
		}
	}
	return x
}
