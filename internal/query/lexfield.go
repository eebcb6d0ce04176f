package query

import (
	"slices"
	"strings"
)

// fieldAt takes a field with its value at the current place, or reports that there is none. What only looks like a
// field (Note: x, file://x, on:click) is text.
func (l *lexer) fieldAt() bool {
	start := l.at
	name, f, ok := fieldName(l.text[start:])
	if !ok {
		return false
	}
	at := start + len(name) + 1
	switch {
	case l.delimited(at):
		l.warn("empty_field", Quote(name+":")+" has no value and was read as text", Span{start, at}, "")
		return false
	case strings.IndexByte(`/\:=`, l.text[at]) >= 0 && (l.text[at] != '/' || strings.HasPrefix(l.text[at:], "//")):
		return false
	}
	if content, n := l.quoted(at); n > 0 && l.delimited(at+n) {
		if strings.TrimSpace(content) == "" {
			return false
		}
		l.at = at + n
		l.add(token{kind: valued, name: name, text: content, exact: true})
		return true
	}
	if f.time != noTime {
		return l.timeAt(name, f, at)
	}
	if l.text[at] == '(' {
		if end := l.closing(at); end > 0 && l.delimited(end) {
			l.at = end
			return l.values(name, f, l.text[at+1:end-1])
		}
	}
	end := l.wordEnd(at)
	l.at = end
	value := l.text[at:end]
	if quoteAt(value) > 0 {
		l.warn("unbalanced_quote", "a quote without its other half was read as text", Span{at, at + quoteAt(value)}, "")
	}
	if f.takesLists() && strings.Contains(strings.Trim(value, ","), ",") {
		return l.values(name, f, strings.ReplaceAll(value, ",", " "))
	}
	l.add(token{kind: valued, name: name, text: value, locked: !balanced(value)})
	return true
}

// fieldName returns the known field that s begins with.
func fieldName(s string) (name string, f field, ok bool) {
	i := 0
	for i < len(s) && s[i] >= 'a' && s[i] <= 'z' {
		i++
	}
	if i == 0 || i == len(s) || s[i] != ':' {
		return "", field{}, false
	}
	f, ok = fields[s[:i]]
	return s[:i], f, ok
}

// takesLists reports whether a comma parts values of the field.
func (f field) takesLists() bool {
	return f.values != nil || f.field == Source || f.field == Store
}

// single reports whether a message or its conversation has only one value of the field, so that a list of values can
// only mean any of them.
func (f field) single() bool {
	return !slices.Contains([]Field{Title, File, Tool, Tag, Has, Is}, f.field)
}

const (
	longestRange = 200     // bytes of a range of dates
	longestList  = 1 << 16 // bytes of a list of values
)

// timeAt takes the value of a field of time.
func (l *lexer) timeAt(name string, f field, at int) bool {
	end := l.wordEnd(at)
	if c := l.text[at]; c == '[' || c == '{' {
		if i := strings.IndexAny(l.text[at:min(at+longestRange, len(l.text))], "]}"); i > 0 && l.delimited(at+i+1) {
			end = at + i + 1
		}
	}
	value := l.text[at:end]
	if f.time != since && f.time != until && !datelike(value) {
		l.warn("not_a_date", Quote(value)+" is no date; "+Quote(name+":"+value)+" was read as text", Span{l.at, end}, "")
		return false
	}
	l.at = end
	l.add(token{kind: valued, name: name, text: value})
	return true
}

// values takes the content of a list of values as a group of fields: role:(user OR tool) is (role:user OR role:tool).
func (l *lexer) values(name string, f field, content string) bool {
	l.add(token{kind: open})
	joined := true // no operator is missing before the next value
	for s := content; ; {
		s = s[spaceAt(s):]
		if s == "" {
			break
		}
		text, n := quotedAt(s)
		exact := n > 0
		if !exact {
			for n < len(s) && spaceAt(s[n:]) == 0 {
				n++
			}
			text = s[:n]
		}
		if exact && strings.TrimSpace(text) == "" {
			text = s[:n] // with its quotes, as outside of a list
		}
		s = s[n:]
		if !exact && (text == "OR" || text == "AND") && !joined && s[spaceAt(s):] != "" {
			l.add(token{kind: map[string]tokenKind{"OR": opOr, "AND": opAnd}[text]})
			joined = true
			continue
		}
		if !joined && f.single() {
			l.add(token{kind: opOr})
		}
		l.add(token{kind: valued, name: name, text: text, exact: exact, locked: !balanced(text)})
		joined = false
	}
	l.add(token{kind: shut})
	return true
}

// closing returns the place after the parenthesis that closes the one at i, or 0. Text in quotes does not count.
func (l *lexer) closing(i int) int {
	depth := 0
	for end := min(i+longestList, len(l.text)); i < end; {
		switch l.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if _, n := quotedAt(l.text[i:]); n > 0 {
				i += n - 1
			}
		}
		i++
	}
	return 0
}

// balanced reports whether every parenthesis in the text has its other half there.
func balanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// unknownField returns the place of the colon in a word that looks like a field which is not known, or 0. A path, an
// address, a time or a name in a program (C:\x, https://x, host:80, a::b, x:=1) does not look so.
func unknownField(w string) int {
	i := 0
	for i < len(w) && (w[i]|0x20 >= 'a' && w[i]|0x20 <= 'z' || i > 0 && (w[i] == '_' || w[i] == '-')) {
		i++
	}
	const longest = 20
	if i < 2 || i > longest || i+1 >= len(w) || w[i] != ':' {
		return 0
	}
	if _, ok := fields[w[:i]]; ok {
		return 0
	}
	if strings.IndexByte("/\\:=;,)]}?!|&+", w[i+1]) >= 0 || strings.Trim(w[i+1:], "0123456789") == "" {
		return 0
	}
	return i
}
