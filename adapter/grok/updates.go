package grok

import (
	"lore"
	"lore/adapter/kit"
)

// stream is what the first pass over updates.jsonl finds of one session.
type stream struct {
	session string
	turns   []turn
	spots   []spot
	calls   map[string]int32
	outputs map[string]int32
	open    int32            // the run of words that the next chunk may go on; -1: none
	openID  string           // of the prompt in it
	plain   []skipped        // updates that make nothing
	spent   map[int32]spot32 // by turn: the end of its prompt's turn, which tells the tokens
	first   int32            // line of its first record
	records int
}

// spot32 is a place in stream.spots.
type spot32 = int32

// skipped is an update that makes no message.
type skipped struct {
	name  string
	line  int32
	known bool
}

func newStream(session string, line int32) *stream {
	return &stream{session: session, calls: map[string]int32{}, outputs: map[string]int32{}, open: -1, first: line, spent: map[int32]spot32{}}
}

// states are updates that are known and make no message.
var states = map[string]bool{
	"plan": true, "available_commands_update": true, "current_mode_update": true, "usage_update": true, "session_info_update": true,
	"config_option_update": true, "turn_completed": true, "turn_started": true, "auto_compact_started": true, "auto_compact_completed": true,
	"compaction_checkpoint": true, "hook_started": true, "hook_completed": true, "task_started": true, "task_completed": true,
}

// isUpdate reports whether a record is an update.
func isUpdate(v kit.Value) bool {
	return bodyOf(v).Get("update", "sessionUpdate").IsString() && bodyOf(v).Get("sessionId").IsString()
}

// bodyOf returns what an update's envelope holds; older files have none.
func bodyOf(v kit.Value) kit.Value {
	if params := v.Get("params"); params.IsObject() {
		return params
	}
	return v
}

// timeOf returns when an update was sent.
func timeOf(v kit.Value) lore.Time {
	for _, at := range []kit.Value{bodyOf(v).Get("_meta", "agentTimestampMs"), v.Get("timestamp")} {
		if t, ok := kit.ParseTime(at); ok && at.IsNumber() {
			return t
		}
	}
	return lore.Time{}
}

// take takes one update in.
func (s *stream) take(r *kit.Record) {
	body := bodyOf(r.Value)
	update := body.Get("update")
	at := spot{offset: r.Offset, length: r.Length, line: int32(r.Line), next: -1}
	s.records++
	switch name := update.Get("sessionUpdate").String(); name {
	case "user_message_chunk":
		s.chunk(typed, update, promptOf(body), at, timeOf(r.Value))
	case "agent_message_chunk":
		s.chunk(told, update, "", at, timeOf(r.Value))
	case "agent_thought_chunk":
		s.chunk(mused, update, "", at, timeOf(r.Value))
	case "tool_call", "tool_call_update":
		s.open = -1
		s.tool(update, at, timeOf(r.Value))
	case "turn_completed":
		s.open = -1
		if usageOf(update) != nil && s.spend(at) {
			return
		}
		s.plain = append(s.plain, skipped{name, at.line, true})
	default:
		s.plain = append(s.plain, skipped{name, at.line, states[name]})
	}
}

// promptOf returns the id of the prompt that an update belongs to.
func promptOf(body kit.Value) string {
	if id := body.Get("_meta", "promptId").String(); id != "" {
		return id
	}
	return string(body.Get("update", "_meta", "promptIndex").Raw())
}

// chunk adds words to the run that they go on, or begins one.
func (s *stream) chunk(w what, update kit.Value, id string, at spot, time lore.Time) {
	text := wordsOf(update.Get("content", "text").String())
	if s.open >= 0 && s.turns[s.open].what == w && s.openID == id {
		t := &s.turns[s.open]
		t.words = t.words.and(text)
		s.extend(t, at)
		return
	}
	s.openID = id
	s.open = s.begin(turn{what: w, words: text, time: time}, at)
}

// tool adds an update to a call or to what came of it. An update with a final status or an output is of the latter.
func (s *stream) tool(update kit.Value, at spot, time lore.Time) {
	id := update.Get("toolCallId").String()
	w, known := call, s.calls
	switch update.Get("status").String() {
	case "completed", "failed":
		w, known = output, s.outputs
	default:
		if holds(update.Get("rawOutput")) {
			w, known = output, s.outputs
		}
	}
	if n, ok := known[id]; ok && id != "" {
		s.extend(&s.turns[n], at)
		return
	}
	if n := s.begin(turn{what: w, id: id, time: time, words: noWords}, at); id != "" {
		known[id] = n
	}
}

// holds reports whether a value is there and not null.
func holds(v kit.Value) bool { return v.Exists() && !v.IsNull() }

// spend notes the end of a turn, with the tokens it took, at the last words of the assistant.
func (s *stream) spend(at spot) bool {
	for i := len(s.turns) - 1; i >= 0; i-- {
		switch s.turns[i].what {
		case told, mused, call:
			if _, taken := s.spent[int32(i)]; taken {
				return false
			}
			s.spots = append(s.spots, at)
			s.spent[int32(i)] = spot32(len(s.spots) - 1)
			return true
		case typed:
			return false
		}
	}
	return false
}

// begin begins a turn with its first update.
func (s *stream) begin(t turn, at spot) int32 {
	t.first, t.last, t.mate, t.after = int32(len(s.spots)), int32(len(s.spots)), -1, -1
	s.spots = append(s.spots, at)
	s.turns = append(s.turns, t)
	return int32(len(s.turns) - 1)
}

// extend adds an update to a turn.
func (s *stream) extend(t *turn, at spot) {
	n := int32(len(s.spots))
	s.spots = append(s.spots, at)
	s.spots[t.last].next = n
	t.last = n
}

// usageOf returns the tokens that the end of a turn tells, under the names that the tool and the protocol use.
func usageOf(v kit.Value) *lore.Usage {
	u := v.Get("usage")
	if !u.IsObject() {
		return nil
	}
	count := func(names ...string) int64 {
		for _, name := range names {
			if n, ok := u.Get(name).Int(); ok {
				return n
			}
		}
		return 0
	}
	sum := lore.Usage{
		Input: count("input_tokens", "inputTokens"), Output: count("output_tokens", "outputTokens"),
		CacheRead: count("cache_read_tokens", "cachedReadTokens"), CacheWrite: count("cache_write_tokens", "cachedWriteTokens"),
	}
	if sum == (lore.Usage{}) {
		return nil
	}
	return &sum
}
