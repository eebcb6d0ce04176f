package grok

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// prompts are the entries of a prompt history by session; the words stay in the file until a session is read.
type prompts struct {
	in       adapter.Input
	lines    *kit.Lines
	losses   *kit.Tally
	entries  []spot
	sessions []typist
	known    map[string]int32
	other    lore.Ledger // units of no session
}

// typist is the chain of one session's entries.
type typist struct {
	id          string
	first, last int32
}

// isPrompt reports whether a record is an entry of a prompt history.
func isPrompt(v kit.Value) bool {
	return v.Get("session_id").IsString() && v.Get("prompt").IsString() && v.Get("timestamp").Exists()
}

// readPrompts reads the prompts of a project, as one conversation for each session. Which of them are said better
// elsewhere is not known here.
func readPrompts(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	p := &prompts{in: in, lines: lines, losses: kit.NewTally(in, in.Source.Path), known: map[string]int32{}}
	for r := range lines.All() {
		p.take(r)
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	if len(p.sessions) == 0 && (lines.Good() > 0 || !trusted) {
		return adapter.ErrNotMine
	}
	for i := range p.sessions {
		if err := p.session(ctx, &p.sessions[i], yield); err != nil {
			return err
		}
	}
	return p.end(yield)
}

func (p *prompts) take(r *kit.Record) {
	id := r.Value.Get("session_id").String()
	if id == "" || !r.Value.Get("prompt").IsString() {
		const name = "prompt without session"
		p.other.Meet(name)
		p.losses.Unknown(r.Line, name)
		return
	}
	at := int32(len(p.entries))
	p.entries = append(p.entries, spot{r.Offset, r.Length, int32(r.Line), -1})
	n, ok := p.known[id]
	if !ok {
		p.known[id] = int32(len(p.sessions))
		p.sessions = append(p.sessions, typist{id, at, at})
		return
	}
	p.entries[p.sessions[n].last].next = at
	p.sessions[n].last = at
}

// session yields the prompts of one session.
func (p *prompts) session(ctx context.Context, s *typist, yield yielder) error {
	pieces := kit.NewPieces(p.in, func() *lore.Conversation {
		return &lore.Conversation{Source: source, Store: storePrompts, Native: s.id, Kind: lore.Main}
	}, yield)
	var ledger lore.Ledger
	for at := s.first; at >= 0; at = p.entries[at].next {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &p.entries[at]
		v, err := p.lines.At(e.offset, e.length)
		if err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
		ledger.Keep(1)
		if err := pieces.Add(p.message(e, v)); err != nil {
			return err
		}
	}
	return pieces.End(ledger, nil)
}

// message makes the message of an entry: what was typed, or a command that was run.
func (p *prompts) message(e *spot, v kit.Value) lore.Message {
	m := lore.Message{Role: lore.User, Active: true, Units: 1, Parts: []lore.Part{kit.TextPart(lore.Text, v.Get("prompt"))}}
	if v.Get("is_bash").Bool() {
		m.Role, m.Subtype = lore.System, "command"
		m.Parts[0].Kind, m.Parts[0].Name = lore.Call, "bash"
	}
	at, ok := kit.ParseTime(v.Get("timestamp"))
	if !ok {
		p.losses.More(lore.BadTime, lore.Info, int(e.line), "times that cannot be read")
	}
	m.At, m.AtFrom = at, kit.TimeFrom(at)
	m.Origins = []lore.Locator{{File: p.in.Name(p.in.Source.Path), Line: int(e.line), Offset: e.offset, Length: e.length}}
	return m
}

// end yields what is to be said of the file itself.
func (p *prompts) end(yield yielder) error {
	p.other.Damage(p.lines.Damaged())
	if p.lines.Good() == 0 && p.lines.Damaged() == 0 {
		p.losses.One(lore.Empty, lore.Info, 0, "no prompts")
	}
	list := append(p.lines.Losses(), p.losses.List()...)
	if p.other.Units > 0 || len(list) > 0 {
		if !yield(&lore.Conversation{Source: source, Store: storePrompts, Partial: true, Ledger: p.other, Losses: list}, nil) {
			return kit.ErrStopped
		}
	}
	if p.lines.Good() == 0 && p.lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", p.lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}
