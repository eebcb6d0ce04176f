package qwencode

import "lore/adapter/kit"

// kind is what sort of record a line is.
type kind uint8

const (
	kindUnknown kind = iota
	kindUser
	kindQueued  // typed while the agent was busy
	kindNotice  // in a user's place, but the tool's words
	kindContext // likewise, for the model only
	kindAnswer
	kindResult
	kindCompaction
	kindCommand // a slash command
	kindTitle
	kindRewind
	kindParent // the session that started this one
	kindSide   // hangs beside the chain: it is no end of a branch
	kindSkipped
)

// users are the subtypes of user records.
var users = map[string]kind{
	"": kindUser, "mid_turn_user_message": kindQueued, "agent_launch_prompt": kindUser, "realtime_message": kindUser,
	"notification": kindNotice, "background_task_completed": kindNotice, "cron": kindContext, "goal_runtime": kindContext,
}

// systems are the subtypes of system records.
var systems = map[string]kind{
	"custom_title": kindTitle, "rewind": kindRewind, "chat_compression": kindCompaction, "slash_command": kindCommand,
	"parent_session": kindParent, "notification": kindNotice,
	"session_artifact_event": kindSide, "session_artifact_snapshot": kindSide, "session_sources_snapshot": kindSide,
	"ui_telemetry": kindSkipped, "at_command": kindSkipped, "attribution_snapshot": kindSkipped, "file_history_snapshot": kindSkipped,
	"session_notes": kindSkipped, "session_source": kindSkipped, "session_execution_engine": kindSkipped, "omni_recall": kindSkipped,
	"session_model": kindSkipped, "session_approval_mode": kindSkipped, "agent_bootstrap": kindSkipped, "agent_retry": kindSkipped,
	"agent_session_ready": kindSkipped, "user_text_elements": kindSkipped, "branch_checkpoint": kindSkipped, "goal_state": kindSkipped,
	"goal_turn_end": kindSkipped, "turn_result": kindSkipped,
}

// kindOf tells what a record is, and the name by which the ledger counts one that makes no message.
func kindOf(v kit.Value) (kind, string) {
	typ, sub := v.Get("type").String(), v.Get("subtype").String()
	name := typ
	if sub != "" {
		name += "/" + sub
	}
	switch typ {
	case "user":
		k := users[sub]
		if k == kindUnknown && v.Get("provenance").Is("real_user") {
			k = kindUser
		}
		if k == kindUser && v.Get("externalInputKind").Is("notification") {
			k = kindNotice
		}
		return k, name
	case "assistant":
		return kindAnswer, name
	case "tool_result":
		return kindResult, name
	case "system":
		return systems[sub], name
	}
	return kindUnknown, name
}
