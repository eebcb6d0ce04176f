package text

import (
	_ "embed"
	"strings"
	"sync"
)

// relatedWords has a line for each thing that developers call by several names, in English and in Chinese.
//
//go:embed related.txt
var relatedWords string

// related is by stem, or by a run of Chinese, the lines that a word is in.
var related = sync.OnceValue(func() map[string][][]string {
	all := map[string][][]string{}
	a := NewAnalyzer()
	for line := range strings.Lines(relatedWords) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []string
		for word := range strings.FieldsSeq(line) {
			first := true
			a.Tokens(word, func(term []byte) {
				if first {
					group = append(group, Stem(string(term)))
				}
				first = false
			})
			if r := []rune(word); len(r) > 2 && r[0] > 0x2e80 { // a run of characters is looked for by its pairs
				group[len(group)-1] = string(r[:2])
			}
		}
		for _, word := range group {
			all[word] = append(all[word], group)
		}
	}
	return all
})

// Related returns the stems of words by which developers mean about the same as by a word, itself not among them. It is
// for questions that found nothing by their own words, and never mixed with what was found by them.
func Related(stem string) (out []string) {
	seen := map[string]bool{stem: true}
	for _, group := range related()[stem] {
		for _, word := range group {
			if !seen[word] {
				seen[word] = true
				out = append(out, word)
			}
		}
	}
	return out
}
