package copilot

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// scriptKeys begin a record of a transcript.
var scriptKeys = []string{"type", "data"}

// script is one turn as the transcript of the chat extension tells it: a prompt and what followed.
type script struct {
	words  uint64 // of the prompt, white space left out; 0: what comes before the first
	events []*event
}

// event is a record of a transcript that makes a message, or says a call again.
type event struct {
	node  *node
	what  string
	child string // call of the sub-agent at work; empty for the agent itself
}

// transcript is what one transcript tells.
type transcript struct {
	session string
	dir     string
	begun   lore.Time
	turns   []*script

	open  []string        // calls of sub-agents that are at work, the last one within the others
	calls map[string]bool // that a message has asked for
	child []string        // calls that have events of their own, in order
}

// readTranscript lays out a transcript. trusted: it stands where only the
// editor writes.
func (s *state) readTranscript(ctx context.Context, f *file, trusted bool) (*transcript, error) {
	lines, err := kit.OpenLines(f.in, f.path, kit.Options{TopKeys: scriptKeys})
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	t := &transcript{calls: map[string]bool{}}
	mine := false
	for r := range lines.All() {
		mine = mine || isTranscript(r.Value, trusted)
		if !mine && lines.Good() >= sniffed {
			break
		}
		s.event(t, f, r)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case !mine && (lines.Good() > 0 || !trusted):
		return nil, adapter.ErrNotMine
	}
	for range lines.Damaged() {
		s.units.add(unit{src: f, fate: fateDamaged})
	}
	s.lineLosses(lines)
	if lines.Good() == 0 && lines.Damaged() > 0 {
		return t, adapter.ErrMalformed
	}
	return t, nil
}

// isTranscript reports whether a record is of a transcript. The command line tool writes the same form into another
// place; the head of a transcript names the editor.
func isTranscript(v kit.Value, trusted bool) bool {
	if !v.Get("type").IsString() || !v.Get("data").IsObject() {
		return false
	}
	return trusted || v.Get("type").Is("session.start") && v.Get("data", "vscodeVersion").Exists()
}

// event takes in one record.
func (s *state) event(t *transcript, f *file, r *kit.Record) {
	typ, data := r.Value.Get("type").String(), r.Value.Get("data")
	u := s.units.add(unit{src: f, off: r.Offset, len: r.Length, line: int32(r.Line), name: kit.Clip(typ)})
	x := &s.units.list[u]
	n := &node{src: f, span: span{off: r.Offset, len: r.Length, kind: '{'}, unit: u}
	id := data.Get("toolCallId").String()
	switch typ {
	case "session.start":
		t.start(r.Value, data)
		x.fate = fateFlag
	case "user.message":
		t.turns = append(t.turns, &script{words: fold(data.Get("content").String()), events: []*event{{node: n, what: typ}}})
		t.open = nil
	case "assistant.message", "assistant.reasoning", "system.message", "system.notification", "session.error", "abort":
		for q := range data.Get("toolRequests").Items() {
			t.calls[q.Get("toolCallId").String()] = true
		}
		t.add(&event{node: n, what: typ, child: t.childOf(data)})
	case "tool.execution_start":
		child := t.childOf(data)
		if !t.calls[id] {
			t.calls[id] = true
			t.add(&event{node: n, what: typ, child: child})
		}
		if strings.Contains(strings.ToLower(data.Get("toolName").String()), "subagent") && id != "" {
			t.open = append(t.open, id)
		}
	case "tool.execution_complete":
		if k := len(t.open); k > 0 && t.open[k-1] == id {
			t.open = t.open[:k-1]
		}
		t.add(&event{node: n, what: typ, child: t.childOf(data)})
	case "":
		x.fate, x.name = fateUnknown, "record without type"
		s.losses.unknown(f, x.line, x.name)
	default:
		if x.fate = fateSkipped; !known(typ) {
			x.fate = fateUnknown
			s.losses.unknown(f, x.line, "type "+x.name)
		}
	}
}

// known reports whether a type of record is known to be no conversation.
func known(typ string) bool {
	group, _, _ := strings.Cut(typ, ".")
	switch group {
	case "session", "hook", "permission", "subagent", "tool", "skill":
		return true
	}
	return typ == "assistant.turn_start" || typ == "assistant.turn_end" || typ == "assistant.usage" || typ == "assistant.intent"
}

// start takes in the head.
func (t *transcript) start(v, data kit.Value) {
	if t.session != "" {
		return
	}
	t.session = data.Get("sessionId").String()
	for _, dir := range []kit.Value{data.Get("context", "cwd"), data.Get("cwd")} {
		if t.dir == "" {
			t.dir = dir.String()
		}
	}
	for _, at := range []kit.Value{data.Get("startTime"), v.Get("timestamp")} {
		if begun, ok := kit.ParseTime(at); ok {
			t.begun = begun
			return
		}
	}
}

// childOf returns the call of the sub-agent that a record is of.
func (t *transcript) childOf(data kit.Value) string {
	if id := data.Get("parentToolCallId").String(); id != "" {
		return id
	}
	if n := len(t.open); n > 0 {
		return t.open[n-1]
	}
	return ""
}

func (t *transcript) add(e *event) {
	if len(t.turns) == 0 {
		t.turns = append(t.turns, &script{})
	}
	last := t.turns[len(t.turns)-1]
	last.events = append(last.events, e)
}

// fold digests words without their white space.
func fold(words string) uint64 {
	d := xxhash.New()
	for _, w := range strings.Fields(words) {
		d.WriteString(w)
	}
	return d.Sum64()
}

// compare gives each turn of a transcript to the request with the same words, in order. What no request has is a turn of
// its own. It returns how many turns only the transcript has.
func (s *state) compare(t *transcript) (only int) {
	place := -1
	for _, sc := range t.turns {
		at := -1
		for i := place + 1; i < len(s.past.turns) && sc.words != 0; i++ {
			if x := s.past.turns[i]; x.req != nil && x.script == nil && s.promptFold(x) == sc.words {
				at = i
				break
			}
		}
		if at >= 0 {
			s.past.turns[at].script = sc
			place = at
			continue
		}
		if sc.words == 0 && len(s.past.turns) > 0 {
			continue // what comes before the first prompt is no turn
		}
		place = s.past.add(place, &turn{script: sc})
		only++
	}
	return only
}

func (s *state) promptFold(t *turn) uint64 {
	if t.folded == 0 {
		message := s.get(t.req, "message")
		if text := s.get(message, "text"); text.isString() {
			message = text
		}
		v, _ := s.value(message)
		t.folded = fold(v.String())
	}
	return t.folded
}
