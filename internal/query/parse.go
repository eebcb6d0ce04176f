package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

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
		switch t.kind {
		case open:
			if depth++; depth > maxDepth {
				return &Error{t.Span, fmt.Sprintf("the query has more than %d parentheses inside each other", maxDepth)}
			}
		case shut:
			depth--
		case word, quoted, valued:
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
			p.warnings = append(p.warnings, Warning{"lone_operator", quote(t.text) + " has nothing to join here and was read as a word", "", t.Span})
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

func (p *parser) leaf(t token) Node {
	switch t.kind {
	case quoted:
		return Phrase{t.Span, t.text}
	case valued:
		return p.value(t)
	}
	return p.word(t.text, t.Span)
}

func (p *parser) word(text string, at Span) Node {
	switch {
	case isKeyword(text):
		return Phrase{at, text}
	case onlyLetters(text):
		return Word{at, text}
	}
	if begin, ok := strings.CutSuffix(text, "*"); ok && begin != "" && !strings.Contains(begin, "*") && bare(text) {
		if last := []rune(begin)[len([]rune(begin))-1]; last == '_' || onlyLetters(string(last)) {
			return Prefix{at, begin}
		}
	}
	return p.literal(text, at)
}

// literal returns the node of a text that must stand so: a phrase where the bare text would be read in another way.
func (p *parser) literal(text string, at Span) Node {
	if bare(text) {
		return Literal{at, text}
	}
	return Phrase{at, text}
}

func isKeyword(s string) bool { return s == "AND" || s == "OR" || s == "NOT" }

// onlyLetters reports whether a word has only letters, their marks, and digits.
func onlyLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	return s != ""
}

// bare reports whether a text can be written into a question as it is and is read as one word, wherever it stands.
func bare(s string) bool {
	switch {
	case s == "", isKeyword(s), !balanced(s), strings.ContainsAny(s, `"“”`), strings.IndexByte("()", s[0]) >= 0:
		return false
	case s[0] == '-' && (&lexer{text: s}).negates(1):
		return false
	}
	if _, _, field := fieldName(s); field {
		return false
	}
	for i := range s {
		if spaceAt(s[i:]) > 0 {
			return false
		}
	}
	return true
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

// value reads a field with its value.
func (p *parser) value(t token) Node {
	f := fields[t.name]
	switch {
	case f.time != noTime:
		return p.when(t, f.time)
	case t.text == "*" && !t.exact:
		return Exists{t.Span, f.field}
	}
	m := Match{Span: t.Span, Field: f.field, Value: t.text}
	values := f.values
	switch f.field {
	case Source:
		values = p.env.Sources
	case Project, File, Path:
		m.Value = p.env.place(m.Value)
	}
	if values != nil {
		return p.oneOf(m, values)
	}
	m.Glob = !t.exact && !t.locked && strings.Contains(m.Value, "*") && writable(m.Value)
	return m
}

// oneOf checks the value of an enumerated field.
func (p *parser) oneOf(m Match, values []string) Node {
	low := strings.ToLower(m.Value)
	if long, ok := shortNames[low]; ok && m.Field == Source && !slices.Contains(values, low) {
		low = long
	}
	if slices.Contains(values, low) {
		m.Value = low
		return m
	}
	message := fmt.Sprintf("unknown %s %q: use %s", m.Field, m.Value, listed(values))
	if near := nearest(low, values); near != "" {
		message = fmt.Sprintf("unknown %s %q: did you mean %s? Valid are %s", m.Field, m.Value, near, listed(values))
	}
	p.fail(m.Span, message+"; quote the whole to search for it as text")
	return nil
}

func (p *parser) fail(at Span, message string) {
	if p.err == nil {
		p.err = &Error{at, message}
	}
}

// place writes out the home folder and the current one.
func (e Env) place(value string) string {
	switch {
	case e.Home != "" && (value == "~" || strings.HasPrefix(value, "~/")):
		return e.Home + value[1:]
	case e.Dir != "" && (value == "." || strings.HasPrefix(value, "./")):
		return e.Dir + value[1:]
	}
	return value
}

// when reads the value of a field of time.
func (p *parser) when(t token, op timeOp) Node {
	w := When{Span: t.Span}
	ok := false
	switch text := strings.TrimSpace(t.text); {
	case !t.exact && strings.HasPrefix(text, ">="):
		ok = p.bound(&w, text[2:], since)
	case !t.exact && strings.HasPrefix(text, ">"):
		ok = p.bound(&w, text[1:], after)
	case !t.exact && strings.HasPrefix(text, "<="):
		ok = p.bound(&w, text[2:], until)
	case !t.exact && strings.HasPrefix(text, "<"):
		ok = p.bound(&w, text[1:], before)
	case !t.exact && text != "" && strings.IndexByte("[{", text[0]) >= 0:
		ok = op == on && p.between(&w, text)
	default:
		ok = p.bound(&w, text, op)
	}
	switch {
	case !ok:
		p.fail(t.Span, fmt.Sprintf("cannot read the date of %s:%s: write 2026-03-07, 2026-03, 7d, 12h, yesterday or on:[2026-03-01 TO 2026-03-07]", t.name, t.text))
		return nil
	case !w.From.IsZero() && !w.To.IsZero() && w.To.Before(w.From):
		p.fail(t.Span, fmt.Sprintf("%s:%s ends before it begins: turn the dates around", t.name, t.text))
		return nil
	}
	return w
}

// bound narrows a time by one date.
func (p *parser) bound(w *When, date string, op timeOp) bool {
	iv, ok := p.clock.read(strings.TrimSpace(date))
	switch op {
	case since:
		w.From = iv.from
	case after:
		w.From = iv.to
	case until:
		w.To = iv.to
	case before:
		w.To = iv.from
	case on:
		if w.From = iv.from; !iv.moment {
			w.To = iv.to
		}
	}
	return ok
}

// between reads [a TO b]; a brace leaves its end out, a * is open.
func (p *parser) between(w *When, text string) bool {
	if len(text) < 2 {
		return false
	}
	from, to, ok := strings.Cut(text[1:len(text)-1], " TO ")
	if last := text[len(text)-1]; !ok || last != ']' && last != '}' {
		return false
	}
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	lower, upper := since, until
	if text[0] == '{' {
		lower = after
	}
	if text[len(text)-1] == '}' {
		upper = before
	}
	if from == "*" && to == "*" {
		return false
	}
	return (from == "*" || p.bound(w, from, lower)) && (to == "*" || p.bound(w, to, upper))
}
