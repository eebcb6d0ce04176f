package agents

import (
	"encoding/json"
	"fmt"
	"strings"
)

// document is a JSON text, in which comments and a comma behind the last member are allowed, read for the places of its
// parts. It is edited as text, so that all else stays byte for byte.
type document struct {
	text string
	root node
}

// node is a value and where it stands.
type node struct {
	kind     byte // '{', '[', or 0 for any other value
	from, to int
	members  []member // of an object
	items    []node   // of an array
}

// member is a key with its value; from is where the key begins.
type member struct {
	key   string
	from  int
	value node
}

// maxDepth bounds how deep a configuration is nested.
const maxDepth = 200

// parse reads a text. An empty one is an empty object that is not there yet.
func parse(text string) (*document, error) {
	p := &parser{text: text}
	at := p.space(len(text) - len(strings.TrimPrefix(text, "\ufeff")))
	root, err := p.value(at, 0)
	if err != nil {
		return nil, err
	}
	if end := p.space(root.to); p.bad == nil && end < len(text) {
		return nil, p.fault(end, "more text after the end")
	}
	if p.bad != nil {
		return nil, p.bad
	}
	if root.kind != '{' {
		return nil, p.fault(root.from, "an object is expected")
	}
	return &document{text, root}, nil
}

type parser struct {
	text string
	bad  error // of a comment without an end
}

func (p *parser) fault(at int, what string) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(p.text[:min(at, len(p.text))], "\n"), what)
}

// space returns the place behind white space and comments.
func (p *parser) space(i int) int {
	for i < len(p.text) {
		switch {
		case strings.IndexByte(" \t\r\n", p.text[i]) >= 0:
			i++
		case strings.HasPrefix(p.text[i:], "//"):
			if n := strings.IndexByte(p.text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(p.text)
			}
		case strings.HasPrefix(p.text[i:], "/*"):
			n := strings.Index(p.text[i+2:], "*/")
			if n < 0 {
				p.bad = p.fault(i, "a comment has no end")
				return len(p.text)
			}
			i += n + 4
		default:
			return i
		}
	}
	return i
}

func (p *parser) value(i, depth int) (node, error) {
	switch {
	case i >= len(p.text):
		return node{}, p.fault(i, "the text ends too early")
	case depth > maxDepth:
		return node{}, p.fault(i, "nested too deep")
	case p.text[i] == '{':
		return p.object(i, depth)
	case p.text[i] == '[':
		return p.array(i, depth)
	case p.text[i] == '"':
		end, _, err := p.str(i)
		return node{from: i, to: end}, err
	}
	end := i
	for end < len(p.text) && strings.IndexByte(",]}/ \t\r\n", p.text[end]) < 0 {
		end++
	}
	if end == i || !json.Valid([]byte(p.text[i:end])) {
		return node{}, p.fault(i, "a value is expected")
	}
	return node{from: i, to: end}, nil
}

// str returns the end of a string and what it says.
func (p *parser) str(i int) (int, string, error) {
	for k := i + 1; k < len(p.text); k++ {
		switch p.text[k] {
		case '\\':
			k++
		case '"':
			var s string
			if err := json.Unmarshal([]byte(p.text[i:k+1]), &s); err != nil {
				return 0, "", p.fault(i, "a string is not valid")
			}
			return k + 1, s, nil
		case '\n':
			return 0, "", p.fault(i, "a string has no end")
		}
	}
	return 0, "", p.fault(i, "a string has no end")
}

func (p *parser) object(i, depth int) (node, error) {
	n := node{kind: '{', from: i}
	for i = p.space(i + 1); ; {
		if i < len(p.text) && p.text[i] == '}' {
			n.to = i + 1
			return n, nil
		}
		if i >= len(p.text) || p.text[i] != '"' {
			return n, p.fault(i, "a key in quotes is expected")
		}
		end, key, err := p.str(i)
		if err != nil {
			return n, err
		}
		m := member{key: key, from: i}
		if i = p.space(end); i >= len(p.text) || p.text[i] != ':' {
			return n, p.fault(i, "a colon is expected")
		}
		if m.value, err = p.value(p.space(i+1), depth+1); err != nil {
			return n, err
		}
		n.members = append(n.members, m)
		if i, err = p.comma(m.value.to, '}'); err != nil {
			return n, err
		}
	}
}

func (p *parser) array(i, depth int) (node, error) {
	n := node{kind: '[', from: i}
	for i = p.space(i + 1); ; {
		if i < len(p.text) && p.text[i] == ']' {
			n.to = i + 1
			return n, nil
		}
		item, err := p.value(i, depth+1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		if i, err = p.comma(item.to, ']'); err != nil {
			return n, err
		}
	}
}

// comma returns the place behind the comma after a value, or of the closing bracket.
func (p *parser) comma(i int, closing byte) (int, error) {
	i = p.space(i)
	if i < len(p.text) && p.text[i] == ',' {
		return p.space(i + 1), nil
	}
	if i < len(p.text) && p.text[i] == closing {
		return i, nil
	}
	return i, p.fault(i, "a comma is expected")
}

// get returns the value of a key, the last one where there are several.
func (n *node) get(key string) *node {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return &n.members[i].value
		}
	}
	return nil
}

// compact returns a value as JSON without white space and comments, to compare by.
func (d *document) compact(n *node) string {
	switch n.kind {
	case '{':
		var parts []string
		for i := range n.members {
			key, _ := json.Marshal(n.members[i].key)
			parts = append(parts, string(key)+":"+d.compact(&n.members[i].value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		var parts []string
		for i := range n.items {
			parts = append(parts, d.compact(&n.items[i]))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var v any
	if json.Unmarshal([]byte(d.text[n.from:n.to]), &v) != nil {
		return d.text[n.from:n.to]
	}
	b, _ := json.Marshal(v)
	return string(b)
}
