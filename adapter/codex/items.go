package codex

import (
	"bytes"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// item takes in an item of the model's API, in an envelope or bare.
func (s *scan) item(r *record, at spot, fl flags) {
	body := r.body
	switch r.kind {
	case "message":
		s.message(r, at, fl)
	case "":
		switch {
		case body.Get("role").IsString():
			s.message(r, at, fl)
		case body.Get("record_type").IsString():
			s.ledger.Skip(clip(body.Get("record_type").String()))
		default:
			s.unknown(itemName(r, "no type"), at)
		}
	case "reasoning":
		i := s.add(thought, repItem, at, fl)
		s.think(i, turnOf(r.turnID()), texts(body.Get("content")), texts(body.Get("summary")))
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "tool_call", "mcp_call":
		s.callItem(r, at, fl)
	case "web_search_call":
		s.callItem(r, at, fl).noOut = true
	case "image_generation_call":
		if run := s.callItem(r, at, fl); holds(body.Get("result")) {
			run.out = run.call
		}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
		"mcp_tool_call_output", "tool_result", "function_result":
		s.outputItem(r, at, fl)
	case "agent_message":
		s.turn.run = -1
		s.add(letter, repItem, at, fl)
	case "compaction", "compaction_summary", "context_compaction":
		s.compact(repEnding, at, fl)
	case "ghost_snapshot", "additional_tools":
		s.ledger.Skip(r.kind)
	case "world_state": // without a payload
		s.ledger.Skip(r.kind)
	default:
		s.unknown(itemName(r, r.kind), at)
	}
}

func itemName(r *record, kind string) string {
	if r.top == "" {
		return kind
	}
	return r.top + "/" + kind
}

// message takes in an item with a role.
func (s *scan) message(r *record, at spot, fl flags) {
	body := r.body
	content := first(body.Get("content"), body.Get("message"))
	if r.top == "" {
		s.setting(kit.Value{}, body.Get("model"))
	}
	switch role := body.Get("role").String(); role {
	case "user":
		s.promptItem(content, turnOf(r.turnID()), at, fl)
	case "assistant":
		i := s.add(answer, repItem, at, fl)
		s.answered(i, turnOf(r.turnID()), texts(content))
		for call := range body.Get("tool_calls").Items() {
			s.runs.put(s.runIDs(call), placeCall, i, at.line)
		}
	case "developer", "system":
		s.turn.run = -1
		s.add(background, repItem, at, fl)
	case "tool":
		s.outputItem(r, at, fl)
	default:
		s.unknown(itemName(r, "message:"+role), at)
	}
}

// promptItem takes in an item of role user: a person's words or what the client injected.
func (s *scan) promptItem(content kit.Value, turn uint64, where spot, fl flags) {
	text, images := promptText(content)
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), abortedTag) {
		s.turn.run = -1
		s.abort(repItem, where, fl)
		return
	}
	if _, ok := injectedAs(text); ok {
		fl |= prefixed
		if s.head.dir == "" {
			s.head.dir = contextDir(text)
		}
	}
	i := s.add(prompt, repItem, where, fl)
	f := foldPrompt(text)
	if s.marks.afterAbort && s.marks.prompt >= 0 && f == s.marks.promptFold {
		s.units[i].owner, s.marks.isEcho = s.marks.prompt, true
		return
	}
	at := s.ask(i, turn, f)
	sl := &s.window.slots[at]
	sl.item, sl.shown, sl.run = i, images, s.turn.run
	s.turn.run = at
	s.prove(sl)
}

// ask pairs a prompt and returns its slot. A prompt that nothing has said yet begins a turn where the file does not
// mark its turns and the model has worked since the last one.
func (s *scan) ask(i int32, turn uint64, f fold) int32 {
	k, r := key{prompt, f}, s.units[i].rep
	if s.turn.active && !s.turn.open && s.window.find(k, r, turn) < 0 {
		s.newTurn(len(s.window.slots))
	}
	at := s.pair(said{unit: i, rep: r, turn: turn, keys: []key{k}})
	s.marks.prompt, s.marks.promptFold = i, f
	if s.units[i].flags&prefixed == 0 {
		s.marks.compaction = -1
	}
	return at
}

// prove spreads what an event has proved: the item is a person's, and the items before it in its run were injected with
// it.
func (s *scan) prove(sl *slot) {
	if sl.item < 0 {
		return
	}
	if sl.event >= 0 && sl.told > sl.shown {
		s.units[sl.item].mate = sl.event
	}
	if !sl.proved {
		return
	}
	s.units[sl.item].flags |= proved
	for at := sl.run; at >= 0; at = s.window.slots[at].run {
		before := s.window.slots[at].item
		if s.units[before].flags&(proved|withTwin) != 0 {
			return
		}
		s.units[before].flags |= withTwin
	}
}

// answered pairs the assistant's words.
func (s *scan) answered(i int32, turn uint64, texts []kit.Value) {
	f := foldValues(texts)
	w := said{unit: i, rep: s.units[i].rep, turn: turn, keys: []key{{answer, f}}}
	for _, text := range texts {
		if bytes.Contains(text.Raw(), []byte("<proposed_plan>")) {
			_, inner, _ := strings.Cut(text.String(), "<proposed_plan>")
			inner, _, _ = strings.Cut(inner, "</proposed_plan>")
			w.extra = append(w.extra, key{plan, foldText(inner)})
		}
	}
	s.pair(w)
	s.marks.answer, s.marks.answerFold = i, f
	s.modelWrote(i)
}

// think pairs reasoning: each text of its lists for itself, and all of one list together.
func (s *scan) think(i int32, turn uint64, lists ...[]kit.Value) {
	w := said{unit: i, rep: s.units[i].rep, turn: turn}
	for _, list := range lists {
		for _, text := range list {
			w.keys = append(w.keys, key{thought, foldValue(text)})
		}
		if len(list) > 1 {
			w.extra = append(w.extra, key{thought, foldValues(list)})
		}
	}
	if len(w.keys) == 0 {
		w.keys = append(w.keys, key{thought, emptyFold})
	}
	s.pair(w)
	s.modelWrote(i)
}

func (s *scan) callItem(r *record, at spot, fl flags) *run {
	i := s.add(call, repItem, at, fl)
	s.modelWrote(i)
	if id := idOf(r.body.Get("call_id")); id != "" && strings.HasPrefix(r.body.Get("name").String(), "spawn") {
		if s.spawns == nil {
			s.spawns = map[fold]string{}
		}
		s.spawns[foldText(id)] = id
	}
	return s.runs.put(s.runIDs(r.body), placeCall, i, at.line)
}

func (s *scan) outputItem(r *record, at spot, fl flags) {
	s.turn.run, s.turn.active, s.turn.fresh = -1, true, len(s.window.slots)
	i := s.add(output, repItem, at, fl)
	ids := s.runIDs(r.body)
	s.runs.put(ids, placeOut, i, at.line)
	if fl&inherited != 0 {
		return
	}
	if id, ok := s.spawns[ids[0]]; ok {
		if v, err := s.doc.Parse([]byte(r.body.Get("output").String())); err == nil {
			s.spawned(idOf(first(v.Get("agent_id"), v.Get("new_thread_id"), v.Get("thread_id"))), id)
		}
	}
}

func (s *scan) runIDs(body kit.Value) []fold {
	s.ids = callIDs(s.ids[:0], body)
	if len(s.ids) == 0 {
		s.ids = append(s.ids, emptyFold) // calls and outputs without ids follow each other
	}
	return s.ids
}

// spawned notes that a call of this conversation started another one.
func (s *scan) spawned(child, call string) {
	if child == "" || child == s.native() {
		return
	}
	for _, c := range s.facts {
		if c.Native == child && c.Parent != nil {
			return
		}
	}
	s.facts = append(s.facts, &lore.Conversation{
		Native: child, Partial: true, Kind: lore.Subagent, Parent: &lore.Parent{Native: s.native(), Call: call},
	})
}
