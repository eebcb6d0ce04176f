package copilotcli

import (
	"context"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxOrigins bounds how many events of one message are named.
const maxOrigins = 64

// emitter is the second pass: it reads the events of one conversation after the other once more, and yields them.
type emitter struct {
	*scan
	ctx    context.Context
	in     adapter.Input
	lines  *kit.Lines
	yield  yielder
	file   string
	beside workspace
	whole  bool // what is to be said of the file as a whole has been said

	c        *conv
	messages []lore.Message
	size     int64     // bytes of text in messages
	last     lore.Time // of the last message with a time of its own
	tail     int64     // tokens of answers since the session was last shut down
	ledger   lore.Ledger
	unpaired map[string]int32 // ids of calls without result, of results without call → line
}

// conversation makes the messages of one conversation and yields it, in pieces where it is large.
func (e *emitter) conversation(n int32) error {
	c := e.convs[n]
	e.c, e.last, e.tail, e.ledger, e.unpaired = c, lore.Time{}, 0, c.ledger, map[string]int32{}
	for _, i := range e.eventsOf(c) {
		ev := &e.events[i]
		if ev.owner != i || !ev.kind.speaks() {
			continue
		}
		if err := e.ctx.Err(); err != nil {
			return err
		}
		v, err := e.lines.At(ev.offset, ev.length)
		if err != nil {
			return err
		}
		e.event(i, ev, v)
		if e.size >= e.in.PieceBound() {
			p := e.header(n)
			p.More = true
			if err := put(e.yield, p); err != nil {
				return err
			}
		}
	}
	return e.end(n)
}

// event makes the message of one event. One that says nothing is counted by its type.
func (e *emitter) event(i int32, ev *event, v kit.Value) {
	twins := 0
	for t := ev.twin; t >= 0; t = e.events[t].next {
		twins++
	}
	e.ledger.Merge(twins)
	b := builder{scan: e.scan, ev: ev, child: e.c.agent != ""}
	m, ok := b.message(v)
	if !ok {
		e.ledger.Skip(v.Get("type").String())
		ev.void = true
		return
	}
	e.ledger.Keep(1)
	m.Units, m.Active = 1, !ev.gone
	m.Native = idOf(v.Get("id"))
	m.ParentNative = e.parentOf(i)
	m.Origins = e.origins(ev)
	if m.Role == lore.Assistant && ev.model >= 0 {
		m.Model = e.models[ev.model]
	}
	e.stamp(&m, v, ev)
	if i > e.ended && m.Usage != nil {
		e.tail += m.Usage.Output
	}
	e.pair(&m, ev)
	for k := range m.Parts {
		e.size += int64(len(m.Parts[k].Text)) + 64
	}
	e.size += 256
	e.messages = append(e.messages, m)
}

func (e *emitter) origins(ev *event) []lore.Locator {
	list := []lore.Locator{e.locate(ev)}
	for t := ev.twin; t >= 0 && len(list) < maxOrigins; t = e.events[t].next {
		list = append(list, e.locate(&e.events[t]))
	}
	return list
}

func (e *emitter) locate(ev *event) lore.Locator {
	return lore.Locator{File: e.file, Line: int(ev.line), Offset: ev.offset, Length: ev.length}
}

// maxWalk bounds how far a chain of parents is followed.
const maxWalk = 4096

// parentOf returns the id of the message before this one: the nearest event above it in the chain of parents that makes a
// message of the same conversation.
func (e *emitter) parentOf(i int32) string {
	conv := e.events[i].conv
	at := e.events[i].up
	for range maxWalk {
		if at < 0 {
			return ""
		}
		if ev := &e.events[at]; ev.conv == conv && ev.owner == at && ev.id != "" && !ev.void {
			return ev.id
		}
		at = e.events[at].up
	}
	return ""
}

// stamp tells when a message was written. One without a time has that of the message before it, or of the session.
func (e *emitter) stamp(m *lore.Message, v kit.Value, ev *event) {
	written := v.Get("timestamp")
	at, ok := kit.ParseTime(written)
	if ok {
		m.At, m.AtFrom, e.last = at, kit.TimeFrom(at), at
		return
	}
	if holds(written) {
		e.losses.one(lore.BadTime, lore.Info, int(ev.line), "times that cannot be read")
	}
	m.AtFrom = lore.FromNone
	for _, t := range [...]lore.Time{e.last, e.begun} {
		if !t.IsZero() {
			m.At, m.AtFrom = t, lore.FromInherited
			return
		}
	}
}

// pair notes calls and results that have no other half.
func (e *emitter) pair(m *lore.Message, ev *event) {
	for k := range m.Parts {
		p := &m.Parts[k]
		known := e.calls[p.CallID]
		switch {
		case p.CallID == "" || known == nil:
		case p.Kind == lore.Call && known.results == 0, p.Kind == lore.Result && !known.shown:
			if _, told := e.unpaired[p.CallID]; !told {
				e.unpaired[p.CallID] = ev.line
			}
		}
	}
}

// end yields the last piece, with the ledger and, of the first conversation, the losses of the file.
func (e *emitter) end(n int32) error {
	line := int32(0)
	for _, l := range e.unpaired {
		if line == 0 || l < line {
			line = l
		}
	}
	what := "calls without result, or results without call"
	if e.c.agent != "" {
		what += ", of sub-agent " + clip(e.c.agent)
	}
	e.losses.more(lore.UnpairedCall, lore.Info, int(line), what, len(e.unpaired))
	c := e.header(n)
	c.Ledger, c.Losses = e.ledger, e.losses.list
	e.losses.list, e.losses.kind = nil, nil
	return put(e.yield, c)
}

// header makes a piece of the record with the messages at hand.
func (e *emitter) header(n int32) *lore.Conversation {
	c := &lore.Conversation{Source: e.in.Source.Product, Store: e.in.Source.Store, Native: e.nativeOf(n), Kind: lore.Main,
		Project: e.project(), Messages: e.messages}
	e.messages, e.size = nil, 0
	if n > 0 {
		c.Kind = lore.Subagent
		if parent := e.nativeOf(e.parent(n)); parent != "" {
			c.Parent = &lore.Parent{Native: parent, Call: e.c.via}
		}
		return c
	}
	c.StartedAt = e.begun
	c.Title, c.TitleAt = e.title, e.titled
	if e.beside.title != "" && !e.beside.titled.Before(c.TitleAt) || c.Title == "" {
		c.Title, c.TitleAt = e.beside.title, e.beside.titled
	}
	if c.Title != "" {
		c.TitleFrom = lore.TitleFromSource
	}
	if e.ended >= 0 {
		u := e.usage
		u.Output += e.tail
		c.Usage = &u
	}
	return c
}

// nativeOf returns the id of a conversation: of a sub-agent's below that of the session.
func (e *emitter) nativeOf(n int32) string {
	if n == 0 || e.native == "" {
		return e.native
	}
	return e.native + "/" + e.convs[n].agent
}

// project tells where the session took place: as its log says, else as the tool says beside it.
func (e *emitter) project() lore.Project {
	p := lore.Project{Dir: e.dir, Branch: e.branch, Remote: e.remote}
	if p.Dir == "" {
		p.Dir = e.beside.project.Dir
	}
	if p.Branch == "" {
		p.Branch = e.beside.project.Branch
	}
	if p.Remote == "" {
		p.Remote = e.beside.project.Remote
	}
	p.Name = kit.ProjectName(p.Dir)
	return p
}

// silent yields what is to be said of a log in which nobody spoke: it makes no conversation of its own.
func (e *emitter) silent() error {
	ledger := e.convs[0].ledger
	for _, i := range e.eventsOf(e.convs[0]) {
		ev := &e.events[i]
		if ev.owner != i || !ev.kind.speaks() {
			continue
		}
		v, err := e.lines.At(ev.offset, ev.length)
		if err != nil {
			return err
		}
		ledger.Skip(v.Get("type").String())
		for t := ev.twin; t >= 0; t = e.events[t].next {
			ledger.Merge(1)
		}
	}
	if ledger.Damaged == 0 && len(e.convs) == 1 {
		e.losses.one(lore.Empty, lore.Info, 0, "nobody speaks in it")
	}
	c := account(e.in, ledger, e.losses.list)
	e.losses.list, e.losses.kind = nil, nil
	if e.good > 0 {
		c.Native, c.Project = e.native, e.project()
	}
	return put(e.yield, c)
}
