package index

import "math/bits"

// bitset is a set of small numbers: the documents of one segment, or rows of conversations.
type bitset []uint64

func newBitset(docs uint32) bitset { return make(bitset, (docs+63)/64) }

func (b bitset) set(i uint32) { b[i>>6] |= 1 << (i & 63) }
func (b bitset) has(i uint32) bool {
	return int(i>>6) < len(b) && b[i>>6]&(1<<(i&63)) != 0
}

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// and, or and without change b; the other set has the same length, or is shorter and counts as zeros beyond its end.
func (b bitset) and(c bitset) {
	for i := range b {
		if i < len(c) {
			b[i] &= c[i]
		} else {
			b[i] = 0
		}
	}
}

func (b bitset) or(c bitset) {
	for i, w := range c[:min(len(b), len(c))] {
		b[i] |= w
	}
}

func (b bitset) without(c bitset) {
	for i, w := range c[:min(len(b), len(c))] {
		b[i] &^= w
	}
}

// fill sets the first n bits.
func (b bitset) fill(n uint32) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n&63 != 0 {
		b[len(b)-1] = 1<<(n&63) - 1
	}
}

// each calls f for every member in order.
func (b bitset) each(f func(i uint32)) {
	for w, word := range b {
		for word != 0 {
			f(uint32(w<<6 + bits.TrailingZeros64(word)))
			word &= word - 1
		}
	}
}

// bytes and bitsetOf convert to and from what the catalogue keeps.
func (b bitset) bytes() []byte {
	out := make([]byte, 0, len(b)*8)
	for _, w := range b {
		for i := range 8 {
			out = append(out, byte(w>>(8*i)))
		}
	}
	return out
}

func bitsetOf(docs uint32, p []byte) (bitset, error) {
	b := newBitset(docs)
	if len(p) == 0 {
		return b, nil
	}
	if len(p) != len(b)*8 {
		return nil, damaged("deletions of %d bytes for %d documents", len(p), docs)
	}
	for i := range b {
		for k := range 8 {
			b[i] |= uint64(p[8*i+k]) << (8 * k)
		}
	}
	if docs&63 != 0 {
		b[len(b)-1] &= 1<<(docs&63) - 1
	}
	return b, nil
}
