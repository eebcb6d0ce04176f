package copilotcli

import (
	"strings"

	"lore/adapter/kit"
)

// kind is what an event is to the record.
type kind uint8

const (
	kindUnknown  kind = iota
	kindSkip          // known, and no conversation
	kindUser          // words of a person; in a sub-agent's conversation of its caller; injected by a skill
	kindAnswer        // the assistant's words, reasoning and calls
	kindReason        // reasoning alone
	kindStart         // a tool begins to run: the call
	kindResult        // what a tool gave
	kindAsked         // a call that a person made
	kindReply         // what a person answered to a question of the model
	kindSystem        // context that the tool gives the model
	kindNotice        // what the tool says
	kindSummary       // a compaction
	kindStarted       // a sub-agent begins
	kindHead          // the session begins, goes on, or its folder changes
	kindModel         // the model changes
	kindTitle         // the title changes
	kindShutdown      // the session ends: its totals
	kindRewind        // events were removed
)

// kinds are the types of events that say something.
var kinds = map[string]kind{
	"user.message":         kindUser,
	"userpromptsubmitted":  kindUser, // as a logging hook writes it
	"assistant.message":    kindAnswer,
	"assistantresponse":    kindAnswer,
	"assistant.reasoning":  kindReason,
	"tool.execution_start": kindStart, "tool.execution_complete": kindResult,
	"tool.user_requested":  kindAsked,
	"user_input.completed": kindReply,
	"system.message":       kindSystem, "skill.invoked": kindSystem, "session.binary_asset": kindSystem,
	"system.notification": kindNotice, "session.error": kindNotice, "session.info": kindNotice, "session.warning": kindNotice,
	"session.handoff": kindNotice, "session.task_complete": kindNotice, "abort": kindNotice, "hook.end": kindNotice,
	"subagent.failed":             kindNotice,
	"session.compaction_complete": kindSummary,
	"subagent.started":            kindStarted,
	"session.start":               kindHead, "session.resume": kindHead, "session.context_changed": kindHead,
	"session.model_change": kindModel, "session.auto_mode_resolved": kindModel,
	"session.title_changed":   kindTitle,
	"session.shutdown":        kindShutdown,
	"session.snapshot_rewind": kindRewind,
}

// passed are beginnings of the types of events that are known and no conversation. Most of them are never written to a
// file at all.
var passed = []string{
	"assistant.turn_", "assistant.intent", "assistant.reasoning_delta", "assistant.message_", "assistant.streaming_delta",
	"assistant.tool_call_delta", "assistant.server_tool_progress", "assistant.usage", "assistant.idle", "assistant.fusion_",
	"auto_mode_switch.", "capabilities.", "command.", "commands.", "custom_notification", "elicitation.", "exit_plan_mode.",
	"external_tool.", "hook.", "mcp.", "mcp_", "model.", "model_call", "pending_messages.", "permission.", "sampling.",
	"session.autopilot_", "session.background_tasks_", "session.canvas", "session.commands_", "session.compaction_start",
	"session.context_cleared", "session.custom_agents_", "session.extensions", "session.factory_", "session.fusion_",
	"session.idle", "session.limits_", "session.managed_settings", "session.mcp_", "session.mode_", "session.permissions_",
	"session.plan_", "session.remote_", "session.schedule_", "session.session_limits_", "session.skills_", "session.todos_",
	"session.tools_", "session.truncation", "session.usage_", "session.workspace_file_", "session_limits_exhausted.",
	"subagent.", "tool.execution_p", "tool.search_", "user_input.",
}

// kindOf tells what an event is by its type.
func kindOf(typ string) kind {
	if k, ok := kinds[typ]; ok {
		return k
	}
	for _, begin := range passed {
		if strings.HasPrefix(typ, begin) {
			return kindSkip
		}
	}
	return kindUnknown
}

// speaks reports whether an event of this kind makes a message.
func (k kind) speaks() bool { return k >= kindUser && k <= kindSummary }

// bodyOf returns the payload of an event; of one without, which no version is known to write, the event itself.
func bodyOf(v kit.Value) kit.Value {
	if d := v.Get("data"); d.IsObject() {
		return d
	}
	return v
}

// idOf returns an id: a string, or a number as it is written where the source holds one.
func idOf(v kit.Value) string {
	switch v.Kind() {
	case kit.String:
		return v.String()
	case kit.Number:
		return string(v.Raw())
	}
	return ""
}

// holds reports whether a value says anything.
func holds(v kit.Value) bool { return v.Exists() && !v.IsNull() }

// first returns the first of the values that says anything.
func first(values ...kit.Value) kit.Value {
	for _, v := range values {
		if holds(v) {
			return v
		}
	}
	return kit.Value{}
}
