package index

import (
	"bytes"
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// listed is a hit in its place: a group, how many others its conversation has, and its final score.
type listed struct {
	group *group
	more  int
	score float64
	text  *hitText // read while ranking; nil when it was not
}

// page orders the hits and makes the page that was asked for.
func (s *searching) page(groups []group, tier Tier) (*Result, error) {
	sort := s.o.Sort
	if sort == ByRelevance && len(s.plan.positive()) == 0 {
		sort = NewestFirst
	}
	order := s.orderBy(sort)
	all := s.leaders(groups, order, sort == ByRelevance)
	slices.SortFunc(all, order)
	if sort == ByRelevance {
		if err := s.rerank(all, tier); err != nil {
			return nil, err
		}
		if s.o.All {
			all = onceEach(all)
		}
	}
	return s.cut(all, tier)
}

// cut makes the page out of all hits in their order.
func (s *searching) cut(all []listed, tier Tier) (*Result, error) {
	res := &Result{Total: len(all), TotalIsExact: s.exactTotal, Tier: tier}
	all = all[min(s.o.Offset, len(all)):]
	if s.o.Limit > 0 && len(all) > s.o.Limit {
		all, res.More = all[:s.o.Limit], true
	}
	hits, err := s.hits(all, tier)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if h != nil {
			res.Hits = append(res.Hits, *h)
		}
	}
	return res, nil
}

// hits makes the hits of a page, on all cores: each takes a block of the document store to be decoded.
func (s *searching) hits(all []listed, tier Tier) ([]*Hit, error) {
	hits := make([]*Hit, len(all))
	matchers := s.matchers(tier)
	err := s.onAllCores(len(all), func(i int) (err error) {
		hits[i], err = s.hit(&all[i], tier, matchers)
		return err
	})
	return hits, err
}

// onAllCores does something for each number below n, on several cores.
func (s *searching) onAllCores(n int, do func(i int) error) error {
	errs := make([]error, min(runtime.GOMAXPROCS(0), 4, (n+1)/2))
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = s.ctx.Err(); errs[w] == nil {
					errs[w] = do(i)
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// leaders returns every group, or the best of each conversation.
func (s *searching) leaders(groups []group, order func(a, b listed) int, byScore bool) []listed {
	if s.o.All {
		all := make([]listed, len(groups))
		for i := range groups {
			all[i] = listed{group: &groups[i], score: groups[i].score}
		}
		return all
	}
	last := uint32(0)
	for i := range groups {
		last = max(last, groups[i].conv)
	}
	best := make([]int32, last+1) // by conversation: place in all, +1
	var all []listed
	for i := range groups {
		x := listed{group: &groups[i], score: groups[i].score}
		at := &best[groups[i].conv]
		if *at == 0 {
			all = append(all, x)
			*at = int32(len(all))
			continue
		}
		b := &all[*at-1]
		if byScore && x.score < b.score || order(x, *b) >= 0 {
			b.more++
			continue
		}
		x.more = b.more + 1
		*b = x
	}
	return all
}

// recent returns a candidate's score with a gentle preference for what is new, and for what was not taken back.
func (s *searching) recent(c *candidate) float64 {
	score := float64(c.score)
	if c.flags&flagTimed != 0 {
		age := max(float64(s.newest-c.nanos), 0)
		score *= 1 + recency/(1+age/recencyHalf)
	}
	if c.flags&flagActive == 0 {
		score *= inactiveShare
	}
	return score
}

// newest is the time of the newest message: what recency counts from, so that an answer does not change with the clock.
func (r *Reader) newest() int64 {
	n := int64(0)
	for _, s := range r.segments {
		n = max(n, s.dir.newest)
	}
	return n
}

// orderBy compares two hits. Every order is total, so that pages do not overlap, and rests on the messages alone: two
// indexes of the same history give the same page.
func (s *searching) orderBy(sort Sort) func(a, b listed) int {
	tie := func(a, b listed) int {
		x, y := &s.found[a.group.first], &s.found[b.group.first]
		if c := cmp.Compare(y.time(), x.time()); c != 0 {
			return c
		}
		return s.r.compareIDs(x, y)
	}
	switch sort {
	case NewestFirst:
		return tie
	case OldestFirst:
		return func(a, b listed) int {
			x, y := &s.found[a.group.first], &s.found[b.group.first]
			if x.flags&flagTimed != y.flags&flagTimed {
				return cmp.Compare(y.flags&flagTimed, x.flags&flagTimed)
			}
			if c := cmp.Compare(x.nanos, y.nanos); c != 0 {
				return c
			}
			return s.r.compareIDs(x, y)
		}
	}
	return func(a, b listed) int { return cmp.Or(cmp.Compare(b.score, a.score), tie(a, b)) }
}

// compareIDs compares the message ids of two candidates; places in the index where these cannot be read.
func (r *Reader) compareIDs(x, y *candidate) int {
	a, err := r.segments[x.seg].row(secMessage, x.doc)
	b, err2 := r.segments[y.seg].row(secMessage, y.doc)
	if err == nil && err2 == nil {
		if c := bytes.Compare(a, b); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(x.seg, y.seg), cmp.Compare(x.doc, y.doc))
}

// time is a candidate's time; before everything when it has none.
func (c *candidate) time() int64 {
	if c.flags&flagTimed == 0 {
		return -1 << 63
	}
	return c.nanos
}

// onceEach puts the best hit of each conversation before the second of any.
func onceEach(all []listed) []listed {
	seen := map[uint32]bool{}
	out := make([]listed, 0, len(all))
	var rest []listed
	for _, x := range all {
		if seen[x.group.conv] {
			rest = append(rest, x)
			continue
		}
		seen[x.group.conv] = true
		out = append(out, x)
	}
	return append(out, rest...)
}
