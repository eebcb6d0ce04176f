package codex

import "lore"

// turn is what is going on at a place in the file.
type turn struct {
	id     uint64 // digest of the turn's id, where the file names one; else 0
	open   bool   // the file said that it began and not yet that it ended
	active bool   // the model has done something in it
	run    int32  // slot of the last user item, while no other item came after it; -1: none
	fresh  int    // the first slot that was filled after the model's last work
	wrote  int32  // the last unit that the model of this conversation wrote; -1: none
}

// startTurn notes the beginning of a turn. What was said just before it, with no work of the model between, belongs to it.
func (s *scan) startTurn(id uint64) {
	if id == 0 || id == s.turn.id {
		return
	}
	if s.turn.active {
		s.newTurn(s.turn.fresh)
	}
	s.turn.id, s.turn.open = id, true
}

// endTurn notes the end of a turn.
func (s *scan) endTurn() {
	s.newTurn(len(s.window.slots))
	s.turn.id, s.turn.open = 0, false
}

// newTurn puts what was said so far out of reach, but for the slots from one on.
func (s *scan) newTurn(from int) {
	s.window.keep(from)
	s.turn.active, s.turn.fresh = false, 0
	s.turn.run = max(s.turn.run-int32(from), -1)
}

// modelWrote notes that the model has done something.
func (s *scan) modelWrote(i int32) {
	s.turn.active, s.turn.run = true, -1
	s.turn.fresh = len(s.window.slots)
	if s.units[i].flags&inherited == 0 {
		s.turn.wrote = i
	}
	s.marks.compaction = -1
}

// marks remembers the last unit of sorts that come in pairs without a text in common, or that say the same over and over.
type marks struct {
	abort, compaction, goal, prompt, answer int32 // units; -1: none
	abortReps, compactionReps               rep
	goalFold, promptFold, answerFold        fold
	errorFold                               fold

	afterAbort, isAbort bool // the record before was the notice of an interruption; this one is
	afterEcho, isEcho   bool // likewise: a prompt written once more after an interruption
}

// step goes on to the next record.
func (m *marks) step() {
	m.afterAbort, m.isAbort = m.isAbort, false
	m.afterEcho, m.isEcho = m.isEcho, false
}

// abort notes an interruption: an event, and a user item that the client writes for the model.
func (s *scan) abort(r rep, at spot, fl flags) {
	i, m := s.add(aborted, r, at, fl), &s.marks
	m.isAbort = true
	if m.abort < 0 || m.abortReps&r != 0 || m.prompt > m.abort {
		m.abort, m.abortReps = i, r
		return
	}
	m.abortReps |= r
	if r == repItem {
		s.units[m.abort].owner = i
		m.abort = i
	} else {
		s.units[i].owner = m.abort
	}
}

// compact notes a compaction: a record with the summary and an event without it are one marker.
func (s *scan) compact(r rep, at spot, fl flags) {
	i, m := s.add(compaction, r, at, fl), &s.marks
	switch {
	case m.compaction < 0 || m.compactionReps&r != 0:
		m.compaction, m.compactionReps = i, r
		return
	case r < s.units[m.compaction].rep:
		s.units[m.compaction].owner = i
		m.compaction = i
	default:
		s.units[i].owner = m.compaction
	}
	m.compactionReps |= r
}

// rollback is the withdrawal of turns at a place in the order of units.
type rollback struct {
	turns int
	at    int32
	line  int32
}

// settleBacks makes the last turns before each rollback inactive, from the prompt that began the first of them on.
func (s *scan) settleBacks() {
	if len(s.backs) == 0 {
		return
	}
	var prompts []int32 // of turns that still stand
	from := int32(0)
	for _, back := range s.backs {
		for ; from < back.at; from++ {
			if u := &s.units[from]; u.human() && u.owner == from {
				prompts = append(prompts, from)
			}
		}
		if back.turns > len(prompts) {
			s.losses.one(lore.UnknownRewind, lore.Info, back.line, "more turns are taken back than there are")
		}
		keep := max(len(prompts)-back.turns, 0)
		if keep == len(prompts) {
			continue
		}
		for i := prompts[keep]; i < back.at; i++ {
			s.units[i].flags |= inactive
		}
		prompts = prompts[:keep]
	}
}
