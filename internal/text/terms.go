package text

import "unicode/utf8"

// Analyzer turns words into terms. It holds scratch space: one for each goroutine.
type Analyzer struct {
	term  []byte // the word, folded
	kinds []kind // of each byte of term; separator for the later bytes of a character
	cuts  []cut
	long  []byte
}

// cut is a border inside a piece of an identifier: before the byte at, between a letter and a digit or by capitals.
type cut struct {
	at    int
	digit bool
}

// NewAnalyzer returns an analyser.
func NewAnalyzer() *Analyzer {
	return &Analyzer{
		term:  make([]byte, 0, maxWord),
		kinds: make([]kind, 0, maxWord),
		cuts:  make([]cut, 0, 32),
		long:  make([]byte, 0, MaxTerm),
	}
}

// Tokens emits every term of the text in order, as often as it stands there. A term is valid only during the call.
func (a *Analyzer) Tokens(text string, emit func(term []byte)) {
	for start, end, class := Next(text, 0); start < len(text); start, end, class = Next(text, end) {
		a.Expand(text[start:end], class, emit)
	}
}

// Expand emits the terms of one word that Next has found: the word first, then its pieces. A term is valid only during
// the call of emit.
func (a *Analyzer) Expand(word string, class Class, emit func(term []byte)) {
	if class == ASCII {
		if a.foldASCII(word) {
			emit(a.term)
			return
		}
	} else {
		switch f, _ := clusterAt(word, 0); f.kind {
		case spaceless:
			a.neighbours(word, emit)
			return
		case picture:
			a.term = append(a.term[:0], f.text...)
			emit(a.term)
			return
		}
		if len(word) > maxWord {
			return
		}
		a.foldWide(word)
	}
	if len(a.term) == 0 {
		return
	}
	emit(a.bounded(0, len(a.term)))
	a.pieces(emit)
}

// foldASCII folds a word of ASCII and reports whether it is plain: one piece.
func (a *Analyzer) foldASCII(word string) (plain bool) {
	term, kinds := a.term[:len(word)], a.kinds[:len(word)]
	a.term, a.kinds = term, kinds
	first, rest := kindOfByte[word[0]], 0
	for i := range len(word) {
		c := word[i]
		k := kindOfByte[c]
		term[i], kinds[i] = lowered[c], k
		if i > 0 {
			rest |= 1 << k
		}
	}
	const small, capital, number, line = 1 << lower, 1 << upper, 1 << digit, 1 << underscore
	switch {
	case first == underscore || rest&line != 0:
		return false
	case first == digit:
		return rest&(small|capital) == 0
	case rest&number != 0:
		return false
	}
	return rest&capital == 0 || first == upper && rest&small == 0
}

// foldWide folds any other word.
func (a *Analyzer) foldWide(word string) {
	a.term, a.kinds = a.term[:0], a.kinds[:0]
	for i := 0; i < len(word); {
		f, n := clusterAt(word, i)
		i += n
		for j := 0; j < len(f.text); j++ {
			a.term = append(a.term, f.text[j])
			if utf8.RuneStart(f.text[j]) {
				a.kinds = append(a.kinds, f.kind)
			} else {
				a.kinds = append(a.kinds, separator)
			}
		}
	}
}

// neighbours emits the characters of a run and the pairs of neighbours.
func (a *Analyzer) neighbours(word string, emit func(term []byte)) {
	before := ""
	for i := 0; i < len(word); {
		f, n := clusterAt(word, i)
		i += n
		if f.kind == ignorable {
			continue
		}
		if before != "" {
			a.term = append(append(a.term[:0], before...), f.text...)
			emit(a.term[:min(len(a.term), MaxTerm)])
		}
		a.term = append(a.term[:0], f.text...)
		emit(a.term[:min(len(a.term), MaxTerm)])
		before = f.text
	}
}

// pieces emits the pieces of the word in term: what underscores part, and the pieces of those.
func (a *Analyzer) pieces(emit func(term []byte)) {
	for s := 0; s < len(a.term); {
		if a.kinds[s] == underscore {
			s++
			continue
		}
		e := s + 1
		for e < len(a.term) && a.kinds[e] != underscore {
			e++
		}
		if e-s < len(a.term) {
			a.piece(s, e, emit)
		}
		a.inner(s, e, emit)
		s = e
	}
}

// Above manyDigits changes between letters and digits a piece is taken for a random name and not cut at all; above
// someDigits it is cut only by its capitals.
const someDigits, manyDigits = 2, 4

// inner emits the pieces of term[s:e] that capitals and digits part.
func (a *Analyzer) inner(s, e int, emit func(term []byte)) {
	capitals, digits := a.findCuts(s, e)
	if capitals+digits == 0 || digits > manyDigits || capitals >= 4 && (e-s)/(capitals+1) < 3 {
		return
	}
	from := s
	for i := 0; ; i++ {
		for i < len(a.cuts) && a.cuts[i].digit {
			i++
		}
		to := e
		if i < len(a.cuts) {
			to = a.cuts[i].at
		}
		if capitals > 0 {
			a.piece(from, to, emit)
		}
		if digits > 0 && digits <= someDigits {
			a.byDigits(from, to, emit)
		}
		if from = to; from == e {
			return
		}
	}
}

// byDigits emits the pieces of term[s:e] that are only letters or only digits, unless it is one such itself.
func (a *Analyzer) byDigits(s, e int, emit func(term []byte)) {
	from := s
	for _, c := range a.cuts {
		if c.digit && c.at > s && c.at < e {
			a.piece(from, c.at, emit)
			from = c.at
		}
	}
	if from > s {
		a.piece(from, e, emit)
	}
}

// findCuts finds the borders in term[s:e]: fooBar, HTTPServer (but not URLs), base64Encode, v2.
func (a *Analyzer) findCuts(s, e int) (capitals, digits int) {
	a.cuts = a.cuts[:0]
	last, before := -1, separator // where the character before this one begins; the kind of the one before that
	for i := s; i < e; i++ {
		k := a.kinds[i]
		if k == separator {
			continue
		}
		if last >= 0 {
			switch prev := a.kinds[last]; {
			case prev == k:
			case prev == lower && k == upper,
				prev == digit && k == upper && i+1 < e && a.kinds[i+1] == lower:
				a.cuts = append(a.cuts, cut{i, false})
				capitals++
			case prev == upper && k == lower:
				if before == upper && !(a.term[i] == 's' && (i+1 == e || a.kinds[i+1] != lower)) {
					a.cuts = append(a.cuts, cut{last, false})
					capitals++
				}
			default:
				a.cuts = append(a.cuts, cut{i, true})
				digits++
			}
			before = a.kinds[last]
		}
		last = i
	}
	return capitals, digits
}

// piece emits term[s:e]; a single letter says nothing.
func (a *Analyzer) piece(s, e int, emit func(term []byte)) {
	if a.kinds[s] != digit && utf8.RuneCount(a.term[s:e]) < 2 {
		return
	}
	emit(a.bounded(s, e))
}

// headOfLong is how much of a word above MaxTerm stands in its term, before "~" and 16 digits of a hash.
const headOfLong = MaxTerm - 17

// bounded returns term[s:e], or its head and a hash where it is longer than a term may be.
func (a *Analyzer) bounded(s, e int) []byte {
	t := a.term[s:e]
	if len(t) <= MaxTerm {
		return t
	}
	n := headOfLong
	for !utf8.RuneStart(t[n]) {
		n--
	}
	a.long = append(append(a.long[:0], t[:n]...), '~')
	hash := uint64(14695981039346656037)
	for _, c := range t {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	for i := MaxTerm - headOfLong - 2; i >= 0; i-- {
		a.long = append(a.long, "0123456789abcdef"[hash>>(4*i)&15])
	}
	return a.long
}
