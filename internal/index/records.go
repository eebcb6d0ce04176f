package index

import (
	"encoding/json"
	"fmt"
	"time"

	"lore"
)

// Evidence is what the index knows of one evidence of the archive: which snapshot of it was read, by which version of
// the adapter, and what became of its units that belong to no conversation.
type Evidence struct {
	ID       int64  // the archive's file id
	Source   string // frozen source name
	Store    string
	Path     string // home-collapsed path, as in locators
	Snapshot int64  // the archive's snapshot id that was read; 0: none
	Reader   int    // adapter version that read it
	RestsOn  int64  // a sum of what else the reading rests on, which the index does not look into

	// Settled says that the import that read it has also done what needs more than one evidence. It is set by Settle.
	Settled bool

	// Ledger and Losses speak of the units that belong to no conversation.
	Ledger lore.Ledger
	Losses []lore.Loss

	// Failure is why the evidence could not be read at all; empty when it was.
	Failure string
}

// Link is what one evidence contributes to one conversation.
type Link struct {
	Evidence int64 // the archive's file id
	Rank     int   // of the store: the lower is the richer record

	// Digest says what the contribution was made of; a contribution with the same digest need not be joined again.
	// At most 32 bytes, opaque here.
	Digest []byte

	// Partial is true where the evidence adds only facts (a title, losses) to the conversation.
	Partial bool

	// Messages is how many messages the evidence itself holds of the conversation.
	Messages int

	Ledger lore.Ledger
	Losses []lore.Loss
}

// LinkOf is a link together with the conversation that it belongs to.
type LinkOf struct {
	Conversation lore.ID
	Link
}

// Fact is a partial record: something that one evidence says of a conversation which another one holds. It is kept
// until that conversation comes, whichever was first.
type Fact struct {
	Evidence int64  // the archive's file id that says it
	Kind     string // the importer's own word for what it is
	Source   string // frozen source name
	Native   string // native id of the conversation it speaks of; empty: see About
	About    string // native id of a message of that conversation
	Data     []byte // the importer's own encoding, opaque here
}

// Entry is one conversation of the catalogue.
type Entry struct {
	Row      int64 // number of the conversation in this index; never used again for another one
	ID       lore.ID
	Hash     lore.ID // content hash
	Source   string
	Store    string
	Native   string
	InSource bool // false: the source has deleted it; what the archive holds stays
	Losses   int  // sum of the counts of its losses
	Evidence int  // number of evidences that speak of it

	ParentNative  string // native id of the conversation that started it
	LineageNative string // native id of the conversation that it continues
	Place         string // anchor of a flat list

	// Header is the conversation's list fields as lore.AppendJSON wrote them.
	Header []byte
}

// Conversation decodes the header: the record without messages, ledger and losses.
func (e *Entry) Conversation() (*lore.Conversation, error) {
	c := new(lore.Conversation)
	if err := json.Unmarshal(e.Header, c); err != nil {
		return nil, fmt.Errorf("header of conversation %d: %w: %w", e.Row, ErrRebuild, err)
	}
	c.Place = e.Place
	if c.Parent != nil {
		c.Parent.Native = e.ParentNative
	}
	if c.Lineage != nil {
		c.Lineage.OfNative = e.LineageNative
	}
	return c, nil
}

// Stamp says what a commit was computed from.
type Stamp struct {
	Archive string    // identity of the archive
	AsOf    time.Time // when the sources were last looked at
}

// Message is the fixed facts of one message, as the columns hold them.
type Message struct {
	ID           lore.ID
	ContentID    lore.ID
	Conversation int64  // row of its conversation
	NativeHash   uint64 // HashNative of its native id; 0 when it has none
	Role         lore.Role
	Active       bool
	Kinds        Kinds
	At           lore.Time
	Ordinal      uint32 // orders the messages of one conversation; gaps mean nothing
	Evidence     int64  // the archive's file id of its first unit
	Offset       int64  // of its first unit
	Length       int64  // of its first unit; 0: not known
	Line         int    // of its first unit; 0: none
}

// Kinds is the set of the kinds of part that a message has.
type Kinds uint8

// Has reports whether the message has a part of that kind.
func (k Kinds) Has(kind lore.PartKind) bool { return k&kindBit(kind) != 0 }

// kindBits is the order of the bits, part of the format.
var kindBits = [...]lore.PartKind{lore.Text, lore.Thinking, lore.Call, lore.Result, lore.Image, lore.File, lore.Unknown}

// titleBit marks the document of a conversation's title, which is no message.
const titleBit Kinds = 1 << 7

func kindBit(kind lore.PartKind) Kinds {
	for i, k := range kindBits {
		if k == kind {
			return 1 << i
		}
	}
	return 1 << 6
}

// kindsOf returns the set for a message.
func kindsOf(m *lore.Message) Kinds {
	var k Kinds
	for i := range m.Parts {
		k |= kindBit(m.Parts[i].Kind)
	}
	return k
}
