package copilot

import (
	"fmt"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// emitter makes messages of a session's turns, in the order of the record, and yields them in pieces.
type emitter struct {
	*state
	in    adapter.Input
	yield yielder
	head  func() *lore.Conversation // a piece of the record without messages

	now      voice
	run      run
	pending  []result // results of the calls that were just said
	sentence sentence
	last     lore.Time // of the last message that had a time of its own, else when the session was made

	messages []lore.Message
	size     int64 // bytes of text in messages
	told     bool  // there was a message
	stopped  bool
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// voice is what the messages of one turn have in common.
type voice struct {
	answer   string // native id of the first message of the answer
	answered bool   // it was given
	nameless bool   // no message has a native id
	active   bool
	model    string
	usage    *lore.Usage
	at       lore.Time
	from     lore.TimeFrom
	twins    []int32 // units that say the turn again
}

// run is a message in the making: adjacent parts of one role.
type run struct {
	open  bool
	msg   lore.Message
	units []int32
	size  int64
}

// result is a part that a call gave, and the unit that tells it.
type result struct {
	part lore.Part
	unit int32
}

// maxMessage is how many bytes of text one message may gather before another one is begun.
const maxMessage = 8 << 20

// say adds a part to the message of its role, after the results of the calls before it.
func (e *emitter) say(role lore.Role, subtype string, part lore.Part, unit int32) {
	e.finishSentence()
	e.flushResults()
	e.part(role, subtype, part, unit)
}

// call adds a call and keeps its results until all calls beside it are said.
func (e *emitter) call(part lore.Part, unit int32, results []result) {
	e.finishSentence()
	if n := len(e.run.msg.Parts); len(e.pending) > 0 && (!e.run.open || e.run.msg.Role != lore.Assistant || e.run.msg.Parts[n-1].Kind != lore.Call) {
		e.flushResults()
	}
	e.part(lore.Assistant, "", part, unit)
	e.pending = append(e.pending, results...)
}

func (e *emitter) flushResults() {
	list := e.pending
	e.pending = nil
	for _, r := range list {
		e.part(lore.Tool, "", r.part, r.unit)
	}
}

func (e *emitter) part(role lore.Role, subtype string, part lore.Part, unit int32) {
	e.truncated(part, unit)
	r := &e.run
	if r.open && (r.msg.Role != role || r.msg.Subtype != subtype || r.size > maxMessage) {
		e.closeRun()
	}
	if !r.open {
		*r = run{open: true, msg: lore.Message{Role: role, Subtype: subtype, Active: e.now.active, Native: e.native(role, part)}, units: r.units[:0]}
	}
	r.msg.Parts = append(r.msg.Parts, part)
	r.size += int64(len(part.Text)) + 64
	if n := len(r.units); n == 0 || r.units[n-1] != unit {
		r.units = append(r.units, unit)
	}
}

// native returns the id of a message that begins with a part. The words of a request have its id, the first words of its
// answer that of the answer; results have that of the call.
func (e *emitter) native(role lore.Role, part lore.Part) string {
	v := &e.now
	switch {
	case v.nameless:
	case role == lore.Tool:
		return kit.SplitNative(lore.Tool, part.CallID)
	case role == lore.Assistant && !v.answered:
		v.answered = true
		return v.answer
	}
	return ""
}

// closeRun puts the message in the making into the piece.
func (e *emitter) closeRun() {
	r := &e.run
	if !r.open {
		return
	}
	r.open = false
	m := r.msg
	m.At, m.AtFrom = e.now.at, e.now.from
	if m.Role == lore.Assistant {
		m.Model = e.now.model
		m.Usage, e.now.usage = e.now.usage, nil
	}
	e.origins(&m, r.units)
	e.put(m, r.size)
}

// origins names the units of a message, and counts those that no message before it did.
func (e *emitter) origins(m *lore.Message, from []int32) {
	for i, u := range from {
		if u < 0 || contains(from[:i], u) {
			continue
		}
		e.units.show(u)
		if e.units.count(u) {
			m.Units++
		}
		m.Origins = append(m.Origins, e.units.locate(u))
	}
	for _, u := range e.now.twins {
		m.Origins = append(m.Origins, e.units.locate(u))
	}
}

func contains(list []int32, x int32) bool {
	for _, y := range list {
		if y == x {
			return true
		}
	}
	return false
}

// put adds a message to the piece and yields the piece when it is large enough.
func (e *emitter) put(m lore.Message, size int64) {
	if m.At.IsZero() {
		m.AtFrom = lore.FromNone
	}
	e.told = true
	e.messages = append(e.messages, m)
	e.size += size + 256
	if e.size < e.in.PieceBound() || e.stopped {
		return
	}
	c := e.head()
	c.More = true
	c.Messages, e.messages, e.size = e.messages, nil, 0
	e.stopped = !e.yield(c, nil)
}

// endTurn closes all that is open.
func (e *emitter) endTurn() {
	e.finishSentence()
	e.flushResults()
	e.closeRun()
}

// oversized says that a value was cut.
func (e *emitter) oversized(n *node) {
	e.losses.more(n.src, lore.OversizedRecord, lore.Warning, e.lineOf(n),
		fmt.Sprintf("a value above %d MiB was cut to the beginning of its texts", maxValue>>20), 1)
}

func (e *emitter) lineOf(n *node) int32 {
	if n.unit < 0 {
		return 0
	}
	return e.units.list[n.unit].line
}

// The beginnings of what the editor writes in the place of a value that it could not save.
var truncations = []string{"[JustRide: value truncated", "[VS Code: value truncated"}

func (e *emitter) truncated(p lore.Part, unit int32) {
	if !strings.HasPrefix(p.Text, "[") || unit < 0 {
		return
	}
	for _, mark := range truncations {
		if strings.HasPrefix(p.Text, mark) {
			u := &e.units.list[unit]
			e.losses.more(u.src, lore.TruncatedBySource, lore.Warning, u.line, "a value that the editor did not save", 1)
		}
	}
}

// sentence gathers words and the names of files and symbols that stand between them.
type sentence struct {
	words strings.Builder
	units []int32
	ref   bool // the last piece was a name
	open  bool
	cut   int64
}

// speak adds words. They go on with a name before them, and begin anew behind other words.
func (e *emitter) speak(words string, unit int32) {
	if e.sentence.open && !e.sentence.ref {
		e.finishSentence()
	}
	e.sentence.add(words, unit)
	e.sentence.ref = false
}

// refer adds a name.
func (e *emitter) refer(name string, unit int32) {
	e.sentence.add(name, unit)
	e.sentence.ref = true
}

func (s *sentence) add(words string, unit int32) {
	s.open = true
	s.words.WriteString(words)
	s.units = append(s.units, unit)
}

func (e *emitter) finishSentence() {
	s := &e.sentence
	if !s.open {
		return
	}
	p := lore.Part{Kind: lore.Text, Text: s.words.String()}
	if s.cut > 0 {
		p.Cut, p.Bytes = true, s.cut
	}
	from := s.units
	*s = sentence{}
	e.say(lore.Assistant, "", p, from[0])
	for _, u := range from[1:] {
		if !contains(e.run.units, u) {
			e.run.units = append(e.run.units, u)
		}
	}
}
