package geminicli

// maxMerged bounds how many units of one message are named.
const maxMerged = 63

// ref is where a message is said.
type ref struct {
	off, len int64
	hash     uint64 // of the bytes: equal bytes say the same
	line     int32
	kind     kind
	twin     bool // in the document that the log was made from
}

// slot is a message by its place in the record. It holds no words.
type slot struct {
	id     string
	cur    ref   // the unit whose words stand
	merged []ref // units that it replaced or that say the same, maxMerged at most
	again  int32 // all of these
	heir   int32 // the slot that holds the message as it is now; -1: this one
	pos    int32 // in replay.order
	active bool
}

// replay applies the records of a log to the list of messages that the tool would show, and keeps what it would not show
// beside it: order has every slot, live those that stand, both in the order of the record.
type replay struct {
	slots []slot
	order []int32
	live  []int32
	byID  map[string]int32 // the newest slot of an id
}

// put applies a message. One with the id of a message that stands replaces it in its place; one with an id that was
// removed stands again, at the end.
func (r *replay) put(id string, at ref) {
	if i, known := r.find(id); known {
		s := &r.slots[i]
		if s.active {
			s.note(s.cur)
			s.cur = at
			return
		}
	}
	n := r.add(id, at)
	r.append(n)
	r.live = append(r.live, n)
}

func (r *replay) find(id string) (int32, bool) {
	if id == "" {
		return 0, false
	}
	i, ok := r.byID[id]
	return i, ok
}

// note counts a unit that says the slot's message, too.
func (s *slot) note(at ref) {
	s.again++
	if len(s.merged) < maxMerged {
		s.merged = append(s.merged, at)
	}
}

// add makes an active slot that has no place yet. The slot that held its id until now gets it as its heir.
func (r *replay) add(id string, at ref) int32 {
	n := int32(len(r.slots))
	s := slot{id: id, cur: at, heir: -1, active: true}
	if i, known := r.find(id); known {
		r.slots[i].heir, r.slots[i].active = n, false
	}
	r.slots = append(r.slots, s)
	if id != "" {
		if r.byID == nil {
			r.byID = map[string]int32{}
		}
		r.byID[id] = n
	}
	return n
}

func (r *replay) append(n int32) {
	r.slots[n].pos = int32(len(r.order))
	r.order = append(r.order, n)
}

// rewind removes a message and all behind it; an id that does not stand removes everything. It reports whether the id
// stood.
func (r *replay) rewind(id string) bool {
	from := 0
	i, known := r.find(id)
	known = known && r.slots[i].active
	if known {
		for from = len(r.live) - 1; r.live[from] != i; from-- {
		}
	}
	for _, n := range r.live[from:] {
		r.slots[n].active = false
	}
	r.live = r.live[:from]
	return known
}

// element is a message of a rewritten history.
type element struct {
	id string
	at ref
}

// rebase makes a rewritten history the list of what stands. A message that it holds as it was keeps its place, one with
// other content follows its older self, one that is new (a summary, mostly) stands before the next one that is not.
func (r *replay) rebase(list []element) {
	for _, n := range r.live {
		r.slots[n].active = false
	}
	r.live = r.live[:0]
	before := map[int32][]int32{} // slots to stand before the slot at a place
	behind := map[int32]int32{}   // place → the newer self of the slot there
	last := int32(-1)             // place of the last one that was there before
	var fresh []int32
	taken := map[int32]bool{} // twice in one list: the later one stands
	for _, e := range list {
		i, known := r.find(e.id)
		switch {
		case known && taken[i]:
			r.slots[i].note(r.slots[i].cur)
			r.slots[i].cur = e.at
			continue
		case known && r.slots[i].pos > last:
			last = r.slots[i].pos
			if len(fresh) > 0 {
				before[last], fresh = fresh, nil
			}
			if r.slots[i].cur.hash == e.at.hash {
				r.slots[i].note(e.at)
				r.slots[i].active = true
			} else {
				i = r.add(e.id, e.at)
				behind[last] = i
			}
		default:
			i = r.add(e.id, e.at)
			fresh = append(fresh, i)
		}
		taken[i] = true
		r.live = append(r.live, i)
	}
	r.reorder(before, behind, fresh)
}

// reorder puts new slots into their places.
func (r *replay) reorder(before map[int32][]int32, behind map[int32]int32, rest []int32) {
	if len(before)+len(behind) == 0 {
		for _, n := range rest {
			r.append(n)
		}
		return
	}
	old := r.order
	r.order = make([]int32, 0, len(old)+len(rest)+len(behind)+len(before))
	for place, n := range old {
		for _, b := range before[int32(place)] {
			r.append(b)
		}
		r.append(n)
		if b, ok := behind[int32(place)]; ok {
			r.append(b)
		}
	}
	for _, n := range rest {
		r.append(n)
	}
}
