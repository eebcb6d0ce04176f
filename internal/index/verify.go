package index

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// verify reads the texts of the documents that may answer, moves those that do to the sure ones and empties maybe. Above
// the bound only the best scored are read, and the total is not exact.
func (s *searching) verify(answers []answer, scores [][]float32) error {
	var open []located
	for i := range answers {
		answers[i].maybe.each(func(doc uint32) { open = append(open, located{i, doc}) })
	}
	if len(open) == 0 {
		return nil
	}
	bound := s.o.Verify
	if bound <= 0 {
		bound = DefaultVerify
	}
	if len(open) > bound {
		s.exactTotal = false
		score := func(l located) float32 {
			if scores[l.seg] == nil {
				return 0
			}
			return scores[l.seg][l.doc]
		}
		slices.SortFunc(open, func(a, b located) int { return cmp.Compare(score(b), score(a)) })
		open = open[:bound]
		slices.SortFunc(open, func(a, b located) int { return cmp.Or(a.seg-b.seg, int(a.doc)-int(b.doc)) })
	}
	holds, err := s.readAll(open)
	if err != nil {
		return err
	}
	for i, l := range open {
		if holds[i] {
			answers[l.seg].sure.set(l.doc)
		}
	}
	return nil
}

// readAll verifies documents on several cores, each a stretch of its own, so that neighbours share decoded blocks.
func (s *searching) readAll(open []located) ([]bool, error) {
	holds := make([]bool, len(open))
	workers := min(runtime.GOMAXPROCS(0), 4, len(open)/16+1)
	errs := make([]error, workers)
	short := make([]bool, workers)
	var wait sync.WaitGroup
	for w := range workers {
		from, to := len(open)*w/workers, len(open)*(w+1)/workers
		wait.Go(func() {
			v := verifier{r: s.r}
			for i := from; i < to && errs[w] == nil; i++ {
				if i%64 == 0 {
					errs[w] = s.ctx.Err()
				}
				e := s.evals[open[i].seg]
				v.begin(open[i])
				if v.holds(e, s.plan.root) {
					holds[i] = true
				} else if v.unread {
					short[w] = true
				}
				if v.err != nil {
					errs[w] = v.err
				}
			}
		})
	}
	wait.Wait()
	for w := range workers {
		if errs[w] != nil {
			return nil, errs[w]
		}
		s.exactTotal = s.exactTotal && !short[w]
	}
	return holds, nil
}

// verifier decides a plan for one document after the other by reading its text.
type verifier struct {
	r      *Reader
	at     located
	doc    *document
	raw    []string // strings of the evidence, where the stored text was cut
	looked bool     // raw was asked for
	unread bool     // a text that may matter could not be read
	err    error

	block    []byte // that was decoded last
	blockKey blockKey
}

func (v *verifier) begin(at located) {
	v.at, v.doc, v.raw, v.looked, v.unread = at, nil, nil, false, false
}

// holds reports whether a node is true for the document.
func (v *verifier) holds(e *evaluation, n node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *leaf:
		a := e.leaves[n.n]
		return a.sure.has(v.at.doc) || a.maybe.has(v.at.doc) && v.matches(n)
	case *filter:
		return e.filters[n].has(v.at.doc)
	case notNode:
		return !v.holds(e, n.of)
	case allOf:
		for _, x := range n {
			if !v.holds(e, x) {
				return false
			}
		}
		return true
	case anyOf:
		for _, x := range n {
			if v.holds(e, x) {
				return true
			}
		}
	}
	return false
}

// matches reports whether the text of the document has what a leaf asks for.
func (v *verifier) matches(l *leaf) bool {
	if !v.load() {
		return false
	}
	cut := false
	for i := range v.doc.parts {
		p := &v.doc.parts[i]
		if p.kind != partPlace && (l.matcher.Matches(p.text) || p.name != "" && l.matcher.Matches(p.name)) {
			return true
		}
		cut = cut || p.cut
	}
	if !cut {
		return false
	}
	if !v.looked {
		v.looked = true
		v.raw = v.r.evidenceText(v.at, v.doc)
	}
	if v.raw == nil {
		v.unread = true
		return false
	}
	for _, s := range v.raw {
		if l.matcher.Matches(s) {
			return true
		}
	}
	return false
}

// load reads the stored document.
func (v *verifier) load() bool {
	if v.doc != nil {
		return true
	}
	if v.err != nil {
		return false
	}
	seg := v.r.segments[v.at.seg]
	b, err := seg.row(secPlace, v.at.doc)
	if err != nil {
		v.err = err
		return false
	}
	p := decodePlace(b)
	key := blockKey{v.at.seg, p.block}
	if v.block == nil || v.blockKey != key {
		if v.block, v.err = v.r.blocks.get(v.at.seg, seg.segmentFile, p.block); v.err != nil {
			return false
		}
		v.blockKey = key
	}
	d, err := decodeDocument(v.block, p.at)
	if err != nil {
		v.err = err
		return false
	}
	v.doc = &d
	return true
}
