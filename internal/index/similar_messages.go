package index

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// messages finds the copies and near copies of a text.
func (s *likening) messages() ([]SimilarMessage, error) {
	mine := shingles(s.text)
	scores := map[located]float64{}
	if len(mine.runs) > 0 {
		terms, err := s.telling(s.text, probeTerms, probeCommon)
		if err != nil {
			return nil, err
		}
		for _, t := range terms {
			if err := s.eachDoc([]byte(t.term), func(at located) { scores[at] += float64(idf(s.n, t.docs)) }); err != nil {
				return nil, err
			}
		}
	}
	copies, err := s.copies()
	if err != nil {
		return nil, err
	}
	for _, at := range copies {
		scores[at] = math.Inf(1)
	}
	candidates := make([]located, 0, len(scores))
	for at := range scores {
		candidates = append(candidates, at)
	}
	slices.SortFunc(candidates, func(x, y located) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(x.seg, y.seg), cmp.Compare(x.doc, y.doc))
	})
	var out []SimilarMessage
	for _, at := range candidates[:min(len(candidates), maxCompared+len(copies))] {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		m, err := s.compare(at, &mine)
		if err != nil {
			return nil, err
		}
		if m != nil {
			out = append(out, *m)
		}
	}
	rank := func(m *SimilarMessage) int { return slices.Index([]How{HowCopy, HowSame, HowNear, HowHolds}, m.How) }
	slices.SortStableFunc(out, func(x, y SimilarMessage) int {
		return cmp.Or(cmp.Compare(rank(&x), rank(&y)), cmp.Compare(y.Likeness, x.Likeness), cmp.Compare(y.Held, x.Held), bytes.Compare(x.Message[:], y.Message[:]))
	})
	if s.of.Limit > 0 && len(out) > s.of.Limit {
		out = out[:s.of.Limit]
	}
	return out, nil
}

// copies lists the messages with the content id that is asked for.
func (s *likening) copies() (out []located, err error) {
	if s.content.IsZero() {
		return nil, nil
	}
	for i, seg := range s.r.segments {
		keys, err := seg.whole(secContentKey)
		if err != nil {
			return nil, err
		}
		for doc := range seg.docs {
			if !bytes.Equal(keys[contentKey*doc:contentKey*(doc+1)], s.content[:contentKey]) || seg.deleted.has(doc) {
				continue
			}
			x, err := seg.factsOf(doc)
			if err != nil {
				return nil, err
			}
			if x.content == s.content {
				out = append(out, located{uint32(i), doc})
			}
		}
	}
	return out, nil
}

// compare reads a candidate; nil when it is not like enough, or the message itself.
func (s *likening) compare(at located, mine *shingled) (*SimilarMessage, error) {
	x, err := s.r.segments[at.seg].factsOf(at.doc)
	if err != nil || x.isTitle() || x.id == s.of.Message {
		return nil, err
	}
	doc, err := s.r.document(at, x.place)
	if err != nil {
		return nil, err
	}
	theirs := shingles(doc.said())
	m := &SimilarMessage{}
	m.Likeness, m.Held = mine.like(&theirs)
	switch {
	case !s.content.IsZero() && x.content == s.content:
		m.How, m.Likeness, m.Held = HowCopy, 1, 1
	case mine.words > 0 && mine.hash == theirs.hash && mine.words == theirs.words:
		m.How = HowSame
	case mine.words >= leastWords && m.Likeness >= nearEnough:
		m.How = HowNear
	case mine.words >= leastWords && m.Held >= heldEnough:
		m.How = HowHolds
	default:
		return nil, nil
	}
	c := candidate{located: at, conv: x.conv, flags: x.flags, nanos: x.nanos}
	none := &searching{ctx: s.ctx, r: s.r, found: []candidate{c}}
	h, err := none.hit(&listed{group: &group{}, score: m.Likeness}, TierExact, nil)
	if err != nil || h == nil {
		return nil, err
	}
	m.Hit = *h
	return m, nil
}
