package cursor

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"lore"
	"lore/adapter"
)

// turn is one unit of a transcript: a line, an element, a block.
type turn struct {
	runs  runs
	at    lore.Time // that the unit itself says
	model string    // that it names
	where lore.Locator
}

// rendering is one form of a transcript. It may be read again and again.
type rendering interface {
	// turns calls f with each unit that says something, in order. What becomes of the others, and what is wrong, goes into
	// the writer's ledger and losses: on the first reading alone.
	turns(ctx context.Context, w *writer, f func(*turn) error) error
	close()
}

// openRendering opens a form of a transcript by its name.
func openRendering(in adapter.Input, name string) (rendering, error) {
	switch shapeOfName(name) {
	case shapeList:
		return openList(in, name)
	case shapeText:
		return openText(in, name)
	}
	return openLines(in, name)
}

// readTranscript reads a transcript with the poorer renderings of the same chat that stand beside it.
func readTranscript(ctx context.Context, in adapter.Input, yield yielder) error {
	main, err := openRendering(in, in.Source.Path)
	if err != nil {
		return err
	}
	defer main.close()
	id := stem(in.Source.Path)
	w := newWriter(in, yield, storeTranscripts, id)
	if parent := parentOfPath(in.Name(in.Source.Path)); parent != "" && parent != id {
		w.head.Kind, w.head.Parent = lore.Subagent, &lore.Parent{Native: parent}
	}
	if in.Source.Info != nil {
		w.clock.file = lore.NewTime(in.Source.Info.ModTime().UnixNano(), 0, false)
	}
	t := &transcript{ctx: ctx, in: in, w: w, main: main}
	if err := t.first(); err != nil {
		return err
	}
	return t.second()
}

// parentOfPath returns the chat whose sub-agent a transcript is, by its place: ID/subagents/CHILD.jsonl.
func parentOfPath(p string) string {
	dir, _, ok := strings.Cut(p, "/"+subagentsDir+"/")
	if !ok {
		return ""
	}
	return path.Base(dir)
}

// transcript is a chat while its renderings are read.
type transcript struct {
	ctx  context.Context
	in   adapter.Input
	w    *writer
	main rendering
	fold fold
}

// first reads all renderings once: what pairs with what, when the first of them with a time was written, and what is to
// be said of units that make no message.
func (t *transcript) first() error {
	begun := false
	err := t.main.turns(t.ctx, t.w, func(u *turn) error {
		if !begun && !u.at.IsZero() {
			begun, t.w.clock.begin = true, u.at
		}
		t.w.ledger.Keep(1)
		if len(t.in.Source.Companions) > 0 {
			t.fold.addMain(u)
		}
		return t.ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, name := range t.in.Source.Companions {
		if err := t.twin(name); err != nil {
			return err
		}
	}
	return nil
}

// twin reads a poorer rendering into memory and pairs it.
func (t *transcript) twin(name string) error {
	if !exists(t.in, name) {
		return nil
	}
	other, err := openRendering(t.in, name)
	if err != nil {
		t.w.ledger.Damage(1)
		t.w.losses.list = append(t.w.losses.list, lore.Loss{Code: lore.BadJSON, Severity: lore.Warning, Source: source,
			File: t.in.Name(name), What: "a rendering that cannot be read", Count: 1})
		return nil
	}
	defer other.close()
	file := t.w.losses.file
	t.w.losses.file = t.in.Name(name)
	defer func() { t.w.losses.file = file }()
	var all []turn
	err = other.turns(t.ctx, t.w, func(u *turn) error {
		all = append(all, *u)
		return t.ctx.Err()
	})
	if err != nil {
		return err
	}
	t.fold.pair(all, &t.w.ledger)
	return nil
}

// second makes the messages.
func (t *transcript) second() error {
	if err := t.put(t.fold.after[-1]); err != nil {
		return err
	}
	n := 0
	silent := newWriter(t.in, t.w.yield, "", "") // what there is to say of units was said on the first reading
	err := t.main.turns(t.ctx, silent, func(u *turn) error {
		for i := range u.runs {
			m := &u.runs[i]
			t.stamp(m, u)
			if i == 0 {
				m.Units = 1
			}
			m.Origins = append([]lore.Locator{u.where}, t.fold.origins[n]...)
			if err := t.w.add(*m); err != nil {
				return err
			}
			if err := t.put(t.fold.after[n]); err != nil {
				return err
			}
			n++
		}
		return t.ctx.Err()
	})
	if err != nil {
		return err
	}
	if t.w.put == 0 && t.w.ledger.Damaged == 0 {
		t.w.losses.one(lore.Empty, lore.Info, spot{}, "no messages")
	}
	if err := t.w.finish(); err != nil {
		return err
	}
	if l := t.w.ledger; l.Damaged > 0 && l.Damaged == l.Units {
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	return nil
}

// stamp sets the time and the model of a message.
func (t *transcript) stamp(m *lore.Message, u *turn) {
	t.w.clock.stamp(m, u.at, false)
	if m.Role == lore.Assistant {
		m.Model = u.model
	}
}

// put puts what only a poorer rendering says.
func (t *transcript) put(list []int) error {
	for _, n := range list {
		x := &t.fold.extras[n]
		t.stamp(&x.message, &turn{at: x.at, model: x.model})
		if err := t.w.add(x.message); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf returns the size of a file of the evidence.
func sizeOf(in adapter.Input, name string) (int64, error) {
	info, err := fs.Stat(in.FS, name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
