package index

import (
	"slices"

	"lore/internal/text"
)

// rerank reads the best hits and prefers those whose words stand close together and in order.
func (s *searching) rerank(all []listed, tier Tier) error {
	matchers := s.matchers(tier)
	if len(matchers) < 2 || len(all) < 2 {
		return nil
	}
	top := all[:min(len(all), rerankDepth)]
	err := s.onAllCores(len(top), func(i int) error {
		t, err := s.r.read(s.found[top[i].group.first].located, matchers, false)
		if err != nil {
			return err
		}
		if t.found > 0 {
			top[i].text = t
		}
		top[i].score *= 1 + t.closeness(matchers)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(top, s.orderBy(ByRelevance))
	return nil
}

// hitText is the text of a hit and where its words stand in it.
type hitText struct {
	doc     document
	part    int          // of doc, from which the snippet is; -1: raw
	text    string       // of that part
	matches []text.Range // in text
	found   int          // how many of the matchers match in text
}

// read reads a document and picks the part that has most of what was asked for, the earliest of equals. Where the stored
// text was cut and has nothing, the evidence is read if that is wanted.
func (r *Reader) read(at located, matchers []*text.Matcher, evidence bool) (*hitText, error) {
	b, err := r.segments[at.seg].row(secPlace, at.doc)
	if err != nil {
		return nil, err
	}
	doc, err := r.document(at, decodePlace(b))
	if err != nil {
		return nil, err
	}
	h := &hitText{doc: doc, part: -1, found: -1}
	for i := range doc.parts {
		p := &doc.parts[i]
		h.consider(i, p.text, matchers)
		if p.name != "" && h.found == 0 {
			h.consider(i, p.name, matchers)
		}
	}
	// Only what shows nothing of the question at all is worth a look into the archive.
	if h.found == 0 && len(matchers) > 0 && evidence && !doc.whole() {
		for _, s := range r.evidenceText(at, &doc) {
			h.considerRaw(s, matchers)
		}
	}
	return h, nil
}

// consider takes a text in the place of the one before when it has more of the words.
func (h *hitText) consider(part int, s string, matchers []*text.Matcher) {
	m := text.Matches(s, matchers, maxMatches)
	if n := distinct(m); n > h.found {
		h.part, h.text, h.matches, h.found = part, s, m, n
	}
}

// considerRaw does so with a text of the evidence, and looks for the part that it is the whole of.
func (h *hitText) considerRaw(s string, matchers []*text.Matcher) {
	before := h.found
	if h.consider(-1, s, matchers); h.found == before {
		return
	}
	for i := range h.doc.parts {
		p := &h.doc.parts[i]
		if p.cut && len(p.text) <= len(s) && p.text == s[:len(p.text)] {
			h.part = i
			return
		}
	}
	for i := range h.doc.parts {
		if h.doc.parts[i].cut {
			h.part = i
			return
		}
	}
}

// distinct is how many matchers the matches are of.
func distinct(m []text.Range) int {
	var seen uint64
	n := 0
	for _, r := range m {
		if bit := uint64(1) << (r.Of & 63); seen&bit == 0 {
			seen |= bit
			n++
		}
	}
	return n
}

// closeness is between 0 and nearest: how near to each other, and in the order of the question, the words stand at the best
// place of the text.
func (h *hitText) closeness(matchers []*text.Matcher) float64 {
	if len(matchers) < 2 || h.found < 2 {
		return 0
	}
	best := 0.0
	last := make([]int, len(matchers)) // index of the newest match of each, +1
	for i, m := range h.matches {
		last[m.Of] = i + 1
		start, letters, ordered, n := m.Start, 0, true, 0
		before := -1
		for of := range last {
			if last[of] == 0 {
				continue
			}
			x := h.matches[last[of]-1]
			n++
			letters += x.End - x.Start + 1
			ordered = ordered && x.Start > before
			before = x.Start
			start = min(start, x.Start)
		}
		if n < 2 {
			continue
		}
		near := min(float64(letters)/float64(m.End-start+1), 1) * float64(n) / float64(len(matchers))
		if ordered {
			near *= inOrder
		}
		best = max(best, near)
	}
	return min(best/inOrder, 1) * nearest
}
