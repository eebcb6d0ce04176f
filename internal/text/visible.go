package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns the text with every character that a terminal would obey, or that hides itself or others, written as a
// visible escape: \x1b, \r, \u202e, \U000e0041. Line feeds and tabs stay, and the carriage return of a line end goes.
// Bytes that are no character are written as \xff, half of a UTF-16 pair as \ud83d. So the result is valid UTF-8.
func Visible(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] >= ' ' && s[i] != 0x7f || s[i] == '\n' || s[i] == '\t') {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if n = max(1, surrogateAt(s, i)); n == 3 {
				r = 0xd000 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				fmt.Fprintf(&b, `\x%02x`, s[i])
			}
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n', r == '\t', r >= ' ' && r < 0x7f:
			b.WriteByte(byte(r))
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r) && !(joiner(r) && beyondASCII(b.String()) && joins(s[i+n:])):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// VisibleLine returns Visible of the text on one line: a run of white space is one space, none at the ends.
func VisibleLine(s string) string {
	return Visible(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r != '\r' && unicode.IsSpace(r)
	}), " "))
}

// hiding lists, besides the control and format characters, what looks like nothing: fillers of hangul, the braille blank
// and selectors of variants beyond the usual ones.
var hiding = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1}, {0x2028, 0x2029, 1},
		{0x2800, 0x2800, 1}, {0x3164, 0x3164, 1}, {0xfe00, 0xfe0d, 1}, {0xffa0, 0xffa0, 1},
	},
	R32: []unicode.Range32{{0xe0100, 0xe01ef, 1}},
}

// hidden reports whether the character must not reach a terminal as it is.
func hidden(r rune) bool {
	return (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(hiding, r)) && !unicode.Is(prepended, r)
}

// joiner reports whether r is one of the two joiners. Some scripts and pictographs need them, so they stay between
// characters that are seen and not ASCII.
func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

func beyondASCII(written string) bool {
	return written != "" && written[len(written)-1] >= utf8.RuneSelf
}

func joins(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r >= utf8.RuneSelf && r != utf8.RuneError && !hidden(r)
}

// prepended are the format characters that are seen: number signs of Arabic and the like.
var prepended = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0600, 0x0605, 1}, {0x06dd, 0x06dd, 1}, {0x070f, 0x070f, 1}, {0x0890, 0x0891, 1}, {0x08e2, 0x08e2, 1}},
	R32: []unicode.Range32{{0x110bd, 0x110bd, 1}, {0x110cd, 0x110cd, 1}},
}
