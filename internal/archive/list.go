package archive

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sort"
)

// entry is one block in a chain.
type entry struct {
	id    int64
	off   int64 // of its first byte in the chain
	size  int   // decoded bytes, 1..maxBlock
	line  int64 // LFs in the chain before it
	lines int   // LFs in it
	open  bool  // cut by the end of what there was, not by the cutter; only the last ones of a chain are
	eol   bool  // ends with LF
}

func (e entry) end() int64 { return e.off + int64(e.size) }

// list is the block list of a chain, with the fingerprint of the filter of each group of blocks (0: no filter).
type list struct {
	entries []entry
	prints  []uint64
}

// size returns the bytes of the chain.
func (l *list) size() int64 {
	if len(l.entries) == 0 {
		return 0
	}
	return l.entries[len(l.entries)-1].end()
}

// add appends a block; off and line are set here.
func (l *list) add(e entry) {
	if n := len(l.entries); n > 0 {
		last := l.entries[n-1]
		e.off, e.line = last.end(), last.line+int64(last.lines)
	} else {
		e.off, e.line = 0, 0
	}
	l.entries = append(l.entries, e)
}

// at returns the number of the block that holds offset off: len(entries) at or after the end.
func (l *list) at(off int64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].end() > off })
}

// closed returns how many blocks stand before the open ones at the end.
func (l *list) closed() int {
	n := len(l.entries)
	for n > 0 && l.entries[n-1].open {
		n--
	}
	return n
}

// fold joins the fingerprints of all groups into the one that the chain's row holds.
func (l *list) fold() int64 {
	var sum uint64
	for _, p := range l.prints {
		sum ^= p
	}
	return int64(sum)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The encoding of a list: version, number of blocks, number of groups, for each block the step from the id before plus
// one, size and flags, LFs; for each group its fingerprint; CRC-32C of all that. Numbers are varints, fingerprints and
// sum fixed, little-endian.
const (
	listVersion = 1
	listOpen    = 1
	listEOL     = 2
	listFlags   = 2 // bits
)

func (l *list) encode() []byte {
	b := make([]byte, 0, 16+7*len(l.entries)+8*len(l.prints))
	b = append(b, listVersion)
	b = binary.AppendUvarint(b, uint64(len(l.entries)))
	b = binary.AppendUvarint(b, uint64(len(l.prints)))
	var last int64
	for _, e := range l.entries {
		b = binary.AppendVarint(b, e.id-last-1)
		v := uint64(e.size) << listFlags
		if e.open {
			v |= listOpen
		}
		if e.eol {
			v |= listEOL
		}
		b = binary.AppendUvarint(b, v)
		b = binary.AppendUvarint(b, uint64(e.lines))
		last = e.id
	}
	for _, p := range l.prints {
		b = binary.LittleEndian.AppendUint64(b, p)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeList reads what encode wrote. The error wraps ErrDamaged.
func decodeList(b []byte) (*list, error) {
	if len(b) < 7 || b[0] != listVersion {
		return nil, fmt.Errorf("block list: unknown form: %w", ErrDamaged)
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return nil, fmt.Errorf("block list: wrong sum: %w", ErrDamaged)
	}
	v := varints{b: body[1:]}
	n, groups := v.next(), v.next()
	if n > uint64(len(body)) || groups > n {
		return nil, fmt.Errorf("block list: wrong length: %w", ErrDamaged)
	}
	l := &list{entries: make([]entry, 0, n)}
	var last int64
	for range n {
		id := last + 1 + v.signed()
		sf, lines := v.next(), v.next()
		size := sf >> listFlags
		if id < 1 || size < 1 || size > maxBlock || lines > size {
			return nil, fmt.Errorf("block list: impossible block: %w", ErrDamaged)
		}
		l.add(entry{id: id, size: int(size), lines: int(lines), open: sf&listOpen != 0, eol: sf&listEOL != 0})
		last = id
	}
	if v.bad || uint64(len(v.b)) != 8*groups {
		return nil, fmt.Errorf("block list: wrong length: %w", ErrDamaged)
	}
	for i := range groups {
		l.prints = append(l.prints, binary.LittleEndian.Uint64(v.b[8*i:]))
	}
	return l, nil
}

// varints reads varints from a slice; bad is set when it ends early, and everything read after that is 0.
type varints struct {
	b   []byte
	bad bool
}

func (v *varints) next() uint64 {
	x, n := binary.Uvarint(v.b)
	if n <= 0 {
		v.b, v.bad = nil, true
		return 0
	}
	v.b = v.b[n:]
	return x
}

func (v *varints) signed() int64 {
	u := v.next()
	return int64(u>>1) ^ -int64(u&1)
}
