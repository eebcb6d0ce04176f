package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// write writes the builder's documents as a segment file and returns its size.
func (b *builder) write(path string) (int64, error) {
	o, err := createOutput(path)
	if err != nil {
		return 0, err
	}
	b.writeTerms(o)
	b.writeColumns(o)
	b.store.flush()
	o.put(secStore, b.store.blocks)
	o.put(secStoreIndex, binary.LittleEndian.AppendUint64(b.store.index, uint64(len(b.store.blocks))))
	o.dir.docs, o.dir.words, o.dir.newest = b.docs, b.total, b.newest
	return o.finish()
}

func (b *builder) writeTerms(o *output) {
	var dict dictionaryWriter
	var list []byte
	o.begin(secPostings)
	for _, n := range b.arena.sorted() {
		list = b.arena.list(list[:0], n)
		r := &b.arena.records[n]
		dict.add(entry{term: b.arena.bytes(n), docs: r.docs, off: o.off - o.dir.sections[secPostings].off,
			len: int64(len(list)), last: r.doc - 1})
		o.Write(list)
	}
	o.end()
	dict.flush(o)
}

func (b *builder) writeColumns(o *output) {
	o.put(secConv, b.conv)
	o.put(secFlags, b.flags)
	o.put(secKinds, b.kinds)
	o.put(secLength, b.lengths)
	o.put(secTime, b.times)
	o.put(secMessage, b.ids)
	o.put(secContentKey, b.contentKeys)
	o.put(secContentRest, b.contentRests)
	o.put(secNative, b.natives)
	o.put(secPlace, b.places)
	o.put(secRuns, encodeRuns(b.runs))
	o.put(secByMessage, encodeOrder(orderByMessage(b.ids)))
	o.put(secByNative, encodeOrder(orderByNative(b.natives)))
}

func encodeRuns(runs []run) []byte {
	slices.SortStableFunc(runs, func(x, y run) int {
		return cmp.Or(cmp.Compare(x.conv, y.conv), cmp.Compare(x.first, y.first))
	})
	out := make([]byte, 0, len(runs)*runSize)
	for _, r := range runs {
		out = r.append(out)
	}
	return out
}

type orderKey struct {
	key uint64
	doc uint32
}

// orderByMessage returns the documents in the order of their message ids, equal ones in their own order.
func orderByMessage(ids []byte) []orderKey {
	keys := make([]orderKey, len(ids)/32)
	for i := range keys {
		keys[i] = orderKey{binary.BigEndian.Uint64(ids[32*i:]), uint32(i)}
	}
	slices.SortFunc(keys, func(x, y orderKey) int {
		if x.key != y.key {
			return cmp.Compare(x.key, y.key)
		}
		a, b := ids[32*x.doc:32*x.doc+32], ids[32*y.doc:32*y.doc+32]
		return cmp.Or(bytes.Compare(a, b), cmp.Compare(x.doc, y.doc))
	})
	return keys
}

// orderByNative returns the documents that have a native id in the order of its hash.
func orderByNative(natives []byte) []orderKey {
	var keys []orderKey
	for i := 0; i < len(natives)/8; i++ {
		if h := binary.LittleEndian.Uint64(natives[8*i:]); h != 0 {
			keys = append(keys, orderKey{h, uint32(i)})
		}
	}
	slices.SortFunc(keys, func(x, y orderKey) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.doc, y.doc))
	})
	return keys
}

func encodeOrder(keys []orderKey) []byte {
	out := make([]byte, 0, 4*len(keys))
	for _, k := range keys {
		out = binary.LittleEndian.AppendUint32(out, k.doc)
	}
	return out
}
