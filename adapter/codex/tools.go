package codex

import "lore/adapter/kit"

// run is one use of a tool with the units that tell of it; -1 where there is none.
type run struct {
	call, out  int32 // items
	begin, end int32 // events
	line       int32 // of the first of them
	noOut      bool  // its kind of call never has an output item
}

// runs links calls, outputs and events by the id of the call, in order: an id that comes again for a thing that its run
// has already begins another run.
type runs struct {
	all  []run
	last map[fold]int32 // the latest run of an id
}

// place is what a unit is in a run.
type place uint8

const (
	placeCall place = iota
	placeOut
	placeBegin
	placeEnd
)

func (r *run) slot(p place) *int32 {
	switch p {
	case placeCall:
		return &r.call
	case placeOut:
		return &r.out
	case placeBegin:
		return &r.begin
	}
	return &r.end
}

// put gives a unit its place in the run of an id, or of another name for the same thing. Without either the unit is a
// run of its own.
func (t *runs) put(ids []fold, p place, unit, line int32) *run {
	for _, id := range ids {
		if at, ok := t.last[id]; ok && t.fits(at, p) {
			*t.all[at].slot(p) = unit
			return &t.all[at]
		}
	}
	at := int32(len(t.all))
	t.all = append(t.all, run{call: -1, out: -1, begin: -1, end: -1, line: line})
	if t.last == nil {
		t.last = map[fold]int32{}
	}
	for _, id := range ids {
		t.last[id] = at
	}
	*t.all[at].slot(p) = unit
	return &t.all[at]
}

// fits reports whether a run still lacks the place. A call that comes after its run's output belongs to another run.
func (t *runs) fits(at int32, p place) bool {
	r := &t.all[at]
	return *r.slot(p) < 0 && (p != placeCall && p != placeBegin || r.out < 0)
}

// settleRuns decides which unit says the call and which the result of each run: items before events.
func (s *scan) settleRuns() {
	var noOut, noCall tallied
	for i := range s.runs.all {
		r := &s.runs.all[i]
		s.settleCall(r)
		s.settleOut(r)
		switch {
		case r.call >= 0 && r.out < 0 && !r.noOut && !s.endSays(r):
			noOut.add(r.line)
		case r.call < 0 && r.begin < 0 && r.end < 0:
			noCall.add(r.line)
		}
	}
	s.losses.unpaired(noOut, "call without result")
	s.losses.unpaired(noCall, "result without call")
}

func (s *scan) endSays(r *run) bool { return r.end >= 0 && s.units[r.end].flags&saysOut != 0 }

// settleCall lets the item say the call, else the event at the start, else the one at the end.
func (s *scan) settleCall(r *run) {
	switch {
	case r.call >= 0:
		if r.begin >= 0 {
			s.units[r.begin].owner = r.call
		}
	case r.begin >= 0:
		s.units[r.begin].flags |= saysCall
	case r.end >= 0:
		s.units[r.end].flags |= saysCall
	}
}

// settleOut lets the item say the result, else the event at the end where it holds one. An event that says nothing is a
// twin; the output keeps it as mate where it tells how the run ended.
func (s *scan) settleOut(r *run) {
	if r.end < 0 {
		return
	}
	end := &s.units[r.end]
	if r.out >= 0 {
		end.flags &^= saysOut
		if end.flags&(failed|stderr) != 0 {
			s.units[r.out].mate = r.end
		}
	}
	if end.flags&(saysCall|saysOut) != 0 {
		return
	}
	switch {
	case r.out >= 0:
		end.owner = r.out
	case r.call >= 0:
		end.owner = r.call
	case r.begin >= 0:
		end.owner = r.begin
	}
}

// callIDs returns the names under which the run of an item or event is known: the id of the call, and what was searched
// for where the older files wrote no id.
func callIDs(buf []fold, body kit.Value) []fold {
	if id := callID(body); id.Exists() {
		buf = append(buf, foldValue(id))
	}
	if asked := searched(body); asked.Exists() {
		buf = append(buf, foldText("web search:").value(asked))
	}
	return buf
}

// callID returns the id by which a call and its output, or its events, know each other; absent when there is none.
func callID(body kit.Value) kit.Value {
	for _, key := range [...]string{"call_id", "callId", "tool_call_id", "id"} {
		if id := body.Get(key); id.IsString() && len(id.Raw()) > 2 {
			return id
		}
	}
	return kit.Value{}
}

// searched returns what a web search asked for; absent for all else.
func searched(body kit.Value) kit.Value {
	action := body.Get("action")
	switch body.Get("type").String() {
	case "web_search_call", "web_search_end", "web_search_begin", "Extension", "WebSearch":
		return first(action.Get("query"), action.Get("url"), action.Get("pattern"), body.Get("query"))
	}
	return kit.Value{}
}

// resultOf returns where an event keeps what the tool gave back; absent when it holds nothing.
func resultOf(body kit.Value) kit.Value {
	for _, key := range [...]string{"aggregated_output", "stdout", "result", "content_items", "results", "agent_statuses", "status_text"} {
		if v := body.Get(key); holds(v) {
			return v
		}
	}
	if status := body.Get("status"); status.IsObject() {
		return status
	}
	for _, key := range [...]string{"stderr", "error", "formatted_output"} {
		if v := body.Get(key); holds(v) {
			return v
		}
	}
	return kit.Value{}
}

// holds reports whether there is something in a value.
func holds(v kit.Value) bool {
	switch v.Kind() {
	case kit.Absent, kit.Null:
		return false
	case kit.String:
		return len(v.Raw()) > 2
	case kit.Array, kit.Object:
		return v.Len() > 0
	}
	return true
}

// runFailed reports whether an event or item says that its run failed.
func runFailed(body kit.Value) bool {
	if code, ok := body.Get("exit_code").Int(); ok && code != 0 {
		return true
	}
	if success := body.Get("success"); success.Kind() == kit.Bool && !success.Bool() {
		return true
	}
	switch body.Get("status").String() {
	case "failed", "error", "declined":
		return true
	}
	result := body.Get("result")
	return result.Get("Err").Exists() || result.Get("Ok", "isError").Bool() || result.Get("isError").Bool() || holds(body.Get("error"))
}
