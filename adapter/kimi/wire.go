package kimi

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// isWire reports whether a record is one of Kimi Code's log.
func isWire(v kit.Value) bool {
	switch v.Get("type").String() {
	case "metadata":
		return v.Get("protocol_version").Exists()
	case "turn.prompt", "turn.steer":
		return v.Get("input").IsArray() && v.Get("origin").IsObject()
	case "context.append_message":
		return v.Get("message").IsObject()
	case "context.append_loop_event":
		return v.Get("event", "type").IsString()
	}
	return false
}

// families are the beginnings of types that are known and make no message.
var families = []string{
	"metadata", "forked", "config.", "profile.", "permission.", "plan_mode.", "swarm_mode.", "tools.", "llm.", "full_compaction.",
	"micro_compaction.", "goal.", "mcp.", "plugin.", "runtime.", "token_counting.", "usage.", "turn.ended", "context.undo",
}

// wire takes a record of Kimi Code's log in.
func (s *session) wire(v kit.Value, at spot) {
	t := s.trackOf(v.Get("agentId").String(), at)
	time, _ := kit.ParseTime(v.Get("time"))
	typ := v.Get("type").String()
	switch typ {
	case "turn.prompt", "turn.steer":
		n := s.speaker(t, v.Get("origin"))
		if typ == "turn.steer" && n.what == prompt {
			n.sub = subQueued
		}
		n.time = time
		t.open = -1
		t.say(n, v.Get("input"), false, at)
	case "context.append_message":
		s.appended(t, v.Get("message"), at, time)
	case "context.append_loop_event":
		s.loop(t, v.Get("event"), at, time)
	case "context.apply_compaction":
		n := t.begin(turn{what: summary, time: time, words: noWords}, at)
		if t.pending >= 0 {
			t.turns[n].spent = true
			t.link(n, t.pending)
			t.pending = -1
		}
	case "turn.cancel", "context.clear":
		t.begin(turn{what: notice, time: time, words: noWords}, at)
	case "goal.create":
		t.begin(turn{what: injected, sub: subGoal, time: time, words: noWords}, at)
	case "usage.record":
		s.usage(t, v, at)
	case "permission.record_approval_result":
		if holds(v.Get("result", "feedback")) {
			t.begin(turn{what: prompt, time: time, words: noWords}, at)
			return
		}
		t.ledger.Skip(typ)
	default:
		s.setting(t, v, typ, at, time)
	}
}

// speaker tells whose words those of a prompt are, by where it comes from. What starts a sub-agent is its caller's.
func (s *session) speaker(t *track, origin kit.Value) turn {
	switch kind := origin.Get("kind").String(); kind {
	case "user", "":
		return turn{what: prompt}
	case "system_trigger":
		if t.agent != mainAgent {
			return turn{what: prompt}
		}
		return turn{what: injected, sub: subContext}
	case "compaction_summary":
		return turn{what: injected, sub: subCompaction}
	case "hook_result":
		return turn{what: injected, sub: subHook}
	case "background_task", "cron_job", "cron_missed", "retry":
		return turn{what: injected, sub: subNotice}
	case "shell_command", "plugin_command":
		return turn{what: injected, sub: subCommand}
	default: // injection, skill, skill_activation, and what is not known: not the person's
		return turn{what: injected, sub: subContext}
	}
}

// appended takes a message that was put into the model's memory.
func (s *session) appended(t *track, message kit.Value, at spot, time lore.Time) {
	switch role := message.Get("role").String(); role {
	case "user", "system":
		n := s.speaker(t, message.Get("origin"))
		if role == "system" {
			n = turn{what: injected, sub: subContext}
		}
		n.time = time
		t.say(n, message.Get("content"), true, at)
	case "assistant":
		t.open = -1
		n := t.beginStep("", at, time)
		t.open = -1
		t.turns[n].words = wordsOf(textOf(message.Get("content")))
	case "tool":
		t.answer(message.Get("toolCallId").String(), at, time)
	default:
		t.meet("context.append_message/"+role, at)
	}
}

// loop takes an event of the model's loop.
func (s *session) loop(t *track, event kit.Value, at spot, time lore.Time) {
	switch typ := event.Get("type").String(); typ {
	case "step.begin":
		t.beginStep(event.Get("uuid").String(), at, time)
	case "content.part":
		t.add(event.Get("stepUuid").String(), event.Get("part"), "", at, time)
	case "tool.call":
		t.add(event.Get("stepUuid").String(), kit.Value{}, event.Get("toolCallId").String(), at, time)
	case "tool.result":
		s.spawn(t, event.Get("toolCallId").String(), event.Get("result", "output"))
		t.answer(event.Get("toolCallId").String(), at, time)
	case "step.end":
		if n, ok := t.steps[event.Get("uuid").String()]; ok {
			t.open = n
		}
		if !event.Get("usage").IsObject() || !t.spend(at) {
			t.ledger.Skip(typ)
		}
	default:
		t.meet("loop event "+typ, at)
	}
}

// usage takes a record of tokens: of the step at work, which tells them itself in most versions, or of a compaction.
func (s *session) usage(t *track, v kit.Value, at spot) {
	if v.Get("usageScope").Is("session") {
		if t.pending >= 0 {
			t.ledger.Skip("usage.record")
			return
		}
		t.spots = append(t.spots, at)
		t.pending = int32(len(t.spots) - 1)
		return
	}
	if !t.spend(at) {
		t.ledger.Skip("usage.record")
	}
}

// setting takes what makes no message: the model, the folder and the time at which all began are kept.
func (s *session) setting(t *track, v kit.Value, typ string, at spot, time lore.Time) {
	fresh := false
	switch typ {
	case "metadata":
		if created, ok := kit.ParseTime(v.Get("created_at")); ok && t.begun.IsZero() {
			t.begun, fresh = created, true
		}
	case "llm.request":
		if model := v.Get("model").String(); model != "" {
			n := s.modelNo(model)
			fresh = n != t.model
			t.model = n
			if t.open >= 0 && t.turns[t.open].model != n && !t.turns[t.open].spent {
				t.turns[t.open].model = n
			}
		}
	case "config.update", "profile.bind":
		for _, dir := range []string{v.Get("cwd").String(), v.Get("environmentDisclosure", "cwd").String()} {
			if dir != "" && dir != t.dir {
				t.dir, fresh = dir, true
			}
		}
	case "context.undo":
		n, ok := v.Get("count").Int()
		if !ok {
			n = 1
		}
		t.undo(n)
	}
	switch {
	case fresh:
		t.ledger.Keep(1)
	case inFamily(typ):
		t.ledger.Skip(typ)
	default:
		t.meet(typ, at)
	}
}

func inFamily(typ string) bool {
	for _, f := range families {
		if typ == f || strings.HasSuffix(f, ".") && strings.HasPrefix(typ, f) {
			return true
		}
	}
	return false
}

// spawn notes which sub-agent a call has started: its result begins with the agent's id.
func (s *session) spawn(t *track, call string, output kit.Value) {
	rest, ok := strings.CutPrefix(output.String(), "agent_id: ")
	if !ok {
		return
	}
	agent, _, _ := strings.Cut(rest, "\n")
	if agent = strings.TrimSpace(agent); agent != "" && len(agent) < 128 && !s.known[t.agent+"\x00"+agent] {
		s.known[t.agent+"\x00"+agent] = true
		s.spawned = append(s.spawned, child{agent: agent, parent: t.agent, call: call})
	}
}

// holds reports whether a value is a text that says something.
func holds(v kit.Value) bool { return v.IsString() && !v.Is("") }
