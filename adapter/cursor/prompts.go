package cursor

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// readPrompts reads prompt_history.json: an array of strings, oldest first, whose head falls off. It names no chats: the
// list is one conversation, anchored by its place.
func readPrompts(ctx context.Context, in adapter.Input, yield yielder) error {
	a, err := openArray(in, in.Source.Path)
	if err != nil {
		return err
	}
	w := newWriter(in, yield, storePrompts, "")
	w.head.Place = a.name
	if in.Source.Info != nil {
		w.clock.file = lore.NewTime(in.Source.Info.ModTime().UnixNano(), 0, false)
	}
	err = a.elements(func(v kit.Value, where lore.Locator) error {
		at := spot{line: where.Line}
		flaws := a.doc.Flaws()
		w.losses.flaws(at, flaws.InvalidUTF8, flaws.LoneSurrogates)
		t := v
		if v.IsObject() {
			t = first(v.Get("text"), v.Get("prompt"))
		}
		if !t.IsString() {
			w.ledger.Meet("prompt")
			w.losses.unknown(at, "prompt")
			return nil
		}
		w.ledger.Keep(1)
		m := lore.Message{Role: lore.User, Active: true, Units: 1, Parts: []lore.Part{text(lore.Text, t)}, Origins: []lore.Locator{where}}
		w.clock.stamp(&m, lore.Time{}, false)
		if err := w.add(m); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil && err != errSyntax {
		return err
	}
	if err == errSyntax {
		a.broken(&w.ledger, &w.losses)
	}
	if w.ledger.Units == 0 {
		w.losses.one(lore.Empty, lore.Info, spot{}, "no prompts")
	}
	if err := w.finish(); err != nil {
		return err
	}
	if l := w.ledger; l.Damaged > 0 && l.Damaged == l.Units {
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	return nil
}
