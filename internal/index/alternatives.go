package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/internal/text"
)

// maxAlternatives bounds how many terms stand in the place of one word.
const maxAlternatives = 24

// known is a term of the index with the number of documents that have it, over all segments.
type known struct {
	term string
	docs int
}

// termsWith returns the terms that begin with prefix and are accepted, the most frequent first.
func (r *Reader) termsWith(prefix string, accept func(term string) bool) ([]known, error) {
	docs := map[string]int{}
	for _, s := range r.segments {
		err := s.prefixed([]byte(prefix), func(e entry) bool {
			if accept(string(e.term)) {
				docs[string(e.term)] += int(e.docs)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]known, 0, len(docs))
	for t, n := range docs {
		out = append(out, known{t, n})
	}
	slices.SortFunc(out, func(a, b known) int { return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.term, b.term)) })
	return out, nil
}

// forms returns the terms of the index that are forms of a word, itself among them where the index has it.
func (r *Reader) forms(word string) ([]string, error) {
	stem := text.Stem(word)
	prefix := stem
	if n := len(prefix); n > 3 { // the end of a stem is not always in the word: happi, happy
		prefix = prefix[:n-1]
	}
	if !strings.HasPrefix(word, prefix) {
		prefix = word
	}
	if len(prefix) < 2 || stem == word && !plainWord(word) {
		prefix = word
	}
	all, err := r.termsWith(prefix, func(t string) bool { return t == word || plainWord(t) && text.Stem(t) == stem })
	return termNames(all), err
}

// spellings returns the terms of the index that are a slip or two away from a word. The first letter is taken to
// be right.
func (r *Reader) spellings(word string) ([]string, error) {
	slips := text.Slips(len(word))
	if slips == 0 || !plainWord(word) {
		return nil, nil
	}
	all, err := r.termsWith(word[:1], func(t string) bool { return plainWord(t) && text.Close(word, t, slips) })
	return termNames(all), err
}

func termNames(all []known) []string {
	var out []string
	for _, k := range all[:min(len(all), maxAlternatives)] {
		out = append(out, k.term)
	}
	return out
}

// plainWord reports whether a term is made of ASCII letters alone: what forms and spellings are for.
func plainWord(t string) bool {
	for i := 0; i < len(t); i++ {
		if t[i] < 'a' || t[i] > 'z' {
			return false
		}
	}
	return len(t) > 0
}

// lowerWord is a word as the index has it; ok is false for one that is not made of ASCII letters.
func lowerWord(w string) (string, bool) {
	if !utf8.ValidString(w) {
		return w, false
	}
	w = strings.ToLower(w)
	return w, plainWord(w)
}
