package query

import (
	"strings"
	"time"
)

// String returns the canonical text of the question: reading it gives the same tree. Relative dates are written out.
func (q Query) String() string { return Print(q.Root) }

// Print returns the canonical text of a tree; "" for nil.
func Print(n Node) string {
	var b strings.Builder
	print(&b, n)
	return b.String()
}

func print(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case And:
		list(b, n.Of, " ")
	case Or:
		list(b, n.Of, " OR ")
	case Not:
		negative(b, n.Of)
	case Word:
		b.WriteString(n.Text)
	case Literal:
		b.WriteString(n.Text)
	case Phrase:
		b.WriteString(Quote(n.Text))
	case Prefix:
		b.WriteString(n.Text + "*")
	case Match:
		b.WriteString(string(n.Field) + ":")
		if writable(n.Value) && (n.Glob || !strings.Contains(n.Value, "*")) {
			b.WriteString(n.Value)
		} else {
			b.WriteString(Quote(n.Value))
		}
	case Exists:
		b.WriteString(string(n.Field) + ":*")
	case When:
		b.WriteString(n.String())
	}
}

// list writes nodes, those with parts of their own in parentheses.
func list(b *strings.Builder, of []Node, between string) {
	for i, n := range of {
		if i > 0 {
			b.WriteString(between)
		}
		grouped(b, n)
	}
}

func grouped(b *strings.Builder, n Node) {
	switch n.(type) {
	case And, Or:
		b.WriteByte('(')
		print(b, n)
		b.WriteByte(')')
	default:
		print(b, n)
	}
}

func negative(b *strings.Builder, n Node) {
	text := Print(n)
	switch n.(type) {
	case Literal, Prefix:
		if !(&lexer{text: "-" + text}).negates(1) {
			b.WriteString("NOT " + text)
			return
		}
	}
	b.WriteByte('-')
	grouped(b, n)
}

// writable reports whether the value of a field can be written without quotes.
func writable(v string) bool {
	if v == "" || v == "*" || strings.IndexByte(`/\:=([{<>"`, v[0]) >= 0 && !(v[0] == '/' && !strings.HasPrefix(v, "//")) {
		return false
	}
	if strings.ContainsAny(v, "\",“”") || !balanced(v) {
		return false
	}
	for i := range v {
		if spaceAt(v[i:]) > 0 {
			return false
		}
	}
	return true
}

// String returns the time as a field of the language, in the zone of its bounds.
func (w When) String() string {
	switch {
	case w.From.IsZero() && w.To.IsZero():
		return ""
	case w.To.IsZero():
		return "since:" + stamp(w.From)
	case w.From.IsZero() && isMidnight(w.To):
		return "until:" + dayBefore(w.To)
	case w.From.IsZero():
		return "before:" + stamp(w.To)
	case !isMidnight(w.From) || !isMidnight(w.To):
		return "on:[" + stamp(w.From) + " TO " + stamp(w.To) + "}"
	}
	from, to := w.From.Format(time.DateOnly), dayBefore(w.To)
	if from == to {
		return "on:" + from
	}
	return "on:[" + from + " TO " + to + "]"
}

func isMidnight(t time.Time) bool {
	y, m, d := t.Date()
	return clock{zone: t.Location()}.midnight(y, m, d).Equal(t)
}

func dayBefore(t time.Time) string { return t.Add(-time.Nanosecond).Format(time.DateOnly) }

// stamp writes a date where a day begins, else the moment.
func stamp(t time.Time) string {
	if isMidnight(t) {
		return t.Format(time.DateOnly)
	}
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC() // an offset with seconds cannot be written
	}
	return t.Format(time.RFC3339Nano)
}
