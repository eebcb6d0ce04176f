package copilot

// past remembers the requests of a session in the order of the record, those that were taken back among them, and what
// was cut from answers.
type past struct {
	turns []*turn
	live  map[*node]*turn
	ids   map[*node]string
}

// turn is one request with its answer.
type turn struct {
	id     string // requestId; may be empty
	req    *node
	gone   bool    // taken back
	cut    []*node // elements that the answer had once
	twins  []int32 // units of other files that say the turn again
	script *script // the turn as the transcript tells it; req is nil when only that does
	folded uint64  // of the prompt; 0: not made yet
}

// sync brings the turns in line with the requests that the state has now. A request that comes back under its id is the
// same turn; one that is not there any more stays behind its last surviving predecessor.
func (p *past) sync(s *state) {
	requests := s.get(s.root, "requests")
	now := make([]*turn, 0, len(p.turns)+1)
	live := map[*node]*turn{}
	byID := map[string]*turn{}
	for _, t := range p.turns {
		if before := byID[t.id]; t.id != "" && (before == nil || before.gone) {
			byID[t.id] = t
		}
	}
	used := map[*turn]bool{}
	for _, n := range s.items(requests) {
		t := p.live[n]
		if t == nil && n.isObject() {
			id := p.idOf(s, n)
			if t = byID[id]; id == "" || t == nil || used[t] {
				t = &turn{id: id}
			}
		}
		if t == nil || used[t] {
			continue
		}
		used[t] = true
		t.become(s, n)
		live[n] = t
		now = append(now, t)
	}
	p.live = live
	p.turns = between(now, p.turns, used)
}

// become gives a turn its newest request. What the answer was before may hold more than what it is now.
func (t *turn) become(s *state, n *node) {
	if t.req != nil && t.req != n {
		t.cut = append(t.cut, s.of(s.get(t.req, "response")).kids...)
	}
	t.req, t.gone = n, false
}

// between puts the turns that are gone behind those that stood before them.
func between(now, before []*turn, used map[*turn]bool) []*turn {
	behind := map[*turn][]*turn{}
	var last *turn
	for _, t := range before {
		if used[t] {
			last = t
			continue
		}
		t.gone = true
		behind[last] = append(behind[last], t)
	}
	all := append(make([]*turn, 0, len(now)+len(before)), behind[nil]...)
	for _, t := range now {
		all = append(append(all, t), behind[t]...)
	}
	return all
}

// drop notes elements that an answer has lost.
func (p *past) drop(req *node, elements []*node) {
	if t := p.live[req]; t != nil {
		t.cut = append(t.cut, elements...)
	}
}

// idOf returns the id of a request.
func (p *past) idOf(s *state, n *node) string {
	if id, ok := p.ids[n]; ok {
		return id
	}
	if p.ids == nil {
		p.ids = map[*node]string{}
	}
	id := s.text(s.get(n, "requestId"))
	p.ids[n] = id
	return id
}

// renamed takes note of another id of a request.
func (p *past) renamed(s *state, req *node) {
	delete(p.ids, req)
	if t := p.live[req]; t != nil {
		t.id = p.idOf(s, req)
	}
}

// add puts turns that only another file has behind the turn with the given place; -1: before all.
func (p *past) add(place int, t *turn) int {
	place++
	for place < len(p.turns) && p.turns[place].gone {
		place++
	}
	p.turns = append(p.turns[:place:place], append([]*turn{t}, p.turns[place:]...)...)
	return place
}

// find returns the place of the turn with an id, one that is there before one that is gone; -1 for none.
func (p *past) find(id string) int {
	at := -1
	for i, t := range p.turns {
		if id != "" && t.id == id && (at < 0 || p.turns[at].gone) {
			at = i
		}
	}
	return at
}
