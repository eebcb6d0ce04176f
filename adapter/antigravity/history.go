package antigravity

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// talk is what was typed in one conversation.
type talk struct {
	id        string // "": the prompts that name no conversation, which are one list, anchored by its place
	workspace string
	prompts   []spot
	ledger    lore.Ledger
}

// readHistory reads the typed prompts: first which conversation each is of, then their words.
func readHistory(ctx context.Context, in adapter.Input, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"display", "timestamp"}})
	if err != nil {
		return err
	}
	defer lines.Close()
	f := &file{lines: lines, tally: kit.NewTally(in, in.Source.Path)}
	talks, rest, err := scanHistory(ctx, f)
	if err != nil {
		return err
	}
	for _, t := range talks {
		if err := t.tell(ctx, in, f, yield); err != nil {
			return err
		}
	}
	if len(talks) == 0 {
		f.tally.One(lore.Empty, lore.Info, 0, "no prompts")
	}
	if list := append(lines.Losses(), f.tally.List()...); rest.Units > 0 || len(list) > 0 {
		if !yield(&lore.Conversation{Source: source, Store: storeHistory, Partial: true, Ledger: rest, Losses: list}, nil) {
			return kit.ErrStopped
		}
	}
	if lines.Good() == 0 && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// scanHistory sorts the lines by conversation, in the order in which each was first typed in.
func scanHistory(ctx context.Context, f *file) (talks []*talk, rest lore.Ledger, err error) {
	byID := map[string]*talk{}
	mine := false
	for r := range f.lines.All() {
		v := r.Value
		if mine = mine || isPrompt(v); ctx.Err() != nil || !mine && f.lines.Good() >= sniffed {
			break
		}
		if !v.Get("display").IsString() {
			rest.Meet("prompt")
			f.tally.Unknown(r.Line, "prompt without display")
			continue
		}
		id := v.Get("conversationId").String()
		t := byID[id]
		if t == nil {
			t = &talk{id: id}
			byID[id] = t
			talks = append(talks, t)
		}
		if w := v.Get("workspace").String(); w != "" && id != "" {
			t.workspace = w
		}
		t.prompts = append(t.prompts, spot{f, r.Offset, r.Length, r.Line})
	}
	rest.Damage(f.lines.Damaged())
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case f.lines.Err() != nil:
		err = f.lines.Err()
	case f.lines.Good() > 0 && !mine:
		err = adapter.ErrNotMine
	}
	return talks, rest, err
}

// tell yields the prompts of one conversation.
func (t *talk) tell(ctx context.Context, in adapter.Input, f *file, yield yielder) error {
	pieces := kit.NewPieces(in, func() *lore.Conversation {
		c := &lore.Conversation{Source: source, Store: storeHistory, Native: t.id, Kind: lore.Main, Project: t.project()}
		if t.id == "" {
			c.Place = in.Name(in.Source.Path)
		}
		return c
	}, yield)
	for _, at := range t.prompts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := f.lines.At(at.offset, at.length)
		if err != nil {
			return fmt.Errorf("line %d: %w", at.line, err)
		}
		m := lore.Message{Role: lore.User, Active: true, Units: 1, Parts: []lore.Part{kit.TextPart(lore.Text, v.Get("display"))},
			Origins: []lore.Locator{at.locator()}}
		m.At, _ = kit.ParseTime(v.Get("timestamp"))
		m.AtFrom = kit.TimeFrom(m.At)
		t.ledger.Keep(1)
		if err := pieces.Add(m); err != nil {
			return err
		}
	}
	if err := pieces.End(t.ledger, nil); err != nil || t.id == "" || t.workspace == "" {
		return err
	}
	// The transcript does not know its folder: it is told of it.
	if !yield(&lore.Conversation{Source: source, Store: storeHistory, Native: t.id, Partial: true, Project: t.project()}, nil) {
		return kit.ErrStopped
	}
	return nil
}

func (t *talk) project() (p lore.Project) {
	p.Dir, _ = kit.FileURI(t.workspace)
	p.Name = kit.ProjectName(p.Dir)
	return p
}
