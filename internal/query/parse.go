package query

import "fmt"

// The bounds of a question.
const (
	MaxBytes = 1 << 20 // of its text
	MaxTerms = 10_000  // words and fields
	maxDepth = 1_000   // of parentheses
)

// Error says what is wrong with a question, in one line. It is the asker's mistake: wrong usage.
type Error struct {
	Span    Span
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Parse reads a question. An empty one has no root. What is not quite a question is read as text, with a warning; an
// error, which is an *Error, is only an unknown value of an enumerated field, a date that is none, or a question beyond
// the bounds.
func Parse(text string, env Env) (Query, []Warning, error) {
	q := Query{Text: text}
	if len(text) > MaxBytes {
		return q, nil, &Error{Span{0, len(text)}, fmt.Sprintf("the query has %d bytes: at most %d can be read", len(text), MaxBytes)}
	}
	p := parser{text: text, env: env, clock: env.clock()}
	p.tokens, p.warnings = lex(text)
	if err := p.bounds(); err != nil {
		return q, p.warnings, err
	}
	p.operators()
	for _, t := range p.tokens {
		p.operations = p.operations || t.kind == opAnd || t.kind == opOr || t.kind == opNot
	}
	root := p.sequence()
	if p.err != nil {
		return q, p.warnings, p.err
	}
	q.Root = root
	return q, p.warnings, nil
}

// parser makes a tree of tokens. A space is the weakest operator, then OR, then AND, then NOT: `a OR b role:user` asks
// for (a OR b) with that role.
type parser struct {
	text       string
	env        Env
	clock      clock
	tokens     []token
	at         int
	operations bool // there is an AND, OR or NOT
	warnings   []Warning
	err        *Error
}

func (p *parser) bounds() error {
	terms, depth := 0, 0
	for _, t := range p.tokens {
		switch {
		case t.kind == open:
			if depth++; depth > maxDepth {
				return &Error{t.Span, fmt.Sprintf("the query has more than %d parentheses inside each other", maxDepth)}
			}
		case t.kind == shut:
			depth--
		case t.counts():
			if terms++; terms > MaxTerms {
				return &Error{t.Span, fmt.Sprintf("the query has more than %d words and fields", MaxTerms)}
			}
		}
	}
	return nil
}

// operators turns the keywords that have nothing to join or to negate into words.
func (p *parser) operators() {
	lone := func(t *token) {
		t.kind, t.keyword = quoted, true
		if len(p.tokens) > 1 {
			message := Quote(t.text) + " has nothing to join here and was read as a word"
			p.warnings = warned(p.warnings, Warning{Code: "lone_operator", Message: message, Span: t.Span})
		}
	}
	for i := len(p.tokens) - 1; i >= 0; i-- {
		t := &p.tokens[i]
		switch {
		case t.kind == opNot && i+1 < len(p.tokens) && p.tokens[i+1].keyword: // NOT AND: a list of keywords
			lone(t)
		case (t.kind == opAnd || t.kind == opOr || t.kind == opNot) && !p.begins(i+1):
			lone(t)
		}
	}
	for i := range p.tokens {
		t := &p.tokens[i]
		if (t.kind == opAnd || t.kind == opOr) && !p.ends(i-1) {
			lone(t)
		}
	}
}

// begins reports whether an operand begins at token i.
func (p *parser) begins(i int) bool {
	if i >= len(p.tokens) {
		return false
	}
	switch p.tokens[i].kind {
	case shut, opAnd, opOr:
		return false
	}
	return true
}

// ends reports whether an operand ends at token i.
func (p *parser) ends(i int) bool {
	if i < 0 {
		return false
	}
	switch p.tokens[i].kind {
	case word, quoted, valued, shut:
		return true
	}
	return false
}

func (p *parser) is(k tokenKind) bool { return p.at < len(p.tokens) && p.tokens[p.at].kind == k }

// sequence reads operands up to the end of the group. It is nil for an empty one.
func (p *parser) sequence() Node {
	var all []Node
	for p.at < len(p.tokens) && !p.is(shut) && p.err == nil {
		all = append(all, p.alternatives())
	}
	return conjunction(all)
}

func (p *parser) alternatives() Node {
	all := []Node{p.both()}
	for p.is(opOr) && p.err == nil {
		p.at++
		all = append(all, p.both())
	}
	return disjunction(all)
}

func (p *parser) both() Node {
	all := []Node{p.operand(false)}
	for p.is(opAnd) && p.err == nil {
		p.at++
		all = append(all, p.operand(false))
	}
	return conjunction(all)
}

// operand reads one operand, with the negations before it.
func (p *parser) operand(negated bool) Node {
	t := p.tokens[p.at]
	switch t.kind {
	case opNot, minus:
		p.at++
		n := p.operand(true)
		return negation(n, t.From)
	case open:
		if n := p.textInParentheses(negated); n != nil {
			return n
		}
		p.at++
		n := p.sequence()
		if p.err != nil {
			return nil
		}
		end := p.tokens[p.at].To
		p.at++
		if n == nil {
			return p.literal(p.text[t.From:end], Span{t.From, end})
		}
		return n
	}
	p.at++
	return p.leaf(t)
}

// textInParentheses reads a single word in parentheses as it stands, when the question has no operators: (paren).
func (p *parser) textInParentheses(negated bool) Node {
	if negated || p.operations || p.at+2 >= len(p.tokens) {
		return nil
	}
	in, end := p.tokens[p.at+1], p.tokens[p.at+2]
	at := Span{p.tokens[p.at].From, end.To}
	if in.kind != word || end.kind != shut || in.From != at.From+1 || in.To != end.From {
		return nil
	}
	if _, prefix := p.word(in.text, in.Span).(Prefix); prefix {
		return nil
	}
	p.at += 3
	return p.literal(p.text[at.From:at.To], at)
}

func conjunction(all []Node) Node {
	return joined(all, func(n Node) ([]Node, bool) { and, ok := n.(And); return and.Of, ok },
		func(at Span, of []Node) Node { return And{at, of} })
}

func disjunction(all []Node) Node {
	return joined(all, func(n Node) ([]Node, bool) { or, ok := n.(Or); return or.Of, ok },
		func(at Span, of []Node) Node { return Or{at, of} })
}

// joined joins nodes into one, taking in the parts of those that are of the same kind.
func joined(all []Node, parts func(Node) ([]Node, bool), join func(Span, []Node) Node) Node {
	var flat []Node
	for _, n := range all {
		if n == nil {
			continue
		}
		if of, ok := parts(n); ok {
			flat = append(flat, of...)
		} else {
			flat = append(flat, n)
		}
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	return join(Span{flat[0].Where().From, flat[len(flat)-1].Where().To}, flat)
}

func negation(n Node, from int) Node {
	switch not := n.(type) {
	case nil:
		return nil
	case Not:
		return not.Of
	}
	return Not{Span{from, n.Where().To}, n}
}
