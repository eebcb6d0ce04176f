package index

import "encoding/binary"

// wordCache remembers, for the raw bytes of an ASCII word, the numbers of its terms: four of five words are found here,
// and cost no folding, splitting, hashing of terms or comparing. It forgets whatever falls on the same place.
type wordCache struct {
	lines []cacheLine
	// scratch of the word that is being expanded
	numbers []uint32
}

// cacheLine is one entry, as big as a line of the processor's cache.
type cacheLine struct {
	key   [3]uint64 // the word, padded with zeros, which no word holds
	count uint32
	terms [9]uint32
}

const (
	cacheBits = 14
	cacheWord = 24 // longest word that is remembered
)

func newWordCache() *wordCache { return &wordCache{lines: make([]cacheLine, 1<<cacheBits)} }

// reset forgets everything: the numbers of terms have changed.
func (c *wordCache) reset() { clear(c.lines) }

// line returns the place of a word of at most cacheWord bytes, and whether it holds the word. Each word has two places; a
// new one takes the first, and what was there the second.
func (c *wordCache) line(word string) (l *cacheLine, key [3]uint64, hit bool) {
	var k [cacheWord]byte
	copy(k[:], word)
	key = [3]uint64{binary.LittleEndian.Uint64(k[:]), binary.LittleEndian.Uint64(k[8:]), binary.LittleEndian.Uint64(k[16:])}
	h := (key[0]^key[1]*0x9e3779b97f4a7c15)*0xff51afd7ed558ccd ^ key[2]*0xc4ceb9fe1a85ec53
	h ^= h >> 29
	h *= 0x9e3779b97f4a7c15
	at := h >> (64 - cacheBits) &^ 1
	l = &c.lines[at]
	if l.key == key {
		return l, key, l.count != 0
	}
	if second := &c.lines[at+1]; second.key == key && second.count != 0 {
		return second, key, true
	}
	c.lines[at+1] = *l
	return l, key, false
}
