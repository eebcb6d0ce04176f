package claudecode

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// attachments are the types of attachment that this version knows, with the fields whose texts they add to the context.
// One without words is no conversation.
var attachments = map[string][]string{
	"hook_success":                {"content", "stdout", "stderr"},
	"hook_additional_context":     {"content"},
	"hook_blocking_error":         {"blockingError"},
	"hook_non_blocking_error":     {"stderr", "stdout"},
	"hook_error_during_execution": {"content", "stderr", "stdout"},
	"hook_cancelled":              nil,
	"hook_stopped_continuation":   {"message"},
	"hook_system_message":         {"content"},
	"hook_permission_decision":    {"reason"},
	"skill_listing":               {"content"},
	"nested_memory":               {"content"},
	"task_reminder":               {"content"},
	"todo_reminder":               {"content"},
	"edited_text_file":            {"filename", "snippet"},
	"file":                        {"filename", "content"},
	"compact_file_reference":      {"filename"},
	"invoked_skills":              {"skills"},
	"dynamic_skill":               {"skillNames"},
	"deferred_tools_delta":        {"addedLines"},
	"agent_listing_delta":         {"addedLines"},
	"mcp_instructions_delta":      {"addedBlocks"},
	"read_truncation_notice":      {"banner"},
	"total_tokens_reminder":       {"text"},
	"batching_reminder_sent":      {"text"},
	"silent_turn_reminder":        {"text"},
	"task_status":                 {"description", "deltaSummary"},
	"date_change":                 {"newDate"},
	"plan_mode":                   nil,
	"plan_mode_exit":              nil,
	"auto_mode":                   nil,
	"auto_mode_exit":              nil,
	"command_permissions":         nil,
	"ultra_effort_enter":          nil,
	"ultra_effort_exit":           nil,
	"budget_usd":                  nil,
}

// context reads an attachment: what a hook printed, or what the client put into the context.
func (b *body) context(v kit.Value) {
	a := v.Get("attachment")
	t := a.Get("type").String()
	b.typ = "attachment/" + t
	b.who = contextual
	if strings.HasPrefix(t, "hook_") {
		b.who = hooked
	}
	fields, ok := attachments[t]
	b.known = ok || b.who == hooked
	if !ok && b.known {
		fields = []string{"content", "stdout", "stderr", "message"}
	}
	for _, field := range fields {
		b.words(a.Get(field))
	}
	b.oneText()
}

// The keys under which the texts of a nested value stand.
var wordKeys = []string{"content", "text", "subject", "description", "name", "message", "blockingError", "formatted"}

// words takes every text in a value: a string, a list, an object that holds one under a key of text.
func (b *body) words(v kit.Value) {
	switch v.Kind() {
	case kit.String:
		if !blank(v) {
			b.put(text(lore.Text, v))
		}
	case kit.Array:
		for item := range v.Items() {
			b.words(item)
		}
	case kit.Object:
		if file := v.Get("file"); file.IsObject() {
			b.words(file.Get("content"))
			b.twinFile(file, "")
			return
		}
		for _, k := range wordKeys {
			b.words(v.Get(k))
		}
	}
}

// oneText joins the small texts of an attachment into one part, a line each. What a large one holds stays apart.
func (b *body) oneText() {
	n := 0
	for i := range b.blocks {
		p := &b.blocks[i].part
		if n > 0 && p.Kind == lore.Text && b.blocks[n-1].part.Kind == lore.Text && !p.Cut && len(p.Text)+len(b.blocks[n-1].part.Text) < 4096 {
			b.blocks[n-1].part.Text += "\n" + p.Text
			continue
		}
		b.blocks[n] = b.blocks[i]
		n++
	}
	b.blocks = b.blocks[:n]
}

// systems are the subtypes of system records that hold no words, or only figures.
var systems = map[string]bool{
	"turn_duration": true, "stop_hook_summary": true, "session_start": true, "compact_boundary": true, "local_command": true,
	"informational": true, "api_error": true, "away_summary": true, "error": true, "api_refusal": true,
	"model_refusal_fallback": true, "microcompact_boundary": true, "bridge_status": true,
}

// system reads a system record.
func (b *body) system(v kit.Value) {
	t := v.Get("subtype").String()
	b.typ, b.who = "system/"+t, noticed
	b.known = systems[t]
	switch t {
	case "compact_boundary", "microcompact_boundary":
		b.who = compacted
	case "stop_hook_summary":
		b.who = hooked
		b.words(v.Get("hookErrors"))
		b.words(v.Get("hookAdditionalContext"))
		b.words(v.Get("stopReason"))
	}
	b.words(v.Get("content"))
	if e := v.Get("error"); len(b.blocks) == 0 && e.IsObject() && e.Len() > 0 {
		if b.words(firstOf(e, "message", "formatted")); len(b.blocks) == 0 {
			b.put(raw(lore.Text, "", e))
		}
	}
	b.known = b.known || len(b.blocks) > 0
	b.oneText()
}

func firstOf(v kit.Value, keys ...string) kit.Value {
	for _, k := range keys {
		if t := v.Get(k); t.IsString() && !blank(t) {
			return t
		}
	}
	return kit.Value{}
}
