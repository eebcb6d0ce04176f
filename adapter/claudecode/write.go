package claudecode

import (
	"context"
	"fmt"

	"lore"
)

// maxOrigins bounds how many units of one message are named.
const maxOrigins = 64

// writer is the second pass over one conversation: it decodes the bodies in record order and yields pieces.
type writer struct {
	ctx context.Context
	f   *file
	c   *conv
	out *sink

	piece   []lore.Message
	size    int64 // bytes of text in the piece
	shared  int   // messages copied from the session that this one was forked from
	ledger  lore.Ledger
	losses  losses
	unknown map[string]int // type → index in unknowns
	met     []met

	dir, branch string
	decided     bool // whether a person or a program began
	automation  bool
	last        lore.Time
	looked      bool           // for the first time that any record has
	origins     []lore.Locator // further units of the message at hand

	since, ahead int64 // bytes of lines since a state was saved, and to come
	left         bool  // a side file was not there, and may come
}

// met is a type that this version does not know.
type met struct {
	typ     string
	line, n int
}

// conversation yields one conversation. Ledger and losses of the file as a whole come with it, where it is the first.
func (f *file) conversation(ctx context.Context, c *conv, whole *lore.Conversation, out *sink) error {
	return f.newWriter(ctx, c, out).lines(0, whole)
}

func (f *file) newWriter(ctx context.Context, c *conv, out *sink) *writer {
	return &writer{ctx: ctx, f: f, c: c, out: out, losses: losses{file: f.losses.file}, unknown: map[string]int{}}
}

// lines writes the lines of the conversation from one on.
func (w *writer) lines(from int, whole *lore.Conversation) error {
	out, lines := w.out, w.f.linesOf(w.c)
	for _, i := range lines[from:] {
		w.ahead += w.f.lines[i].length
	}
	if _, within := w.f.in.SaveStep(); w.ahead <= within {
		w.save(from)
	}
	for k, i := range lines[from:] {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := w.line(i); err != nil {
			return err
		}
		stop := w.step(&w.f.lines[i])
		if !stop && w.size < w.f.in.PieceBound() {
			continue
		}
		if !out.put(w.take(true)) {
			return nil
		}
		if stop {
			w.since = 0
			w.save(from + k + 1)
		}
	}
	w.losses.close(lore.BadTime, lore.Info, func(n int) string { return plural(n, "time", "times") + " of a shape this version does not know" })
	last := w.take(false)
	last.Ledger, last.Losses = w.ledger, w.losses.list
	last.Losses = append(last.Losses, w.unknownLosses()...)
	if whole != nil {
		last.Ledger.Add(whole.Ledger)
		last.Losses = append(whole.Losses, last.Losses...)
	}
	out.put(last)
	return nil
}

// line puts one line where it belongs: into a message, or into the ledger.
func (w *writer) line(i int32) error {
	l := &w.f.lines[i]
	if l.rep != i {
		return nil // its message counts it
	}
	l.near = w.f.nearest(i)
	w.ledger.Merge(int(l.again))
	b, err := w.f.body(i)
	if err != nil {
		return fmt.Errorf("line %d of %q: %w", l.no, w.f.in.Source.Path, err)
	}
	switch l.kind {
	case kindUser, kindQueued:
		w.message(i, b)
	case kindAssistant:
		return w.answer(i, b)
	case kindQueue:
		if l.op == opEnqueue {
			w.message(i, b)
		} else {
			w.ledger.Skip(b.typ)
		}
	case kindSystem, kindContext:
		w.aside(i, b)
	case kindProgress:
		if b.subtype == "twin" {
			w.ledger.Merge(1)
		} else {
			w.ledger.Skip(b.typ)
		}
	case kindSummary, kindTitle:
		if w.c.named == i {
			w.ledger.Keep(1)
		} else {
			w.ledger.Skip(b.typ)
		}
	case kindLastPrompt:
		if w.f.said(l) {
			w.ledger.Merge(1)
		} else {
			w.ledger.Skip(b.typ)
		}
	case kindSkipped:
		w.ledger.Skip(b.typ)
	default:
		w.meet(l, b)
	}
	return nil
}

// meet counts a type that this version does not know.
func (w *writer) meet(l *line, b *body) {
	w.ledger.Meet(b.typ)
	at, ok := w.unknown[b.typ]
	if !ok {
		at = len(w.met)
		w.unknown[b.typ] = at
		w.met = append(w.met, met{typ: b.typ, line: int(l.no)})
	}
	w.met[at].n++
}

// unknownLosses says each unknown type once.
func (w *writer) unknownLosses() []lore.Loss {
	var list []lore.Loss
	for _, m := range w.met[:min(len(w.met), maxLosses)] {
		loss := w.losses.make(lore.UnknownRecord, lore.Info, m.line, fmt.Sprintf("type %q", m.typ))
		loss.Count = m.n
		list = append(list, loss)
	}
	return list
}

// aside makes a message of a system record or an attachment that has words.
func (w *writer) aside(i int32, b *body) {
	switch {
	case len(b.blocks) > 0:
		w.message(i, b)
	case b.known:
		w.ledger.Skip(b.typ)
		w.mergeRest(i)
	default:
		w.meet(&w.f.lines[i], b)
		w.mergeRest(i)
	}
}

// mergeRest counts the further lines of a message that says nothing.
func (w *writer) mergeRest(i int32) {
	for j := w.f.lines[i].next; j >= 0; j = w.f.lines[j].next {
		w.ledger.Merge(1 + int(w.f.lines[j].again))
	}
}

// message yields what one record says; its copies and twins are merged.
func (w *writer) message(i int32, b *body) {
	l := &w.f.lines[i]
	w.ledger.Keep(1)
	w.origins = append(w.origins[:0], w.locator(l))
	var aliases []string
	for j := l.next; j >= 0; j = w.f.lines[j].next {
		o := &w.f.lines[j]
		w.ledger.Merge(1 + int(o.again))
		w.origins = append(w.origins, w.locator(o))
		if !o.is(noUUID) && o.uuid != l.uuid && len(aliases) < maxOrigins {
			aliases = append(aliases, w.f.names.string(o.uuid))
		}
	}
	w.facts(l, b)
	role, sub := b.who.role()
	if l.kind == kindQueued || l.kind == kindQueue {
		if role == lore.User {
			sub = "queued"
		}
	}
	m := lore.Message{Role: role, Subtype: sub, Units: 1, Aliases: aliases}
	w.put(i, b, m, w.whole(int(l.no), b.blocks))
}

// facts takes what a record says about the conversation.
func (w *writer) facts(l *line, b *body) {
	if w.dir == "" {
		w.dir = b.cwd
	}
	if b.branch != "" {
		w.branch = b.branch
	}
	if l.kind == kindUser && l.is(human) && !w.decided && b.origin {
		w.decided, w.automation = true, b.automation
	}
	for _, n := range b.notes {
		w.losses.add(n.code, lore.Info, int(l.no), n.what)
	}
	if b.badTime != "" {
		w.losses.tally(lore.BadTime, int(l.no))
	}
	if l.is(inherited) {
		w.shared++
	}
}
