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

// spellings returns the terms of the index that are one slip away from a word, two for a long one. The first letter is
// taken to be right.
func (r *Reader) spellings(word string) ([]string, error) {
	if len(word) < 4 || !plainWord(word) {
		return nil, nil
	}
	slips := 1
	if len(word) >= 8 {
		slips = 2
	}
	all, err := r.termsWith(word[:1], func(t string) bool { return plainWord(t) && within(word, t, slips) })
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

// within reports whether insertions, deletions, changes and swaps of neighbours, at most slips of them, lead from a to b.
func within(a, b string, slips int) bool {
	if len(a)-len(b) > slips || len(b)-len(a) > slips {
		return false
	}
	var rows [3][text.MaxTerm + 2]uint8
	if len(a) > text.MaxTerm || len(b) > text.MaxTerm {
		return false
	}
	for j := range len(b) + 1 {
		rows[0][j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		row, up, upup := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = uint8(i)
		least := row[0]
		for j := 1; j <= len(b); j++ {
			change := uint8(1)
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], upup[j-2]+1)
			}
			least = min(least, row[j])
		}
		if int(least) > slips {
			return false
		}
	}
	return int(rows[len(a)%3][len(b)]) <= slips
}

// lowerWord is a word as the index has it; ok is false for one that is not made of ASCII letters.
func lowerWord(w string) (string, bool) {
	if !utf8.ValidString(w) {
		return w, false
	}
	w = strings.ToLower(w)
	return w, plainWord(w)
}
