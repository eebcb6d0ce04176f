package archive

import (
	"hash/crc32"
	"math/bits"
)

// A filter says of a group of blocks which trigrams may stand in it: no false negatives, few false positives. Letters
// are ASCII-folded, so one filter serves searches of either kind. A group's filter also covers the bytes before the
// group that a match which ends inside it can begin in, up to filterReach bytes in all; of a longer literal only the
// last filterReach bytes are asked for. So every match is seen by the filter of the group that its last byte is in,
// whatever borders it crosses.
const (
	filterReach = 256

	groupMin  = 192 << 10 // a group is closed when it holds that much
	filterMin = 4 << 10   // below this, decoding is cheaper than knowing

	// A filter takes one bit for eight bits of content divided by filterShare: 1.6 % of it, and a little more of a
	// small group, whose trigrams repeat less.
	filterShare      = 64
	filterShareSmall = 52
	filterSmall      = 64 << 10
)

// groups cuts entries into groups and calls fn with the bounds of each. The bounds depend on the sizes alone, from left
// to right, so those of closed groups never move when a chain grows.
func groups(entries []entry, fn func(from, to int)) {
	from, size := 0, 0
	for i, e := range entries {
		size += e.size
		if size >= groupMin {
			fn(from, i+1)
			from, size = i+1, 0
		}
	}
	if from < len(entries) {
		fn(from, len(entries))
	}
}

// filterLen returns the length in bytes of the filter for a group of n bytes; 0: none is made.
func filterLen(n int) int {
	share := filterShare
	if n < filterMin {
		return 0
	}
	if n < filterSmall {
		share = filterShareSmall
	}
	return n / share &^ 7
}

// gramCode is an 18-bit number for the last three bytes: six bits of each, spread by gramTable so that the common ASCII
// bytes have one value each, and the others differ in the upper bits of the newest two.
const (
	gramBits = 18
	gramMask = 1<<gramBits - 1
)

var gramTable = func() (t [256]uint32) {
	x := uint64(0x747269)
	for b := range t {
		var z uint64
		x, z = splitmix(x)
		t[b] = uint32(z) & gramMask
	}
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789 \"\\/.,:;-_()[]{}<>=+*'#\n"
	for i := range len(plain) {
		t[plain[i]] = t[plain[i]]&^63 | uint32(i)
	}
	for b := 'A'; b <= 'Z'; b++ {
		t[b] = t[b+'a'-'A']
	}
	return t
}()

// grams is the set of trigram codes of a stretch of content.
type grams struct {
	set  [1 << gramBits / 64]uint64
	code uint32 // of the bytes so far; older bytes than three have been shifted out of the mask
	seen int    // bytes so far, counted up to 2
}

// add takes further bytes of the stretch.
func (g *grams) add(b []byte) {
	for g.seen < 2 && len(b) > 0 {
		g.code = g.code<<6 ^ gramTable[b[0]]
		g.seen++
		b = b[1:]
	}
	h, set := g.code, &g.set
	for len(b) >= 4 { // by four: 30 % faster than one by one
		h0 := h<<6 ^ gramTable[b[0]]
		h1 := h0<<6 ^ gramTable[b[1]]
		h2 := h1<<6 ^ gramTable[b[2]]
		h = h2<<6 ^ gramTable[b[3]]
		set[h0>>6&(gramMask>>6)] |= 1 << (h0 & 63)
		set[h1>>6&(gramMask>>6)] |= 1 << (h1 & 63)
		set[h2>>6&(gramMask>>6)] |= 1 << (h2 & 63)
		set[h>>6&(gramMask>>6)] |= 1 << (h & 63)
		b = b[4:]
	}
	for _, c := range b {
		h = h<<6 ^ gramTable[c]
		set[h>>6&(gramMask>>6)] |= 1 << (h & 63)
	}
	g.code = h
}

// reset empties the set.
func (g *grams) reset() {
	clear(g.set[:])
	g.code, g.seen = 0, 0
}

// filter makes the filter of n bytes.
func (g *grams) filter(n int) []byte {
	f := make([]byte, filterLen(n))
	if len(f) == 0 {
		return nil
	}
	for i, w := range g.set {
		for w != 0 {
			code := uint32(i<<6 | bits.TrailingZeros64(w))
			w &= w - 1
			bit := filterBit(code, len(f))
			f[bit>>3] |= 1 << (bit & 7)
		}
	}
	return f
}

// filterBit returns which bit of a filter of n bytes stands for a code.
func filterBit(code uint32, n int) uint32 {
	return uint32(uint64(code*0x9E3779B1) * uint64(8*n) >> 32)
}

// gramsOf returns the codes that a filter has to hold for a literal; none for one of less than three bytes.
func gramsOf(literal []byte) []uint32 {
	if n := len(literal); n > filterReach {
		literal = literal[n-filterReach:]
	}
	var codes []uint32
	var h uint32
	for i, c := range literal {
		h = h<<6 ^ gramTable[c]
		if i >= 2 {
			codes = append(codes, h&gramMask)
		}
	}
	return codes
}

// mayHold reports whether a filter holds all codes. An empty filter may hold everything.
func mayHold(filter []byte, codes []uint32) bool {
	if len(filter) == 0 {
		return true
	}
	for _, code := range codes {
		bit := filterBit(code, len(filter))
		if filter[bit>>3]&(1<<(bit&7)) == 0 {
			return false
		}
	}
	return true
}

// fingerprint tells one filter of one group from every other of the same chain; never 0.
func fingerprint(first, blocks int, filter []byte) uint64 {
	_, mix := splitmix(uint64(first)<<20 ^ uint64(blocks))
	return (uint64(crc32.Checksum(filter, castagnoli))<<32 ^ mix) | 1
}

// filterMaker makes the filters of the groups of a chain, block by block.
type filterMaker struct {
	grams grams
	tail  []byte // last filterReach-1 bytes, for the next group
	first int    // number of the group's first block
	n     int    // blocks in it so far
	size  int    // bytes in it so far
	out   []groupFilter
}

// groupFilter is the filter of the blocks first..first+n-1 of a chain.
type groupFilter struct {
	first, n int
	filter   []byte
}

// start begins at block number first with the bytes before it.
func (m *filterMaker) start(first int, before []byte) {
	m.first, m.n, m.size, m.out = first, 0, 0, nil
	m.grams.reset()
	m.tail = append(m.tail[:0], before...)
	m.grams.add(m.tail)
}

// add takes the next block.
func (m *filterMaker) add(block []byte) {
	m.grams.add(block)
	m.n++
	m.size += len(block)
	m.tail = append(m.tail, block[max(0, len(block)-filterReach):]...)
	m.tail = m.tail[max(0, len(m.tail)-(filterReach-1)):]
	if m.size >= groupMin {
		m.cut()
	}
}

// cut ends the group, if there is one.
func (m *filterMaker) cut() {
	if m.n == 0 {
		return
	}
	m.out = append(m.out, groupFilter{first: m.first, n: m.n, filter: m.grams.filter(m.size)})
	m.first += m.n
	m.n, m.size = 0, 0
	m.grams.reset()
	m.grams.add(m.tail)
}

// print is the fingerprint of the filter; 0 when there is none.
func (g groupFilter) print() uint64 {
	if len(g.filter) == 0 {
		return 0
	}
	return fingerprint(g.first, g.n, g.filter)
}
