package copilot

import (
	"fmt"

	"lore"
	"lore/adapter/kit"
)

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
		return nil, fmt.Sprintf("a cut at index %s", kit.Clip(string(o.index.Raw())))
	}
	if whole && cut > maxHoles+int64(s.length(n, at)) {
		return nil, fmt.Sprintf("a cut at index %d", cut)
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

// length returns how many elements the array has that a push speaks of.
func (s *state) length(n *node, at step) int {
	i := at.index
	m := s.of(n)
	if n.isObject() {
		i = m.find(at.key)
	}
	if i < 0 || i >= len(m.kids) {
		return 0
	}
	return len(s.of(m.kids[i]).kids)
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
