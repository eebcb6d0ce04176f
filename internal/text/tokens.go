package text

import "unicode/utf8"

// Tokens estimates how many tokens of a language model a text takes, without the vocabulary of one. It errs a little to
// the high side, so that a budget which is kept by it is kept.
func Tokens(s string) int {
	n := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ':
			i++ // belongs to the word behind it, but not to a number
			if i < len(s) && asciiKind(s[i]) == digitByte {
				n++
			}
		case c >= utf8.RuneSelf:
			size, tokens := wideTokens(s[i:])
			n, i = n+tokens, i+size
		case asciiKind(c) == otherByte:
			from := i
			for i < len(s) && s[i] == c {
				i++
			}
			n += 1 + (i-from)/8 // a run of one sign is few tokens
		default:
			from := i
			for i < len(s) && s[i] < utf8.RuneSelf && asciiKind(s[i]) != otherByte {
				i++
			}
			n += wordTokens(s[from:i])
		}
	}
	return n
}

// wideTokens estimates a run of characters beyond ASCII: two thirds of the letters of an alphabet, more than one for each
// other character.
func wideTokens(s string) (size, tokens int) {
	letters, others := 0, 0
	for size < len(s) && s[size] >= utf8.RuneSelf {
		_, n := utf8.DecodeRuneInString(s[size:])
		if n == 2 {
			letters++
		} else {
			others++
		}
		size += n
	}
	return size, (2*letters+2)/3 + others + (others+3)/4
}

// wordTokens estimates a run of letters and digits: a word is one token up to seven letters, a number one for three digits,
// a run of capitals one for three. What changes between letters and digits more than once is an id: one for two characters.
func wordTokens(w string) int {
	n, turns := 0, 0
	for i := 0; i < len(w); {
		from, kind := i, asciiKind(w[i])
		for i < len(w) && asciiKind(w[i]) == kind {
			i++
		}
		if kind == capitalByte && i-from == 1 { // the capital of a word
			for i < len(w) && asciiKind(w[i]) == letterByte {
				i++
			}
			kind = letterByte
		}
		if i < len(w) && (kind == digitByte) != (asciiKind(w[i]) == digitByte) {
			turns++
		}
		if kind == letterByte {
			n += 1 + (i-from-1)/7
		} else {
			n += (i - from + 2) / 3
		}
	}
	if turns > 1 {
		return max(n, (len(w)+1)/2)
	}
	return n
}

// byteKind sorts ASCII bytes for Tokens.
type byteKind uint8

const (
	otherByte byteKind = iota
	letterByte
	capitalByte
	digitByte
)

func asciiKind(c byte) byteKind {
	switch {
	case c >= 'a' && c <= 'z':
		return letterByte
	case c >= 'A' && c <= 'Z':
		return capitalByte
	case c >= '0' && c <= '9':
		return digitByte
	}
	return otherByte
}
