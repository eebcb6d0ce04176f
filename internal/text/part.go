package text

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lore"
)

// Searchable returns the text of a part as it is indexed, matched and shown in snippets: a call's input with the escapes
// in its JSON strings decoded, so that a command reads as it ran; everything else as it is. Positions of matches are
// positions in this text.
func Searchable(p *lore.Part) string {
	if p.Kind != lore.Call {
		return p.Text
	}
	return unescaped(p.Text)
}

// unescaped decodes the escapes in the strings of a JSON text. A text that is no object, list or string of JSON, or that
// holds an escape which JSON does not have, comes back as it is.
func unescaped(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	if head := strings.TrimLeft(raw, " \t\r\n"); head == "" || strings.IndexByte(`{["`, head[0]) < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	inside := false
	for i := 0; i < len(raw); {
		c := raw[i]
		if c == '"' {
			inside = !inside
		}
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		if !inside {
			return raw
		}
		var n int
		if out, n = appendEscape(out, raw[i:]); n == 0 {
			return raw
		}
		i += n
	}
	return string(out)
}

// appendEscape appends what the escape at the head of s means, and returns its length: 0 when it is none.
func appendEscape(out []byte, s string) ([]byte, int) {
	if len(s) < 2 {
		return out, 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return append(out, c), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	}
	r := codeUnit(s)
	switch {
	case r < 0:
		return out, 0
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(out, r), 6
	}
	if pair := utf16.DecodeRune(r, codeUnit(s[6:])); pair != utf8.RuneError {
		return utf8.AppendRune(out, pair), 12
	}
	return append(out, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f), 6
}

// codeUnit returns the unit of the \uXXXX at the head of s, or -1.
func codeUnit(s string) (r rune) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// Bulk returns how much of a long text is indexed: text[:head] and text[tail:] together hold about limit bytes, cut at
// borders of words, three quarters of them at the head. For a text within the limit both are len(text).
func Bulk(text string, limit int) (head, tail int) {
	if len(text) <= limit {
		return len(text), len(text)
	}
	head = max(limit, 0) / 4 * 3
	tail = len(text) - max(limit, 0)/4
	for back := 0; head > 0 && back < maxWord && !parts(text, head); back++ {
		head--
	}
	for on := 0; tail < len(text) && on < maxWord && !parts(text, tail); on++ {
		tail++
	}
	return toRune(text, head), toRune(text, tail)
}

// parts reports whether a word may end or begin at i without being cut.
func parts(text string, i int) bool {
	return utf8.RuneStart(text[i]) && (i == 0 || kindBefore(text, i) < underscore || kindAt(text, i) < underscore)
}

// toRune moves i back to where a character begins.
func toRune(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
