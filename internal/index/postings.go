package index

import "encoding/binary"

// A posting list is one number for each document and field that has the term, in the order of the documents:
//
//	delta<<3 | often<<1 | other
//
// where delta is the distance from the document before (for the first: its number), often says how often the term stands
// there, roughly (see oftenOf), and other says that a byte with the field follows. Without it the field is the
// document's main one, which its flags have. A document with the term in two fields has two postings, the second with
// delta 0. The head of a list is the only number that depends on where the list begins, so that a merge copies the rest;
// the dictionary holds each list's last document for that.

// field says what sort of words a posting is from. The numbers are part of the format.
type field uint8

const (
	fieldUser     field = iota // what a person said
	fieldAnswer                // what a model said
	fieldCall                  // calls, and names of files
	fieldThinking              // thinking
	fieldOutput                // what tools returned
	fieldSystem                // injected context, notices, summaries
	fieldTitle                 // the title of the conversation
	fieldPlace                 // its project and branch: words of the conversation, never a match of their own
	fieldCount
)

// fields is a set of fields.
type fields uint8

const (
	anyField  = ^fields(0)
	matchable = anyField &^ (1 << fieldPlace)
)

func (s fields) has(f field) bool { return s&(1<<f) != 0 }

// How often a term stands in a field is kept as 1, 2, 4 or 8, which stand for 1, 2, 3 to 5, and more: beyond that a
// score hardly grows.
var oftenValue = [4]float32{1, 2, 4, 8}

func oftenOf(n uint32) uint64 {
	switch {
	case n <= 2:
		return uint64(max(n, 1) - 1)
	case n <= 5:
		return 2
	}
	return 3
}

// posting is one decoded posting.
type posting struct {
	doc   uint32
	often uint8 // index in oftenValue
	other bool  // f is said, else it is the document's main field
	f     field
}

func (p posting) append(b []byte, delta uint32) []byte {
	v := uint64(delta)<<3 | uint64(p.often)<<1
	if !p.other {
		return binary.AppendUvarint(b, v)
	}
	return append(binary.AppendUvarint(b, v|1), byte(p.f))
}

// postings walks a list.
type postings struct {
	posting
	rest []byte
	bad  bool // the list is damaged; next returned false
}

// next moves to the next posting.
func (p *postings) next() bool {
	if len(p.rest) == 0 {
		return false
	}
	var v uint64
	if c := p.rest[0]; c < 0x80 {
		v, p.rest = uint64(c), p.rest[1:]
	} else {
		n := 0
		if v, n = binary.Uvarint(p.rest); n <= 0 {
			return p.fail()
		}
		p.rest = p.rest[n:]
	}
	doc := uint64(p.doc) + v>>3
	if doc > 1<<32-1 {
		return p.fail()
	}
	p.doc, p.often, p.other = uint32(doc), uint8(v>>1&3), v&1 != 0
	if p.other {
		if len(p.rest) == 0 || p.rest[0] >= byte(fieldCount) {
			return p.fail()
		}
		p.f, p.rest = field(p.rest[0]), p.rest[1:]
	}
	return true
}

func (p *postings) fail() bool {
	p.bad, p.rest = true, nil
	return false
}

// in reports whether the posting is of one of some fields; no document's main field is left out of them.
func (p *posting) in(some fields) bool { return !p.other || some.has(p.f) }

// worth is how often the term stands there, times the weight of the field.
func (p *posting) worth(c *columns) float32 {
	f := p.f
	if !p.other {
		f = c.flagsOf(p.doc).main()
	}
	return oftenValue[p.often] * fieldWeight[f]
}

// rebase returns how a list begins when it is put behind one whose last document is before, with its own documents
// moved up by base: the new head, and the rest to copy. before is 0 and base counts from 0 where the list is the first.
func rebase(list []byte, base, before uint32) (head [binary.MaxVarintLen64]byte, n int, rest []byte, err error) {
	v, k := binary.Uvarint(list)
	doc := v>>3 + uint64(base)
	if k <= 0 || doc < uint64(before) || doc > 1<<32-1 {
		return head, 0, nil, damaged("head of a posting list")
	}
	n = binary.PutUvarint(head[:], (doc-uint64(before))<<3|v&7)
	return head, n, list[k:], nil
}
