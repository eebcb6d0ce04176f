package grok

// pair finds the record of the history that says what each turn of the stream says: calls and results by their id, words
// in order by what they say. Each record is said again once by each sort of update. What finds no record gets its place:
// behind the record of the turn before it.
func pair(h *history, s *stream) {
	by := newIndex(h)
	at := int32(-1)
	for i := range s.turns {
		t := &s.turns[i]
		mate := int32(-1)
		switch t.what {
		case call:
			mate = lookup(h.calls, t.id)
		case output:
			mate = lookup(h.results, t.id)
		case typed:
			mate = by.take(prompt, t.words)
		case mused:
			mate = by.take(thought, t.words)
		case told:
			if mate = by.take(answer, t.words); mate < 0 {
				mate = by.run(h, at, t.words)
			}
		}
		if mate < 0 {
			t.after = at
			continue
		}
		t.mate = mate
		h.turns[mate].twins = append(h.turns[mate].twins, int32(i))
		at = max(at, mate)
	}
}

func lookup(m map[string]int32, id string) int32 {
	if n, ok := m[id]; ok && id != "" {
		return n
	}
	return -1
}

// index finds records of the history by their words, each once, in order.
type index struct {
	queue map[key][]int32
	taken map[int32]bool
}

type key struct {
	what  what
	words words
}

func newIndex(h *history) *index {
	x := &index{queue: map[key][]int32{}, taken: map[int32]bool{}}
	for i := range h.turns {
		switch t := &h.turns[i]; t.what {
		case prompt, answer, thought:
			if t.words != noWords {
				k := key{t.what, t.words}
				x.queue[k] = append(x.queue[k], int32(i))
			}
		}
	}
	return x
}

func (x *index) take(w what, words words) int32 {
	k := key{w, words}
	for list := x.queue[k]; len(list) > 0; list = x.queue[k] {
		n := list[0]
		x.queue[k] = list[1:]
		if !x.taken[n] {
			x.taken[n] = true
			return n
		}
	}
	return -1
}

// farthest is over how many records a run of words is looked for.
const farthest = 64

// run finds answers, in a row behind a place, that together say what one run of the stream does: nothing stands between
// them on the screen. It returns the first.
func (x *index) run(h *history, after int32, want words) int32 {
	for from := after + 1; int(from) < len(h.turns) && from <= after+farthest; from++ {
		if h.turns[from].what != answer || x.taken[from] || h.turns[from].words == noWords {
			continue
		}
		sum := noWords
		for n := from; int(n) < len(h.turns) && n < from+farthest; n++ {
			if h.turns[n].what == prompt {
				break
			}
			if h.turns[n].what != answer || x.taken[n] {
				continue
			}
			if sum = sum.and(h.turns[n].words); sum == want {
				x.mark(h, from, n)
				return from
			}
		}
	}
	return -1
}

func (x *index) mark(h *history, from, to int32) {
	for n := from; n <= to; n++ {
		if h.turns[n].what == answer {
			x.taken[n] = true
		}
	}
}
