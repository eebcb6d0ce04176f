package copilot

import (
	"fmt"

	"lore"
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
	way, why := s.reach(o.path)
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
	switch len(o.path) {
	case 1, 2:
		s.past.sync(s)
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

// reach walks to the container that the last step of a path speaks of, and returns all that it came through.
func (s *state) reach(path []step) (way []*node, why string) {
	way = append(make([]*node, 0, len(path)), s.root)
	for i := range path[:len(path)-1] {
		n, why := s.enter(way[i], path[i], path[i+1])
		if why != "" {
			return nil, fmt.Sprintf("%s at %s", why, written(path[:i+1]))
		}
		way = append(way, n)
	}
	return way, ""
}

// enter returns a container inside of another. A missing one is made, of the sort that the next step needs; in an array
// only where the log has lost its beginning, for elsewhere it would shift what is pushed later.
func (s *state) enter(n *node, at, next step) (*node, string) {
	m := s.of(n)
	i := at.index
	switch {
	case n.isObject():
		i = m.find(at.key)
	case i < 0:
		return nil, "no index"
	}
	if i >= 0 && i < len(m.kids) && m.kids[i] != nil {
		if k := m.kids[i]; k.isObject() || k.isArray() {
			return k, ""
		}
		return nil, "neither an object nor an array"
	}
	kind := byte('{')
	if next.index >= 0 {
		kind = '['
	}
	fresh := made(kind, n)
	switch {
	case n.isObject():
		m.put(at.key, fresh)
	case s.headless && i == len(m.kids):
		m.kids = append(m.kids, fresh)
	default:
		return nil, fmt.Sprintf("no such element in %d", len(m.kids))
	}
	m.made = true
	return fresh, ""
}

// made is a container that no file holds.
func made(kind byte, in *node) *node {
	n := &node{span: span{kind: kind}, unit: -1, in: &members{made: true}}
	if in != nil {
		n.src = in.src
	}
	return n
}

// put sets a member or element and returns what it replaces.
func (s *state) put(n *node, at step, value *node) (dropped []*node, why string) {
	m := s.of(n)
	if n.isObject() {
		if i := m.find(at.key); i >= 0 && m.kids[i] != nil {
			dropped = []*node{m.kids[i]}
		}
		m.put(at.key, value)
		return dropped, ""
	}
	if why := s.pad(n, at.index); why != "" {
		return nil, why
	}
	if at.index == len(m.kids) {
		m.kids = append(m.kids, value)
		return nil, ""
	}
	if old := m.kids[at.index]; old != nil {
		dropped = []*node{old}
	}
	m.kids[at.index] = value
	return dropped, ""
}

// remove deletes a member; of an array it leaves a hole.
func (s *state) remove(n *node, at step) (dropped []*node, why string) {
	m := s.of(n)
	i := at.index
	if n.isObject() {
		i = m.find(at.key)
	} else if i < 0 {
		return nil, "no index"
	}
	if i < 0 || i >= len(m.kids) {
		return nil, "" // nothing was there
	}
	if m.kids[i] != nil {
		dropped = []*node{m.kids[i]}
	}
	m.kids[i] = nil
	if n.isObject() {
		m.keys = append(m.keys[:i:i], m.keys[i+1:]...)
		m.kids = append(m.kids[:i:i], m.kids[i+1:]...)
	}
	return dropped, ""
}

// push cuts an array to the step's index, if it has one, and appends its values.
func (s *state) push(n *node, at step, o op) (dropped []*node, why string) {
	if o.value != nil && !o.value.isArray() {
		return nil, "a push of no list"
	}
	cut, whole := o.index.Int()
	if o.index.Exists() && !o.index.IsNull() && (!whole || cut < 0) {
		return nil, fmt.Sprintf("a cut at index %s", clip(string(o.index.Raw())))
	}
	array, why := s.array(n, at)
	if why != "" {
		return nil, why
	}
	m := s.of(array)
	if whole && cut < int64(len(m.kids)) {
		for _, k := range m.kids[cut:] {
			if k != nil {
				dropped = append(dropped, k)
			}
		}
		m.kids = m.kids[:cut:cut]
	} else if whole {
		if why := s.pad(array, int(min(cut, 1<<31-1))); why != "" {
			return nil, why
		}
	}
	m.kids = append(m.kids, s.of(o.value).kids...)
	m.made = true
	return dropped, ""
}

// array returns the array that a push speaks of; a missing one is made.
func (s *state) array(n *node, at step) (*node, string) {
	m := s.of(n)
	i := at.index
	switch {
	case n.isObject():
		i = m.find(at.key)
	case i < 0:
		return nil, "no index"
	}
	if i >= 0 && i < len(m.kids) && !m.kids[i].isNull() {
		if !m.kids[i].isArray() {
			return nil, "a push to what is no array"
		}
		return m.kids[i], ""
	}
	fresh := made('[', n)
	_, why := s.put(n, at, fresh)
	return fresh, why
}

// pad lengthens an array with holes up to an index.
func (s *state) pad(n *node, index int) (why string) {
	m := s.of(n)
	switch holes := index - len(m.kids); {
	case index < 0:
		return "no index"
	case holes > maxHoles:
		return fmt.Sprintf("index %d of %d", index, len(m.kids))
	case holes > 0:
		m.kids = append(m.kids, make([]*node, holes)...)
		s.losses.more(n.src, lore.BadPatch, lore.Info, 0, "elements left out behind the end of an array", holes)
	}
	return ""
}
