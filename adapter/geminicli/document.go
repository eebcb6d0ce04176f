package geminicli

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

var bom = []byte("\xef\xbb\xbf")

// rootList is the name of the list in a document that is one.
const rootList = "[]"

// lists are the members that may hold the messages of a document, the better one last.
var lists = map[string]int{"history": 1, "clientHistory": 2, "messages": 3}

// layout is where things stand in a document.
type layout struct {
	list     string // which member holds the messages; rootList for a document that is a list; empty for none
	elements []span
	head     map[string]span // the other members
	fault    error           // where the document ceases to be JSON; what stands before it is laid out
	line     int             // of the fault
	bom      bool
	nuls     int  // between values of the document, outside of its messages
	empty    bool // white space and NULs alone
}

// layOut finds the members of a document and the elements of its list. The error is one of reading.
func layOut(f *file) (*layout, error) {
	l := &layout{head: map[string]span{}}
	start := int64(0)
	if b, err := f.bytes(0, min(f.size, 3)); err == nil && bytes.Equal(b, bom) {
		start, l.bom = 3, true
	}
	w := newWalker(f.at, start, f.size, 1)
	first := w.peek()
	switch first {
	case 0:
		l.empty, l.nuls = w.err == nil, w.nuls
		return l, w.err
	case '[':
		l.list = rootList
		l.fault = w.array(func(s span) error {
			l.elements = append(l.elements, s)
			return nil
		})
	default:
		l.fault = l.members(w)
	}
	if l.fault == nil && w.peek() != 0 {
		l.fault = fmt.Errorf("%w: more behind the document, from byte %d on", errSyntax, w.at())
	}
	if w.err != nil {
		return nil, w.err
	}
	l.line, l.nuls = w.line, w.nuls
	return l, nil
}

func (l *layout) members(w *walker) error {
	return w.object(func(key string) error {
		if rank := lists[key]; rank > 0 && w.peek() == '[' {
			var list []span
			err := w.array(func(s span) error {
				list = append(list, s)
				return nil
			})
			if rank >= lists[l.list] {
				l.list, l.elements = key, list
			}
			return err
		}
		s, err := w.skip()
		if err == nil {
			l.head[key] = s
		}
		return err
	})
}

// readDocument takes in a document: a head and the messages, each one unit.
func (c *chat) readDocument(ctx context.Context, f *file, twin bool) error {
	l, err := layOut(f)
	if err != nil {
		return err
	}
	if l.bom {
		c.losses.one(f, lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	c.losses.more(f, lore.NulPadding, lore.Warning, 0, "NUL bytes between values", l.nuls)
	if l.empty {
		return nil
	}
	if l.list != rootList && len(l.head) > 0 {
		c.documentHead(f, l)
		c.ledger.Keep(1)
	}
	before := c.found
	for _, s := range l.elements {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.documentElement(f, s, twin); err != nil {
			return err
		}
	}
	foreign := l.list == "" || len(l.elements) > 0
	if foreign && l.fault == nil && !twin && c.found == before && c.ledger.Damaged == 0 && c.head.native == "" {
		c.ledger = lore.Ledger{}
		return adapter.ErrNotMine
	}
	if l.fault != nil {
		c.ledger.Damage(1)
		c.losses.one(f, lore.BadJSON, lore.Warning, l.line, l.fault.Error())
	}
	if l.fault != nil && c.found == before && len(l.head) == 0 && !twin {
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	return nil
}

// documentHead takes in what a document says beside its messages.
func (c *chat) documentHead(f *file, l *layout) {
	get := func(keys ...string) kit.Value {
		for _, key := range keys {
			s, ok := l.head[key]
			if !ok || s.len > maxKey<<4 {
				continue
			}
			if v, err := f.value(s.off, s.len); err == nil && !v.IsNull() {
				return v
			}
		}
		return kit.Value{}
	}
	for _, key := range []string{"sessionId", "projectHash", "startTime", "start_time", "lastUpdated", "summary", "kind", "directories", "meta"} {
		c.head.take(key, get(key))
	}
}

// documentElement takes in one message of a document.
func (c *chat) documentElement(f *file, s span, twin bool) error {
	v, err := f.value(s.off, s.len)
	var syntax *kit.SyntaxError
	switch {
	case errors.As(err, &syntax), errors.Is(err, kit.ErrTooDeep):
		c.ledger.Damage(1)
		code := lore.BadJSON
		if errors.Is(err, kit.ErrTooDeep) {
			code = lore.TooDeep
		}
		c.losses.one(f, code, lore.Warning, int(s.line), err.Error())
		return nil
	case err != nil:
		return err
	case s.len > maxValue:
		c.losses.one(f, lore.OversizedRecord, lore.Warning, int(s.line), fmt.Sprintf("a message of %d bytes", s.len))
	default:
		flaws := f.doc.Flaws()
		c.losses.more(f, lore.InvalidUTF8, lore.Warning, int(s.line), "bytes that are not UTF-8", flaws.InvalidUTF8)
		c.losses.more(f, lore.LoneSurrogate, lore.Info, int(s.line), "escapes without their other half", flaws.LoneSurrogates)
		c.losses.more(f, lore.NulPadding, lore.Warning, int(s.line), "NUL bytes between values", flaws.NULs)
	}
	at := ref{off: s.off, len: s.len, line: s.line, hash: xxhash.Sum64(v.Raw()), twin: twin}
	if c.message(f, v, &at) {
		c.put(v.Get("id").String(), at)
	}
	return nil
}
