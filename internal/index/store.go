package index

import (
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"lore"
)

// The document store keeps what snippets are made of and what is read to verify a literal: the text of what people and
// models wrote, and the head of the rest. A document is a record in a compressed block of about storeBlock bytes:
//
//	number of parts, then for each: kind, flags, name, text; then the file and the row of its first unit, and the
//	places of its other units
//
// A text that was cut says so, and is found whole in the evidence.
const (
	storeBlock = 16 << 10 // a block is closed when it holds more than this
	storeWords = 64 << 10 // a text of a person or a model is kept up to this length
	storeHead  = 16 << 10 // and a longer one to this
	storeBulk  = 1 << 10  // what a tool returned is kept up to this length
)

// partTitle is the kind of the one part that stands for a conversation's title, partPlace that for its project.
const (
	partTitle lore.PartKind = "title"
	partPlace lore.PartKind = "project"
)

// storedPart is a part as the document store has it. Text is as text.Searchable returns it.
type storedPart struct {
	kind lore.PartKind
	name string
	text string
	cut  bool
}

// document is a record of the store.
type document struct {
	parts []storedPart
	file  string // of the first unit, where it is not the evidence's own path
	row   string // of the first unit
	units []span // further units of a document that was cut, in the same file
}

// whole reports whether nothing of the document was cut.
func (d *document) whole() bool {
	for i := range d.parts {
		if d.parts[i].cut {
			return false
		}
	}
	return true
}

// storeBound is how much of a text of that kind is kept. One that cannot be read again from its unit, which is alone, is
// kept as far as it is indexed.
func storeBound(kind lore.PartKind, length int, alone bool) int {
	switch {
	case alone:
		return min(length, bulkBound)
	case kind == lore.Result || kind == lore.Unknown:
		return min(length, storeBulk)
	case length > storeWords:
		return storeHead
	}
	return length
}

// cutText cuts a text at the border of a character.
func cutText(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

func kindNumber(kind lore.PartKind) byte {
	for i, k := range kindBits {
		if k == kind {
			return byte(i)
		}
	}
	switch kind {
	case partTitle:
		return 16
	case partPlace:
		return 17
	}
	return 6
}

func kindOf(n byte) lore.PartKind {
	switch {
	case int(n) < len(kindBits):
		return kindBits[n]
	case n == 16:
		return partTitle
	case n == 17:
		return partPlace
	}
	return lore.Unknown
}

// storeWriter builds the store of one segment.
type storeWriter struct {
	enc    *zstd.Encoder
	raw    []byte // the block that is being filled
	blocks []byte
	index  []byte // offset of each block
	count  uint32
}

func newStoreWriter() *storeWriter {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(64<<10), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return &storeWriter{enc: enc}
}

func (w *storeWriter) reset() {
	w.raw, w.blocks, w.index, w.count = w.raw[:0], w.blocks[:0], w.index[:0], 0
}

func (w *storeWriter) size() int64 { return int64(len(w.raw) + len(w.blocks) + len(w.index)) }

// begin returns where the next document will stand.
func (w *storeWriter) begin(parts int) (block, off uint32) {
	block, off = w.count, uint32(len(w.raw))
	w.raw = binary.AppendUvarint(w.raw, uint64(parts))
	return block, off
}

// part adds a part and reports whether it was kept whole.
func (w *storeWriter) part(kind lore.PartKind, name, text string, alone bool) bool {
	kept := cutText(text, storeBound(kind, len(text), alone))
	cut := byte(0)
	if len(kept) < len(text) {
		cut = 1
	}
	w.raw = append(w.raw, kindNumber(kind), cut)
	w.string(name)
	w.string(kept)
	return cut == 0
}

// end ends the document, and the block when it is full.
func (w *storeWriter) end(file, row string, units []span) {
	w.string(file)
	w.string(row)
	w.raw = binary.AppendUvarint(w.raw, uint64(len(units)))
	for _, u := range units {
		w.raw = binary.AppendUvarint(binary.AppendUvarint(w.raw, uint64(u.off)), uint64(u.len))
	}
	if len(w.raw) >= storeBlock {
		w.flush()
	}
}

func (w *storeWriter) string(s string) {
	w.raw = append(binary.AppendUvarint(w.raw, uint64(len(s))), s...)
}

func (w *storeWriter) flush() {
	if len(w.raw) == 0 {
		return
	}
	w.index = binary.LittleEndian.AppendUint64(w.index, uint64(len(w.blocks)))
	w.blocks = w.enc.EncodeAll(w.raw, w.blocks)
	w.raw = w.raw[:0]
	w.count++
}

// maxStoreBlock bounds what a block may decode to: a document of many parts makes a big one, damage must not.
const maxStoreBlock = 1 << 30

var storeDecoder = sync.OnceValue(func() *zstd.Decoder {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxStoreBlock))
	if err != nil {
		panic(err) // the options are constants
	}
	return dec
})

// storeBlockAt decodes a block of a segment's store.
func storeBlockAt(f *segmentFile, block uint32) ([]byte, error) {
	b, err := f.bytes(secStoreIndex, int64(block)*8, 16)
	if err != nil {
		return nil, err
	}
	from, to := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
	packed, err := f.bytes(secStore, from, to-from)
	if err != nil {
		return nil, err
	}
	raw, err := storeDecoder().DecodeAll(packed, make([]byte, 0, 2*storeBlock))
	if err != nil {
		return nil, damaged("block %d of the store: %v", block, err)
	}
	return raw, nil
}

// decodeDocument reads the record at off of a block.
func decodeDocument(block []byte, off uint32) (document, error) {
	var d document
	if int64(off) > int64(len(block)) {
		return d, damaged("document at %d of %d bytes", off, len(block))
	}
	r := byteReader{rest: block[off:]}
	n := r.number()
	for i := uint64(0); i < n && !r.bad; i++ {
		head := r.take(2)
		if r.bad {
			break
		}
		p := storedPart{kind: kindOf(head[0]), cut: head[1] != 0}
		p.name, p.text = r.string(), r.string()
		d.parts = append(d.parts, p)
	}
	d.file, d.row = r.string(), r.string()
	for n := r.number(); n > 0 && !r.bad; n-- {
		d.units = append(d.units, span{int64(r.number()), int64(r.number())})
	}
	if r.bad {
		return document{}, fmt.Errorf("document: %w", damaged("%v", errShort))
	}
	return d, nil
}

// byteReader takes numbers and bytes off a slice; bad is set where it ends early.
type byteReader struct {
	rest []byte
	bad  bool
}

func (r *byteReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// string takes a text without copying it: nobody writes to a block.
func (r *byteReader) string() string {
	b := r.take(r.number())
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (r *byteReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
