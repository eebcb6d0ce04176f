package index

import "encoding/binary"

// A posting list is one number for each document and field that has the term, in the order of the documents:
//
//	delta<<4 | field<<1 | more
//
// where delta is the distance from the document before (for the first: its number), and more says that the next number
// is how often the term stands there; otherwise it is once. A document with the term in two fields has two postings, the
// second with delta 0. The head of a list is the only number that depends on where the list begins, so that a merge
// copies the rest; the dictionary holds each list's last document for that.

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

func appendPosting(b []byte, delta uint32, f field, tf uint32) []byte {
	v := uint64(delta)<<4 | uint64(f)<<1
	if tf == 1 {
		return binary.AppendUvarint(b, v)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, v|1), uint64(tf))
}

// postings walks a list.
type postings struct {
	rest []byte
	doc  uint32
	f    field
	tf   uint32
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
	doc := uint64(p.doc) + v>>4
	if doc > 1<<32-1 {
		return p.fail()
	}
	p.doc, p.f, p.tf = uint32(doc), field(v>>1&7), 1
	if v&1 != 0 {
		tf, n := binary.Uvarint(p.rest)
		if n <= 0 {
			return p.fail()
		}
		p.tf, p.rest = uint32(min(tf, 1<<32-1)), p.rest[n:]
	}
	return true
}

func (p *postings) fail() bool {
	p.bad, p.rest = true, nil
	return false
}

// rebase returns how a list begins when it is put behind one whose last document is before, with its own documents
// moved up by base: the new head, and the rest to copy. before is 0 and base counts from 0 where the list is the first.
func rebase(list []byte, base, before uint32) (head [binary.MaxVarintLen64]byte, n int, rest []byte, err error) {
	v, k := binary.Uvarint(list)
	doc := v>>4 + uint64(base)
	if k <= 0 || doc < uint64(before) || doc > 1<<32-1 {
		return head, 0, nil, damaged("head of a posting list")
	}
	n = binary.PutUvarint(head[:], (doc-uint64(before))<<4|v&15)
	return head, n, list[k:], nil
}
