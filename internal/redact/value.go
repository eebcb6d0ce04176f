package redact

import "strings"

// value returns the secret that stands at from under a label. Tight says that it is written as NAME=VALUE without spaces,
// as in environments and connection strings, where a value needs no quotes.
func value(s string, from int, l label, tight bool) (match, bool) {
	if from+1 < len(s) && strings.IndexByte("bruLfF@", s[from]) >= 0 && (s[from+1] == '"' || s[from+1] == '\'') {
		from++ // the letter before a string of a programming language
	}
	slashes := run(s, from, func(c byte) bool { return c == '\\' }) - from
	quote := from + slashes
	if quote < len(s) && slashes < 8 && (s[quote] == '"' || s[quote] == '\'' || s[quote] == '`') {
		return quoted(s, quote, slashes, l)
	}
	if _, ok := known(s, from); ok {
		return match{}, false // it is found by its own form, and gets its own name
	}
	to := bare(s, from, greatestValue)
	v := s[from:to]
	if placeholder(v) || reference(v) || to < len(s) && (s[to] == '(' || s[to] == '[') {
		return match{}, false
	}
	ok := false
	switch {
	case l == password && tight:
		ok = len(v) >= 3 && v[0] != '/' && classify(v) == plain
	case l == password:
		ok = chosen(v)
	default:
		ok = generated(v, 12)
	}
	if !ok {
		return match{}, false
	}
	return match{from, bare(s, to, len(s)), l.kind()}, true
}

// bare returns where the value without quotes that begins at from ends; it is looked at n bytes far.
func bare(s string, from, n int) int {
	to := from
	for to < len(s) && to-from < n && !ends(s, to) {
		to++
		if s[to-1] == '\\' && to < len(s) {
			to++
		}
	}
	return to
}

// ends reports whether a value without quotes ends before the byte at i.
func ends(s string, i int) bool {
	c := s[i]
	if c <= ' ' || c == 0x7f || strings.IndexByte("\"'`,;&|<>(){}[]", c) >= 0 {
		return true
	}
	if c != '\\' {
		return false
	}
	next := run(s, i, func(c byte) bool { return c == '\\' })
	return next == len(s) || s[next] <= ' ' || strings.IndexByte("nrt\"'`", s[next]) >= 0 || (next-i)%2 == 0
}

// quoted returns the secret between quotes. The quote is at i, with so many backslashes before it: inside a JSON document
// that is inside another one, a string begins with \" or \\\".
//
// The end is the next such quote that the value has not escaped itself. A quote with an even number of backslashes before
// it is always an end, because no string of an outer document may be left.
func quoted(s string, i, slashes int, l label) (match, bool) {
	from, mark := i+1, s[i]
	to, found := from, false
	for k := from; k < len(s) && k-from < greatestValue && s[k] != '\n' && s[k] != '\r'; k++ {
		if s[k] != mark && s[k] != '"' {
			continue
		}
		before := k - back(s, k, k-from, func(c byte) bool { return c == '\\' })
		if s[k] != mark && before%2 == 1 {
			continue
		}
		if before <= slashes || before%2 == 0 {
			to, found = k, true
			if before <= slashes && before%2 == 1 {
				to -= before
			}
			break
		}
	}
	v := s[from:to]
	if !found || placeholder(v) {
		return match{}, false
	}
	if _, ok := known(s, from); ok {
		return match{}, false
	}
	if l == keyed && !generated(v, 12) || l == password && (prose(v) || classify(v) == password) {
		return match{}, false
	}
	return match{from, to, l.kind()}, true
}

// prose reports whether the text between quotes speaks of a password: a label or a message of a program.
func prose(v string) bool {
	return strings.ContainsAny(v, " ") && (strings.Contains(strings.ToLower(v), "pass") || strings.Count(v, " ") > 5)
}

// reference reports whether the value names where the credential is: settings.password, process.env.TOKEN.
func reference(v string) bool {
	if strings.IndexByte(v, '.') <= 0 {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || digit(part[0]) || run(part, 0, under) != len(part) || len(part) > 32 {
			return false
		}
	}
	return true
}
