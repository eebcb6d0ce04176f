package index

import (
	"fmt"
	"strings"

	"lore"
)

// idLetters is base32hex in lower case: each character of an id's text stands for five bits.
const idLetters = "0123456789abcdefghijklmnopqrstuv"

// minPrefix is how many characters of an id name it at least.
const minPrefix = 4

// idPrefix is the range of the ids that begin with some characters.
type idPrefix struct{ low, high lore.ID }

// parsePrefix reads the beginning of an id's text, in any case of letters.
func parsePrefix(s string) (idPrefix, error) {
	var p idPrefix
	if len(s) < minPrefix || len(s) > 52 {
		return p, fmt.Errorf("%q is no id: an id has at least %d characters and at most 52: %w", s, minPrefix, ErrNotFound)
	}
	for i := range p.high {
		p.high[i] = 0xff
	}
	for i, c := range strings.ToLower(s) {
		v := strings.IndexRune(idLetters, c)
		if v < 0 {
			return p, fmt.Errorf("%q is no id: %q does not occur in one: %w", s, c, ErrNotFound)
		}
		for k := range 5 {
			bit := i*5 + k
			if bit >= 256 {
				continue // the last character stands for one bit only
			}
			mask := byte(0x80) >> (bit & 7)
			if v&(0x10>>k) != 0 {
				p.low[bit/8] |= mask
			} else {
				p.high[bit/8] &^= mask
			}
		}
	}
	return p, nil
}

// sharedLetters is how many characters the texts of two ids have in common at their beginning.
func sharedLetters(a, b lore.ID) int {
	for i := range a {
		if x := a[i] ^ b[i]; x != 0 {
			bit := i * 8
			for x&0x80 == 0 {
				x <<= 1
				bit++
			}
			return bit / 5
		}
	}
	return 52
}
