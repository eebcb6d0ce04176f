package index

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// related finds the conversations that have the most telling words, errors and files in common with the asked one.
func (s *likening) related() ([]SimilarConversation, error) {
	terms, err := s.telling(s.whole, relatedTerms, commonShare/4)
	if err != nil {
		return nil, err
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	terms = append(terms, files...)
	total := 0.0
	found := map[uint32]*SimilarConversation{}
	for _, t := range terms {
		key := t.term
		if t.what == "file" {
			key = termFile + key
		}
		in := map[uint32]bool{}
		err := s.eachDoc([]byte(key), func(at located) {
			if c, err := s.r.segments[at.seg].columns(); err == nil {
				in[c.convOf(at.doc)] = true
			}
		})
		if err != nil {
			return nil, err
		}
		total += t.weight
		for conv := range in {
			if conv == s.conv {
				continue
			}
			if found[conv] == nil {
				found[conv] = &SimilarConversation{}
			}
			c := found[conv]
			c.Score += t.weight
			c.Reasons = append(c.Reasons, Reason{t.what, t.term, t.weight})
		}
	}
	copies, err := s.shared()
	if err != nil {
		return nil, err
	}
	for conv, n := range copies {
		if found[conv] == nil {
			found[conv] = &SimilarConversation{}
		}
		found[conv].Copies = n
	}
	return s.ranked(found, max(total, 1e-9))
}

// ranked orders related conversations: by their share of the weight, those with copies above all.
func (s *likening) ranked(found map[uint32]*SimilarConversation, total float64) (out []SimilarConversation, err error) {
	rows := make([]uint32, 0, len(found))
	for row, c := range found {
		c.Score /= total
		if c.Score >= relatedShare || c.Copies > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y uint32) int {
		a, b := found[x], found[y]
		return cmp.Or(cmp.Compare(b.Copies, a.Copies), cmp.Compare(b.Score, a.Score), cmp.Compare(x, y))
	})
	if s.of.Limit > 0 && len(rows) > s.of.Limit {
		rows = rows[:s.of.Limit]
	}
	for _, row := range rows {
		c := found[row]
		if c.Conversation, err = s.r.entryOf(int64(row)); errors.Is(err, ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		slices.SortStableFunc(c.Reasons, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
		c.Reasons = c.Reasons[:min(len(c.Reasons), maxReasons)]
		out = append(out, *c)
	}
	return out, nil
}

// files lists the files that the asked conversation touched.
func (s *likening) files() (out []weighed, err error) {
	if s.conv == 0 {
		return nil, nil
	}
	mine := map[string]int{}
	own := map[located]bool{}
	for _, at := range s.own {
		own[at] = true
	}
	for i, seg := range s.r.segments {
		var inner error
		err := seg.prefixed([]byte(termFile), func(x entry) bool {
			p, err := seg.list(x)
			if inner = err; err != nil {
				return false
			}
			path, touched := string(x.term[len(termFile):]), false
			for p.next() {
				touched = touched || own[located{uint32(i), p.doc}]
			}
			if _, known := mine[path]; touched && !known {
				mine[path] = 0
			}
			return true
		})
		if err = errors.Join(err, inner); err != nil {
			return nil, err
		}
	}
	for path := range mine {
		docs := 0
		for _, seg := range s.r.segments {
			if x, ok, err := seg.find([]byte(termFile + path)); err != nil {
				return nil, err
			} else if ok {
				docs += int(x.docs)
			}
		}
		out = append(out, weighed{term: path, docs: docs, weight: fileWeight * float64(idf(s.n, docs)), what: "file"})
	}
	slices.SortFunc(out, func(x, y weighed) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), strings.Compare(x.term, y.term))
	})
	return out[:min(len(out), relatedTerms/2)], nil
}

// shared counts the messages of 40 characters and more that other conversations have too.
func (s *likening) shared() (map[uint32]int, error) {
	out := map[uint32]int{}
	if s.of.Conversation.IsZero() {
		return out, nil
	}
	mine := map[[contentKey]byte]bool{}
	for _, at := range s.own {
		x, err := s.r.segments[at.seg].factsOf(at.doc)
		if err != nil {
			return nil, err
		}
		if x.flags&flagLong != 0 && !x.isTitle() {
			mine[[contentKey]byte(x.content[:])] = true
		}
	}
	for _, seg := range s.r.segments {
		keys, err := seg.whole(secContentKey)
		if err != nil {
			return nil, err
		}
		c, err := seg.columns()
		if err != nil {
			return nil, err
		}
		for doc := range seg.docs {
			if conv := c.convOf(doc); conv != s.conv && !seg.deleted.has(doc) && mine[[contentKey]byte(keys[contentKey*doc:])] {
				out[conv]++
			}
		}
	}
	return out, nil
}
