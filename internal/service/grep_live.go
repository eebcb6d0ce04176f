package service

import (
	"context"
	"errors"
	"slices"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/ingest"
)

// said names a message by what it says and where: two evidences that speak of one conversation say most of it twice.
type said struct{ conversation, content lore.ID }

// live searches the sources as they are now, evidence by evidence. Nothing is joined: a message that two evidences say
// is told of where it is found first.
func (g *grepping) live(ctx context.Context) error {
	if g.req.Lines == GrepWithout {
		g.told = map[lore.ID]bool{}
	}
	sources, err := ingest.OpenLive(ctx, g.service.machine(), g.service.Adapters)
	if err != nil {
		return err
	}
	defer sources.Close()
	for _, f := range sources.Failures {
		g.sum.Failures = append(g.sum.Failures, Fault{Source: f.Source, File: f.File, Error: f.Err.Error()})
	}
	var without []HitOf
	before, here := map[said]bool{}, map[said]bool{}
	tell := func(m matchedIn) error {
		if g.told != nil && m.fault == nil {
			if _, known := g.told[m.of.ID]; !known {
				without = append(without, m.of)
			}
		}
		m.messages = slices.DeleteFunc(m.messages, func(x matched) bool {
			s := said{m.of.ID, x.content}
			here[s] = true
			return before[s]
		})
		return g.tell(m)
	}
	err = g.readAll(ctx, func(_ context.Context, start func(reader) error) error {
		for _, e := range sources.Evidences {
			if err := start(func(ctx context.Context, give func(matchedIn) error) error { return g.evidence(ctx, e, give) }); err != nil {
				return err
			}
		}
		return nil
	}, tell, func() {
		for s := range here {
			before[s] = true
		}
		clear(here)
	})
	if err != nil {
		return err
	}
	for _, of := range without {
		if !g.told[of.ID] {
			if err := g.begin(of); err != nil {
				return err
			}
		}
	}
	if err := g.end(); err != nil {
		return err
	}
	return g.summary()
}

// finder returns what the bytes of an evidence have to hold; nil when anything may match.
func (g *grepping) finder(e *ingest.LiveEvidence) *archive.Finder {
	n := g.pattern.needle
	switch {
	case g.told != nil, e.Store.Fragments == adapter.ShortFragments:
		n = archive.Needle{}
	case e.Store.Fragments == adapter.LongFragments:
		n = g.pattern.halves
	}
	return n.Finder()
}

// evidence reads one evidence at its source. One that cannot be read is a word about it, and the others are read.
func (g *grepping) evidence(ctx context.Context, e *ingest.LiveEvidence, give func(matchedIn) error) error {
	may, err := e.MayHold(ctx, g.finder(e))
	if may && err == nil {
		r := liveReading{g: g, give: give}
		err = e.Read(ctx, r.piece)
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, adapter.ErrNotMine) {
		return ctx.Err()
	}
	return give(matchedIn{fault: &Fault{Source: e.Source.Product, File: e.Name, Error: err.Error()}})
}

// liveReading puts the pieces of conversations together as far as a grep needs them.
type liveReading struct {
	g      *grepping
	give   func(matchedIn) error
	sealer *lore.Sealer
	most   int
	found  []matched
}

func (r *liveReading) piece(c *lore.Conversation) error {
	if r.sealer == nil {
		r.sealer, r.most, r.found = lore.NewSealer(), r.g.most(), nil
	}
	r.sealer.Piece(c)
	r.found = append(r.found, r.g.search(c, c, &r.most)...)
	if c.More {
		return nil
	}
	r.sealer.Finish(c)
	r.sealer = nil
	if len(r.found) == 0 && (r.g.told == nil || !r.g.filter.Conversation(c)) {
		return nil
	}
	return r.give(matchedIn{messages: r.found, of: HitOf{ID: c.ID, ShortID: c.ID.Short(), NativeID: c.Native, Title: c.Title,
		Source: c.Source, Project: c.Project}})
}
