package copilot

import "iter"

// node is a value of a session's state: a place in a file until something in it is asked for or changed, then its
// members. No node holds text.
type node struct {
	src *file
	span
	unit int32 // that wrote it; -1: the document around the requests
	in   *members
}

// members are what an object or array consists of.
type members struct {
	keys []string // of an object, beside kids; nil for an array
	kids []*node  // nil is a hole in an array
	made bool     // a step of the log changed something: the span does not tell the value any more
}

func (n *node) isObject() bool { return n != nil && n.kind == '{' }
func (n *node) isArray() bool  { return n != nil && n.kind == '[' }
func (n *node) isString() bool { return n != nil && n.kind == '"' }

// isNull reports whether nothing is there: no node, a hole, or null.
func (n *node) isNull() bool { return n == nil || n.kind == 'n' }

// layout finds members of nodes. One walker serves a whole reading.
type layout struct {
	walker walker
	loss   func(n *node, what string) // told of a value that is no JSON inside; may be nil
}

// plan says how deep a value is laid out at once: what is asked for later anyway is found in one pass.
type plan struct {
	members map[string]*plan // of an object
	items   *plan            // of an array
}

// The parts of a session that are looked into. Elements of an answer and results of tools are read whole.
var (
	leaf       = &plan{}
	listOf     = func(p *plan) *plan { return &plan{items: p} }
	resultPlan = &plan{members: map[string]*plan{
		"usage": leaf, "errorDetails": leaf,
		"metadata": {members: map[string]*plan{
			"toolCallResults": leaf, "summary": leaf, "usage": leaf,
			"toolCallRounds": listOf(&plan{members: map[string]*plan{"toolCalls": listOf(leaf), "thinking": leaf}}),
		}},
	}}
	requestPlan = &plan{members: map[string]*plan{
		"message": leaf, "variableData": {members: map[string]*plan{"variables": leaf}}, "response": leaf, "result": resultPlan,
		"modelTotals": listOf(leaf), "modelState": leaf,
	}}
	requestsPlan = listOf(requestPlan)
	sessionPlan  = &plan{members: map[string]*plan{"requests": requestsPlan, "repoData": leaf}}
)

// build makes the node of the value at which the walker stands, with its members as far as the plan goes.
func (w *walker) build(src *file, unit int32, p *plan) (*node, error) {
	c := w.peek()
	if p == nil || c != '{' && c != '[' {
		at, err := w.skip()
		return &node{src: src, span: at, unit: unit}, err
	}
	n := &node{src: src, span: span{off: w.at(), kind: c}, unit: unit, in: &members{}}
	var err error
	if c == '[' {
		err = w.array(func() error {
			k, err := w.build(src, unit, p.items)
			if err == nil {
				n.in.kids = append(n.in.kids, k)
			}
			return err
		})
	} else {
		err = w.object(func(key string) error {
			k, err := w.build(src, unit, p.members[key])
			if err == nil {
				n.in.put(key, k)
			}
			return err
		})
	}
	n.len = w.at() - n.off
	return n, err
}

// of returns the members of an object or array, found when they are asked for first.
func (l *layout) of(n *node) *members {
	if n == nil || n.kind != '{' && n.kind != '[' {
		return &members{}
	}
	if n.in != nil {
		return n.in
	}
	l.walker.reset(n.src.at, n.off, n.off+n.len)
	built, err := l.walker.build(n.src, n.unit, leaf)
	n.in = built.in
	if n.in == nil {
		n.in = &members{}
	}
	if err != nil && l.loss != nil {
		l.loss(n, err.Error())
	}
	return n.in
}

// give gives a node, and all that is laid out in it, to a unit.
func (n *node) give(unit int32) {
	n.unit = unit
	if n.in != nil {
		for _, k := range n.in.kids {
			k.give(unit)
		}
	}
}

// manyKeys is from how many members on equal keys are not looked for: such an object is a map of bytes, not a record.
const manyKeys = 4096

// put sets a member; of equal keys the last one counts.
func (m *members) put(key string, n *node) {
	if len(m.keys) < manyKeys {
		for i, k := range m.keys {
			if k == key {
				m.kids[i] = n
				return
			}
		}
	}
	m.keys = append(m.keys, key)
	m.kids = append(m.kids, n)
}

func (m *members) find(key string) int {
	for i := len(m.keys) - 1; i >= 0; i-- {
		if m.keys[i] == key {
			return i
		}
	}
	return -1
}

// get follows keys down from an object; nil where one is missing.
func (l *layout) get(n *node, path ...string) *node {
	for _, key := range path {
		if !n.isObject() {
			return nil
		}
		m := l.of(n)
		i := m.find(key)
		if i < 0 {
			return nil
		}
		n = m.kids[i]
	}
	return n
}

// items yields the elements of an array that are there, with their indexes.
func (l *layout) items(n *node) iter.Seq2[int, *node] {
	return func(yield func(int, *node) bool) {
		if !n.isArray() {
			return
		}
		for i, k := range l.of(n).kids {
			if k != nil && !yield(i, k) {
				return
			}
		}
	}
}
