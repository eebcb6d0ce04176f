package lore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleRunes bounds a title made from a prompt, the mark of a cut included.
const titleRunes = 80

// promptTitle returns a title from the parts of a prompt: the first line that says something, white space folded, whole
// words, at most titleRunes characters, "…" where it was cut. Empty when no part is text.
func promptTitle(parts []Part) string {
	for i := range parts {
		if parts[i].Kind != Text {
			continue
		}
		if line := firstLine(parts[i].Text); line != "" {
			return cutWords(line, titleRunes)
		}
	}
	return ""
}

// firstLine returns the first line of s that is not blank, its white space folded, up to a little more than a title
// takes: a line of megabytes is not read to its end.
func firstLine(s string) string {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	var b strings.Builder
	space := false
	for n := 0; len(s) > 0 && n <= titleRunes; {
		r, size := nextChar(s)
		switch {
		case r == '\n' || r == '\r':
			return b.String()
		case unicode.IsSpace(r):
			space = true
		default:
			if space {
				b.WriteByte(' ')
				n++
			}
			space = false
			b.WriteString(s[:size])
			n++
		}
		s = s[size:]
	}
	return b.String()
}

// cutWords cuts s to at most n characters, at the end of a word where one ends in the second half.
func cutWords(s string, n int) string {
	hard, word, count := 0, 0, 0
	for i := 0; i < len(s); count++ {
		if count == n {
			if word > 0 {
				hard = word
			}
			return strings.TrimRight(s[:hard], " ") + "…"
		}
		if count == n-1 {
			hard = i // the mark takes the last place
		}
		r, size := nextChar(s[i:])
		if r == ' ' && count >= n/2 {
			word = i
		}
		i += size
	}
	return s
}

// nextChar decodes the first character of s; half of a surrogate pair is one of three bytes.
func nextChar(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		if _, ok := surrogateAt(s, 0); ok {
			return r, 3
		}
	}
	return r, size
}
