package index

import (
	"bytes"

	"lore"
	"lore/internal/text"
)

// answer is what is known of a node without reading a text: the documents of one segment that it is true for, and those
// that it may be true for. The two share no document.
type answer struct{ sure, maybe bitset }

// evaluation is a plan at work on one segment. The answers of the leaves are kept for verification.
type evaluation struct {
	r      *Reader
	s      *segment
	at     int // number of the segment
	convs  *convSets
	leaves []answer

	filters map[*filter]bitset
}

// evaluate returns the living documents that a plan is, or may be, true for.
func (e *evaluation) evaluate(p *plan) (answer, error) {
	e.leaves, e.filters = make([]answer, len(p.leaves)), map[*filter]bitset{}
	a, err := e.node(p.root)
	if err != nil {
		return a, err
	}
	a.sure.without(e.s.deleted)
	a.maybe.without(e.s.deleted)
	return a, nil
}

func (e *evaluation) all() answer {
	b := newBitset(e.s.docs)
	b.fill(e.s.docs)
	return answer{b, newBitset(e.s.docs)}
}

func (e *evaluation) none() answer { return answer{newBitset(e.s.docs), newBitset(e.s.docs)} }

func (e *evaluation) node(n node) (answer, error) {
	switch n := n.(type) {
	case nil:
		return e.all(), nil
	case *leaf:
		a, err := e.leaf(n)
		e.leaves[n.n] = a
		return answer{clone(a.sure), clone(a.maybe)}, err
	case *filter:
		sure, err := e.filter(n.of)
		e.filters[n] = sure
		return answer{clone(sure), newBitset(e.s.docs)}, err
	case notNode:
		a, err := e.node(n.of)
		if err != nil {
			return a, err
		}
		sure := e.all().sure
		sure.without(a.sure)
		sure.without(a.maybe)
		return answer{sure, a.maybe}, nil
	case allOf:
		return e.fold(n, e.all(), true)
	case anyOf:
		return e.fold(n, e.none(), false)
	}
	return e.none(), nil
}

// fold joins the answers of several nodes.
func (e *evaluation) fold(of []node, a answer, and bool) (answer, error) {
	possible := clone(a.sure)
	for _, n := range of {
		b, err := e.node(n)
		if err != nil {
			return a, err
		}
		maybe := b.maybe
		maybe.or(b.sure) // all that is possible
		if and {
			a.sure.and(b.sure)
			possible.and(maybe)
		} else {
			a.sure.or(b.sure)
			possible.or(maybe)
		}
	}
	possible.without(a.sure)
	return answer{a.sure, possible}, nil
}

func clone(b bitset) bitset { return append(bitset(nil), b...) }

// leaf finds the documents that have the words of a leaf. Titles count, projects do not.
func (e *evaluation) leaf(l *leaf) (answer, error) {
	t := &l.terms
	a := e.none()
	if l.instead != nil {
		for _, term := range l.instead {
			if err := e.mark(a.sure, []byte(term), matchable); err != nil {
				return a, err
			}
		}
		return a, nil
	}
	if t.Enough != "" {
		if err := e.mark(a.sure, []byte(t.Enough), matchable); err != nil {
			return a, err
		}
	}
	var all bitset
	narrow := func(b bitset) {
		if all == nil {
			all = b
		} else {
			all.and(b)
		}
	}
	for _, term := range t.All {
		b := newBitset(e.s.docs)
		if err := e.mark(b, []byte(term), matchable); err != nil {
			return a, err
		}
		narrow(b)
	}
	if t.Prefix != "" {
		b, err := e.prefixed(t.Prefix)
		if err != nil {
			return a, err
		}
		narrow(b)
	}
	if all == nil {
		all = e.all().sure
		if t.Exact {
			all = newBitset(e.s.docs) // nothing is asked for that a text could have
		}
	}
	if t.Exact {
		a.sure.or(all)
		return a, nil
	}
	all.without(a.sure)
	if l.oneWord && t.Enough != "" && all.count() > scanTerms {
		longer, err := e.containing(t.Enough)
		if err != nil {
			return a, err
		}
		all.and(longer)
	}
	a.maybe = all
	return a, nil
}

// scanTerms is how many texts would have to be read before it is cheaper to look through all terms.
const scanTerms = 256

// containing sets the documents with a term that has another one inside; a term that may have been cut could have it
// behind the cut.
func (e *evaluation) containing(term string) (bitset, error) {
	b := newBitset(e.s.docs)
	needle := []byte(term)
	err := e.eachTerm("", func(x entry) error {
		if len(x.term) >= text.MaxTerm || len(x.term) > len(needle) && bytes.Contains(x.term, needle) {
			return e.markList(b, x, matchable)
		}
		return nil
	})
	return b, err
}

// mark sets the documents that have a term in one of some fields.
func (e *evaluation) mark(b bitset, term []byte, in fields) error {
	x, ok, err := e.s.find(term)
	if err != nil || !ok {
		return err
	}
	return e.markList(b, x, in)
}

func (e *evaluation) markList(b bitset, x entry, in fields) error {
	p, err := e.s.list(x)
	if err != nil {
		return err
	}
	for p.next() {
		if p.doc >= e.s.docs {
			p.bad = true
			break
		}
		if p.in(in) {
			b.set(p.doc)
		}
	}
	if p.bad {
		return damaged("list of term %q", x.term)
	}
	return nil
}

// prefixed sets the documents with a term that begins with prefix.
func (e *evaluation) prefixed(prefix string) (bitset, error) {
	b := newBitset(e.s.docs)
	err := e.eachTerm(prefix, func(x entry) error { return e.markList(b, x, matchable) })
	return b, err
}

// eachTerm calls f for the terms that begin with prefix.
func (e *evaluation) eachTerm(prefix string, f func(x entry) error) error {
	var inner error
	err := e.s.prefixed([]byte(prefix), func(x entry) bool {
		inner = f(x)
		return inner == nil
	})
	if err == nil {
		err = inner
	}
	return err
}

// terms sets the documents that have a fact of a kind whose value is accepted.
func (e *evaluation) terms(kind string, accept func(value []byte) bool) (bitset, error) {
	b := newBitset(e.s.docs)
	err := e.eachTerm(kind, func(x entry) error {
		if !accept(bytes.TrimPrefix(x.term, []byte(kind))) {
			return nil
		}
		return e.markList(b, x, anyField)
	})
	return b, err
}

// column sets the documents whose flags and kinds are accepted.
func (e *evaluation) column(accept func(f flags, k Kinds) bool) (bitset, error) {
	fs, err := e.s.whole(secFlags)
	if err != nil {
		return nil, err
	}
	ks, err := e.s.whole(secKinds)
	if err != nil {
		return nil, err
	}
	b := newBitset(e.s.docs)
	for i := range e.s.docs {
		if accept(flags(fs[2*i])|flags(fs[2*i+1])<<8, Kinds(ks[i])) {
			b.set(i)
		}
	}
	return b, nil
}

// role sets the messages of a role.
func (e *evaluation) role(role lore.Role) (bitset, error) {
	want := roleNumber(role)
	return e.column(func(f flags, k Kinds) bool { return f&3 == want && k&titleBit == 0 })
}
