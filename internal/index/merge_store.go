package index

import "encoding/binary"

// store copies the blocks of the document stores. One in which many documents are deleted is written anew without them.
func (m *merging) store() error {
	var index []byte
	m.out.begin(secStore)
	at, blocks := uint64(0), uint32(0)
	add := func(offsets, packed []byte) {
		for i := 0; i+8 < len(offsets); i += 8 { // the last offset is the end
			index = binary.LittleEndian.AppendUint64(index, at+binary.LittleEndian.Uint64(offsets[i:]))
			blocks++
		}
		at += uint64(len(packed))
		m.out.Write(packed)
	}
	for i, s := range m.in {
		m.first = append(m.first, blocks)
		m.stored = append(m.stored, nil)
		if m.thorough || s.gone*8 > int(s.docs) {
			w := newStoreWriter()
			places, err := m.rewrite(w, i, blocks)
			if err != nil {
				return err
			}
			m.stored[i] = places
			w.flush()
			add(binary.LittleEndian.AppendUint64(w.index, uint64(len(w.blocks))), w.blocks)
			continue
		}
		offsets, err := s.whole(secStoreIndex)
		if err != nil {
			return err
		}
		packed, err := s.whole(secStore)
		if err != nil {
			return err
		}
		add(offsets, packed)
	}
	m.out.end()
	m.out.put(secStoreIndex, binary.LittleEndian.AppendUint64(index, at))
	return nil
}

// rewrite puts the texts of a segment's living documents into a new store, whose first block has the given number.
func (m *merging) rewrite(w *storeWriter, i int, first uint32) ([]storedAt, error) {
	s := m.in[i]
	out := make([]storedAt, s.docs)
	all, err := s.whole(secPlace)
	if err != nil {
		return nil, err
	}
	var block []byte
	number := noDocument
	for doc := range s.docs {
		if s.deleted.has(doc) {
			continue
		}
		p := decodePlace(all[int(doc)*placeSize:])
		if p.block != number {
			if block, err = storeBlockAt(s.segmentFile, p.block); err != nil {
				return nil, err
			}
			number = p.block
		}
		d, err := decodeDocument(block, p.at)
		if err != nil {
			return nil, err
		}
		out[doc] = storedAt{first + w.count, uint32(len(w.raw))}
		w.copy(&d)
	}
	return out, nil
}

// copy adds a document of another store as it is.
func (w *storeWriter) copy(d *document) {
	w.begin(len(d.parts))
	for i := range d.parts {
		p := &d.parts[i]
		cut := byte(0)
		if p.cut {
			cut = 1
		}
		w.raw = append(w.raw, kindNumber(p.kind), cut)
		w.string(p.name)
		w.string(p.text)
	}
	w.end(d.file, d.row, d.units)
}
