package kimi

import (
	"strconv"

	"lore"
	"lore/adapter/kit"
)

// isEvent reports whether a record is one of Kimi CLI's log.
func isEvent(v kit.Value) bool {
	return v.Get("timestamp").IsNumber() && v.Get("message", "type").IsString() && v.Get("message", "payload").IsObject()
}

// quiet are events that are known and make no message.
var quiet = map[string]bool{
	"TurnEnd": true, "CompactionBegin": true, "CompactionEnd": true, "HookTriggered": true, "HookResolved": true, "MCPLoadingBegin": true,
	"MCPLoadingEnd": true, "MCPStatus": true, "ApprovalRequest": true, "ApprovalResponse": true, "ApprovalRequestResolved": true,
	"QuestionRequest": true, "QuestionResponse": true, "ToolCallRequest": true, "StatusUpdate": true,
}

// maxNesting is how deep events of sub-agents of sub-agents nest.
const maxNesting = 16

// unwrap returns the event that a record holds, and whose it is: of a sub-agent's event the agent's id, or that of the
// call that started it.
func unwrap(v kit.Value) (event kit.Value, agent, call string) {
	event = v.Get("message")
	for range maxNesting {
		if !event.Get("type").Is("SubagentEvent") {
			break
		}
		payload := event.Get("payload")
		agent, call = payload.Get("agent_id").String(), payload.Get("parent_tool_call_id").String()
		if call == "" {
			call = payload.Get("task_tool_call_id").String()
		}
		if agent == "" {
			agent = call
		}
		event = payload.Get("event")
	}
	return event, agent, call
}

// event takes a record of Kimi CLI's log in.
func (s *session) event(v kit.Value, at spot) {
	event, agent, call := unwrap(v)
	t := s.trackOf(agent, at)
	if t.call == "" && agent != "" {
		t.call = call
	}
	time, _ := kit.ParseTime(v.Get("timestamp"))
	typ, payload := event.Get("type").String(), event.Get("payload")
	switch typ {
	case "TurnBegin":
		t.turnNo++
		t.stepNo, t.open = 0, -1
		t.say(turn{what: prompt, time: time}, payload.Get("user_input"), false, at)
	case "SteerInput":
		t.say(turn{what: prompt, sub: subQueued, time: time}, payload.Get("user_input"), false, at)
	case "StepBegin":
		t.stepNo++
		if n, ok := payload.Get("n").Int(); ok {
			t.stepNo = n
		}
		t.beginStep(t.stepID(), at, time)
	case "ContentPart":
		t.add("", payload, "", at, time)
	case "ToolCall":
		t.add("", kit.Value{}, payload.Get("id").String(), at, time)
	case "ToolCallPart":
		t.add("", kit.Value{}, "", at, time)
	case "ToolResult":
		s.spawn(t, payload.Get("tool_call_id").String(), payload.Get("return_value", "output"))
		t.answer(payload.Get("tool_call_id").String(), at, time)
	default:
		s.aside(t, typ, payload, at, time)
	}
}

// stepID names a step as the tool itself does in its requests: the number of its turn, from 0, and its own.
func (t *track) stepID() string {
	return strconv.FormatInt(max(t.turnNo, 0), 10) + "." + strconv.FormatInt(t.stepNo, 10)
}

// aside takes an event that is no speech of the turn.
func (s *session) aside(t *track, typ string, payload kit.Value, at spot, time lore.Time) {
	switch {
	case typ == "StatusUpdate" && payload.Get("token_usage").IsObject():
		if t.spend(at) {
			return
		}
	case typ == "ApprovalResponse" && holds(payload.Get("feedback")):
		t.begin(turn{what: prompt, time: time, words: noWords}, at)
		return
	case typ == "HookResolved" && payload.Get("action").Is("block") && holds(payload.Get("reason")):
		t.begin(turn{what: injected, sub: subHook, time: time, words: noWords}, at)
		return
	case typ == "StepInterrupted", typ == "Notification":
		t.begin(turn{what: notice, time: time, words: noWords}, at)
		return
	case typ == "PlanDisplay":
		t.begin(turn{what: plan, time: time, words: noWords}, at)
		return
	}
	if quiet[typ] {
		t.ledger.Skip(typ)
		return
	}
	t.meet(typ, at)
}
