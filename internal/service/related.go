package service

import (
	"slices"
	"strings"

	"lore/internal/text"
)

// otherWords returns the words of a task with those by which developers mean the same, as a plain question.
func otherWords(stems map[string]bool) string {
	var words []string
	for stem := range stems {
		words = append(words, stem)
		words = append(words, text.Related(stem)...)
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// rank orders scenes by how much of the task each speaks of, a word of the task counting more than another name of the same
// thing, and by where the search had put it. What the search found stays before what only other names found unless that
// speaks of clearly more.
func (r *recalling) rank(scenes []*scene, weight func(string) float64) {
	for i, s := range scenes {
		in := map[string]bool{}
		for k := range s.lines {
			if s.lines[k].turn != 0 {
				continue
			}
			for p := range s.lines[k].pieces {
				for _, stem := range s.lines[k].pieces[p].all {
					in[stem] = true
				}
			}
		}
		score := 0.0
		for stem := range r.stems {
			switch {
			case in[stem]:
				score += weight(stem)
			case slices.ContainsFunc(text.Related(stem), func(o string) bool { return in[o] }):
				score += 0.6 * weight(stem)
			}
		}
		s.cover = score / (1 + 0.05*float64(i))
	}
	slices.SortStableFunc(scenes, func(a, b *scene) int {
		switch {
		case a.cover > b.cover:
			return -1
		case a.cover < b.cover:
			return 1
		}
		return 0
	})
}
