package kit

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	near  = 32 // bytes that are looked at here before the search in assembly begins: most strings end within them
)

// scanString finds the end of the string whose first byte stands at i, checks its escapes and says what is in it.
// Bytes that are not UTF-8 are not looked for: String and Flaws do that.
func (d *Doc) scanString(b []byte, i int) (int, uint32, error) {
	flags, quote := uint32(0), -1 // quote is the first one at or after i, once it was searched for
	for {
		// Eight bytes at a time; the lowest bit that the subtractions leave is exact, and only that one is used.
		for stop := i + near; i < stop && len(b)-i >= 8; i += 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			q, s := w^(ones*'"'), w^(ones*'\\')
			if hit := ((q-ones)&^q | (s-ones)&^s) & highs; hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				goto found
			}
		}
		if quote < i {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				n = len(b) - i
			}
			quote = i + n
		}
		if n := bytes.IndexByte(b[i:quote], '\\'); n >= 0 {
			i += n
		} else {
			i = quote
		}
		if i >= len(b) {
			return 0, 0, &SyntaxError{len(b), true}
		}
	found:
		if b[i] == '"' {
			return i + 1, flags, nil
		}
		flags |= escaped
		if i+1 < len(b) && unescape[b[i+1]] != 0 {
			i += 2
			continue
		}
		n, err := d.scanEscape(b, i)
		if err != nil {
			return 0, 0, err
		}
		i += n
	}
}

// scanEscape checks an escape that is not one letter and returns its length; a surrogate pair is one escape.
func (d *Doc) scanEscape(b []byte, i int) (int, error) {
	if i+1 >= len(b) {
		return 0, &SyntaxError{len(b), true}
	}
	if b[i+1] != 'u' {
		return 0, &SyntaxError{i, false}
	}
	r := hex4(b[i+2:])
	if r < 0 {
		for j := i + 2; j < len(b); j++ {
			if hexDigit[b[j]] > 15 {
				return 0, &SyntaxError{j, false}
			}
		}
		return 0, &SyntaxError{len(b), true}
	}
	if r < 0xd800 || r > 0xdfff {
		return 6, nil
	}
	if pairedWith(r, b[i+6:]) != 0 {
		return 12, nil
	}
	d.surrogates++
	return 6, nil
}
