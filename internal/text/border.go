package text

import (
	"strings"
	"unicode/utf8"
)

// border reports whether a term can begin or end at i: the place is no inside of a word, or one piece of an identifier
// ends there and the next begins.
func border(text string, i int) bool {
	if i <= 0 || i >= len(text) {
		return true
	}
	before, after := kindBefore(text, i), kindAt(text, i)
	switch {
	case before < underscore || after < underscore, before == underscore, after == underscore:
		return true
	case before != after && !(before == upper && after == lower):
		return true // a letter and a digit, or the hump of a camel
	case before == upper && after == upper:
		_, n := clusterAt(text, i)
		if i += n; i < len(text) && kindAt(text, i) == lower {
			return true // HTTP|Server
		}
	}
	return endsEscape(text, i)
}

// endsEscape reports whether an escape sequence ends at i, so that the letter before it is none.
func endsEscape(text string, i int) bool {
	const longest = 40
	from := max(0, i-longest)
	at := strings.LastIndexByte(text[from:i], 0x1b)
	if c1 := strings.LastIndex(text[from:i], "\u009b"); c1 > at {
		at = c1
	}
	return at >= 0 && afterEscape(text, from+at) == i
}

// kindAt returns the kind of the character at i.
func kindAt(text string, i int) kind {
	if k := kindOfByte[text[i]]; k != beyond {
		return k
	}
	f, _ := clusterAt(text, i)
	return f.kind
}

// kindBefore returns the kind of the last character before i that has a width; separator when there is none.
func kindBefore(text string, i int) kind {
	for i > 0 {
		if k := kindOfByte[text[i-1]]; k != beyond {
			return k
		}
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if r == utf8.RuneError && n == 1 {
			return separator
		}
		if k := foldOf(r).kind; k != ignorable {
			return k
		}
		i -= n
	}
	return separator
}
