package index

import (
	"bytes"
	"context"
	"encoding/binary"
)

// merging is segments on their way into one.
type merging struct {
	ctx   context.Context
	out   *output
	in    []*segment
	base  []uint32   // number of each segment's first document in the new one
	moved [][]uint32 // new number of each document, noDocument for a deleted one; nil where all move by base
	docs  uint32

	thorough bool // no text of a deleted document stays in a store

	stored [][]storedAt // place of each document's text, where the store was written anew; nil where it was copied
	first  []uint32     // number of the first block of each copied store
}

type storedAt struct{ block, at uint32 }

const noDocument = ^uint32(0)

// mergeSegments writes one segment of several, without their deleted documents. Posting lists are copied where nothing
// was deleted. It returns the size of the file and the number of documents.
func mergeSegments(ctx context.Context, path string, in []*segment, thorough bool) (size int64, docs uint32, err error) {
	m := &merging{ctx: ctx, in: in, thorough: thorough}
	m.number()
	if m.out, err = createOutput(path); err != nil {
		return 0, 0, err
	}
	for _, step := range []func() error{m.terms, m.store, m.columns} {
		if err = ctx.Err(); err == nil {
			err = step()
			m.release()
		}
		if err != nil {
			m.out.abandon()
			return 0, 0, err
		}
	}
	m.out.dir.docs = m.docs
	size, err = m.out.finish()
	return size, m.docs, err
}

// release gives the memory of the files back that are being merged: each of their bytes is read once.
func (m *merging) release() {
	for _, s := range m.in {
		s.m.release()
	}
}

// number gives every living document its new number.
func (m *merging) number() {
	for _, s := range m.in {
		m.base = append(m.base, m.docs)
		if s.gone == 0 {
			m.moved = append(m.moved, nil)
			m.docs += s.docs
			continue
		}
		moved := make([]uint32, s.docs)
		for doc := range s.docs {
			if moved[doc] = noDocument; !s.deleted.has(doc) {
				moved[doc] = m.docs
				m.docs++
			}
		}
		m.moved = append(m.moved, moved)
	}
}

// terms merges dictionaries and posting lists.
func (m *merging) terms() error {
	cursors := make([]cursor, len(m.in))
	live := make([]bool, len(m.in))
	for i, s := range m.in {
		cursors[i] = s.seek(nil)
		live[i] = cursors[i].next()
		if cursors[i].err != nil {
			return cursors[i].err
		}
	}
	var dict dictionaryWriter
	var list, term []byte
	m.out.begin(secPostings)
	for n := 0; ; n++ {
		if n%4096 == 0 {
			if m.ctx.Err() != nil {
				return m.ctx.Err()
			}
			m.release()
		}
		first := -1
		for i := range cursors {
			if live[i] && (first < 0 || bytes.Compare(cursors[i].entry.term, cursors[first].entry.term) < 0) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		term = append(term[:0], cursors[first].entry.term...)
		e := entry{term: term, off: m.out.off - m.out.dir.sections[secPostings].off}
		list = list[:0]
		for i := range cursors {
			if !live[i] || !bytes.Equal(cursors[i].entry.term, term) {
				continue
			}
			var err error
			if list, err = m.append(list, i, &cursors[i].entry, &e); err != nil {
				return err
			}
			live[i] = cursors[i].next()
			if cursors[i].err != nil {
				return cursors[i].err
			}
		}
		if len(list) > 0 {
			e.len = int64(len(list))
			dict.add(e)
			m.out.Write(list)
		}
	}
	m.out.end()
	dict.flush(m.out)
	return nil
}

// append puts the list that a segment has for a term behind what there is, and counts it in the new entry.
func (m *merging) append(list []byte, i int, old, e *entry) ([]byte, error) {
	s := m.in[i]
	p, err := s.list(*old)
	if err != nil {
		return list, err
	}
	before := uint32(0)
	if len(list) > 0 {
		before = e.last
	}
	moved := m.moved[i]
	if moved == nil {
		head, n, rest, err := rebase(p.rest, m.base[i], before)
		if err != nil {
			return list, err
		}
		e.docs += old.docs
		e.last = m.base[i] + old.last
		return append(append(list, head[:n]...), rest...), nil
	}
	last := noDocument
	for p.next() {
		if p.doc >= s.docs {
			p.bad = true
			break
		}
		doc := moved[p.doc]
		if doc == noDocument {
			continue
		}
		list = p.append(list, doc-before)
		if doc != last {
			e.docs++
		}
		before, last, e.last = doc, doc, doc
	}
	if p.bad {
		return list, damaged("posting list of %q in segment %q", old.term, s.name)
	}
	return list, nil
}

// columns copies the columns of living documents and orders the look-ups anew.
func (m *merging) columns() error {
	var ids, natives []byte
	for _, c := range []section{secConv, secFlags, secKinds, secLength, secTime, secMessage, secContentKey, secContentRest, secNative} {
		m.out.begin(c)
		for i, s := range m.in {
			b, err := s.whole(c)
			if err != nil {
				return err
			}
			if c == secLength {
				m.count(i, b)
			}
			b = m.living(i, b, int(columnWidth[c]))
			switch c {
			case secMessage:
				ids = append(ids, b...)
			case secNative:
				natives = append(natives, b...)
			}
			m.out.Write(b)
		}
		m.out.end()
	}
	if err := m.places(); err != nil {
		return err
	}
	if err := m.runs(); err != nil {
		return err
	}
	m.out.put(secByMessage, encodeOrder(orderByMessage(ids)))
	m.out.put(secByNative, encodeOrder(orderByNative(natives)))
	return nil
}

// living returns the rows of a column whose documents live.
func (m *merging) living(i int, b []byte, width int) []byte {
	if m.moved[i] == nil {
		return b
	}
	out := make([]byte, 0, len(b))
	for doc, to := range m.moved[i] {
		if to != noDocument {
			out = append(out, b[doc*width:(doc+1)*width]...)
		}
	}
	return out
}

// count carries over the sum of the lengths and the newest time. With deletions the sum is made again from the rounded
// lengths, which is good enough for an average.
func (m *merging) count(i int, lengths []byte) {
	s := m.in[i]
	m.out.dir.newest = max(m.out.dir.newest, s.dir.newest)
	if m.moved[i] == nil {
		m.out.dir.words += s.dir.words
		return
	}
	for doc, to := range m.moved[i] {
		if to != noDocument {
			m.out.dir.words += uint64(wordsOf[lengths[doc]])
		}
	}
}

// places copies where documents are, and where their texts are now.
func (m *merging) places() error {
	m.out.begin(secPlace)
	var row []byte
	for i, s := range m.in {
		b, err := s.whole(secPlace)
		if err != nil {
			return err
		}
		for doc := range s.docs {
			if m.moved[i] != nil && m.moved[i][doc] == noDocument {
				continue
			}
			p := decodePlace(b[int(doc)*placeSize:])
			if m.stored[i] != nil {
				p.block, p.at = m.stored[i][doc].block, m.stored[i][doc].at
			} else {
				p.block += m.first[i]
			}
			row = p.append(row[:0])
			m.out.Write(row)
		}
	}
	m.out.end()
	return nil
}

// runs makes the runs anew; two that touch become one.
func (m *merging) runs() error {
	var out []run
	for i, s := range m.in {
		conv, err := s.whole(secConv)
		if err != nil {
			return err
		}
		for doc := range s.docs {
			to := m.base[i] + doc
			if m.moved[i] != nil {
				to = m.moved[i][doc]
			}
			if to == noDocument {
				continue
			}
			c := binary.LittleEndian.Uint32(conv[4*doc:])
			if n := len(out); n > 0 && out[n-1].conv == c && out[n-1].first+out[n-1].count == to {
				out[n-1].count++
			} else {
				out = append(out, run{c, to, 1})
			}
		}
	}
	m.out.put(secRuns, encodeRuns(out))
	return nil
}
