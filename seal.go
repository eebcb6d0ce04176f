package lore

import (
	"cmp"
	"slices"
)

// Removed is the subtype of a message that an earlier snapshot held and the newest lacks. It stays in the record and
// counts, but it is no part of the content hash.
const Removed = "removed"

// Seal gives ids and derived facts to one whole record.
func Seal(c *Conversation) {
	s := NewSealer()
	s.Piece(c)
	s.Finish(c)
}

// Sealer gives ids to the record of one conversation, piece by piece in record order. What it remembers of a message is
// a few dozen bytes, never its text. The result does not depend on where the pieces end.
type Sealer struct {
	id      ID
	started bool

	natives  map[halfID]struct{} // native ids that have a first carrier, by message id
	contents map[halfID]int      // how often each content was said
	hash     contentHash

	messages int // that were sealed
	users    int // active ones of role user
	usage    []seenUsage
	title    string // of the first active prompt
	withheld string // of the first prompt at all, in case none is active
	models   []string

	first, last Time
}

// halfID is as much of a digest as tells the messages of one conversation apart.
type halfID [16]byte

func half(id ID) halfID { return halfID(id[:16]) }

type seenUsage struct {
	message int
	usage   Usage
}

// NewSealer returns a Sealer for one conversation.
func NewSealer() *Sealer {
	return &Sealer{natives: map[halfID]struct{}{}, contents: map[halfID]int{}}
}

// Piece sets the id of c, the ids, content ids and parents of its messages, and the ids of what Parent and Lineage name.
func (s *Sealer) Piece(c *Conversation) {
	if !s.started {
		s.started = true
		s.id = anchor(c)
		s.hash = newContentHash()
	}
	c.ID = s.id
	if c.Parent != nil && c.Parent.Native != "" {
		c.Parent.ID = ConversationID(c.Source, c.Parent.Native)
	}
	if c.Lineage != nil && c.Lineage.OfNative != "" {
		c.Lineage.Of = ConversationID(c.Source, c.Lineage.OfNative)
	}
	for i := range c.Messages {
		s.message(c.Source, &c.Messages[i])
	}
}

// anchor returns the id of a conversation: by its native id, else by its place, else by its first message. It is zero
// when there is none of these.
func anchor(c *Conversation) ID {
	switch {
	case c.Native != "":
		return ConversationID(c.Source, c.Native)
	case c.Place != "":
		return PlacedConversationID(c.Source, c.Store, c.Place)
	case len(c.Messages) > 0:
		m := &c.Messages[0]
		return SeededConversationID(c.Source, c.Store, ContentID(c.Source, m.Role, m.Model, m.Parts))
	}
	return ID{}
}

func (s *Sealer) message(source string, m *Message) {
	m.ContentID = ContentID(source, m.Role, m.Model, m.Parts)
	occurrence := s.contents[half(m.ContentID)]
	s.contents[half(m.ContentID)]++
	m.ID = s.handle(m, occurrence)
	m.Parent = ID{}
	if m.ParentNative != "" {
		m.Parent = MessageID(s.id, m.ParentNative)
	}
	if m.Subtype != Removed {
		s.hash.add(m.ContentID)
	}
	s.remember(m)
}

// handle returns the message id: by its native id for the first carrier, else by content and occurrence.
func (s *Sealer) handle(m *Message, occurrence int) ID {
	if m.Native != "" {
		id := MessageID(s.id, m.Native)
		if _, again := s.natives[half(id)]; !again {
			s.natives[half(id)] = struct{}{}
			return id
		}
	}
	return OccurrenceID(s.id, m.ContentID, occurrence)
}

// remember keeps what Finish needs.
func (s *Sealer) remember(m *Message) {
	if m.Usage != nil {
		s.usage = append(s.usage, seenUsage{s.messages, *m.Usage})
	}
	s.messages++
	if m.Role == User {
		s.prompt(m)
	}
	if m.Model != "" && !slices.Contains(s.models, m.Model) {
		s.models = append(s.models, m.Model)
	}
	if !m.At.IsZero() {
		if s.first.IsZero() {
			s.first = m.At
		}
		s.last = m.At
	}
}

// Finish sets, on the last piece, what the whole record says: content hash, counts, models, times, usage and, where the
// source gave no title, one from the first prompt.
func (s *Sealer) Finish(c *Conversation) {
	if !s.started {
		s.Piece(&Conversation{Source: c.Source, Store: c.Store, Native: c.Native, Place: c.Place})
		c.ID = s.id
	}
	c.ContentHash = s.hash.id()
	c.MessageCount, c.UserMessages = s.messages, s.users
	c.Models = s.models
	if c.StartedAt.IsZero() {
		c.StartedAt = s.first
	}
	if !s.last.IsZero() {
		c.EndedAt = s.last
	}
	if c.Usage == nil {
		c.Usage = s.sum(c.Lineage)
	}
	s.entitle(c)
}

// sum adds the usage of the messages that are not copies of another conversation's; nil when no message has one.
func (s *Sealer) sum(l *Lineage) *Usage {
	copies := 0
	if l != nil {
		copies = l.Shared
	}
	var total *Usage
	for _, u := range s.usage {
		if u.message < copies {
			continue
		}
		if total == nil {
			total = new(Usage)
		}
		total.Input += u.usage.Input
		total.Output += u.usage.Output
		total.CacheRead += u.usage.CacheRead
		total.CacheWrite += u.usage.CacheWrite
	}
	return total
}

// prompt counts a message of role user and remembers the title that the first one gives.
func (s *Sealer) prompt(m *Message) {
	if m.Active {
		s.users++
	}
	if s.title != "" || (!m.Active && s.withheld != "") {
		return
	}
	t := promptTitle(m.Parts)
	if s.withheld == "" {
		s.withheld = t
	}
	if m.Active {
		s.title = t
	}
}

func (s *Sealer) entitle(c *Conversation) {
	if c.Title != "" {
		if c.TitleFrom == "" {
			c.TitleFrom = TitleFromSource
		}
		return
	}
	c.TitleFrom = TitleFromNone
	if t := cmp.Or(s.title, s.withheld); t != "" {
		c.Title, c.TitleFrom = t, TitleFromPrompt
	}
}
