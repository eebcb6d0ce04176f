package index

import (
	"lore/internal/query"
	"lore/internal/text"
)

// plan is a question made ready: its tree, with a leaf for each node that asks for words.
type plan struct {
	root   node
	leaves []*leaf
}

// node is a part of a plan: *leaf, *filter, allOf, anyOf or notNode; nil asks for everything.
type node any

type allOf []node
type anyOf []node
type notNode struct{ of node }

// leaf asks for words.
type leaf struct {
	n        int // ordinal among the leaves
	matcher  *text.Matcher
	terms    text.Terms
	oneWord  bool     // a literal that is a single word of ASCII: what it stands in is a single word too
	word     string   // a word of letters and digits; "" for all else
	instead  []string // terms that a looser tier takes in the place of the word
	optional bool     // below an Or: another leaf may stand for it
	negated  bool     // below a Not: it says nothing about how well a document fits
}

// filter asks for a fact that is a column, a term of its own kind, or a row of the catalogue.
type filter struct{ of query.Node }

func newPlan(root query.Node) *plan {
	p := new(plan)
	if root != nil {
		p.root = p.node(root, false)
	}
	return p
}

func (p *plan) node(n query.Node, negated bool) node {
	switch n := n.(type) {
	case query.And:
		var all allOf
		for _, x := range n.Of {
			all = append(all, p.node(x, negated))
		}
		return all
	case query.Or:
		var any anyOf
		first := len(p.leaves)
		for _, x := range n.Of {
			any = append(any, p.node(x, negated))
		}
		for _, l := range p.leaves[first:] {
			l.optional = true
		}
		return any
	case query.Not:
		return notNode{p.node(n.Of, !negated)}
	case query.Word:
		return p.leaf(text.Word(n.Text), negated, leaf{word: n.Text})
	case query.Literal:
		return p.leaf(text.Literal(n.Text), negated, leaf{oneWord: oneWord(n.Text)})
	case query.Phrase:
		return p.leaf(text.Phrase(n.Text), negated, leaf{})
	case query.Prefix:
		return p.leaf(text.Prefix(n.Text), negated, leaf{})
	}
	return &filter{n}
}

func (p *plan) leaf(m *text.Matcher, negated bool, l leaf) *leaf {
	l.n, l.matcher, l.terms, l.negated = len(p.leaves), m, m.Terms(), negated
	p.leaves = append(p.leaves, &l)
	return &l
}

func oneWord(s string) bool {
	start, end, class := text.Next(s, 0)
	return class == text.ASCII && start == 0 && end == len(s) && end > 0
}

// positive returns the leaves that a document is found for.
func (p *plan) positive() (out []*leaf) {
	for _, l := range p.leaves {
		if !l.negated {
			out = append(out, l)
		}
	}
	return out
}

// matchers returns the matchers of the leaves that a document is found for.
func (p *plan) matchers() (out []*text.Matcher) {
	for _, l := range p.positive() {
		out = append(out, l.matcher)
	}
	return out
}

// walk calls f for every node of a query's tree.
func walk(n query.Node, f func(query.Node)) {
	if n == nil {
		return
	}
	f(n)
	switch n := n.(type) {
	case query.And:
		for _, x := range n.Of {
			walk(x, f)
		}
	case query.Or:
		for _, x := range n.Of {
			walk(x, f)
		}
	case query.Not:
		walk(n.Of, f)
	}
}
