package index

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanJSON calls f for each string value in a text of JSON, with the last key before it, both still
// escaped. It asks for no valid JSON: what stands in quotes is a string, and one before a colon is a key. It ends
// when f returns false.
func scanJSON(b []byte, f func(key, value []byte) bool) {
	var key []byte
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end := stringEnd(b, i+1)
		s := b[i+1 : end]
		i = end
		if k := skipSpace(b, end+1); k < len(b) && b[k] == ':' {
			key, i = s, k
			continue
		}
		if !f(key, s) {
			return
		}
	}
}

// stringEnd returns where the string that begins at i ends: at its quote, or at the end of the text.
func stringEnd(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
		i++
	}
	return len(b)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// unescape decodes the inside of a JSON string as the record holds it: a lone surrogate as its three-byte form, an
// invalid byte as U+FFFD.
func unescape(s []byte) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i = unescapeOne(&out, s, i)
		case c < utf8.RuneSelf:
			out.WriteByte(c)
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 && surrogateForm(s[i:]) {
				out.Write(s[i : i+3])
				i += 3
				continue
			}
			out.WriteRune(r)
			i += n
		}
	}
	return out.String()
}

// unescapeOne decodes the escape at i and returns where the text goes on.
func unescapeOne(out *strings.Builder, s []byte, i int) int {
	switch c := s[i+1]; c {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case 'b':
		out.WriteByte('\b')
	case 'f':
		out.WriteByte('\f')
	case 'u':
		r, ok := hexRune(s, i)
		if !ok {
			out.WriteByte('u')
			return i + 2
		}
		if low, ok := hexRune(s, i+6); ok && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				out.WriteRune(pair)
				return i + 12
			}
		}
		if utf16.IsSurrogate(r) {
			out.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
		} else {
			out.WriteRune(r)
		}
		return i + 6
	default:
		out.WriteByte(c)
	}
	return i + 2
}

func hexRune(s []byte, i int) (rune, bool) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[i+2:i+6]), 16, 32)
	return rune(v), err == nil
}

func surrogateForm(s []byte) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] < 0xc0 && s[2]&0xc0 == 0x80
}
