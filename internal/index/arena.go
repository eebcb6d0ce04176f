package index

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// arena holds the terms and postings of a segment that is being built, without pointers, so that the collector has
// nothing to follow: term bytes in one slice, postings in chained slices of growing size inside of pages, and one record
// of 32 bytes for each term.
type arena struct {
	table   []uint64 // open addressing: upper half of the hash, number of the term + 1
	records []termRecord
	text    []byte // each term: its length as two bytes, its bytes
	pages   [][]byte
	main    []field // main field of each document
	free    uint32  // address of the first free byte; addresses count over all pages
}

type termRecord struct {
	text  uint32 // place in arena.text
	head  uint32 // address of the first slice; 0: none yet
	tail  uint32 // address of the next byte to write
	doc   uint32 // of the pending posting, +1; 0: none
	delta uint32 // of the pending posting
	tf    uint32 // of the pending posting
	docs  uint32 // documents that have the term
	left  uint16 // bytes left in the last slice
	level uint8  // of the last slice
	field field  // of the pending posting
}

const (
	pageBits  = 16
	pageBytes = 1 << pageBits
	linkBytes = 4 // at the end of each slice: the address of the next
)

// sliceBytes is how slices grow: rare terms take little, common ones follow few links.
var sliceBytes = [...]uint16{8, 16, 32, 64, 128, 256, 512, 1024, 2048}

func newArena() *arena {
	a := &arena{table: make([]uint64, 1<<14)}
	a.reset()
	return a
}

// reset empties the arena and keeps its memory.
func (a *arena) reset() {
	clear(a.table)
	a.records, a.text, a.main = a.records[:0], a.text[:0], a.main[:0]
	a.free = 1 // address 0 is none
}

// size is how many bytes the arena's contents take.
func (a *arena) size() int64 {
	return int64(len(a.table)*8 + len(a.records)*32 + len(a.text) + int(a.free))
}

// term returns the number of a term, making it when it is new.
func (a *arena) term(t []byte) uint32 {
	if len(t) > maxTermBytes {
		t = t[:maxTermBytes]
	}
	h := hashBytes(t)
	mask := uint64(len(a.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		v := a.table[i]
		if v == 0 {
			a.table[i] = h&^(1<<32-1) | uint64(len(a.records)+1)
			return a.insert(t)
		}
		if n := uint32(v) - 1; (v^h)>>32 == 0 && string(a.bytes(n)) == string(t) {
			return n
		}
	}
}

func (a *arena) insert(t []byte) uint32 {
	a.records = append(a.records, termRecord{text: uint32(len(a.text))})
	a.text = append(append(a.text, byte(len(t)), byte(len(t)>>8)), t...)
	n := len(a.records)
	if n*4 > len(a.table)*3 {
		a.grow()
	}
	return uint32(n - 1)
}

// grow doubles the table. The place of an entry follows from its hash alone, which is made again from the bytes.
func (a *arena) grow() {
	a.table = make([]uint64, 2*len(a.table))
	mask := uint64(len(a.table) - 1)
	for n := range a.records {
		h := hashBytes(a.bytes(uint32(n)))
		i := h & mask
		for a.table[i] != 0 {
			i = (i + 1) & mask
		}
		a.table[i] = h&^(1<<32-1) | uint64(n+1)
	}
}

func (a *arena) bytes(n uint32) []byte {
	p := a.text[a.records[n].text:]
	return p[2 : 2+int(p[0])+int(p[1])<<8]
}

// begin starts the next document.
func (a *arena) begin(main field) { a.main = append(a.main, main) }

// add counts one occurrence of a term in a field of a document. Documents come in order.
func (a *arena) add(n, doc uint32, f field) {
	r := &a.records[n]
	if r.doc == doc+1 && r.field == f {
		r.tf++
		return
	}
	before := uint32(0)
	if r.doc != 0 {
		a.write(r)
		before = r.doc - 1
	}
	if r.doc != doc+1 {
		r.docs++
	}
	r.delta, r.doc, r.field, r.tf = doc-before, doc+1, f, 1
}

// write puts the pending posting of a term into its slices, as posting.append would.
func (a *arena) write(r *termRecord) {
	v := uint64(r.delta)<<3 | oftenOf(r.tf)<<1
	other := a.main[r.doc-1] != r.field
	if other {
		v |= 1
	}
	for v >= 0x80 {
		a.byte(r, byte(v)|0x80)
		v >>= 7
	}
	a.byte(r, byte(v))
	if other {
		a.byte(r, byte(r.field))
	}
}

func (a *arena) byte(r *termRecord, c byte) {
	if r.left == 0 {
		a.extend(r)
	}
	a.pages[r.tail>>pageBits][r.tail&(pageBytes-1)] = c
	r.tail++
	r.left--
}

// extend gives a term its next slice.
func (a *arena) extend(r *termRecord) {
	if r.head != 0 {
		r.level = min(r.level+1, uint8(len(sliceBytes)-1))
	}
	size := uint32(sliceBytes[r.level])
	if a.free&(pageBytes-1)+size > pageBytes {
		a.free = (a.free | (pageBytes - 1)) + 1
	}
	if int(a.free>>pageBits) == len(a.pages) {
		a.pages = append(a.pages, make([]byte, pageBytes))
	}
	at := a.free
	a.free += size
	if r.head == 0 {
		r.head = at
	} else {
		binary.LittleEndian.PutUint32(a.pages[r.tail>>pageBits][r.tail&(pageBytes-1):], at)
	}
	r.tail, r.left = at, uint16(size)-linkBytes
}

// list appends the postings of a term to b. The pending one is written first.
func (a *arena) list(b []byte, n uint32) []byte {
	r := &a.records[n]
	if r.tf != 0 {
		a.write(r)
		r.tf = 0
	}
	level := 0
	for at := r.head; ; {
		size := uint32(sliceBytes[level]) - linkBytes
		page, off := a.pages[at>>pageBits], at&(pageBytes-1)
		if r.tail >= at && r.tail <= at+size {
			return append(b, page[off:off+r.tail-at]...)
		}
		b = append(b, page[off:off+size]...)
		at = binary.LittleEndian.Uint32(page[off+size:])
		level = min(level+1, len(sliceBytes)-1)
	}
}

// sorted returns the numbers of the terms in the order of their bytes.
func (a *arena) sorted() []uint32 {
	type key struct {
		first uint64 // the first eight bytes, as a number
		n     uint32
	}
	keys := make([]key, len(a.records))
	for n := range keys {
		var first [8]byte
		copy(first[:], a.bytes(uint32(n)))
		keys[n] = key{binary.BigEndian.Uint64(first[:]), uint32(n)}
	}
	slices.SortFunc(keys, func(x, y key) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return slices.Compare(a.bytes(x.n), a.bytes(y.n))
	})
	out := make([]uint32, len(keys))
	for i, k := range keys {
		out[i] = k.n
	}
	return out
}

// hashBytes is a fast hash for the table; it is not part of the format.
func hashBytes(b []byte) uint64 {
	h := uint64(len(b)) * 0x9e3779b97f4a7c15
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0xff51afd7ed558ccd
		h ^= h >> 32
		b = b[8:]
	}
	if len(b) >= 4 {
		h = (h ^ uint64(binary.LittleEndian.Uint32(b))) * 0xff51afd7ed558ccd
		h ^= h >> 29
		b = b[4:]
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
	}
	h ^= h >> 31
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
