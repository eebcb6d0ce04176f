package cursor

import (
	"lore"
	"lore/adapter"
)

// writer collects the messages of one conversation and yields them in pieces.
type writer struct {
	in     adapter.Input
	yield  yielder
	head   lore.Conversation // facts of the conversation, without messages
	ledger lore.Ledger
	losses losses
	clock  clock
	heard  func(*lore.Message) // told of every message; may be nil

	messages []lore.Message
	size     int64 // bytes of text in messages
	put      int   // messages of all pieces
}

// newWriter begins a conversation.
func newWriter(in adapter.Input, yield yielder, store, native string) *writer {
	return &writer{in: in, yield: yield, losses: losses{file: in.Name(in.Source.Path)},
		head: lore.Conversation{Source: source, Store: store, Native: native, Kind: lore.Main}}
}

// add puts messages behind those that are there. A message without words is one empty text.
func (w *writer) add(list ...lore.Message) error {
	for i := range list {
		m := &list[i]
		if len(m.Parts) == 0 {
			m.Parts = []lore.Part{{Kind: lore.Text}}
		}
		for j := range m.Parts {
			w.size += int64(len(m.Parts[j].Text)) + 64
		}
		w.size += 256
		if w.heard != nil {
			w.heard(m)
		}
		w.messages = append(w.messages, *m)
		w.put++
	}
	if w.size < w.in.PieceBound() {
		return nil
	}
	return w.piece(true)
}

// piece yields the messages at hand.
func (w *writer) piece(more bool) error {
	c := w.head
	c.Messages, c.More = w.messages, more
	if c.Parent != nil {
		parent := *c.Parent
		c.Parent = &parent
	}
	if !more {
		c.Ledger, c.Losses = w.ledger, w.losses.list
	}
	w.messages, w.size = nil, 0
	if !w.yield(&c, nil) {
		return errStopped
	}
	return nil
}

// finish yields the last piece. Where no message was put, it is what is to be said of the units: no conversation.
func (w *writer) finish() error {
	if w.put == 0 {
		return rest(w.head.Store, w.ledger, w.losses.list, w.yield)
	}
	return w.piece(false)
}

// rest yields what becomes of units that belong to no conversation; nothing when there are none.
func rest(store string, ledger lore.Ledger, list []lore.Loss, yield yielder) error {
	if ledger.Units == 0 && len(list) == 0 {
		return nil
	}
	if !yield(&lore.Conversation{Source: source, Store: store, Partial: true, Ledger: ledger, Losses: list}, nil) {
		return errStopped
	}
	return nil
}

// clock tells when a message was written whose unit does not say it.
type clock struct {
	last  lore.Time // of the last message with a time of its own
	begin lore.Time // of the conversation, or of the first message with a time
	end   lore.Time // of the last message, when no message has a time of its own
	file  lore.Time // of the file: the last resort
}

// stamp sets the time of a message: its own, else that of the message before it, else that of the conversation.
func (c *clock) stamp(m *lore.Message, own lore.Time, final bool) {
	switch {
	case !own.IsZero():
		c.last = own
		m.At, m.AtFrom = own, lore.FromSource
		if own.Naive() {
			m.AtFrom = lore.FromSourceNaive
		}
	case !c.last.IsZero():
		m.At, m.AtFrom = c.last, lore.FromInherited
	case final && !c.end.IsZero():
		m.At, m.AtFrom = c.end, lore.FromInherited
	case !c.begin.IsZero():
		m.At, m.AtFrom = c.begin, lore.FromInherited
	case !c.file.IsZero():
		m.At, m.AtFrom = c.file, lore.FromFile
	default:
		m.At, m.AtFrom = lore.Time{}, lore.FromNone
	}
}
