package codex

import (
	"context"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// emitter is the second pass: it reads the units that stand once more, in their order, and makes messages of them.
type emitter struct {
	*scan
	in      adapter.Input
	builder builder
	read    func(offset, length int64) (kit.Value, error) // a record, in rising order
	mates   func(offset, length int64) (kit.Value, error) // likewise, for records looked at beside those of read
	yield   yielder

	file     string    // of the locators
	last     lore.Time // of the last message with a time of its own
	shared   int       // messages that a fork has from its parent
	badTimes tallied

	messages []lore.Message
	size     int64   // bytes of text in messages
	spent    []spent // as it was settled

	base int   // losses that were there before the second pass
	kept int   // units that were kept before it
	from int64 // where the last place was at which a state was saved
}

// run makes the messages of all units from one on and yields the record, in pieces where it is large.
func (e *emitter) run(ctx context.Context, from int) error {
	e.builder.losses = &e.losses
	if from == 0 && e.near(0) || from > 0 && e.near(e.from) {
		e.save(from)
	}
	for i := from; i < len(e.units); i++ {
		u := &e.units[i]
		if u.owner != int32(i) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := e.read(u.offset, u.length)
		if err != nil {
			return err
		}
		if err := e.emit(int32(i), u, v); err != nil {
			return err
		}
		stop := e.stop(u)
		if !stop && e.size < e.in.PieceBound() {
			continue
		}
		c := e.header()
		c.More = true
		if !e.yield(c, nil) {
			return errStopped
		}
		if stop {
			e.save(i + 1)
		}
	}
	return e.end()
}

// readMate reads a unit out of turn. Its value does not touch that of read.
func (e *emitter) readMate(u *unit) (kit.Value, error) { return e.mates(u.offset, u.length) }

// end yields the last piece, with the ledger and the losses, and then what the file says of other conversations. A file
// that makes no message makes no conversation.
func (e *emitter) end() error {
	if e.badTimes.count > 0 {
		e.losses.one(lore.BadTime, lore.Warning, e.badTimes.line, "times that cannot be read")
		e.losses.list[len(e.losses.list)-1].Count = int(e.badTimes.count)
	}
	c := e.header()
	if len(e.units) == 0 {
		c.Partial = true
		e.losses.one(lore.Empty, lore.Info, 0, "no messages")
	}
	c.Ledger, c.Losses = e.ledger, e.losses.list
	if !e.yield(c, nil) {
		return errStopped
	}
	for _, fact := range e.facts {
		fact.Source, fact.Store = c.Source, c.Store
		if !e.yield(fact, nil) {
			return errStopped
		}
	}
	return nil
}

// header makes a piece of the record with the messages at hand.
func (e *emitter) header() *lore.Conversation {
	h := &e.head
	c := &lore.Conversation{
		Source: e.in.Source.Product, Store: e.in.Source.Store, Native: e.native(),
		Title: h.title, TitleAt: h.titleAt, Kind: h.kind, StartedAt: e.begun(),
		Archived: archived(e.in), Messages: e.messages,
		Project: lore.Project{Dir: h.dir, Name: kit.ProjectName(h.dir), Branch: h.branch, Remote: h.remote},
	}
	if h.title != "" {
		c.TitleFrom = lore.TitleFromSource
	}
	if h.parent != "" && h.parent != c.Native {
		c.Parent = &lore.Parent{Native: h.parent}
	}
	if e.replay.parent != "" && e.replay.parent != c.Native {
		c.Lineage = &lore.Lineage{Kind: lore.Fork, OfNative: e.replay.parent, Shared: e.shared}
	}
	if e.usage.loose {
		sum := e.usage.sum
		c.Usage = &sum
	}
	e.messages, e.size = nil, 0
	return c
}

// begun returns when the session began: by its head, else by the file's name.
func (e *emitter) begun() lore.Time {
	if e.head.found && !e.head.time.IsZero() {
		return e.head.time
	}
	return e.name.time
}

// message begins a message of a unit.
func (e *emitter) message(u *unit, r *record, role lore.Role) lore.Message {
	m := lore.Message{Role: role, Active: u.flags&inactive == 0}
	m.At, m.AtFrom = e.stamp(u, r)
	if role == lore.Assistant && u.model >= 0 {
		m.Model = e.models[u.model]
	}
	m.Origins = []lore.Locator{e.locate(u)}
	for t := u.twin; t >= 0; t = e.units[t].next {
		m.Origins = append(m.Origins, e.locate(&e.units[t]))
	}
	return m
}

func (e *emitter) locate(u *unit) lore.Locator {
	return lore.Locator{File: e.file, Line: int(u.line), Offset: u.offset, Length: u.length}
}

// put adds a message of a unit to the piece, with the units that the ledger keeps because of it. A message without words
// is one empty text.
func (e *emitter) put(u *unit, kept int, m lore.Message) {
	if len(m.Parts) == 0 {
		m.Parts = []lore.Part{{Kind: lore.Text}}
	}
	m.Units = kept
	if u.flags&inherited != 0 {
		e.shared++
	}
	for i := range m.Parts {
		e.size += int64(len(m.Parts[i].Text)) + 64
	}
	e.size += 256
	if e.messages == nil {
		e.messages = make([]lore.Message, 0, min(len(e.units), 1024))
	}
	e.messages = append(e.messages, m)
}

// stamp tells when a message was written. A copy has the time of its original where the file has kept it, else that of
// the parent's session; what has no time takes that of the message before it, or of the session.
func (e *emitter) stamp(u *unit, r *record) (lore.Time, lore.TimeFrom) {
	own, ok := kit.ParseTime(r.time)
	if !ok && r.time.Exists() && !r.time.IsNull() {
		e.badTimes.add(u.line)
	}
	if u.flags&(inherited|ownTime) == inherited {
		if original, ok := kit.ParseTime(r.body.Get("completed_at_ms")); ok && original.UnixNano() > 0 {
			return original, lore.FromInherited
		}
		if !e.replay.time.IsZero() {
			return e.replay.time, lore.FromInherited
		}
		return lore.Time{}, lore.FromNone
	}
	if ok {
		e.last = own
		return own, kit.TimeFrom(own)
	}
	for _, t := range [...]lore.Time{e.last, e.begun()} {
		if !t.IsZero() {
			return t, lore.FromInherited
		}
	}
	return lore.Time{}, lore.FromNone
}
