package codex

import "math/bits"

// window pairs the representations of one turn's words, one to one and in order: an event belongs to the first item of
// its text that has none yet, and the other way round. What was said in an earlier turn is out of reach, so the same
// words said again stay another message.
type window struct {
	slots  []slot
	chains []chain
	index  map[key]int32 // the chain of a key
}

// chain is the slots of one key, in order.
type chain struct {
	open [4]int32 // for each representation, by its bit: the first slot that may lack it
	tail int32
}

// key is what representations of one fact have in common.
type key struct {
	what what
	fold fold
}

// slot is one text that was said in the turn.
type slot struct {
	key    key
	turn   uint64 // digest of the turn id that its record named; 0: none
	unit   int32  // the unit that stands for it
	item   int32  // of a prompt: the item among its representations; -1: none
	event  int32  // of a prompt: the event; -1: none
	shown  int16  // how many images the item has
	told   int16  // how many the event has
	run    int32  // the slot of the user item before it in an unbroken run; -1: none
	next   int32
	reps   rep
	proved bool
	extra  bool // a second key of its unit
	solo   bool // the only slot of the unit that made it
}

// keep forgets the slots before one.
func (w *window) keep(from int) {
	kept := w.slots[from:]
	w.slots, w.chains = w.slots[:0], w.chains[:0]
	clear(w.index)
	for _, s := range kept { // each is read before the slot that it moves to is written
		s.run = max(s.run-int32(from), -1)
		w.add(s)
	}
}

// find returns the first slot of a key that lacks the representation; -1 when there is none.
func (w *window) find(k key, r rep, turn uint64) int32 {
	c, ok := w.index[k]
	if !ok {
		return -1
	}
	open := &w.chains[c].open[bits.TrailingZeros8(uint8(r))]
	for *open >= 0 && w.slots[*open].reps&r != 0 {
		*open = w.slots[*open].next
	}
	for i := *open; i >= 0; i = w.slots[i].next {
		s := &w.slots[i]
		if s.reps&r == 0 && (turn == 0 || s.turn == 0 || turn == s.turn) {
			return i
		}
	}
	return -1
}

// take finds a slot and notes that it has the representation now.
func (w *window) take(k key, r rep, turn uint64) int32 {
	i := w.find(k, r, turn)
	if i >= 0 {
		w.slots[i].reps |= r
	}
	return i
}

// last returns the latest slot of a key, whatever it has; -1 when there is none.
func (w *window) last(k key) int32 {
	if c, ok := w.index[k]; ok {
		return w.chains[c].tail
	}
	return -1
}

func (w *window) add(s slot) int32 {
	at := int32(len(w.slots))
	s.next = -1
	w.slots = append(w.slots, s)
	c, ok := w.index[s.key]
	if !ok {
		if w.index == nil {
			w.index = map[key]int32{}
		}
		w.index[s.key] = int32(len(w.chains))
		w.chains = append(w.chains, chain{open: [4]int32{at, at, at, at}, tail: at})
		return at
	}
	chain := &w.chains[c]
	w.slots[chain.tail].next = at
	chain.tail = at
	for n := range chain.open {
		if chain.open[n] < 0 {
			chain.open[n] = at
		}
	}
	return at
}

// said is one record's words, to be paired.
type said struct {
	unit  int32
	rep   rep
	turn  uint64
	keys  []key // one for each text
	extra []key // further keys by which the whole may be found
}

// pair finds the other representations of what was said and settles which unit stands. It returns the slot of the first
// key.
func (s *scan) pair(w said) int32 {
	s.found = s.found[:0]
	complete, found := true, false
	for _, k := range w.keys {
		i := s.window.take(k, w.rep, w.turn)
		s.found = append(s.found, i)
		complete, found = complete && i >= 0, found || i >= 0
	}
	for _, k := range w.extra {
		i := s.window.take(k, w.rep, w.turn)
		s.found = append(s.found, i)
		complete, found = complete || i >= 0, found || i >= 0
	}
	if found {
		s.settle(w, complete)
	}
	add := slot{turn: w.turn, unit: s.units[w.unit].owner, item: -1, event: -1, run: -1, reps: w.rep, solo: len(w.keys)+len(w.extra) == 1}
	for n, k := range w.keys {
		if s.found[n] < 0 {
			add.key = k
			s.found[n] = s.window.add(add)
		}
	}
	add.extra = true
	for n, k := range w.extra {
		if s.found[len(w.keys)+n] < 0 {
			add.key = k
			s.window.add(add)
		}
	}
	return s.found[0]
}

// settle decides between a unit and those that stand in the slots it was found in. A unit that a richer one says wholly
// is its twin; else it takes the place of the poorer ones that it says wholly.
func (s *scan) settle(w said, complete bool) {
	if complete {
		for _, i := range s.found {
			if i >= 0 && s.units[s.window.slots[i].unit].rep < w.rep {
				s.units[w.unit].owner = s.window.slots[i].unit
				return
			}
		}
	}
	for _, i := range s.found {
		if i < 0 {
			continue
		}
		old := s.window.slots[i].unit
		if s.units[old].rep > w.rep && s.window.covered(i, w.rep) {
			s.units[old].owner = w.unit
			s.window.give(i, w.unit)
			s.window.slots[i].solo = len(s.found) == 1
		}
	}
}

// covered reports whether every text of the unit in a slot has found the representation.
func (w *window) covered(at int32, r rep) bool {
	if w.slots[at].solo {
		return true
	}
	all, whole := true, false
	for i := range w.slots {
		if s := &w.slots[i]; s.unit == w.slots[at].unit {
			has := s.reps&r != 0
			all = all && (has || s.extra)
			whole = whole || has && s.extra
		}
	}
	return all || whole
}

// give hands all slots of the unit in a slot to another.
func (w *window) give(at, to int32) {
	from := w.slots[at].unit
	if w.slots[at].solo {
		w.slots[at].unit = to
		return
	}
	for i := range w.slots {
		if w.slots[i].unit == from {
			w.slots[i].unit = to
		}
	}
}
