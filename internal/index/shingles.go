package index

import (
	"hash/fnv"

	"lore/internal/text"
)

// shingled is a text as the set of its runs of words.
type shingled struct {
	runs  map[uint64]struct{}
	words int
	hash  uint64 // of all words in order
}

func shingles(s string) shingled {
	out := shingled{runs: map[uint64]struct{}{}}
	s = s[:min(len(s), comparedBytes)]
	var last [shingleWords]uint64
	all := fnv.New64a()
	a := text.NewAnalyzer()
	for start, end, class := text.Next(s, 0); start < len(s); start, end, class = text.Next(s, end) {
		first := true
		a.Expand(s[start:end], class, func(term []byte) {
			if !first && term[0] < 0x80 {
				return // a piece of the word
			}
			first = false
			h := fnv.New64a()
			h.Write(term)
			all.Write(term)
			all.Write([]byte{0})
			copy(last[:], last[1:])
			last[shingleWords-1] = h.Sum64()
			if out.words++; out.words >= shingleWords {
				run := uint64(0)
				for _, x := range last {
					run = run*0x9e3779b97f4a7c15 + x
				}
				out.runs[run] = struct{}{}
			}
		})
	}
	if out.words > 0 && out.words < shingleWords {
		out.runs[last[shingleWords-1]] = struct{}{}
	}
	out.hash = all.Sum64()
	return out
}

// like returns the share of runs that both have, and the share of its own that the other has.
func (a *shingled) like(b *shingled) (both, held float64) {
	common := 0
	for run := range a.runs {
		if _, ok := b.runs[run]; ok {
			common++
		}
	}
	if common == 0 {
		return 0, 0
	}
	return float64(common) / float64(len(a.runs)+len(b.runs)-common), float64(common) / float64(len(a.runs))
}
