package lore

import (
	"math/bits"
	"unicode/utf8"
)

// quoting says how a record's string is written as a JSON string. All forms escape the quote, the backslash and bytes
// below 0x20, and nothing else of what is UTF-8; an invalid byte is one U+FFFD in each. Two halves of a surrogate pair
// that stand side by side are the character that they make: any reader of the JSON would join them.
type quoting uint8

const (
	spoken     quoting = iota // for output: a lone surrogate as its \udXXX escape
	canonical                 // for digests: a lone surrogate as its three bytes
	normalised                // canonical, with CRLF and CR as LF
)

// appendQuoted appends s as a JSON string.
func appendQuoted(dst []byte, s string, form quoting) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		dst, i = appendEscaped(dst, s, i, len(s), form)
	}
	return append(dst, '"')
}

// appendEscaped appends the bytes of s from index i to index to, and where a character or a line end begins before to,
// all of it. It returns the index after what it wrote.
func appendEscaped(dst []byte, s string, i, to int, form quoting) ([]byte, int) {
	run := i // start of the bytes that are copied as they are
	for {
		i = plainUntil(s, i, to)
		if i >= to {
			return append(dst, s[run:i]...), i
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			next := skipRunes(s, i, to)
			if next > i {
				i = next
				continue
			}
			dst = append(dst, s[run:i]...)
			dst, i = appendBroken(dst, s, i, form)
			run = i
			continue
		}
		dst = append(dst, s[run:i]...)
		i++
		if c == '\r' && form == normalised {
			c = '\n'
			if i < len(s) && s[i] == '\n' {
				i++
			}
		}
		dst = appendEscape(dst, c)
		run = i
	}
}

// appendBroken appends what stands at s[i], which is no valid UTF-8: a surrogate in its three-byte form, or a byte
// that means nothing.
func appendBroken(dst []byte, s string, i int, form quoting) ([]byte, int) {
	r, ok := surrogateAt(s, i)
	if !ok {
		return append(dst, "\uFFFD"...), i + 1
	}
	if low, ok := surrogateAt(s, i+3); ok && r < 0xDC00 && low >= 0xDC00 {
		return utf8.AppendRune(dst, (r-0xD800)<<10|(low-0xDC00)+0x10000), i + 6
	}
	if form == spoken {
		return append(dst, '\\', 'u', 'd', hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15]), i + 3
	}
	return append(dst, s[i:i+3]...), i + 3
}

// surrogateAt reads the three-byte form of a UTF-16 surrogate.
func surrogateAt(s string, i int) (rune, bool) {
	if i+3 > len(s) || s[i] != 0xED || s[i+1]&0xE0 != 0xA0 || s[i+2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), true
}

const hexDigits = "0123456789abcdef"

// appendEscape appends the escape of a quote, a backslash or a byte below 0x20.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// plainUntil returns the first index in [i, to) whose byte needs a closer look, or to.
func plainUntil(s string, i, to int) int {
	for ; i+8 <= to; i += 8 {
		// Eight bytes at once. A borrow can mark a plain byte, but only above one that is rightly marked, and the
		// lowest mark is the one that is used.
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if m := ((quote-ones)&^quote | (slash-ones)&^slash | (w - ones*0x20) | w) & (ones << 7); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < to; i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

const ones = 0x0101010101010101

// skipRunes returns the index after the valid characters beyond ASCII that begin at s[i] and before to.
func skipRunes(s string, i, to int) int {
	for i < to {
		c := s[i]
		switch {
		case c < utf8.RuneSelf:
			return i
		case c > 0xE0 && c < 0xED && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80:
			i += 3 // the common case, most of CJK, without a call
		default:
			_, size := utf8.DecodeRuneInString(s[i:])
			if size == 1 {
				return i
			}
			i += size
		}
	}
	return i
}

// cutTrailing cuts the blanks and line ends that do not count at the end of a text: space, tab, LF and CR, no other
// white space.
func cutTrailing(s string) string {
	n := len(s)
	for n > 0 && (s[n-1] == ' ' || s[n-1] == '\t' || s[n-1] == '\n' || s[n-1] == '\r') {
		n--
	}
	return s[:n]
}
