package index

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// DefaultVerify is how many texts a search reads at most to verify literals and phrases. A search for everything reads up
// to twenty times as many.
const DefaultVerify = 3000

// effort bounds the reading of texts. What is left unread is no hit, and the total is then not exact.
type effort struct {
	texts  int // stored texts that are read
	blocks int // blocks of the document store that are decoded for them
	units  int // units that are read from the evidence, where the stored text was cut
}

func (o *Options) effort() effort {
	n := o.Verify
	if n <= 0 {
		n = DefaultVerify
		if o.All || o.Limit == 0 {
			n *= 20
		}
	}
	return effort{texts: n, blocks: max(n/10, 16), units: max(n/40, 16)}
}

// undecided is a document that may answer.
type undecided struct {
	located
	block uint32
	score float32
	verdict
}

// verdict is what reading a text has shown.
type verdict uint8

const (
	unread verdict = iota // not looked at, or not to be read
	is                    // it answers
	isNot                 // it does not
	wasCut                // the stored text does not say: the evidence has to be read
)

// A question that too many texts may answer for all to be read gets its best ones in waves, until there are enough hits.
const (
	waveTexts  = 64
	waveUnits  = 16
	waveEnough = 2 // times the hits up to the end of the page; copies and closeness reorder some
)

// verify reads the texts of the documents that may answer, and moves those that do to the sure ones. The best scored are
// read first: their stored texts, and then, for those that were cut, the units of the evidence.
func (s *searching) verify(answers []answer, scores [][]float32) error {
	open, err := s.undecided(answers, scores)
	if err != nil || len(open) == 0 {
		return err
	}
	bound := s.o.effort()
	open, all := s.within(open, bound)
	if all || s.o.Limit == 0 || s.o.Sort != ByRelevance || len(s.o.Facets) > 0 {
		_, err := s.settle(answers, open, bound.units)
		return err
	}
	for enough := s.enough(answers); len(open) > 0 && !enough(); {
		n := min(waveTexts, len(open))
		read, err := s.settle(answers, open[:n], min(bound.units, waveUnits))
		if err != nil {
			return err
		}
		bound.units -= read
		open = open[n:]
	}
	return nil
}

// enough returns what tells whether the pages up to the one that was asked for are surely full.
func (s *searching) enough(answers []answer) func() bool {
	want := waveEnough * (s.o.Offset + s.o.Limit)
	return func() bool {
		sure := 0
		for i := range answers {
			sure += answers[i].sure.count()
		}
		if sure < want || s.o.All {
			return sure >= want
		}
		convs := map[uint32]bool{} // each of which is one hit
		for i := range answers {
			c, err := s.r.segments[i].columnsOf(answers[i].sure.count())
			if err != nil {
				return false // who needs them next says so
			}
			answers[i].sure.each(func(doc uint32) {
				if c.need(doc) == nil {
					convs[c.convOf(doc)] = true
				}
			})
		}
		return len(convs) >= want
	}
}

// settle reads documents and moves those that answer to the sure ones. It returns how many units of evidence it read, which
// are at most that many, of the best scored.
func (s *searching) settle(answers []answer, open []undecided, units int) (int, error) {
	slices.SortFunc(open, func(a, b undecided) int {
		return cmp.Or(cmp.Compare(a.seg, b.seg), cmp.Compare(a.block, b.block), cmp.Compare(a.doc, b.doc))
	})
	if err := s.read(open, false); err != nil {
		return 0, err
	}
	cut := s.sift(answers, open)
	slices.SortStableFunc(cut, func(a, b undecided) int { return cmp.Compare(b.score, a.score) })
	if s.r.raw == nil || len(cut) > units {
		s.exactTotal = s.exactTotal && len(cut) == 0
		cut = cut[:min(len(cut), units)]
	}
	if s.r.raw == nil || len(cut) == 0 {
		return 0, nil
	}
	err := s.read(cut, true)
	if err == nil {
		s.sift(answers, cut)
	}
	return len(cut), err
}

// sift puts those that answer to the sure ones and returns those that were cut too early to tell.
func (s *searching) sift(answers []answer, read []undecided) (cut []undecided) {
	for _, u := range read {
		switch u.verdict {
		case is:
			answers[u.seg].sure.set(u.doc)
		case wasCut:
			cut = append(cut, u)
		case unread:
			s.exactTotal = false
		}
	}
	return cut
}

// undecided lists the documents that may answer.
func (s *searching) undecided(answers []answer, scores [][]float32) ([]undecided, error) {
	var out []undecided
	for i := range answers {
		if answers[i].maybe.empty() {
			continue
		}
		places, err := s.r.segments[i].whole(secPlace)
		if err != nil {
			return nil, err
		}
		answers[i].maybe.each(func(doc uint32) {
			u := undecided{located: located{uint32(i), doc}, block: decodePlace(places[int(doc)*placeSize:]).block}
			if scores[i] != nil {
				u.score = scores[i][doc]
			}
			out = append(out, u)
		})
	}
	return out, nil
}

// within keeps the best scored documents, those first, as far as the bound goes, and reports whether these are all.
func (s *searching) within(open []undecided, bound effort) (kept []undecided, all bool) {
	if len(open) <= min(bound.texts, bound.blocks) {
		return open, true
	}
	slices.SortStableFunc(open, func(a, b undecided) int { return cmp.Compare(b.score, a.score) })
	blocks := map[blockKey]bool{}
	kept, all = open[:0], true
	for _, u := range open {
		key := blockKey{u.seg, u.block}
		if len(kept) == bound.texts || !blocks[key] && len(blocks) == bound.blocks {
			s.exactTotal, all = false, false
			continue
		}
		blocks[key] = true
		kept = append(kept, u)
	}
	return kept, all
}

// read decides documents on several cores, each a stretch of its own, so that neighbours share decoded blocks.
func (s *searching) read(open []undecided, evidence bool) error {
	workers := min(runtime.GOMAXPROCS(0), 4, len(open)/8+1)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		mine := open[len(open)*w/workers : len(open)*(w+1)/workers]
		wait.Go(func() {
			v := verifier{r: s.r, evidence: evidence}
			for i := range mine {
				if errs[w] = s.ctx.Err(); errs[w] != nil {
					return
				}
				mine[i].verdict, errs[w] = v.decide(s.evals[mine[i].seg], s.plan.root, mine[i].located)
				if errs[w] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
