package kit

import (
	"errors"

	"lore"
	"lore/adapter"
)

// ErrStopped says that the caller of Read wants no more. It ends a reading and never leaves the adapter.
var ErrStopped = errors.New("the caller wants no more")

// Pieces hands the messages of one conversation on, in pieces of about the size that the input asks for.
type Pieces struct {
	bound  int64
	header func() *lore.Conversation
	yield  func(*lore.Conversation, error) bool

	messages []lore.Message
	size     int64
}

// NewPieces begins a conversation. header makes the record of a piece with all but its messages; the facts of the last
// one count.
func NewPieces(in adapter.Input, header func() *lore.Conversation, yield func(*lore.Conversation, error) bool) *Pieces {
	return &Pieces{bound: in.PieceBound(), header: header, yield: yield}
}

// Add adds a message. The error is ErrStopped.
func (p *Pieces) Add(m lore.Message) error {
	p.messages = append(p.messages, m)
	p.size += 256
	for i := range m.Parts {
		p.size += int64(len(m.Parts[i].Text)) + 64
	}
	if p.size < p.bound {
		return nil
	}
	c := p.take()
	c.More = true
	if !p.yield(c, nil) {
		return ErrStopped
	}
	return nil
}

// End yields the last piece, with the ledger and the losses of the whole. The error is ErrStopped.
func (p *Pieces) End(ledger lore.Ledger, losses []lore.Loss) error {
	c := p.take()
	c.Ledger, c.Losses = ledger, losses
	if !p.yield(c, nil) {
		return ErrStopped
	}
	return nil
}

func (p *Pieces) take() *lore.Conversation {
	c := p.header()
	c.Messages = p.messages
	p.messages, p.size = nil, 0
	return c
}
