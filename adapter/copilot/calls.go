package copilot

// calls joins the two accounts of an answer's calls: the invocations that it shows, and the rounds of the model with the
// real arguments and results.
type calls struct {
	of      map[int]*called  // by the index of the element that shows it
	before  map[int][]extra  // what only the rounds tell, by the index of the element before which it belongs
	results map[string]*node // by the plain id of the call
}

// called is a call as a round tells it.
type called struct {
	node *node
	id   string
	name string
	args *node
	at   int // index of the element that shows it; -1: none
	open bool
}

// extra is a piece of a round that the answer does not show: a call, or else thinking or words.
type extra struct {
	call *called
	node *node
	what byte // 'c', 't' or 'w'
}

// invocation is a call as the answer shows it.
type invocation struct {
	at       int
	id, tool string

	taken     bool // a round's call is paired with it
	announced bool // a preparation stands before it
}

// look is what a look over an answer has found.
type look struct {
	invocations []*invocation
	words       bool
	thinking    bool

	text   []byte          // what it says, without white space
	starts []int           // where in text each element begins
	keys   map[string]bool // of its elements without words
	room   []byte          // for what is compared with it
}

// join pairs the calls of a request's rounds with those that its answer shows, and finds a place for what is left over.
func (s *state) join(req *node, seen *look, length int) *calls {
	c := &calls{of: map[int]*called{}, before: map[int][]extra{}, results: map[string]*node{}}
	meta := s.get(req, "result", "metadata")
	if results := s.get(meta, "toolCallResults"); results.isObject() {
		m := s.of(results)
		for i, key := range m.keys {
			c.results[plainCall(key)] = m.kids[i]
		}
	}
	type round struct {
		node  *node
		calls []*called
	}
	var rounds []round
	var all []*called
	for _, n := range s.items(s.get(meta, "toolCallRounds")) {
		r := round{node: n}
		for _, k := range s.items(s.get(n, "toolCalls")) {
			call := &called{node: k, id: s.text(s.get(k, "id")), name: s.text(s.get(k, "name")), args: s.get(k, "arguments"), at: -1}
			r.calls = append(r.calls, call)
			all = append(all, call)
		}
		rounds = append(rounds, r)
	}
	pair(all, seen.invocations)
	for _, call := range all {
		if call.at >= 0 {
			c.of[call.at] = call
		}
	}
	place := -1 // behind the element that showed the call before
	for i, call := range all {
		if call.at >= 0 {
			place = call.at + 1
			continue
		}
		call.at = c.place(place, all[i+1:], length)
	}
	for _, r := range rounds {
		at := length
		if len(r.calls) > 0 {
			at = r.calls[0].at
		}
		if !seen.thinking {
			if t := s.get(r.node, "thinking"); t != nil {
				c.before[at] = append(c.before[at], extra{node: t, what: 't'})
			}
		}
		if !seen.words {
			if w := s.get(r.node, "response"); w.isString() && w.len > 2 {
				c.before[at] = append(c.before[at], extra{node: w, what: 'w'})
			}
		}
		for _, call := range r.calls {
			if c.of[call.at] != call {
				c.before[call.at] = append(c.before[call.at], extra{call: call, what: 'c'})
			}
		}
	}
	return c
}

// place returns where a call belongs that the answer does not show: behind the one before it, else before the one behind
// it, else at the end.
func (c *calls) place(behind int, rest []*called, length int) int {
	if behind >= 0 {
		return behind
	}
	for _, call := range rest {
		if call.at >= 0 {
			return call.at
		}
	}
	return length
}

// pair gives each call the invocation that shows it: by id, else in order among those of the same tool.
func pair(all []*called, shown []*invocation) {
	byID := map[string]*invocation{}
	for _, v := range shown {
		if v.id != "" {
			byID[plainCall(v.id)] = v
		}
	}
	for _, call := range all {
		if v := byID[plainCall(call.id)]; call.id != "" && v != nil && !v.taken {
			v.taken, call.at = true, v.at
		}
	}
	next := 0
	for _, call := range all {
		if call.at >= 0 {
			continue
		}
		for n := range len(shown) {
			i := (next + n) % len(shown)
			if v := shown[i]; !v.taken && sameTool(v.tool, call.name) {
				v.taken, call.at, next = true, v.at, i+1
				break
			}
		}
	}
}
