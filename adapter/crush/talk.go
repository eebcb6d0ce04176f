package crush

import (
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// session is what a database says of a conversation as a whole.
type session struct {
	id, title, parent, dir string
	summary                string // the message from which on the model knows the conversation
	created, updated       lore.Time
	archived               bool
	usage                  *lore.Usage // of all answers together
}

// message is one message of a database.
type message struct {
	id, role string
	at       lore.Time
	model    string
	summary  bool
	unit     lore.Locator

	runs    []run
	results []lore.Part // of commands that nothing has followed yet
}

// run is an unbroken run of one role in a message.
type run struct {
	role    lore.Role
	subtype string
	parts   []lore.Part
}

// talk makes the record of one conversation out of its messages, which come in order.
type talk struct {
	in      adapter.Input
	yield   yielder
	pieces  *kit.Pieces
	session session
	ledger  lore.Ledger
	lost    lost
	headed  bool      // the session has a row
	last    lore.Time // of the last message that had one
	count   int       // messages
}

func begin(in adapter.Input, s session, yield yielder) *talk {
	t := &talk{in: in, yield: yield, session: s}
	if t.session.dir == "" {
		t.session.dir = projectOf(in.Name(in.Source.Path))
	}
	t.pieces = kit.NewPieces(in, t.header, yield)
	return t
}

// projectOf returns the folder that holds .crush; empty when the database stands elsewhere.
func projectOf(name string) string {
	name, _, _ = strings.Cut(name, "//") // a part's name follows
	if dir := path.Dir(name); path.Base(dir) == folder {
		return path.Dir(dir)
	}
	return ""
}

// header makes a piece of the record.
func (t *talk) header() *lore.Conversation {
	s := &t.session
	c := &lore.Conversation{Source: source, Store: store, Native: s.id, Kind: lore.Main, Archived: s.archived, Usage: s.usage,
		Project: lore.Project{Dir: s.dir, Name: kit.ProjectName(s.dir)}}
	if s.title != "" && !isDefaultTitle(s.title) {
		c.Title, c.TitleFrom, c.TitleAt = s.title, lore.TitleFromSource, s.updated
	}
	if s.parent != "" && s.parent != s.id {
		_, call, _ := strings.Cut(s.id, "$$") // MESSAGE$$CALL
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: s.parent, Call: call}
	}
	return c
}

// isDefaultTitle reports whether a title is one that a session has before it is given one.
func isDefaultTitle(title string) bool {
	return title == "New Session" || title == "Untitled Session"
}

// end yields the last piece. A session without messages is no conversation.
func (t *talk) end() error {
	if t.count > 0 {
		if t.headed {
			t.ledger.Keep(1)
		}
		return t.pieces.End(t.ledger, t.lost.list)
	}
	if t.headed {
		t.ledger.Skip("session without messages")
	}
	t.lost.one(lore.Empty, lore.Info, t.place(), "no messages")
	return t.facts()
}

// facts yields what is to be said of the evidence itself.
func (t *talk) facts() error {
	c := &lore.Conversation{Source: source, Store: store, Partial: true, Kind: lore.Main, Ledger: t.ledger, Losses: t.lost.list}
	if !t.yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// place is the session's row, or the evidence as a whole.
func (t *talk) place() lore.Locator {
	at := lore.Locator{File: t.in.Name(t.in.Source.Path)}
	if t.session.id != "" {
		at.Row = tableSessions + "/" + kit.Clip(t.session.id)
	}
	return at
}

// put hands the runs of a message on. Its unit is counted with the one that bears its id: the first of its own role, or
// the first.
func (t *talk) put(m *message) error {
	role, sub := m.own()
	if len(m.runs) == 0 || role == lore.Assistant && !slices.ContainsFunc(m.runs, func(r run) bool { return r.role == role }) {
		m.runs = slices.Insert(m.runs, 0, run{role: role, subtype: sub}) // an empty answer
	}
	bearer := 0
	for i := len(m.runs) - 1; i >= 0; i-- {
		if m.runs[i].role == role && m.runs[i].subtype == sub {
			bearer = i
		}
	}
	at, from := t.timeOf(m)
	named := map[lore.Role]bool{}
	for i, r := range m.runs {
		msg := lore.Message{Role: r.role, Subtype: r.subtype, Active: true, Parts: r.parts, At: at, AtFrom: from, Origins: []lore.Locator{m.unit}}
		if r.role == lore.Assistant {
			msg.Model = m.model
		}
		switch {
		case i == bearer:
			msg.Native, msg.Units = m.id, 1
		case !named[r.role] && r.role != m.runs[bearer].role:
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
	case m.summary:
		return lore.System, subCompaction
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
