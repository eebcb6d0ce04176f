package chatexport

import (
	"bytes"
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// Subtypes of messages that are not speech.
const (
	subContext = "context" // custom instructions, memory, hidden messages
	subNotice  = "notice"
)

// talk is one conversation while it is written.
type talk struct {
	*reading
	el      *element
	made    *kit.Tally // losses of this conversation
	count   lore.Ledger
	pieces  *kit.Pieces
	head    lore.Conversation
	started lore.Time // of the conversation, for messages that have no time

	chain *chain
	on    []bool
	said  []string // by node: the id of the last message up to it
	last  lore.Time
	n     int // messages
	line  int // of at
	at    int // byte in the element up to which lines are counted
}

func newTalk(r *reading, el *element, v kit.Value) *talk {
	t := &talk{reading: r, el: el, made: kit.NewTally(r.in, r.in.Source.Path), line: el.line}
	t.head = lore.Conversation{Source: r.in.Source.Product, Store: storeExport, Kind: lore.Main}
	t.pieces = kit.NewPieces(r.in, t.header, r.yield)
	return t
}

// header makes the record of a piece. Without messages there is no conversation.
func (t *talk) header() *lore.Conversation {
	c := t.head
	if c.Partial = t.n == 0; c.Partial {
		c = lore.Conversation{Source: c.Source, Store: c.Store, Kind: c.Kind, Partial: true}
	}
	return &c
}

// lose notes n things of this conversation that are not in the record as they were.
func (t *talk) lose(code lore.Code, severity lore.Severity, n int, what string) {
	t.made.Many(code, severity, t.el.line, n, fmt.Sprintf("%s in element %d", what, t.el.number))
}

// titled sets the title, as the source has it.
func (t *talk) titled(title, at kit.Value) {
	if t.head.Title = title.String(); t.head.Title == "" {
		return
	}
	t.head.TitleFrom = lore.TitleFromSource
	t.head.TitleAt, _ = kit.ParseTime(at)
}

// arrange puts the nodes in order. leaf is the node that the product shows last; below 0: not known.
func (t *talk) arrange(up []int, listed [][]int, leaf int) []int {
	t.chain = newChain(up, listed)
	t.lose(lore.MissingParent, lore.Warning, t.chain.missing, "messages whose parent is not there")
	t.lose(lore.ParentCycle, lore.Warning, t.chain.cycles, "circles of parents")
	t.on = t.chain.active(leaf)
	t.said = make([]string, len(up))
	return t.chain.order()
}

// inherit gives a node the last message of its parent; what the node says itself comes behind.
func (t *talk) inherit(node int) {
	if p := t.chain.up[node]; p >= 0 {
		t.said[node] = t.said[p]
	}
}

// put adds the messages that one node makes; units is how many of the ledger's they stand for.
func (t *talk) put(node int, v, at kit.Value, units int, list []lore.Message) error {
	t.inherit(node)
	when, from := t.when(at)
	origin := []lore.Locator{t.locate(v)}
	first := ""
	for i := range list {
		m := &list[i]
		m.ParentNative = t.said[node]
		if i > 0 {
			m.ParentNative = list[i-1].Native
		} else {
			m.Units = units
		}
		m.At, m.AtFrom, m.Active, m.Origins = when, from, t.on[node], origin
		if first == "" {
			first = m.Native
		}
		if t.n == 0 {
			t.talks++
		}
		t.n++
		if err := t.pieces.Add(*m); err != nil {
			return err
		}
	}
	if first != "" {
		t.said[node] = first
	}
	return nil
}

// when reads the time of a message. Null and 0 are no time: the message before, or the conversation, has one.
func (t *talk) when(v kit.Value) (lore.Time, lore.TimeFrom) {
	at, ok := kit.ParseTime(v)
	if ok && at.UnixNano() != 0 {
		t.last = at
		return at, kit.TimeFrom(at)
	}
	if zero, _ := v.Float(); !ok && v.Exists() && !v.IsNull() && !(v.IsNumber() && zero == 0) {
		t.lose(lore.BadTime, lore.Info, 1, "times that cannot be read")
	}
	near := t.last
	if near.IsZero() {
		near = t.started
	}
	if near.IsZero() {
		return near, lore.FromNone
	}
	return near, lore.FromInherited
}

// start notes the time of the conversation itself.
func (t *talk) start(v kit.Value) {
	if at, ok := kit.ParseTime(v); ok && at.UnixNano() != 0 {
		t.started = at
	}
}

// locate says where a value stands in the file.
func (t *talk) locate(v kit.Value) lore.Locator {
	at := v.Offset()
	if at < t.at {
		t.at, t.line = 0, t.el.line
	}
	t.line += bytes.Count(t.el.data[t.at:at], []byte("\n"))
	t.at = at
	return lore.Locator{File: t.in.Name(t.in.Source.Path), Line: t.line, Offset: t.el.offset + int64(at), Length: int64(len(v.Raw()))}
}

// odd keeps, raw, a unit of an unknown sort.
func (t *talk) odd(node int, v, at kit.Value, native, sort string) error {
	t.count.Meet(kit.Clip(sort))
	t.lose(lore.UnknownRecord, lore.Info, 1, kit.Clip(sort))
	return t.put(node, v, at, 0, []lore.Message{{Role: lore.System, Native: native, Parts: []lore.Part{kit.UnknownPart(sort, v)}}})
}

// unknown keeps, raw, a block of an unknown type.
func (t *talk) unknown(typ string, v kit.Value) lore.Part {
	t.lose(lore.UnknownRecord, lore.Info, 1, "type "+kit.Clip(typ))
	return kit.UnknownPart(typ, v)
}

// end yields the rest of the conversation.
func (t *talk) end() error {
	if t.n == 0 {
		t.lose(lore.Empty, lore.Info, 1, "no messages")
	}
	return t.pieces.End(t.count, t.made.List())
}
