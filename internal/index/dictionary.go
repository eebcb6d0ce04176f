package index

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// The dictionary is the terms in the order of their bytes, in blocks of termsPerBlock. A block begins with the offset of
// its first posting list; each entry is
//
//	length shared with the term before, length of the rest, the rest, documents, bytes of the list, last document
//
// all lengths and numbers as varints. Nothing is shared with another block, so that a search by halves can compare with
// the first term of each.
const termsPerBlock = 64

// maxTermBytes bounds a term of any sort, also those that stand for facts (see facts.go).
const maxTermBytes = 1 << 10

// entry is a term with its posting list.
type entry struct {
	term []byte // valid until the next step
	docs uint32 // how many documents have it
	off  int64  // of its list in the postings section
	len  int64
	last uint32 // last document in the list
}

// dictionaryWriter builds the two sections.
type dictionaryWriter struct {
	terms, index []byte
	count        uint32
	prev         []byte
}

// add appends an entry; terms come in order.
func (w *dictionaryWriter) add(e entry) {
	if w.count%termsPerBlock == 0 {
		w.index = binary.LittleEndian.AppendUint64(w.index, uint64(len(w.terms)))
		w.terms = binary.AppendUvarint(w.terms, uint64(e.off))
		w.prev = w.prev[:0]
	}
	shared := 0
	for shared < len(w.prev) && shared < len(e.term) && w.prev[shared] == e.term[shared] {
		shared++
	}
	w.terms = binary.AppendUvarint(w.terms, uint64(shared))
	w.terms = binary.AppendUvarint(w.terms, uint64(len(e.term)-shared))
	w.terms = append(w.terms, e.term[shared:]...)
	w.terms = binary.AppendUvarint(w.terms, uint64(e.docs))
	w.terms = binary.AppendUvarint(w.terms, uint64(e.len))
	w.terms = binary.AppendUvarint(w.terms, uint64(e.last))
	w.prev = append(w.prev[:0], e.term...)
	w.count++
}

// flush writes the sections.
func (w *dictionaryWriter) flush(o *output) {
	o.put(secTerms, w.terms)
	o.put(secTermIndex, w.index)
	o.dir.terms = w.count
}

// dictionary reads the sections.
type dictionary struct{ f *segmentFile }

func (d dictionary) blocks() int64 { return d.f.dir.sections[secTermIndex].len / 8 }

// block returns the bytes of a block.
func (d dictionary) block(i int64) ([]byte, error) {
	b, err := d.f.bytes(secTermIndex, 8*i, 8)
	if err != nil {
		return nil, err
	}
	from, to := int64(binary.LittleEndian.Uint64(b)), d.f.dir.sections[secTerms].len
	if i+1 < d.blocks() {
		if b, err = d.f.bytes(secTermIndex, 8*i+8, 8); err != nil {
			return nil, err
		}
		to = int64(binary.LittleEndian.Uint64(b))
	}
	return d.f.bytes(secTerms, from, to-from)
}

// cursor walks entries in order.
type cursor struct {
	d     dictionary
	at    int64 // next block
	rest  []byte
	left  int // entries left in the block
	total uint32
	seen  uint32 // entries before and including the current one, from the start of the dictionary
	off   int64
	entry entry
	err   error
}

// seek returns a cursor before the first entry of the block that may hold the term; nil: the first block.
func (d dictionary) seek(term []byte) cursor {
	c := cursor{d: d, total: d.f.dir.terms}
	if len(term) == 0 {
		return c
	}
	n := sort.Search(int(d.blocks()), func(i int) bool {
		if c.err != nil {
			return true
		}
		first := cursor{d: d, at: int64(i), total: c.total, seen: uint32(i) * termsPerBlock}
		if !first.next() {
			c.err = first.err
			return true
		}
		return bytes.Compare(first.entry.term, term) > 0
	})
	c.at = max(int64(n)-1, 0)
	c.seen = uint32(c.at) * termsPerBlock
	return c
}

// next moves to the next entry. At the end, or on damage, it returns false; err tells.
func (c *cursor) next() bool {
	if c.err != nil || c.seen >= c.total {
		return false
	}
	if c.left == 0 && !c.open() {
		return false
	}
	shared, b := varint(c.rest)
	more, b := varint(b)
	if shared > uint64(len(c.entry.term)) || more > uint64(len(b)) || shared+more > maxTermBytes {
		return c.fail()
	}
	c.entry.term = append(c.entry.term[:shared], b[:more]...)
	docs, b := varint(b[more:])
	length, b := varint(b)
	last, b := varint(b)
	if length > uint64(c.d.f.dir.sections[secPostings].len) || docs > 1<<32-1 || last > 1<<32-1 {
		return c.fail()
	}
	c.rest = b
	c.entry.docs, c.entry.last = uint32(docs), uint32(last)
	c.entry.off, c.entry.len = c.off, int64(length)
	c.off += int64(length)
	c.left--
	c.seen++
	return true
}

func (c *cursor) open() bool {
	if c.at >= c.d.blocks() {
		return c.fail()
	}
	if c.rest, c.err = c.d.block(c.at); c.err != nil {
		return false
	}
	c.at++
	c.left = termsPerBlock
	c.entry.term = c.entry.term[:0]
	off, b := varint(c.rest)
	if off > uint64(c.d.f.dir.sections[secPostings].len) {
		return c.fail()
	}
	c.off, c.rest = int64(off), b
	return true
}

// varint takes a number off a slice; where none is, the greatest of all numbers.
func varint(b []byte) (uint64, []byte) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	return longVarint(b)
}

func longVarint(b []byte) (uint64, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 1<<64 - 1, nil
	}
	return v, b[n:]
}

func (c *cursor) fail() bool {
	if c.err == nil {
		c.err = damaged("dictionary: %v", errShort)
	}
	return false
}

// find returns the entry of a term.
func (d dictionary) find(term []byte) (e entry, ok bool, err error) {
	if d.f.dir.terms == 0 {
		return entry{}, false, nil
	}
	c := d.seek(term)
	for n := 0; n < termsPerBlock && c.next(); n++ {
		switch bytes.Compare(c.entry.term, term) {
		case 0:
			return c.entry, true, nil
		case 1:
			return entry{}, false, nil
		}
	}
	return entry{}, false, c.err
}

// prefixed calls f for each entry whose term begins with prefix, until f returns false.
func (d dictionary) prefixed(prefix []byte, f func(e entry) bool) error {
	c := d.seek(prefix)
	for c.next() {
		if bytes.HasPrefix(c.entry.term, prefix) {
			if !f(c.entry) {
				return nil
			}
		} else if bytes.Compare(c.entry.term, prefix) > 0 {
			return nil
		}
	}
	return c.err
}

// list returns the posting list of an entry.
func (d dictionary) list(e entry) (postings, error) {
	b, err := d.f.bytes(secPostings, e.off, e.len)
	return postings{rest: b}, err
}
