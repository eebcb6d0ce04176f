// Package redact finds credentials in text (keys of the usual vendors, tokens, private keys, passwords in assignments and
// addresses) and puts a visible marker in their place. It knows no record, no index and no surface, and reads nothing but
// its arguments.
//
// What counts is the shape alone: a prefix that a vendor gave its keys, a name beside a value, a block with a head and a
// foot. There is no measure of randomness, so hashes, uuids, ids of lore and base64 of pictures stay as they are unless a
// name beside them says that they are secret. In doubt a value beside such a name goes, and a word in a sentence stays.
//
// The work is linear in the length of the text: each place is looked at by rules that either stop at once or consume what
// they looked at. A marker holds neither a quote nor a backslash, and no rule reaches over the end of a quoted string, so
// the text inside a JSON document can be redacted without decoding it: it stays the same JSON, but for the values.
package redact

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// The text of a marker is Open, the kind, Close.
const (
	Open  = "[redacted:"
	Close = "]"
)

// Count says how many credentials of one kind were replaced.
type Count struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Counter replaces credentials and counts them by kind. The zero value is ready; it is not safe for concurrent use.
type Counter struct{ found map[string]int }

// Text returns s with every credential replaced by its marker, and s itself when there is none.
func (c *Counter) Text(s string) string {
	prepare()
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		m, ok := find(s, i)
		if !ok {
			i++
			continue
		}
		b.WriteString(s[done:m.from])
		b.WriteString(Open)
		b.WriteString(m.kind)
		b.WriteString(Close)
		if c.found == nil {
			c.found = map[string]int{}
		}
		c.found[m.kind]++
		done, i = m.to, m.to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// Total returns how many credentials were replaced so far.
func (c *Counter) Total() (n int) {
	for _, count := range c.found {
		n += count
	}
	return n
}

// Counts returns the numbers by kind, sorted by kind; nil when nothing was replaced.
func (c *Counter) Counts() (counts []Count) {
	for _, kind := range slices.Sorted(maps.Keys(c.found)) {
		counts = append(counts, Count{Kind: kind, Count: c.found[kind]})
	}
	return counts
}

// Text returns s with every credential replaced by its marker, and how many there were.
func Text(s string) (string, int) {
	var c Counter
	s = c.Text(s)
	return s, c.Total()
}

// match is a credential: s[from:to] of the text, never empty, and from is not before the place where the rule was asked.
type match struct {
	from, to int
	kind     string
}

// find returns the credential that the rules see from the byte at i. What they replace begins at i or after it.
func find(s string, i int) (match, bool) {
	switch c := s[i]; {
	case c == '=' || c == ':':
		if c == ':' {
			if m, ok := address(s, i); ok {
				return m, true
			}
			if m, ok := telegram(s, i); ok {
				return m, true
			}
		}
		return assigned(s, i)
	case c == '>':
		return element(s, i)
	case c == '-':
		if m, ok := privateKey(s, i); ok {
			return m, true
		}
		return flag(s, i)
	case !starts[c] || !boundary(s, i):
		return match{}, false
	case c == 'e':
		if m, ok := webToken(s, i); ok {
			return m, true
		}
	case c == 'b' || c == 'B':
		if m, ok := header(s, i); ok {
			return m, true
		}
	}
	return issued(s, i)
}

// The tables are made when the first text is redacted: most runs of the program redact none.
var (
	starts  [256]bool       // the bytes with which a credential, or the word before it, can begin
	byFirst [256][]vendor   // the vendors whose prefix begins with a byte, in the order of the table
	nothing map[string]bool // the words that are found where a value would be: that there is none, or of which type it is
)

var prepare = sync.OnceFunc(func() {
	for _, c := range "ebB" {
		starts[c] = true
	}
	for _, v := range vendors() {
		first := v.prefix[0]
		starts[first] = true
		byFirst[first] = append(byFirst[first], v)
	}
	nothing = map[string]bool{}
	for w := range strings.FieldsSeq(noValues) {
		nothing[w] = true
	}
})

// boundary reports whether a word can begin at i: the byte before is neither letter nor digit, or it is the end of an
// escape (\n of JSON, %3D of an address, a colour of a terminal), which to a reader is no part of the word.
func boundary(s string, i int) bool {
	if i == 0 || !alnum(s[i-1]) {
		return true
	}
	last := s[i-1]
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrtbfv", last) >= 0 {
		return true
	}
	if i >= 3 && s[i-3] == '%' && hex(s[i-2]) && hex(last) {
		return true
	}
	if i >= 6 && s[i-6] == '\\' && s[i-5] == 'u' && hex(s[i-4]) && hex(s[i-3]) && hex(s[i-2]) && hex(last) {
		return true
	}
	if last != 'm' && last != 'K' {
		return false
	}
	for k := i - 2; k >= 0 && i-k < 20; k-- {
		if s[k] == '[' {
			return true
		}
		if s[k] != ';' && (s[k] < '0' || s[k] > '9') {
			return false
		}
	}
	return false
}
