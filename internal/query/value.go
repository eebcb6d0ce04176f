package query

import (
	"fmt"
	"slices"
	"strings"
)

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
