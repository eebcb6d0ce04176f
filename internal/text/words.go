package text

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

// Next returns the bounds of the first word of text at or after from, which is 0 or the end of the word before. At the
// end of the text start is len(text).
func Next(text string, from int) (start, end int, class Class) {
	for i := from; i < len(text); i++ {
		if !isWordByte(text[i]) {
			continue
		}
		j := i + 1
		for j < len(text) && isWordByte(text[j]) {
			j++
		}
		return i, j, ASCII
	}
	return len(text), len(text), ASCII
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// Analyzer turns words into terms. It holds scratch space: one for each goroutine.
type Analyzer struct {
	term []byte
}

// NewAnalyzer returns an analyser.
func NewAnalyzer() *Analyzer { return &Analyzer{term: make([]byte, 0, 256)} }

// Expand emits the terms of one word that Next has found. A term is valid only during the call of emit.
func (a *Analyzer) Expand(word string, class Class, emit func(term []byte)) {
	a.term = append(a.term[:0], word...)
	for i, c := range a.term {
		if c >= 'A' && c <= 'Z' {
			a.term[i] = c + 0x20
		}
	}
	emit(a.term[:min(len(a.term), MaxTerm)])
}

// Tokens emits every term of the text in order, as often as it stands there. A term is valid only during the call.
func (a *Analyzer) Tokens(text string, emit func(term []byte)) {
	for start, end, class := Next(text, 0); start < len(text); start, end, class = Next(text, end) {
		a.Expand(text[start:end], class, emit)
	}
}
