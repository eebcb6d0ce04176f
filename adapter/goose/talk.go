package goose

import (
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// session is what a store says of a conversation as a whole.
type session struct {
	id, title, dir, parent string
	kind                   lore.Kind
	model                  string
	created, updated       lore.Time
	archived               bool
	usage                  *lore.Usage // of all answers together
}

// message is one message as a store holds it, whole for as long as it is looked at.
type message struct {
	id, role string
	at       lore.Time
	content  kit.Value // an array
	hidden   bool      // from the person: the client wrote it for the model
	dropped  bool      // neither the person nor the model sees it any more
	model    string
	usage    *lore.Usage
	unit     lore.Locator
}

// talk makes the record of one conversation out of its messages, which come in order.
type talk struct {
	in      adapter.Input
	yield   yielder
	pieces  *kit.Pieces
	session session
	ledger  lore.Ledger
	lost    lost
	last    lore.Time // of the last message that had one
	heads   int       // units that say facts about the session
	count   int       // messages
}

func begin(in adapter.Input, s session, yield yielder) *talk {
	t := &talk{in: in, yield: yield, session: s}
	t.pieces = kit.NewPieces(in, t.header, yield)
	return t
}

// header makes a piece of the record.
func (t *talk) header() *lore.Conversation {
	s := &t.session
	c := &lore.Conversation{Source: source, Store: t.in.Source.Store, Native: s.id, Kind: s.kind, Archived: s.archived, Usage: s.usage,
		Project: lore.Project{Dir: s.dir, Name: kit.ProjectName(s.dir)}}
	if c.Kind == "" {
		c.Kind = lore.Main
	}
	if s.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = s.title, lore.TitleFromSource, s.updated
	}
	if s.parent != "" && s.parent != s.id {
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: s.parent}
	}
	return c
}

// end yields the last piece. A session without messages is no conversation.
func (t *talk) end() error {
	if t.count > 0 {
		t.ledger.Keep(t.heads)
		return t.pieces.End(t.ledger, t.lost.list)
	}
	for range t.heads {
		t.ledger.Skip("session without messages")
	}
	at := t.place()
	if t.session.id != "" && t.in.Source.Store == storeDB {
		at.Row = tableSessions + "/" + kit.Clip(t.session.id)
	}
	t.lost.one(lore.Empty, lore.Info, at, "no messages")
	return t.facts()
}

// facts yields what is to be said of the evidence itself.
func (t *talk) facts() error {
	c := &lore.Conversation{Source: source, Store: t.in.Source.Store, Partial: true, Kind: lore.Main, Ledger: t.ledger, Losses: t.lost.list}
	if !t.yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// place is the evidence as a whole.
func (t *talk) place() lore.Locator { return lore.Locator{File: t.in.Name(t.in.Source.Path)} }

// kindOf says what sort of session it is by the word that the source has for it.
func kindOf(word string) lore.Kind {
	switch word {
	case "", "user", "chat", "terminal", "acp":
		return lore.Main
	case "sub_agent":
		return lore.Subagent
	}
	return lore.Automation
}

// isDefaultName reports whether a name is one that a session has before it is given one.
func isDefaultName(name string) bool {
	return name == "CLI Session" || name == "New Chat" || strings.HasPrefix(name, "New session")
}

// run is an unbroken run of one role in a message.
type run struct {
	role    lore.Role
	subtype string
	parts   []lore.Part
}

// say makes one message, or several where it speaks in several roles. Its unit is counted with the one that bears its id:
// the first of its own role, or the first.
func (t *talk) say(m *message) error {
	t.ledger.Keep(1)
	var runs []run
	for block := range m.content.Items() {
		role, sub, parts := t.block(m, block)
		if n := len(runs); n > 0 && runs[n-1].role == role && runs[n-1].subtype == sub {
			runs[n-1].parts = append(runs[n-1].parts, parts...)
		} else if role != "" {
			runs = append(runs, run{role, sub, parts})
		}
	}
	if len(runs) == 0 {
		role, sub := m.own()
		runs = []run{{role: role, subtype: sub}}
	}
	return t.put(m, runs)
}

// put hands the runs of a message on.
func (t *talk) put(m *message, runs []run) error {
	bearer := 0
	for i := len(runs) - 1; i >= 0; i-- {
		if role, sub := m.own(); runs[i].role == role && runs[i].subtype == sub {
			bearer = i
		}
	}
	at, from := t.timeOf(m)
	named := map[lore.Role]bool{}
	for i, r := range runs {
		msg := lore.Message{Role: r.role, Subtype: r.subtype, Active: !m.dropped, Parts: r.parts, At: at, AtFrom: from, Origins: []lore.Locator{m.unit}}
		if r.role == lore.Assistant {
			if msg.Model = m.model; msg.Model == "" {
				msg.Model = t.session.model
			}
		}
		switch {
		case i == bearer:
			msg.Native, msg.Usage, msg.Units = m.id, m.usage, 1
		case !named[r.role] && r.role != runs[bearer].role:
			msg.Native = kit.SplitNative(r.role, m.id)
		}
		named[r.role] = true
		t.count++
		if err := t.pieces.Add(msg); err != nil {
			return err
		}
	}
	return nil
}

// own is the role and subtype of what a message says by itself.
func (m *message) own() (lore.Role, string) {
	switch {
	case m.hidden:
		return lore.System, subContext
	case m.role == "user":
		return lore.User, ""
	case m.role == "assistant":
		return lore.Assistant, ""
	case m.role == "tool":
		return lore.Tool, ""
	}
	return lore.System, ""
}

// timeOf is when a message was written; one without a time has that of the message before, or of the session.
func (t *talk) timeOf(m *message) (lore.Time, lore.TimeFrom) {
	if !m.at.IsZero() {
		t.last = m.at
		return m.at, kit.TimeFrom(m.at)
	}
	for _, at := range []lore.Time{t.last, t.session.created} {
		if !at.IsZero() {
			return at, lore.FromInherited
		}
	}
	return lore.Time{}, lore.FromNone
}
