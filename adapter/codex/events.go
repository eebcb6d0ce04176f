package codex

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// event takes in an event that the tool wrote for its screen.
func (s *scan) event(r *record, at spot, fl flags) {
	body := r.body
	switch r.kind {
	case "user_message":
		s.promptEvent(r, at, fl)
	case "agent_message":
		i := s.add(answer, repEvent, at, fl)
		s.answered(i, turnOf(r.turnID()), texts(body.Get("message")))
	case "agent_reasoning", "agent_reasoning_raw_content":
		i := s.add(thought, repEvent, at, fl)
		s.think(i, turnOf(r.turnID()), texts(body.Get("text")))
	case "item_completed":
		s.completed(r, body.Get("item"), at, fl)
	case "token_count":
		s.tokenCount(body, fl)
	case "task_started", "turn_started":
		s.startTurn(startID(r))
		s.ledger.Skip(r.kind)
	case "task_complete", "turn_complete":
		s.finished(r, at, fl)
	case "turn_aborted":
		s.abort(repEvent, at, fl)
		s.endTurn()
	case "context_compacted":
		s.compact(repEvent, at, fl)
	case "thread_name_updated":
		s.named(r, fl)
	case "thread_rolled_back":
		n, _ := body.Get("num_turns").Int()
		s.backs = append(s.backs, rollback{turns: int(max(min(n, 1<<30), 0)), at: int32(len(s.units)), line: at.line})
		s.ledger.Keep(1)
	case "thread_settings_applied":
		set := body.Get("thread_settings")
		s.keepOrSkip(s.setting(set.Get("cwd"), set.Get("model")), r.kind)
	default:
		s.otherEvent(r, at, fl)
	}
}

// otherEvent takes in events about tools, notices, and those that say nothing.
func (s *scan) otherEvent(r *record, at spot, fl flags) {
	switch kind := r.kind; {
	case noticeKinds[kind] != "":
		s.noticed(r.body, kind, at, fl)
	case kind == "view_image_tool_call" || kind == "dynamic_tool_call_response" || strings.HasSuffix(kind, "_end") && toolEvents[strings.TrimSuffix(kind, "_end")]:
		s.toolEvent(r.body, placeEnd, at, fl)
	case kind == "dynamic_tool_call_request" || strings.HasSuffix(kind, "_begin") && toolEvents[strings.TrimSuffix(kind, "_begin")]:
		s.toolEvent(r.body, placeBegin, at, fl)
	case silentEvents[kind] || strings.HasSuffix(kind, "_delta"):
		s.ledger.Skip(clip(kind))
	default:
		s.unknown(itemName(r, kind), at)
	}
}

// toolEvents are the tools that tell of their runs by events NAME_begin and NAME_end.
var toolEvents = map[string]bool{
	"exec_command": true, "mcp_tool_call": true, "patch_apply": true, "web_search": true, "image_generation": true,
	"collab_agent_spawn": true, "collab_agent_interaction": true, "collab_waiting": true, "collab_close": true,
	"collab_resume": true,
}

// noticeKinds are the events that say something of the client's own, with the subtype of their message.
var noticeKinds = map[string]string{
	"error": subNotice, "stream_error": subNotice, "warning": subNotice, "guardian_warning": subNotice, "deprecation_notice": subNotice,
	"undo_completed": subNotice, "guardian_assessment": subNotice, "thread_goal_updated": subGoal,
	"entered_review_mode": subReview, "exited_review_mode": subReview,
	"EnteredReviewMode": subReview, "ExitedReviewMode": subReview,
}

// silentEvents are known and say nothing that belongs to a conversation.
var silentEvents = map[string]bool{
	"agent_reasoning_section_break": true, "session_configured": true, "background_event": true, "item_started": true,
	"turn_diff": true, "undo_started": true, "sub_agent_activity": true, "shutdown_complete": true,
	"thread_goal_cleared": true, "mcp_startup_update": true, "mcp_startup_complete": true, "plan_update": true,
}

// startID returns the id of the turn that begins; where the event names none, one that no other turn has.
func startID(r *record) uint64 {
	if id := turnOf(r.turnID()); id != 0 {
		return id
	}
	return uint64(foldText("a turn without id").value(r.time))
}

func (s *scan) promptEvent(r *record, where spot, fl flags) {
	body := r.body
	text := body.Get("message").String()
	typed := true
	if kind := body.Get("kind").String(); kind != "" && kind != "plain" {
		typed, fl = false, fl|prefixed
	} else {
		fl |= proved
	}
	i := s.add(prompt, repEvent, where, fl)
	f := foldPrompt(text)
	if s.marks.afterEcho && f == s.marks.promptFold {
		s.units[i].owner = s.marks.prompt
		return
	}
	sl := &s.window.slots[s.ask(i, turnOf(r.turnID()), f)]
	sl.proved = sl.proved || typed
	sl.event, sl.told = i, int16(min(body.Get("images").Len()+body.Get("local_images").Len(), 1<<14))
	s.prove(sl)
}

// completed takes in an item of the newest versions, which write a turn as its completed items.
func (s *scan) completed(r *record, item kit.Value, at spot, fl flags) {
	turn := turnOf(r.turnID())
	switch typ := plain(item.Get("type").String()); typ {
	case "usermessage":
		i := s.add(prompt, repCompleted, at, fl|proved)
		text, _ := promptText(item.Get("content"))
		sl := &s.window.slots[s.ask(i, turn, foldPrompt(text))]
		sl.proved = true
		s.prove(sl)
	case "agentmessage":
		i := s.add(answer, repCompleted, at, fl)
		s.answered(i, turn, texts(first(item.Get("content"), item.Get("text"))))
	case "reasoning":
		i := s.add(thought, repCompleted, at, fl)
		s.think(i, turn, texts(first(item.Get("raw_content"), item.Get("content"))), texts(first(item.Get("summary_text"), item.Get("summary"))))
	case "plan":
		i := s.add(plan, repEnding, at, fl)
		s.pair(said{unit: i, rep: repEnding, turn: turn, keys: []key{{plan, foldValue(item.Get("text"))}}})
		s.modelWrote(i)
	case "commandexecution", "filechange", "mcptoolcall", "dynamictoolcall", "websearch", "extension", "imageview",
		"imagegeneration", "collabagenttoolcall", "collabtoolcall":
		s.toolEvent(item, placeEnd, at, fl)
	case "contextcompaction":
		s.compact(repCompleted, at, fl)
	case "enteredreviewmode", "exitedreviewmode":
		s.noticed(item, item.Get("type").String(), at, fl)
	case "subagentactivity", "sleep":
		s.ledger.Skip("item_completed/" + clip(item.Get("type").String()))
	default:
		s.unknown("item_completed/"+item.Get("type").String(), at)
	}
}

func (s *scan) toolEvent(body kit.Value, p place, at spot, fl flags) {
	w := toolEnd
	if p == placeBegin {
		w = toolBegin
	} else {
		if runFailed(body) {
			fl |= failed
		}
		if holds(body.Get("stderr")) {
			fl |= stderr
		}
		if resultOf(body).Exists() {
			fl |= saysOut
		}
	}
	i := s.add(w, repEvent, at, fl)
	s.modelWrote(i)
	s.ids = callIDs(s.ids[:0], body)
	s.runs.put(s.ids, p, i, at.line)
	if fl&inherited == 0 {
		s.spawned(idOf(body.Get("new_thread_id")), idOf(body.Get("call_id")))
	}
}

func (s *scan) noticed(body kit.Value, kind string, at spot, fl flags) {
	words := noticeTexts(body, kind)
	if len(words) == 0 {
		s.ledger.Skip(clip(kind))
		return
	}
	i := s.add(notice, repEvent, at, fl)
	f := foldText(strings.Join(words, ""))
	switch kind {
	case "error":
		s.marks.errorFold = f
	case "thread_goal_updated": // comes again with each count of tokens
		if s.marks.goal >= 0 && f == s.marks.goalFold {
			s.units[i].owner = s.marks.goal
			return
		}
		s.marks.goal, s.marks.goalFold = i, f
	}
}

// finished takes in the end of a turn. It repeats the last words of the assistant, and sometimes is the only one that
// says them; the same with an error.
func (s *scan) finished(r *record, at spot, fl flags) {
	last, fault := r.body.Get("last_agent_message"), r.body.Get("error", "message")
	says, errs := holds(last), holds(fault) && foldValue(fault) != s.marks.errorFold
	twin := int32(-1)
	if says {
		f := foldValue(last)
		if sl := s.window.last(key{answer, f}); sl >= 0 {
			twin = s.window.slots[sl].unit
		} else if s.marks.answer >= 0 && f == s.marks.answerFold {
			twin = s.marks.answer
		}
	}
	switch {
	case !says && !errs:
		s.ledger.Skip(r.kind)
	case errs && (twin >= 0 || !says):
		s.add(ending, repEnding, at, fl|onlyError)
	default:
		i := s.add(ending, repEnding, at, fl)
		if twin >= 0 {
			s.units[i].owner = twin
		} else {
			s.modelWrote(i)
		}
	}
	s.endTurn()
}

func (s *scan) tokenCount(body kit.Value, fl flags) {
	foreign := fl&inherited != 0 || s.turn.wrote < 0
	switch s.usage.count(body, s.turn.wrote, foreign) {
	case usageNew:
		s.ledger.Keep(1)
	case usageAgain:
		s.ledger.Merge(1)
	default:
		s.ledger.Skip("token_count")
	}
}

// named takes a title. A fork repeats the titles of its parent, which are no news.
func (s *scan) named(r *record, fl flags) {
	title, at := idOf(r.body.Get("thread_name")), timeOf(r.time)
	id := idOf(first(r.body.Get("thread_id"), r.body.Get("threadId")))
	switch {
	case fl&inherited != 0:
		s.ledger.Merge(1)
	case title == "":
		s.ledger.Skip(r.kind)
	case id != "" && id != s.native():
		fact := &lore.Conversation{Native: id, Partial: true, Title: title, TitleFrom: lore.TitleFromSource, TitleAt: at}
		fact.Ledger.Keep(1)
		s.facts = append(s.facts, fact)
	default:
		if s.head.title == "" || !at.Before(s.head.titleAt) {
			s.head.title, s.head.titleAt = title, at
		}
		s.ledger.Keep(1)
	}
}

func timeOf(v kit.Value) lore.Time {
	t, _ := kit.ParseTime(v)
	return t
}
