package opencode

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// talk makes the record of one conversation out of its session, messages and parts, which come in order.
type talk struct {
	in     adapter.Input
	yield  yielder
	pieces *kit.Pieces
	lost   lost
	ledger lore.Ledger

	session session
	native  string
	known   map[string]bool // ids of the session's messages
	undone  bool            // from here on
	reached bool            // the place that the session says is undone from
	last    lore.Time       // of the last message that had one
	calls   []started
	headed  bool // the session's own unit is counted as kept
	count   int  // messages
}

// started is a call that started another conversation.
type started struct{ child, call string }

// parts are those of a message, in the order of their ids.
type parts = iter.Seq2[*unit, error]

// begin begins a conversation.
func begin(in adapter.Input, s session, yield yielder) *talk {
	t := &talk{in: in, yield: yield, lost: lostOf(in), session: s, native: s.id, known: map[string]bool{}}
	t.pieces = kit.NewPieces(in, t.header, yield)
	return t
}

// header makes a piece of the record.
func (t *talk) header() *lore.Conversation {
	s := &t.session
	dir := cmp.Or(s.dir, s.worktree)
	c := &lore.Conversation{Source: t.in.Source.Product, Store: t.in.Source.Store, Native: t.native, Kind: lore.Main, Archived: s.archived,
		Project: lore.Project{Dir: dir, Name: kit.ProjectName(dir)}}
	if s.title != "" && !isDefaultTitle(s.title) {
		c.Title, c.TitleFrom, c.TitleAt = s.title, lore.TitleFromSource, s.updated
	}
	if s.parent != "" && s.parent != t.native {
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: s.parent}
	}
	return c
}

// isDefaultTitle reports whether a title is the one that a session has before it is given one.
func isDefaultTitle(title string) bool {
	for _, prefix := range []string{"New session - ", "Child session - "} {
		if rest, ok := strings.CutPrefix(title, prefix); ok {
			_, isTime := kit.ParseTimeString(rest)
			return isTime
		}
	}
	return false
}

// inOrder sorts the messages of a session: by time, then id. One without a time stands behind that with the id before.
func inOrder(list []message) {
	slices.SortStableFunc(list, func(a, b message) int { return cmp.Compare(a.id, b.id) })
	for i := range list {
		if list[i].order.IsZero() && i > 0 {
			list[i].order = list[i-1].order
		}
	}
	slices.SortStableFunc(list, func(a, b message) int { return cmp.Compare(a.order.UnixNano(), b.order.UnixNano()) })
}

// messages takes all messages of the session.
func (t *talk) messages(list []message, of func(*message) parts) error {
	inOrder(list)
	for i := range list {
		t.known[list[i].id] = true
	}
	for i := range list {
		if err := t.message(&list[i], of(&list[i])); err != nil {
			return err
		}
	}
	return nil
}

// message makes one message, or several where it speaks in several roles.
func (t *talk) message(m *message, of parts) error {
	if t.session.dir == "" {
		t.session.dir = m.dir
	}
	if m.id != "" && m.id == t.session.revertMessage {
		t.reached = true
		t.undone = t.session.revertPart == ""
	}
	turn := &turn{talk: t, message: m}
	if m.role == "" {
		for p, err := range of {
			if err != nil {
				return err
			}
			turn.worked = turn.worked || isWork(p.value.Get("type").String())
		}
	}
	turn.unit()
	for p, err := range of {
		if err != nil {
			return err
		}
		turn.part(p)
	}
	if m.id != "" && m.id == t.session.revertMessage {
		t.undone = true // what comes behind is undone, whichever part of this one is the first
	}
	return turn.end()
}

// noWords counts a session that has no messages.
func (t *talk) noWords(head *unit) {
	if head.state == good {
		t.ledger.Skip("session without messages")
		t.note(head)
	} else {
		t.account(head, "session")
	}
	t.lost.more(lore.Empty, lore.Info, head.at, "no messages")
}

// end yields the last piece, and then which calls started other conversations.
func (t *talk) end() error {
	if t.session.revertMessage != "" && !t.reached {
		t.lost.one(lore.UnknownRewind, lore.Info, t.place(), "message "+kit.Clip(t.session.revertMessage)+" of the undo is not there")
	}
	if t.count == 0 {
		if t.headed {
			t.ledger.Keep(-1)
			t.ledger.Skip("session without messages")
		}
		at := t.place()
		if t.in.Source.Store == storeDB {
			at.Row = tableSession + "/" + kit.Clip(t.native)
		}
		t.lost.one(lore.Empty, lore.Info, at, "no messages")
		c := facts(t.in)
		c.Ledger, c.Losses = t.ledger, t.lost.list
		if !t.yield(c, nil) {
			return kit.ErrStopped
		}
		return nil
	}
	if err := t.pieces.End(t.ledger, t.lost.list); err != nil {
		return err
	}
	told := map[string]bool{t.native: true}
	for _, s := range t.calls {
		if told[s.child] {
			continue
		}
		told[s.child] = true
		c := facts(t.in)
		c.Native, c.Kind, c.Parent = s.child, lore.Subagent, &lore.Parent{Native: t.native, Call: s.call}
		if !t.yield(c, nil) {
			return kit.ErrStopped
		}
	}
	return nil
}

// place is the evidence as a whole.
func (t *talk) place() lore.Locator { return lore.Locator{File: t.in.Name(t.in.Source.Path)} }
