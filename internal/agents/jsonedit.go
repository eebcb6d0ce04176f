package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// entry is what lore puts into a JSON configuration: a member of an object, or an item of an array where Key is empty.
type entry struct {
	path  []string // of keys from the root to the object, or to the array
	key   string
	value string // compact JSON
}

// insert puts an entry into a text as the first of its siblings, with the objects on the way that are not there. It
// returns the text that was put in: taking that out again gives the text before, byte for byte.
func insert(text string, e entry) (after, inserted string, err error) {
	d, err := parse(text)
	if err != nil {
		return "", "", err
	}
	at, depth := &d.root, 0
	for _, key := range e.path {
		next := at.get(key)
		if next == nil {
			break
		}
		want := byte('{')
		if e.key == "" && depth == len(e.path)-1 {
			want = '['
		}
		if next.kind != want {
			return "", "", fmt.Errorf("%s is not what it should be", strings.Join(e.path[:depth+1], "."))
		}
		at = next
		depth++
	}
	piece := e.piece(depth)
	inserted = d.asFirst(at, piece)
	place := at.from + 1
	if s := sameLineComment(d.text[place:]); strings.HasPrefix(inserted, "\n") || strings.HasPrefix(inserted, "\r\n") {
		place += s
	}
	return text[:place] + inserted + text[place:], inserted, nil
}

// piece returns what is missing from a depth of the path on, as compact JSON, with its key where it is a member.
func (e *entry) piece(depth int) string {
	s := e.value
	if e.key != "" {
		s = quoteKey(e.key) + s
	}
	for i := len(e.path) - 1; i >= depth; i-- {
		if open, shut := "{", "}"; i == len(e.path)-1 && e.key == "" {
			s = quoteKey(e.path[i]) + "[" + s + "]"
		} else {
			s = quoteKey(e.path[i]) + open + s + shut
		}
	}
	return s
}

func quoteKey(key string) string {
	b, _ := json.Marshal(key)
	return string(b) + ":"
}

// asFirst writes a piece as the first child of an object or array, in the manner of the text: on lines of its own with its
// indent, or on the same line where the others are.
func (d *document) asFirst(at *node, piece string) string {
	first := -1
	if len(at.members) > 0 {
		first = at.members[0].from
	} else if len(at.items) > 0 {
		first = at.items[0].from
	}
	newline := "\n"
	if strings.Contains(d.text, "\r\n") {
		newline = "\r\n"
	}
	if first >= 0 {
		between := d.text[at.from+1 : first]
		i := strings.LastIndexByte(between, '\n')
		if i < 0 {
			return spaced(piece) + ", "
		}
		indent := between[i+1:]
		if strings.TrimLeft(indent, " \t") != "" {
			indent = d.indentOf(at) + d.unit()
		}
		return newline + indent + indented(piece, indent, d.unit(), newline) + ","
	}
	outer := d.indentOf(at)
	indent := outer + d.unit()
	s := newline + indent + indented(piece, indent, d.unit(), newline)
	if !strings.Contains(d.text[at.from:at.to], "\n") {
		s += newline + outer
	}
	return s
}

// indentOf returns the white space at the begin of the line on which a value begins.
func (d *document) indentOf(n *node) string {
	line := d.text[strings.LastIndexByte(d.text[:n.from], '\n')+1 : n.from]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// unit returns the indent of one level, as the text has it: that of the first member of the root, else two blanks.
func (d *document) unit() string {
	if len(d.root.members) > 0 {
		between := d.text[d.root.from+1 : d.root.members[0].from]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			if s := between[i+1:]; s != "" && strings.Trim(s, " \t") == "" {
				return s
			}
		}
	}
	return "  "
}

// indented writes a piece over several lines. What is no whole JSON text, a member, is made one for a moment.
func indented(piece, prefix, unit, newline string) string {
	const open, shut = "{", "}"
	whole := piece
	member := strings.HasPrefix(piece, `"`)
	if member {
		whole, prefix = open+piece+shut, strings.TrimSuffix(prefix, unit)
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(whole), prefix, unit) != nil {
		return piece
	}
	s := b.String()
	if member {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return strings.ReplaceAll(s, "\n", newline)
}

// spaced writes a piece on one line, with a blank behind colons and commas outside of strings.
func spaced(piece string) string {
	var b strings.Builder
	in := false
	for i := 0; i < len(piece); i++ {
		c := piece[i]
		b.WriteByte(c)
		switch {
		case c == '\\' && in:
			i++
			b.WriteByte(piece[i])
		case c == '"':
			in = !in
		case (c == ':' || c == ',') && !in:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// sameLineComment returns the length of a comment that stands behind an opening bracket on its line, with the blanks
// before it.
func sameLineComment(rest string) int {
	line := rest
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		line = rest[:i]
	} else {
		return 0
	}
	line = strings.TrimSuffix(line, "\r")
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), "//") {
		return len(line)
	}
	return 0
}

// withdraw takes out what insert has put in. Where the text was changed since so that this does not stand there as it was
// put, the entry alone goes, and what lore made around it where nothing is left in it.
func withdraw(text, inserted string, e entry) (string, error) {
	if _, err := parse(text); err != nil {
		return "", err
	}
	if inserted != "" && strings.Count(text, inserted) == 1 {
		before, after, _ := strings.Cut(text, inserted)
		if _, err := parse(before + after); err == nil && !leavesComma(before, inserted, after) {
			return before + after, nil
		}
	}
	made := 0 // objects on the way that lore made
	if inserted != "" {
		for i := range e.path {
			if strings.Contains(inserted, quoteKey(e.path[i])) || strings.Contains(inserted, strings.TrimSuffix(quoteKey(e.path[i]), ":")) {
				made = len(e.path) - i
				break
			}
		}
	}
	return removeEntry(text, e, made)
}

// leavesComma reports whether a comma would stand before a closing bracket that did not stand there while the entry was
// between the two: not every agent reads that.
func leavesComma(before, inserted, after string) bool {
	before, after = strings.TrimRight(before, " \t\r\n"), strings.TrimLeft(after, " \t\r\n")
	return strings.HasSuffix(before, ",") && after != "" && (after[0] == '}' || after[0] == ']') && !strings.HasSuffix(inserted, ",")
}

// removeEntry takes an entry out by its place in the structure.
func removeEntry(text string, e entry, made int) (string, error) {
	d, err := parse(text)
	if err != nil {
		return "", err
	}
	chain := []*node{&d.root}
	for _, key := range e.path {
		next := chain[len(chain)-1].get(key)
		if next == nil {
			return text, nil
		}
		chain = append(chain, next)
	}
	at := chain[len(chain)-1]
	from, to := -1, -1
	if e.key != "" {
		if i := slices.IndexFunc(at.members, func(m member) bool { return m.key == e.key }); i >= 0 {
			from, to = at.members[i].from, at.members[i].value.to
		}
	} else if i := slices.IndexFunc(at.items, func(n node) bool { return d.compact(&n) == e.value }); i >= 0 {
		from, to = at.items[i].from, at.items[i].to
	}
	if from < 0 {
		return text, nil
	}
	// What lore made and what holds nothing else goes with it.
	for depth := len(e.path); depth > 0 && made > 0; depth, made = depth-1, made-1 {
		if n := chain[depth]; len(n.members)+len(n.items) != 1 {
			break
		}
		outer := chain[depth-1]
		i := slices.IndexFunc(outer.members, func(m member) bool { return m.key == e.path[depth-1] })
		from, to = outer.members[i].from, outer.members[i].value.to
	}
	return cutOut(text, from, to)
}

// cutOut removes a child with the comma that belongs to it, and its line where nothing else stands on it.
func cutOut(text string, from, to int) (string, error) {
	p := &parser{text: text}
	if i := p.space(to); i < len(text) && text[i] == ',' {
		to = i + 1
	} else if i := strings.LastIndexByte(text[:from], ','); i >= 0 && p.space(i+1) == from {
		from = i
	}
	line := strings.LastIndexByte(text[:from], '\n') + 1
	end := strings.IndexByte(text[to:], '\n')
	if end >= 0 && line > 0 && strings.TrimSpace(text[line:from]) == "" && strings.TrimSpace(text[to:to+end]) == "" {
		from, to = line, to+end+1
	}
	out := text[:from] + text[to:]
	if _, err := parse(out); err != nil {
		return "", fmt.Errorf("the entry cannot be taken out without breaking the file (%w)", err)
	}
	return out, nil
}
