package kimi

// merge fills a track with what only a memory holds. Calls and results meet by the id of the call, words in order by what
// they say; each turn is said again once. What the log does not say stands behind the turn before it.
func (t *track) merge(m *track) {
	t.ledger.Add(m.ledger)
	t.plain = append(t.plain, m.plain...)
	if t.order == nil {
		t.order = make([]int32, len(t.turns))
		for i := range t.order {
			t.order[i] = int32(i)
		}
	}
	base := newIndex(t)
	calls := m.callsOf()
	offset := int32(len(t.spots))
	for _, s := range m.spots {
		if s.next >= 0 {
			s.next += offset
		}
		t.spots = append(t.spots, s)
	}
	behind := map[int][]int32{} // by place in the order; -1: in front
	at := -1
	for i := range m.turns {
		n := m.turns[i]
		n.first, n.last = n.first+offset, n.last+offset
		mate := base.mate(t, &n, calls[int32(i)])
		if mate < 0 {
			behind[at] = append(behind[at], t.adopt(n, calls[int32(i)]))
			continue
		}
		for s := n.first; s >= 0; s = t.spots[s].next {
			t.spots[s].twin = true
		}
		t.spots[t.turns[mate].last].next = n.first
		t.turns[mate].last = n.last
		at = max(at, base.place[mate])
	}
	t.insert(behind)
}

// adopt takes over a turn that only the memory has.
func (t *track) adopt(n turn, calls []string) int32 {
	i := int32(len(t.turns))
	t.turns = append(t.turns, n)
	for _, id := range calls {
		if _, taken := t.calls[id]; !taken {
			t.calls[id] = i
		}
	}
	if _, taken := t.results[n.id]; n.what == result && !taken && n.id != "" {
		t.results[n.id] = i
	}
	return i
}

func (t *track) insert(behind map[int][]int32) {
	if len(behind) == 0 {
		return
	}
	order := append([]int32(nil), behind[-1]...)
	for i, n := range t.order {
		order = append(append(order, n), behind[i]...)
	}
	t.order = order
}

// callsOf returns the ids of the calls that each step makes.
func (t *track) callsOf() map[int32][]string {
	by := map[int32][]string{}
	for id, n := range t.calls {
		by[n] = append(by[n], id)
	}
	return by
}

// index finds turns by what they say, each once, in order.
type index struct {
	queue map[told][]int32
	place map[int32]int // in the order
	taken map[int32]bool
}

// thinks marks, in told, the thinking of a step without words.
const thinks = step | 0x80

func newIndex(t *track) *index {
	x := &index{queue: map[told][]int32{}, place: map[int32]int{}, taken: map[int32]bool{}}
	for at, i := range t.order {
		x.place[i] = at
		if k := t.turns[i].told(); k.words != noWords && k.what != 0 {
			x.queue[k] = append(x.queue[k], i)
		}
	}
	return x
}

// told is what two turns that say the same share.
func (n *turn) told() told {
	switch {
	case n.what == prompt || n.what == injected:
		return told{n.what, n.words}
	case n.what != step:
		return told{}
	case n.words != noWords:
		return told{step, n.words}
	}
	return told{thinks, n.musing}
}

// mate returns the turn that says what another one does, and takes it; -1 when there is none.
func (x *index) mate(t *track, n *turn, calls []string) int32 {
	mate := int32(-1)
	switch {
	case n.what == result:
		if i, ok := t.results[n.id]; ok {
			mate = i
		}
	case len(calls) > 0:
		for _, id := range calls { // several of one step: the first that made any of them
			if i, ok := t.calls[id]; ok && (mate < 0 || i < mate) {
				mate = i
			}
		}
	}
	if mate >= 0 {
		if _, ok := x.place[mate]; !ok || x.taken[mate] {
			return -1
		}
		x.taken[mate] = true
		return mate
	}
	if n.what == result || len(calls) > 0 {
		return -1
	}
	k := n.told()
	for list := x.queue[k]; len(list) > 0 && k.words != noWords; list = x.queue[k] {
		x.queue[k] = list[1:]
		if !x.taken[list[0]] {
			x.taken[list[0]] = true
			return list[0]
		}
	}
	return -1
}
