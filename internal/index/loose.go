package index

import (
	"lore/internal/query"
	"lore/internal/text"
)

// loose answers with what comes near, the nearest tier that has anything; nil when none has, or where the question is one
// literal and wants just that.
func (s *searching) loose() (*Result, error) {
	words, rest, ok := looseWords(s.root())
	if !ok {
		return nil, nil
	}
	for _, tier := range []struct {
		name  Tier
		terms func(word string) ([]string, error)
	}{{TierForms, s.r.forms}, {TierSpelling, s.near}} {
		res, err := s.alternative(tier.name, tier.terms)
		if err != nil || res != nil {
			return res, err
		}
	}
	return s.any(words, rest)
}

// near returns a word's forms, or close spellings of a word that the index does not have.
func (s *searching) near(word string) ([]string, error) {
	forms, err := s.r.forms(word)
	if err != nil || len(forms) > 0 {
		return forms, err
	}
	return s.r.spellings(word)
}

// looseWords takes a question apart into the words that it asks for and all the rest, which must hold in every tier. It
// can where it asks for words side by side; it is not done for a single literal.
func looseWords(root query.Node) (words []query.Node, rest []query.Node, ok bool) {
	all := []query.Node{root}
	if and, is := root.(query.And); is {
		all = nil
		for _, n := range and.Of {
			if inner, is := n.(query.And); is {
				all = append(all, inner.Of...)
			} else {
				all = append(all, n)
			}
		}
	}
	for _, n := range all {
		switch n := n.(type) {
		case query.Word, query.Literal, query.Phrase, query.Prefix:
			words = append(words, n)
		case query.Match, query.When, query.Exists, query.Not:
			rest = append(rest, n)
		default: // words with OR among them are words; fields with OR must hold; what mixes the two is not taken apart
			some, fields, mixed := leavesOf(n)
			switch {
			case mixed || len(some) > 0 && fields:
				return nil, nil, false
			case fields:
				rest = append(rest, n)
			}
			words = append(words, some...)
		}
	}
	if len(words) == 1 {
		if _, literal := words[0].(query.Literal); literal {
			return nil, nil, false
		}
	}
	return words, rest, len(words) > 0
}

// leavesOf lists the words below a node, and says whether there are fields, and whether something is excluded.
func leavesOf(n query.Node) (words []query.Node, fields, excludes bool) {
	walk(n, func(n query.Node) {
		switch n.(type) {
		case query.Word, query.Literal, query.Phrase, query.Prefix:
			words = append(words, n)
		case query.Match, query.When, query.Exists:
			fields = true
		case query.Not:
			excludes = true
		}
	})
	return words, fields, excludes && len(words) > 0
}

// alternative answers with other terms in the place of the plain words of the question; nil where that changes nothing
// or finds nothing.
func (s *searching) alternative(tier Tier, terms func(word string) ([]string, error)) (*Result, error) {
	p := newPlan(s.root())
	changed := false
	var matchers []*text.Matcher
	for _, l := range p.leaves {
		word, plain := lowerWord(l.word)
		if !plain || l.negated {
			matchers = append(matchers, l.matcher)
			continue
		}
		others, err := terms(word)
		if err != nil {
			return nil, err
		}
		if len(others) == 0 && !l.optional {
			return nil, nil
		}
		if len(others) == 0 {
			matchers = append(matchers, l.matcher)
			continue
		}
		l.instead = others
		changed = changed || len(others) > 1 || others[0] != word
		for _, t := range others[:min(len(others), maxAlternatives/2)] {
			matchers = append(matchers, text.Word(t))
		}
	}
	if !changed {
		return nil, nil
	}
	s.plan, s.looseMatchers = p, matchers
	found, err := s.match()
	if err != nil {
		return nil, err
	}
	found = s.withoutTitles(found)
	if len(found) == 0 {
		return nil, nil
	}
	groups, err := s.fold(found)
	if err != nil {
		return nil, err
	}
	return s.page(groups, tier)
}
