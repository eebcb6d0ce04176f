package copilot

import (
	"fmt"

	"lore/adapter/kit"
)

// The kinds of step in an operation log.
const (
	kindInitial = 0
	kindSet     = 1
	kindPush    = 2
	kindDelete  = 3
)

// maxHoles is how many elements a step may leave out behind the end of an array.
const maxHoles = 1 << 12

// state is a session as its files tell it: the tree that the tool would have in memory, and what it had before.
type state struct {
	*reader
	units  *units
	losses *losses
	root   *node
	past   past

	headless bool // the log has no initial entry so far
	headed   bool // it had one
}

// op is one step of the log, decoded but for its value.
type op struct {
	kind  int64
	path  []step
	value *node // nil: absent
	index kit.Value
}

// verdict is what became of a step.
type verdict struct {
	fate fate
	name string
	why  string // of damage
}

func damaged(format string, args ...any) verdict {
	return verdict{fate: fateDamaged, why: fmt.Sprintf(format, args...)}
}

// apply applies a step. The unit of its value is set by the caller before.
func (s *state) apply(o op) verdict {
	if o.kind == kindInitial {
		return s.initial(o)
	}
	if s.root == nil {
		s.root, s.headless = made('{', nil), true
	}
	if len(o.path) == 0 {
		if o.kind == kindPush {
			return damaged("a push without a path")
		}
		return verdict{fate: fateSkipped, name: "step without a path"} // it has no effect in the tool either
	}
	v := s.meaning(o)
	if why := s.change(o, &v); why != "" {
		return damaged("%s", why)
	}
	return v
}

func (s *state) initial(o op) verdict {
	if !o.value.isObject() {
		return damaged("an initial entry without a state")
	}
	s.root, s.headed, s.headless = o.value, true, false
	s.past.sync(s)
	return verdict{name: "initial"}
}

// meaning tells what a step is about, before it is applied.
func (s *state) meaning(o op) verdict {
	name := subject(o.path)
	switch {
	case told[name]:
		return verdict{fate: fateOpen, name: name}
	case flags[name]:
		return verdict{fate: fateFlag, name: name}
	case passed[name] || passed[subject(o.path[:1])]:
		return verdict{fate: fateSkipped, name: name}
	}
	return verdict{fate: fateUnknown, name: name}
}

// change applies a step that has a path. It returns why it cannot.
func (s *state) change(o op, v *verdict) (why string) {
	way, attach, why := s.reach(o.path)
	if why != "" {
		return why
	}
	last := o.path[len(o.path)-1]
	var dropped []*node
	switch {
	case o.kind == kindPush:
		dropped, why = s.push(way[len(way)-1], last, o)
	case o.kind == kindDelete || o.value == nil:
		dropped, why = s.remove(way[len(way)-1], last)
	default:
		dropped, why = s.put(way[len(way)-1], last, o.value)
	}
	if why != "" {
		return fmt.Sprintf("%s at %s", why, written(o.path))
	}
	attach()
	for _, n := range way {
		n.in.made = true
	}
	s.note(o, way, dropped)
	if o.value == nil && v.fate == fateOpen && len(dropped) > 0 {
		v.fate = fateKept // that something was withdrawn is said nowhere else
	}
	return ""
}

// note tells the past what a step took away.
func (s *state) note(o op, way []*node, dropped []*node) {
	if o.path[0].key != "requests" {
		return
	}
	if len(o.path) < 3 || s.past.live[way[2]] == nil { // the step may have made the request
		s.past.sync(s)
	}
	switch len(o.path) {
	case 3:
		switch o.path[2].key {
		case "requestId":
			s.past.renamed(s, way[2])
		case "response":
			if o.kind != kindPush && len(dropped) == 1 {
				dropped = s.of(dropped[0]).kids
			}
			s.past.drop(way[2], dropped)
		}
	case 4:
		if o.path[2].key == "response" && o.kind != kindPush {
			s.past.drop(way[2], dropped)
		}
	}
}

// reach walks to the container that the last step of a path speaks of, and returns all that it came through. Containers
// that are missing are made; attach puts them into the state, when the step has proved to be sound.
func (s *state) reach(path []step) (way []*node, attach func(), why string) {
	way = append(make([]*node, 0, len(path)), s.root)
	attach = func() {}
	whole := true
	for i := range path[:len(path)-1] {
		n, put, why := s.enter(way[i], path[i], path[i+1])
		if why != "" {
			return nil, nil, fmt.Sprintf("%s at %s", why, written(path[:i+1]))
		}
		if put != nil && whole {
			whole, attach = false, put
		} else if put != nil {
			put() // into what is not attached itself
		}
		way = append(way, n)
	}
	return way, attach, ""
}

// enter returns a container inside of another. A missing one is made, of the sort that the next step needs, and put says
// where it belongs; in an array only where the log has lost its beginning, for elsewhere it would shift what is pushed
// later.
func (s *state) enter(n *node, at, next step) (in *node, put func(), why string) {
	m := s.of(n)
	i := at.index
	switch {
	case n.isObject():
		i = m.find(at.key)
	case i < 0:
		return nil, nil, "no index"
	}
	if i >= 0 && i < len(m.kids) && m.kids[i] != nil {
		if k := m.kids[i]; k.isObject() || k.isArray() {
			return k, nil, ""
		}
		return nil, nil, "neither an object nor an array"
	}
	kind := byte('{')
	if next.index >= 0 {
		kind = '['
	}
	fresh := made(kind, n)
	switch {
	case n.isObject():
		return fresh, func() { m.put(at.key, fresh) }, ""
	case s.headless && i == len(m.kids):
		return fresh, func() { m.kids = append(m.kids, fresh) }, ""
	}
	return nil, nil, fmt.Sprintf("no such element in %d", len(m.kids))
}

// made is a container that no file holds.
func made(kind byte, in *node) *node {
	n := &node{span: span{kind: kind}, unit: -1, in: &members{made: true}}
	if in != nil {
		n.src = in.src
	}
	return n
}
