package index

import "lore"

// Session puts conversations, one after the other: Begin, Add for each message in record order, Finish. A conversation
// may be added in many pieces, and memory follows the builder's bound, not the conversation.
type Session struct {
	w *Writer
}

// Begin starts a conversation. What the index holds of it is loaded, so that Add can keep what has not changed.
func (s *Session) Begin(conv lore.ID) error { return nil }

// Add puts the next message in record order; evidence is the archive's file id of its first origin. A message that
// stands in the index with the same content, role, active, subtype, time and place is kept untouched and not analysed
// again. The message is not retained.
func (s *Session) Add(m *lore.Message, evidence int64) error { return nil }

// Known reports whether the message would be kept as it stands, if it were added next.
func (s *Session) Known(m *lore.Message, evidence int64) bool { return false }

// Finish ends the conversation: its header (Messages are not looked at), whether its source still has it, and what each
// evidence contributes to it. Messages that were not added again since Begin are deleted.
func (s *Session) Finish(c *lore.Conversation, inSource bool, links []Link) (Change, error) {
	return Change{}, nil
}

// Abort drops the conversation that was begun: the index keeps what it had of it.
func (s *Session) Abort() {}

// Change is what a Finish did.
type Change struct {
	New     bool // the index did not have the conversation
	Changed bool // header, links or a message differ from what the index had; true when New
	Added   int  // messages that were put
	Kept    int  // messages that stood as they were
	Deleted int  // messages that went
}
