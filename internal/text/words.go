package text

import "unicode/utf8"

// Class says what Next has found.
type Class uint8

// The classes of words.
const (
	// ASCII is a word of ASCII letters, digits and underscores, of at most MaxTerm bytes. Its terms follow from its
	// bytes alone, so an index may remember them.
	ASCII Class = iota

	// Mixed is everything else that gives terms: a word with other letters, a run of a script without spaces, a long
	// word, a pictograph.
	Mixed
)

// maxWord is the length in bytes above which a word gives no term, blobLength that of a run which is taken for encoded
// bytes if it looks so: both would fill a dictionary with what nobody asks for.
const (
	maxWord    = 256
	blobLength = 256
	blobWord   = 20 // words shorter than this do not begin such a run
)

// Next returns the bounds of the first word of text at or after from, which is 0 or the end of the word before. At the
// end of the text start is len(text).
func Next(text string, from int) (start, end int, class Class) {
	i := from
	for {
		for i < len(text) && kindOfByte[text[i]] == separator {
			i++
		}
		if i >= len(text) {
			return len(text), len(text), ASCII
		}
		start = i
		for i < len(text) && kindOfByte[text[i]] >= underscore {
			i++
		}
		switch {
		case i < len(text) && text[i] >= utf8.RuneSelf:
			if i, class = wide(text, start, i); i < 0 {
				i = -i
				continue
			}
		case i == start:
			i = afterEscape(text, i)
			continue
		default:
			class = ASCII
		}
		if i-start > MaxTerm {
			class = Mixed
		}
		if i-start >= blobWord {
			if end := blob(text, start); end > 0 {
				i = end
				continue
			}
		}
		if text[start] == '_' && onlyUnderscores(text[start:i]) {
			continue
		}
		return start, i, class
	}
}

// wide continues a word at a character that is not ASCII, or begins one there when start is i. A negative end says that
// there is no word up to -end.
func wide(text string, start, i int) (end int, class Class) {
	first := separator
	class = ASCII
	for i < len(text) {
		c := text[i]
		k, n := kindOfByte[c], 1
		if c >= utf8.RuneSelf {
			f, size := clusterAt(text, i)
			k, n = f.kind, size
		}
		switch {
		case k == ignorable && i > start:
		case i == start && k == escape:
			return -afterEscape(text, i), Mixed
		case i == start && (k == separator || k == ignorable):
			return -(i + n), Mixed
		case i == start:
			first = k
		case first == picture || k < spaceless || k == picture || (k == spaceless) != (first == spaceless):
			return i, class
		}
		if first == separator {
			first = lower // the word began with ASCII
		}
		if c >= utf8.RuneSelf {
			class = Mixed
		}
		i += n
	}
	return i, class
}

// afterEscape returns where the escape sequence that begins at i ends. The words that a sequence carries (a title, a
// link) stay words.
func afterEscape(text string, i int) int {
	introduced := text[i] != 0x1b // the one-character form of ESC [
	i++
	if introduced {
		i++
	} else if i < len(text) && text[i] == '[' {
		introduced = true
		i++
	}
	if introduced {
		for i < len(text) && text[i] >= 0x20 && text[i] < 0x40 {
			i++
		}
	} else {
		for i < len(text) && text[i] >= 0x20 && text[i] < 0x30 {
			i++
		}
	}
	if i >= len(text) || text[i] < 0x30 || text[i] >= 0x7f {
		return min(i, len(text))
	}
	i++
	if !introduced && text[i-1] == ']' { // the number of a command that carries words
		for i < len(text) && kindOfByte[text[i]] == digit {
			i++
		}
	}
	return i
}

func onlyUnderscores(word string) bool {
	for i := 0; i < len(word); i++ {
		if word[i] != '_' {
			return false
		}
	}
	return true
}

// blob returns the end of the run of encoded bytes (base64 and the like) that begins at start, or 0 when there is none.
// A path or an identifier is told from it by its many separators or its few digits and capitals.
func blob(text string, start int) int {
	if len(text)-start < blobLength {
		return 0
	}
	var count [upper + 1]int
	joints := 0
	for i := start; i < start+blobLength; i++ {
		k := kindOfByte[text[i]]
		switch {
		case isJoint(text[i]):
			joints++
		case k >= digit:
			count[k]++
		default:
			return 0
		}
	}
	if joints > blobLength/10 || count[upper] < blobLength/8 || count[lower] < blobLength/8 || count[digit] < blobLength/32 {
		return 0
	}
	end := start + blobLength
	for end < len(text) && (isJoint(text[end]) || kindOfByte[text[end]] >= digit) {
		end++
	}
	return end
}

// isJoint reports whether c is one of the bytes besides letters and digits that the usual encodings use.
func isJoint(c byte) bool {
	return c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}
