package index

import (
	"bytes"
	"errors"
	"slices"

	"lore"
	"lore/internal/text"
)

// hit makes a hit of a group; nil when its conversation is not in the catalogue.
func (s *searching) hit(l *listed, tier Tier, matchers []*text.Matcher) (*Hit, error) {
	r, c := s.r, &s.found[l.group.first]
	e, err := r.entryOf(int64(c.conv))
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if l.text == nil {
		if l.text, err = r.read(c.located, matchers, true); err != nil {
			return nil, err
		}
	}
	h := &Hit{Conversation: e, Tier: tier, Score: l.score, More: l.more}
	h.Snippet, h.Ranges = snippet(l.text.text, l.text.matches)
	h.Kind = lore.Text
	if p := l.text.part; p >= 0 {
		h.Kind = l.text.doc.parts[p].kind
	}
	if s.o.Explain {
		if h.Why, err = s.why(l); err != nil {
			return nil, err
		}
	}
	at := c.located
	if c.kinds&titleBit != 0 {
		if at, err = r.firstMessage(c.conv); err != nil {
			return nil, err
		}
	}
	x, err := r.segments[at.seg].factsOf(at.doc)
	if err != nil {
		return nil, err
	}
	if x.isTitle() {
		return nil, nil // a title without any message
	}
	h.Message, h.Content, h.Role, h.Active, h.At = x.id, x.content, x.flags.role(), x.flags&flagActive != 0, x.flags.at(x.nanos)
	h.Evidence = int64(x.place.evidence)
	if h.Origin, err = r.origin(at, &x); err != nil {
		return nil, err
	}
	for i := l.group.also; i != 0; i = s.copies[i-1].next {
		if err := s.alsoIn(h, &s.found[s.copies[i-1].at]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(h.AlsoIn, func(a, b Copy) int { return bytes.Compare(a.Conversation[:], b.Conversation[:]) })
	return h, nil
}

func (s *searching) alsoIn(h *Hit, c *candidate) error {
	e, err := s.r.entryOf(int64(c.conv))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	id, err := s.r.segments[c.seg].row(secMessage, c.doc)
	if err != nil {
		return err
	}
	h.AlsoIn = append(h.AlsoIn, Copy{Conversation: e.ID, Message: lore.ID(id)})
	return nil
}

// snippet cuts the window around the matches.
func snippet(s string, matches []text.Range) (string, [][2]int) {
	out, ranges := text.Snippet(s, matches)
	pairs := make([][2]int, 0, len(ranges))
	for _, r := range ranges {
		pairs = append(pairs, [2]int{r.Start, r.End})
	}
	return out, pairs
}

// origin returns where the first unit of a message stands.
func (r *Reader) origin(at located, x *facts) (lore.Locator, error) {
	d, err := r.document(at, x.place)
	if err != nil {
		return lore.Locator{}, err
	}
	l := lore.Locator{File: d.file, Line: int(x.place.line), Offset: int64(x.place.offset), Length: int64(x.place.length), Row: d.row}
	if l.File == "" {
		l.File, err = r.evidencePath(int64(x.place.evidence))
	}
	return l, err
}

// evidencePath returns the path of an evidence; "" when it is not known.
func (r *Reader) evidencePath(id int64) (string, error) {
	if p, ok := r.paths.Load(id); ok {
		return p.(string), nil
	}
	var path string
	err := r.one("SELECT path FROM evidences WHERE id = ?", []any{id}, &path)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return "", err
	}
	r.paths.Store(id, path)
	return path, nil
}

// firstMessage returns the message that stands for a conversation: the first active one of a user, else the first.
func (r *Reader) firstMessage(conv uint32) (located, error) {
	best, found, rank := located{}, false, uint64(0)
	for i, s := range r.segments {
		runs, err := s.runsOf(conv)
		if err != nil {
			return best, err
		}
		c, err := s.columns()
		if err != nil {
			return best, err
		}
		for _, run := range runs {
			for doc := run.first; doc < run.first+run.count; doc++ {
				if s.deleted.has(doc) {
					continue
				}
				b, err := s.row(secPlace, doc)
				if err != nil {
					return best, err
				}
				order := uint64(decodePlace(b).ordinal)
				if f := c.flagsOf(doc); f&flagActive == 0 || f.role() != lore.User {
					order |= 1 << 32
				}
				if Kinds(c.kinds[doc])&titleBit != 0 {
					order |= 1 << 33
				}
				if !found || order < rank {
					best, found, rank = located{uint32(i), doc}, true, order
				}
			}
		}
	}
	if !found {
		return best, damaged("conversation %d has no documents", conv)
	}
	return best, nil
}

// matchers returns what the snippets of a tier show.
func (s *searching) matchers(tier Tier) []*text.Matcher {
	if tier == TierExact {
		return s.plan.matchers()
	}
	return s.looseMatchers
}
