package geminicli

import (
	"context"
	"slices"

	"lore"
	"lore/adapter/kit"
)

// maxSelves bounds how many earlier and later selves of a message are compared with it.
const maxSelves = 8

// emitter is the second pass: it reads the messages once more, in the order of the record, and yields them.
type emitter struct {
	*chat
	ctx   context.Context
	yield yielder

	older    map[int32]int32 // slot → the one whose heir it is
	messages []lore.Message
	size     int64           // bytes of text in messages
	last     lore.Time       // of the last message with a time of its own
	answered map[string]bool // ids of calls that have a result → it stands
	called   map[string]int  // ids of calls that stand and have no result yet → line
	agents   []agent
	dirs     []string
}

// run makes all messages and yields the record, in pieces where it is large.
func (e *emitter) run() error {
	e.answered, e.called, e.older = map[string]bool{}, map[string]int{}, map[int32]int32{}
	for i := range e.slots {
		if h := e.slots[i].heir; h >= 0 {
			e.older[h] = int32(i)
		}
	}
	for _, n := range e.order {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if err := e.slot(n); err != nil {
			return err
		}
		if e.size >= e.in.PieceBound() {
			c := e.header()
			c.More = true
			if !e.yield(c, nil) {
				return errStopped
			}
		}
	}
	return e.end()
}

// slot makes the messages of one slot. One whose content is that of a later self is merged into it.
func (e *emitter) slot(n int32) error {
	s := &e.slots[n]
	b, list, err := e.build(n, false)
	if err != nil {
		return err
	}
	if s.heir >= 0 {
		for i := range list {
			list[i].Native = "" // the id is that of the message as it is now
		}
	}
	merged, err := e.saidLater(n, list)
	if err != nil {
		return err
	}
	if merged || len(list) == 0 || e.echoes(s, list) {
		e.ledger.Merge(1 + int(s.again))
		return nil
	}
	e.ledger.Keep(1)
	e.ledger.Merge(int(s.again))
	e.finish(b, s, list)
	return nil
}

// build makes the messages of a slot as they stand, with the full text of what was masked since. quiet: only to compare.
func (e *emitter) build(n int32, quiet bool) (*builder, []lore.Message, error) {
	b, list, err := e.make(n, quiet)
	if err != nil {
		return nil, nil, err
	}
	for i, hops := n, 0; hops < maxSelves; hops++ {
		old, ok := e.older[i]
		if !ok {
			break
		}
		_, before, err := e.make(old, true)
		if err != nil {
			return nil, nil, err
		}
		unmask(list, before)
		i = old
	}
	return b, list, nil
}

// make makes the messages of the unit that a slot has.
func (e *emitter) make(n int32, quiet bool) (*builder, []lore.Message, error) {
	at := e.slots[n].cur
	b := &builder{chat: e.chat, f: e.main, at: at, quiet: quiet}
	if at.twin {
		b.f = e.twin
	}
	v, err := b.f.value(at.off, at.len)
	if err != nil {
		return nil, nil, err
	}
	list := b.record(v)
	if u := usageOf(v.Get("tokens")); u != nil && len(list) > 0 && e.slots[n].heir < 0 {
		list[0].Usage = u
	}
	return b, list, nil
}

// usageOf reads the tokens of one call of the model.
func usageOf(v kit.Value) *lore.Usage {
	if !v.IsObject() {
		return nil
	}
	n := func(key string) int64 {
		n, _ := v.Get(key).Int()
		return max(n, 0)
	}
	u := lore.Usage{Input: n("input"), Output: n("output"), CacheRead: n("cached")}
	if u == (lore.Usage{}) {
		return nil
	}
	return &u
}

// saidLater reports whether a message says only what one of its later selves says.
func (e *emitter) saidLater(n int32, list []lore.Message) (bool, error) {
	h := e.slots[n].heir
	for hops := 0; h >= 0 && hops < maxSelves; hops++ {
		_, now, err := e.build(h, true)
		if err != nil {
			return false, err
		}
		if same(list, now) {
			return true, nil
		}
		h = e.slots[h].heir
	}
	return false, nil
}

// same reports whether two versions of a message say the same.
func same(a, b []lore.Message) bool {
	return slices.EqualFunc(a, b, func(m, n lore.Message) bool {
		return m.Role == n.Role && m.Subtype == n.Subtype && slices.Equal(m.Parts, n.Parts)
	})
}

// echoes reports whether a message holds nothing but results that are there already, with the calls that they answer, as
// a rewritten history repeats them.
func (e *emitter) echoes(s *slot, list []lore.Message) bool {
	for i := range list {
		if list[i].Role != lore.Tool || s.cur.kind != kindUser {
			return false
		}
		for k := range list[i].Parts {
			stands, there := e.answered[list[i].Parts[k].CallID]
			if !there || s.active && !stands {
				return false
			}
		}
	}
	return true
}

// finish gives messages their places and times and puts them into the piece.
func (e *emitter) finish(b *builder, s *slot, list []lore.Message) {
	origins := e.origins(s)
	for i := range list {
		m := &list[i]
		m.Active = s.active
		m.Origins = slices.Clone(origins)
		if m.Role == lore.Tool {
			m.Origins = append(m.Origins, b.sides...)
		}
		if i == 0 {
			m.Units = 1
		}
		e.stamp(m)
		e.pair(b, s, m)
		for k := range m.Parts {
			e.size += int64(len(m.Parts[k].Text)) + 64
		}
		e.size += 256
	}
	e.messages = append(e.messages, list...)
	e.agents = append(e.agents, b.agents...)
	if len(e.dirs) < maxDirs {
		e.dirs = append(e.dirs, b.dirs...)
	}
}

// origins are the units that say a message: the one whose words stand, then those that it replaced.
func (e *emitter) origins(s *slot) []lore.Locator {
	list := make([]lore.Locator, 0, 1+len(s.merged))
	list = append(list, e.locate(s.cur))
	for _, at := range s.merged {
		list = append(list, e.locate(at))
	}
	return list
}

func (e *emitter) locate(at ref) lore.Locator {
	f := e.main
	if at.twin {
		f = e.twin
	}
	return lore.Locator{File: f.name, Line: int(at.line), Offset: at.off, Length: at.len}
}

// stamp gives a message without a time that of the one before it, or of the session.
func (e *emitter) stamp(m *lore.Message) {
	if !m.At.IsZero() {
		e.last = m.At
		return
	}
	for _, t := range [...]lore.Time{e.last, e.head.begun} {
		if !t.IsZero() {
			m.At, m.AtFrom = t, lore.FromInherited
			return
		}
	}
}

// pair notes calls and results, and what is missing of the results.
func (e *emitter) pair(b *builder, s *slot, m *lore.Message) {
	for k := range m.Parts {
		switch p := &m.Parts[k]; {
		case p.CallID == "":
		case p.Kind == lore.Call && !e.answered[p.CallID] && s.active:
			e.called[p.CallID] = int(s.cur.line)
		case p.Kind == lore.Result:
			e.answered[p.CallID] = e.answered[p.CallID] || s.active
			delete(e.called, p.CallID)
		}
		if p := &m.Parts[k]; p.Kind == lore.Result && b.missing != "" && sideFile(p.Text) == b.missing {
			e.losses.one(b.f, lore.ExternalMissing, lore.Warning, int(s.cur.line), "output file "+b.missing)
		}
	}
}

// end yields the last piece, with the ledger and the losses, and what the session says of its sub-agents.
func (e *emitter) end() error {
	if n := len(e.called); n > 0 {
		line := 0
		for _, l := range e.called {
			if line == 0 || l < line {
				line = l
			}
		}
		e.losses.more(e.main, lore.UnpairedCall, lore.Info, line, "calls without result", n)
	}
	c := e.header()
	c.Ledger, c.Losses = e.ledger, e.losses.list
	if !e.yield(c, nil) {
		return errStopped
	}
	told := map[string]bool{c.Native: true}
	for _, a := range e.agents {
		if c.Native == "" || a.call == "" || told[a.id] {
			continue
		}
		told[a.id] = true
		fact := &lore.Conversation{Source: c.Source, Store: c.Store, Native: a.id, Partial: true, Kind: lore.Subagent,
			Parent: &lore.Parent{Native: c.Native, Call: a.call}}
		if !e.yield(fact, nil) {
			return errStopped
		}
	}
	return nil
}

// header makes a piece of the record with the messages at hand.
func (e *emitter) header() *lore.Conversation {
	h := &e.head
	c := &lore.Conversation{Source: e.in.Source.Product, Store: e.in.Source.Store, Native: h.native, Kind: lore.Main,
		Title: h.title, StartedAt: h.begun, Project: e.project(e.dirs), Messages: e.messages}
	if h.title != "" {
		c.TitleFrom, c.TitleAt = lore.TitleFromSource, h.titled
	}
	if h.child {
		c.Kind = lore.Subagent
	}
	if h.parent != "" && h.parent != h.native {
		c.Parent = &lore.Parent{Native: h.parent}
	}
	e.messages, e.size = nil, 0
	return c
}
