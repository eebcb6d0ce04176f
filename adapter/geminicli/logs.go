package geminicli

import (
	"context"
	"errors"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// typed is an entry of the log of prompts.
type typed struct {
	span
	next int32 // the next entry of its session; -1: none
}

// typist is the chain of one session's entries.
type typist struct {
	id          string
	first, last int32
	speaks      bool // one of them is no command
}

// promptLog is the log of prompts by sessions; the texts stay in the file until a session is read.
type promptLog struct {
	in       adapter.Input
	f        *file
	entries  []typed
	sessions []typist
	known    map[string]int
	other    lore.Ledger // units of no session
	losses   losses
	project  lore.Project
}

// readLogs reads the log of what was typed in a project: one conversation for each session. Which of it the sessions say
// better is not known here.
func readLogs(ctx context.Context, in adapter.Input, f *file, yield yielder) error {
	l, err := layOut(f)
	if err != nil {
		return err
	}
	p := &promptLog{in: in, f: f, known: map[string]int{}}
	p.project = (&chat{in: in, head: head{folder: whereIs(in).project}}).project(nil)
	switch {
	case l.list != rootList && !l.empty:
		if l.fault == nil {
			return adapter.ErrNotMine
		}
		l.elements = nil
	case l.bom:
		p.losses.one(f, lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	p.losses.more(f, lore.NulPadding, lore.Warning, 0, "NUL bytes between values", l.nuls)
	for _, s := range l.elements {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.take(s); err != nil {
			return err
		}
	}
	if l.fault != nil {
		p.other.Damage(1)
		p.losses.one(f, lore.BadJSON, lore.Warning, l.line, l.fault.Error())
	}
	if len(p.sessions) == 0 && p.other.Unknown > 0 && p.other.Damaged == 0 {
		return adapter.ErrNotMine
	}
	for i := range p.sessions {
		if err := p.session(ctx, &p.sessions[i], yield); err != nil {
			return err
		}
	}
	return p.end(yield)
}

// take notes one entry.
func (p *promptLog) take(s span) error {
	v, err := p.f.value(s.off, s.len)
	var syntax *kit.SyntaxError
	switch {
	case errors.As(err, &syntax), errors.Is(err, kit.ErrTooDeep):
		p.other.Damage(1)
		p.losses.one(p.f, lore.BadJSON, lore.Warning, int(s.line), err.Error())
		return nil
	case err != nil:
		return err
	case s.len <= maxValue:
		flaws := p.f.doc.Flaws()
		p.losses.more(p.f, lore.InvalidUTF8, lore.Warning, int(s.line), "bytes that are not UTF-8", flaws.InvalidUTF8)
		p.losses.more(p.f, lore.LoneSurrogate, lore.Info, int(s.line), "escapes without their other half", flaws.LoneSurrogates)
	}
	id, message := v.Get("sessionId").String(), v.Get("message")
	if id == "" || !message.IsString() {
		const name = "prompt without session or words"
		p.other.Meet(name)
		p.losses.more(p.f, lore.UnknownRecord, lore.Info, int(s.line), "type "+name, 1)
		return nil
	}
	n, ok := p.known[id]
	if !ok {
		n = len(p.sessions)
		p.known[id] = n
		p.sessions = append(p.sessions, typist{id: id, first: -1, last: -1})
	}
	at, t := int32(len(p.entries)), &p.sessions[n]
	p.entries = append(p.entries, typed{s, -1})
	if t.last < 0 {
		t.first = at
	} else {
		p.entries[t.last].next = at
	}
	t.last = at
	t.speaks = t.speaks || isPerson(v)
	return nil
}

// isPerson reports whether an entry is something that a person said, and no command to the tool.
func isPerson(v kit.Value) bool {
	return (v.Get("type").Is("user") || !v.Get("type").Exists()) && !isCommand(v.Get("message").String())
}

// session yields what was typed in one session, in pieces when it is much. Commands alone make no conversation.
func (p *promptLog) session(ctx context.Context, t *typist, yield yielder) error {
	if !t.speaks {
		for at := t.first; at >= 0; at = p.entries[at].next {
			p.other.Skip("command")
		}
		return nil
	}
	var ledger lore.Ledger
	c, size := p.begin(t), int64(0)
	for at := t.first; at >= 0; at = p.entries[at].next {
		if err := ctx.Err(); err != nil {
			return err
		}
		if size >= p.in.PieceBound() {
			c.More = true
			if !yield(c, nil) {
				return errStopped
			}
			c, size = p.begin(t), 0
		}
		m, err := p.message(&p.entries[at])
		if err != nil {
			return err
		}
		c.Messages = append(c.Messages, m)
		size += int64(len(m.Parts[0].Text)) + 256
		ledger.Keep(1)
	}
	c.Ledger = ledger
	if !yield(c, nil) {
		return errStopped
	}
	return nil
}

func (p *promptLog) begin(t *typist) *lore.Conversation {
	return &lore.Conversation{Source: p.in.Source.Product, Store: p.in.Source.Store, Native: t.id, Kind: lore.Main, Project: p.project}
}

// message makes one entry. Its number repeats across restarts of the tool, so it is no id.
func (p *promptLog) message(e *typed) (lore.Message, error) {
	v, err := p.f.value(e.off, e.len)
	if err != nil {
		return lore.Message{}, err
	}
	m := lore.Message{Role: lore.User, Active: true, Units: 1, Parts: []lore.Part{text(lore.Text, v.Get("message"))},
		Origins: []lore.Locator{{File: p.f.name, Line: int(e.line), Offset: e.off, Length: e.len}}}
	if !isPerson(v) {
		m.Role, m.Subtype = lore.System, "command"
	}
	m.At, _ = kit.ParseTime(v.Get("timestamp"))
	m.AtFrom = kit.TimeFrom(m.At)
	return m, nil
}

// end yields what is to be said of the file itself. One of which nothing decodes fails.
func (p *promptLog) end(yield yielder) error {
	if len(p.entries) == 0 && p.other.Damaged == 0 {
		p.losses.one(p.f, lore.Empty, lore.Info, 0, "no prompts")
	}
	if p.other.Units > 0 || len(p.losses.list) > 0 {
		c := &lore.Conversation{Source: p.in.Source.Product, Store: p.in.Source.Store, Partial: true, Ledger: p.other, Losses: p.losses.list}
		if !yield(c, nil) {
			return errStopped
		}
	}
	if len(p.entries) == 0 && p.other.Damaged > 0 {
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	return nil
}
