package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lore/internal/text"
)

// weighed is a term with what it says.
type weighed struct {
	term   string
	docs   int
	weight float64
	what   string
}

// telling returns the terms of a text that tell most: rare ones, and those that stand there often.
func (s *likening) telling(of string, most int, common float64) ([]weighed, error) {
	count := map[string]int{}
	text.NewAnalyzer().Tokens(of, func(term []byte) {
		if len(term) > 2 || len(term) > 0 && term[0] >= 0x80 {
			count[string(term)]++
		}
	})
	var out []weighed
	for term, times := range count {
		if text.Common(term) {
			continue
		}
		docs := 0
		for _, seg := range s.r.segments {
			x, ok, err := seg.find([]byte(term))
			if err != nil {
				return nil, err
			}
			if ok {
				docs += int(x.docs)
			}
		}
		if docs == 0 || s.n > 200 && float64(docs) > common*float64(s.n) {
			continue
		}
		w := weighed{term: term, docs: docs, weight: float64(idf(s.n, docs)) * math.Sqrt(float64(min(times, 8))), what: "word"}
		if s.failed[term] {
			w.weight, w.what = w.weight*errorWeight, "error"
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(x, y weighed) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), strings.Compare(x.term, y.term))
	})
	return out[:min(len(out), most)], s.ctx.Err()
}

// eachDoc calls f for the living documents that have a term, of words in what was said and done.
func (s *likening) eachDoc(term []byte, f func(at located)) error {
	for i, seg := range s.r.segments {
		x, ok, err := seg.find(term)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		p, err := seg.list(x)
		if err != nil {
			return err
		}
		last := int64(-1)
		for p.next() {
			if p.doc >= seg.docs {
				return damaged("posting of document %d", p.doc)
			}
			if int64(p.doc) != last && p.in(matchable) && !seg.deleted.has(p.doc) {
				f(located{uint32(i), p.doc})
			}
			last = int64(p.doc)
		}
		if p.bad {
			return damaged("list of term %q", term)
		}
	}
	return nil
}
