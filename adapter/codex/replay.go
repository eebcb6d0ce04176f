package codex

import (
	"lore"
	"lore/adapter/kit"
)

// replay finds the part of a fork's file that repeats the parent. A fork begins with its own session_meta, then writes
// the parent's session_meta and turns once more, with the time of the writing. So the copies end at the first record
// that names a turn younger than the fork, and otherwise where the burst of writing ends. The parent's own file may be
// gone, so nothing here asks for it.
type replay struct {
	on     bool
	parent string    // native id of the parent; empty: no fork
	time   lore.Time // of the parent's session, from its repeated meta

	own   string // native id of the fork
	begun int64  // when the fork's file was begun, in nanoseconds; 0: not known
	last  int64  // the time of the record before, likewise
}

// burst is the longest pause inside of a replay, in nanoseconds.
const burst = 1_000_000_000

// fork notes the fork's own meta.
func (p *replay) fork(own, parent string, at lore.Time) {
	p.own, p.parent = own, parent
	p.begun, p.last = at.UnixNano(), at.UnixNano()
}

// repeat notes a meta of another session: the copies begin. A fork file may hold the metas of its parent's parents too.
func (p *replay) repeat(id string, begun lore.Time) {
	if p.parent == "" {
		p.parent = id
	}
	if id == p.parent || p.time.IsZero() {
		p.time = begun
	}
	p.on = true
}

// holds reports whether a record still belongs to the replay, and whether it kept its original time.
func (p *replay) holds(r *record) (copied, original bool) {
	if !p.on {
		return false, false
	}
	t, dated := kit.ParseTime(r.time)
	now := t.UnixNano()
	if turn, ok := uuidTime(r.turnID().String()); ok {
		if fork, ok := uuidTime(p.own); ok {
			p.on = turn < fork
			if p.on && dated {
				p.last = max(now, p.last)
			}
			return p.on, p.on && dated && now < p.begun
		}
	}
	switch {
	case !dated || p.begun == 0:
		return true, false
	case now < p.begun:
		return true, true
	case now-p.last <= burst:
		p.last = max(now, p.last)
		return true, false
	}
	p.on = false
	return false, false
}
