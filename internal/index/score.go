package index

import "math"

// needTerm is a term, or several that count as one, by which documents are scored.
type needTerm struct {
	terms  []string
	prefix string // all terms that begin so
}

// needs returns what documents are scored by.
func (p *plan) needs() (out []needTerm) {
	seen := map[string]bool{}
	add := func(term string) {
		if term != "" && !seen[term] {
			seen[term] = true
			out = append(out, needTerm{terms: []string{term}})
		}
	}
	for _, l := range p.positive() {
		if l.instead != nil {
			out = append(out, needTerm{terms: l.instead})
			continue
		}
		add(l.terms.Enough)
		for _, t := range l.terms.All {
			add(t)
		}
		if l.terms.Prefix != "" {
			out = append(out, needTerm{prefix: l.terms.Prefix})
		}
	}
	return out
}

// lists returns the posting lists of a need in one segment, and in how many documents it is at most.
func (n needTerm) lists(s *segment) (out []postings, docs int, err error) {
	add := func(e entry) error {
		p, err := s.list(e)
		out = append(out, p)
		docs += int(e.docs)
		return err
	}
	for _, t := range n.terms {
		e, ok, err := s.find([]byte(t))
		if err == nil && ok {
			err = add(e)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if n.prefix != "" {
		var inner error
		err = s.prefixed([]byte(n.prefix), func(e entry) bool {
			inner = add(e)
			return inner == nil
		})
		if err == nil {
			err = inner
		}
	}
	return out, min(docs, int(s.docs)), err
}

// documents is how many documents the index holds, and their average length in words.
func (r *Reader) documents() (n int, average float32) {
	var total uint64
	for _, s := range r.segments {
		n += int(s.docs)
		total += s.dir.words
	}
	if n == 0 {
		return 0, 1
	}
	return n, max(float32(total)/float32(n), 1)
}

func idf(n, docs int) float32 {
	return float32(math.Log(1 + (float64(n-docs)+0.5)/(float64(docs)+0.5)))
}

// score returns, for each segment, the scores of the documents that answer or may answer; nil where the plan has no
// words to score by.
func (s *searching) score(answers []answer) ([][]float32, error) {
	out := make([][]float32, len(answers))
	needs := s.plan.needs()
	if len(needs) == 0 {
		return out, nil
	}
	n, average := s.r.documents()
	lists, weights := make([][][]postings, len(needs)), make([]float32, len(needs)) // by need, and by segment
	for k, need := range needs {
		lists[k] = make([][]postings, len(answers))
		df := 0
		for i, seg := range s.r.segments {
			var docs int
			var err error
			if lists[k][i], docs, err = need.lists(seg); err != nil {
				return nil, err
			}
			df += docs
		}
		weights[k] = idf(n, df)
	}
	err := s.onAllCores(len(answers), func(i int) error {
		for k := range needs {
			if len(lists[k][i]) == 0 {
				continue
			}
			if out[i] == nil {
				out[i] = make([]float32, s.r.segments[i].docs)
			}
			if err := s.r.segments[i].addScores(out[i], lists[k][i], answers[i], weights[k], average); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// addScores adds what one need is worth to the documents that answer or may answer.
func (s *segment) addScores(scores []float32, lists []postings, a answer, weight, average float32) error {
	c, err := s.columnsOf(a.sure.count() + a.maybe.count())
	if err != nil {
		return err
	}
	lengths := c.lengths
	if len(lists) > 1 {
		return s.addMerged(scores, lists, a, weight, average, &c)
	}
	p := &lists[0]
	doc, tf := uint32(0), float32(0)
	flush := func() {
		if tf > 0 {
			scores[doc] += weight * saturated(tf, lengths[doc], average)
		}
	}
	for p.next() {
		if p.doc >= s.docs {
			return damaged("posting of document %d", p.doc)
		}
		if p.doc != doc {
			flush()
			doc, tf = p.doc, 0
		}
		if a.sure.has(p.doc) || a.maybe.has(p.doc) {
			if err := c.need(p.doc); err != nil {
				return err
			}
			tf += p.worth(&c)
		}
	}
	flush()
	if p.bad {
		return damaged("posting list")
	}
	return nil
}

// addMerged counts several lists as one.
func (s *segment) addMerged(scores []float32, lists []postings, a answer, weight, average float32, c *columns) error {
	sum := make([]float32, s.docs)
	touched := newBitset(s.docs)
	for i := range lists {
		p := &lists[i]
		for p.next() {
			if p.doc >= s.docs {
				return damaged("posting of document %d", p.doc)
			}
			if a.sure.has(p.doc) || a.maybe.has(p.doc) {
				if err := c.need(p.doc); err != nil {
					return err
				}
				sum[p.doc] += p.worth(c)
				touched.set(p.doc)
			}
		}
		if p.bad {
			return damaged("posting list")
		}
	}
	touched.each(func(doc uint32) {
		if sum[doc] > 0 {
			scores[doc] += weight * saturated(sum[doc], c.lengths[doc], average)
		}
	})
	return nil
}

func saturated(tf float32, length byte, average float32) float32 {
	return bm25(tf, wordsOf[length]/average)
}

// bm25 is what an occurrence count is worth in a text of some length, which is relative to the average.
func bm25(tf, length float32) float32 {
	return tf * (bm25K + 1) / (tf + bm25K*(1-bm25B+bm25B*length))
}
