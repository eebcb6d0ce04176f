package codex

import (
	"lore"
	"lore/adapter/kit"
)

// scan is the first pass over a rollout: it takes each record in, notes where words stand and what belongs together, and
// keeps no text. The second pass makes messages of what it found (see emitter).
type scan struct {
	name   fileName
	head   head
	units  []unit
	window window
	runs   runs
	replay replay
	usage  usage
	ledger lore.Ledger
	losses losses

	models []string
	model  int16 // index in models of the one at work; -1: none yet

	turn   turn
	marks  marks
	backs  []rollback
	spawns map[fold]string      // ids of calls that start a sub-agent
	facts  []*lore.Conversation // what is said about other conversations

	good     int  // records taken in
	mine     bool // one of them has a form that only this format has
	trusted  bool // the file stands where only this format does: an envelope of an unknown type will do
	ordinals ordinals

	found []int32 // scratch of pair
	ids   []fold  // scratch of callIDs
	doc   kit.Doc // for JSON inside of strings

	frozen []byte // what was found, for Save; nil: not asked for
	total  int64  // bytes of the file; where frozen is set
}

func newScan(file string) *scan {
	return &scan{
		name: parseName(file), head: head{kind: lore.Main}, model: -1,
		turn: turn{run: -1, wrote: -1}, marks: marks{abort: -1, compaction: -1, goal: -1, prompt: -1, answer: -1},
	}
}

// spot is where a record stands.
type spot struct {
	offset, length int64
	line           int32
}

// take takes one record in.
func (s *scan) take(v kit.Value, at spot) {
	s.good++
	s.mine = s.mine || looksMine(v) || s.trusted && isEnvelope(v)
	s.ordinals.see(v, at.line)
	s.marks.step()
	r := peel(v)
	if r.top == "session_meta" || r.meta {
		s.takeMeta(&r, at)
		return
	}
	var fl flags
	if copied, original := s.replay.holds(&r); copied {
		fl |= inherited
		if original {
			fl |= ownTime
		}
	}
	switch r.top {
	case "response_item", "":
		s.item(&r, at, fl)
	case "event_msg":
		s.event(&r, at, fl)
	case "turn_context":
		s.startTurn(turnOf(r.turnID()))
		s.keepOrSkip(s.setting(r.body.Get("cwd"), r.body.Get("model")), r.top)
	case "compacted":
		s.compact(repItem, at, fl)
	case "inter_agent_communication":
		s.add(letter, repItem, at, fl)
	case "world_state", "inter_agent_communication_metadata":
		s.ledger.Skip(r.top)
	default:
		s.unknown(r.top, at)
	}
}

func (s *scan) takeMeta(r *record, at spot) {
	t, _ := kit.ParseTime(r.time)
	if s.meta(r.body, t, at.line) {
		s.ledger.Keep(1)
	} else {
		s.ledger.Merge(1)
	}
}

// keepOrSkip counts a unit that makes no message: kept when it said something new.
func (s *scan) keepOrSkip(fresh bool, typ string) {
	if fresh {
		s.ledger.Keep(1)
	} else {
		s.ledger.Skip(typ)
	}
}

// unknown counts a unit of a type that this version does not know.
func (s *scan) unknown(name string, at spot) {
	s.ledger.Meet(clip(name))
	s.losses.unknown(at.line, name)
}

// add notes a unit that makes a message or is the twin of one.
func (s *scan) add(w what, r rep, at spot, fl flags) int32 {
	i := int32(len(s.units))
	s.units = append(s.units, unit{
		offset: at.offset, length: at.length, line: at.line, owner: i, mate: -1, twin: -1, next: -1,
		model: s.model, what: w, rep: r, flags: fl,
	})
	return i
}

// ordinals watches the numbers that newer versions write on records. They repeat and go missing, so they order nothing.
type ordinals struct {
	seen bool
	last int64
	odd  tallied
}

func (o *ordinals) see(v kit.Value, line int32) {
	n, ok := v.Get("ordinal").Int()
	switch {
	case !ok && o.seen, ok && o.seen && n != o.last+1:
		o.odd.add(line)
	}
	if ok {
		o.seen, o.last = true, n
	}
}
