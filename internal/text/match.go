package text

import "strings"

// Range is a span of bytes: from Start up to, not including, End.
type Range struct{ Start, End int }

// Matcher finds one word, literal, phrase or prefix in texts, whatever their case, accents and width. It is made once
// for a question and may be used by several goroutines.
type Matcher struct {
	text string
	kind matchKind
}

type matchKind uint8

const (
	wordKind matchKind = iota
	literalKind
	phraseKind
	prefixKind
	substringKind
)

// Word matches a text of letters and digits where it is a term: a whole word or a piece of one.
func Word(text string) *Matcher { return &Matcher{text, wordKind} }

// Literal matches the text as it stands, between borders of words or pieces.
func Literal(text string) *Matcher { return &Matcher{text, literalKind} }

// Phrase matches like Literal, but white space in it stands for any separators.
func Phrase(text string) *Matcher { return &Matcher{text, phraseKind} }

// Prefix matches like Literal, but the end may lie inside a word.
func Prefix(text string) *Matcher { return &Matcher{text, prefixKind} }

// Substring matches the text anywhere.
func Substring(text string) *Matcher { return &Matcher{text, substringKind} }

// Find returns the first match at or after from.
func (m *Matcher) Find(text string, from int) (r Range, ok bool) {
	i := strings.Index(strings.ToLower(text[from:]), strings.ToLower(m.text))
	if i < 0 {
		return Range{}, false
	}
	return Range{from + i, from + i + len(m.text)}, true
}

// Terms says which terms of an index lead to the texts that a Matcher matches.
type Terms struct {
	// All are terms that each matching text has. Empty: only reading the text can tell (a literal without letters).
	All []string

	// Prefix is the beginning of a term that each matching text has besides All; empty when none is needed.
	Prefix string

	// Exact is true when a text that has All and Prefix does match, so that it need not be read.
	Exact bool

	// Enough is a term with which alone a text matches and need not be read; empty when there is none.
	Enough string
}

// Terms returns the terms of the matcher.
func (m *Matcher) Terms() Terms {
	var t Terms
	NewAnalyzer().Tokens(m.text, func(term []byte) { t.All = append(t.All, string(term)) })
	return t
}

// Separate returns the words of the matcher's text, folded, each once: what the looser tiers of a search ask for.
func (m *Matcher) Separate() []string { return m.Terms().All }
