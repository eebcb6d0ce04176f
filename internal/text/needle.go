package text

import "slices"

// Terms says which terms of an index lead to the texts that a Matcher matches. A text matches when it has Enough; else
// it has to have All and a term that begins with Prefix, and then has to be read unless Exact says so.
type Terms struct {
	// All are terms that each matching text has, apart from Enough. Empty together with Prefix: only reading tells (a
	// literal without letters and digits, or a text above the bound of words).
	All []string

	// Prefix is the beginning of a term that each matching text has besides All; empty when none is needed.
	Prefix string

	// Exact is true when a text that has All and Prefix does match.
	Exact bool

	// Enough is a term that proves a match alone; empty when there is none.
	Enough string
}

// Terms returns the terms of the matcher.
func (m *Matcher) Terms() Terms {
	n := needle{a: NewAnalyzer()}
	words := rawWords(m.text)
	for i, w := range words {
		left := i == 0 && w.start == 0
		right := i == len(words)-1 && w.end == len(m.text)
		switch {
		case n.spaceless(m.text[w.start:w.end]):
		case m.kind == wordKind:
			n.whole(w.of(m.text))
		case m.kind == prefixKind && right:
			n.beginning(w.of(m.text))
		case m.kind == substringKind && (left || right):
			n.partial = true
		case left || right:
			n.edge(w.of(m.text))
		default:
			n.whole(w.of(m.text))
		}
	}
	t := Terms{All: n.all, Prefix: n.prefix}
	if len(words) != 1 || words[0].start > 0 || words[0].end < len(m.text) || n.partial {
		return t
	}
	t.Exact = len(n.all) == 1 && n.prefix == "" || len(n.all) == 0 && n.prefix != ""
	if !t.Exact && n.word != "" && m.kind != prefixKind {
		t.Enough = n.word
	}
	return t
}

// Separate returns the terms of the matcher's text as it would be indexed, each once: what the looser tiers of a search
// ask for.
func (m *Matcher) Separate() []string {
	n := needle{a: NewAnalyzer()}
	n.a.Tokens(m.text, func(term []byte) { n.add(string(term)) })
	return n.all
}

// rawWord is a word of a needle.
type rawWord struct{ start, end int }

func (w rawWord) of(text string) string { return text[w.start:w.end] }

func rawWords(text string) (words []rawWord) {
	for start, end, _ := Next(text, 0); start < len(text); start, end, _ = Next(text, end) {
		words = append(words, rawWord{start, end})
	}
	return words
}

// needle collects the terms of a matcher.
type needle struct {
	a       *Analyzer
	all     []string
	prefix  string
	word    string // the folded whole of the last word, when it was cut
	partial bool   // a word says less than the needle asks
}

func (n *needle) add(term string) {
	if !slices.Contains(n.all, term) {
		n.all = append(n.all, term)
	}
}

// spaceless takes a run of a script without spaces, by its pairs, and reports whether the word is one.
func (n *needle) spaceless(word string) bool {
	if f, _ := clusterAt(word, 0); f.kind != spaceless {
		return false
	}
	var chars []string
	for i := 0; i < len(word); {
		f, size := clusterAt(word, i)
		i += size
		if f.kind == spaceless {
			chars = append(chars, f.text)
		}
	}
	if len(chars) == 1 {
		n.add(chars[0])
	}
	for i := 1; i < len(chars); i++ {
		n.add(chars[i-1] + chars[i])
	}
	n.partial = n.partial || len(chars) > 2
	return true
}

// whole takes a word that stands in the text between separators, or is asked for as a term.
func (n *needle) whole(word string) {
	if n.fold(word) {
		n.add(string(n.a.bounded(0, len(n.a.term))))
	}
}

// edge takes a word that may be a part of a longer identifier: only what underscores part is sure to be a term then,
// because capitals may differ.
func (n *needle) edge(word string) {
	if !n.fold(word) {
		return
	}
	found := false
	for _, p := range n.a.underscored() {
		if p.whole(n.a) {
			break
		}
		n.a.piece(p.start, p.end, func(term []byte) { n.add(string(term)); found = true })
	}
	whole := string(n.a.bounded(0, len(n.a.term)))
	if !found {
		n.add(whole)
		return
	}
	n.word = whole
}

// beginning takes a word that goes on in the text.
func (n *needle) beginning(word string) {
	if !n.fold(word) {
		return
	}
	parts := n.a.underscored()
	if len(parts) == 0 {
		return
	}
	last := parts[len(parts)-1]
	if last.end < len(n.a.term) { // it ends with an underscore
		last = rawWord{len(n.a.term), len(n.a.term)}
	} else {
		parts = parts[:len(parts)-1]
	}
	for _, p := range parts {
		n.a.piece(p.start, p.end, func(term []byte) { n.add(string(term)) })
	}
	end := min(last.end, last.start+headOfLong)
	n.prefix = string(n.a.term[last.start:end])
	n.partial = n.partial || last.start > 0 || end < last.end
}

// fold puts the folded word into the analyser; false when it gives no term.
func (n *needle) fold(word string) bool {
	if len(word) > maxWord {
		n.partial = true
		return false
	}
	n.a.foldWide(word)
	return len(n.a.term) > 0
}

// underscored returns the pieces of the analyser's word that underscores part.
func (a *Analyzer) underscored() (parts []rawWord) {
	for s := 0; s < len(a.term); {
		if a.kinds[s] == underscore {
			s++
			continue
		}
		e := s + 1
		for e < len(a.term) && a.kinds[e] != underscore {
			e++
		}
		parts = append(parts, rawWord{s, e})
		s = e
	}
	return parts
}

func (w rawWord) whole(a *Analyzer) bool { return w.start == 0 && w.end == len(a.term) }

// List returns all the terms, the one that proves a match alone first, a prefix with a star.
func (t Terms) List() []string {
	var out []string
	if t.Enough != "" {
		out = append(out, t.Enough)
	}
	for _, term := range t.All {
		if term != t.Enough {
			out = append(out, term)
		}
	}
	if t.Prefix != "" {
		out = append(out, t.Prefix+"*")
	}
	return out
}

// Text returns what the matcher was made for.
func (m *Matcher) Text() string { return m.text }
