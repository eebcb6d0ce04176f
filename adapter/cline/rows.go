package cline

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// row is what a row of the screen says, read for its structure or whole.
type row struct {
	role    lore.Role
	subtype string
	parts   []lore.Part // nil: no message
	skip    string      // the row is known and no conversation
	strange string      // its kind is not known
	spent   *lore.Usage
	at      lore.Time
	key     string // path or command of a call
	partial bool
}

// states are kinds of row that are no conversation.
var states = setOf("checkpoint_created checkpoint_saved deleted_api_reqs resume_task resume_completed_task " +
	"api_req_finished api_req_retried api_req_retry_delayed api_req_deleted shell_integration_warning " +
	"mcp_server_request_started load_mcp_documentation hook hook_output task_progress info use_subagents_tool " +
	"shell_integration_warning_with_suggestion rooignore_error codebase_search_result sliding_window_truncation")

// told are kinds of row with which the tool speaks for itself.
var told = setOf("error diff_error error_retry mistake_limit_reached auto_approval_max_req_reached api_req_failed " +
	"clineignore_error condense condense_context condense_context_error subtask_result user_edit_todos completed_error new_task_started")

// calls are kinds of row that show a call.
var calls = setOf("tool command browser_action browser_action_launch use_mcp_server new_task condense report_bug")

// results are kinds of row that show what a call gave.
var results = setOf("command_output browser_action_result mcp_server_response")

// rowOf reads a row. first says that no words stand before it.
func rowOf(v kit.Value, first bool) row {
	typ := v.Get("type").String()
	kind := v.Get(typ).String()
	r := row{role: lore.Assistant, partial: v.Get("partial").Bool()}
	r.at, _ = kit.ParseTime(v.Get("ts"))
	text := v.Get("text")
	words := kit.TextPart(lore.Text, text)
	switch {
	case kind == "api_req_started":
		r.skip, r.spent = kind, spentOf(words.Text)
		return r
	case kind == "task" || kind == "text" && first && typ == "say":
		r.role = lore.User
	case kind == "user_feedback" || kind == "user_feedback_diff":
		r.role = lore.User
	case kind == "text":
	case kind == "reasoning":
		words.Kind = lore.Thinking
	case kind == "completion_result" || kind == "followup" || strings.HasPrefix(kind, "plan_mode_respon"):
		words.Text = sayOf(words.Text)
	case calls[kind]:
		words.Kind = lore.Call
		words.Name, r.key = callOf(kind, words.Text)
	case results[kind] || kind == "command_output":
		r.role, words.Kind = lore.Tool, lore.Result
	case told[kind]:
		r.role, r.subtype = lore.System, "notice"
	case states[kind]:
		r.skip = kind
		return r
	default:
		r.strange = typ + ":" + kind
		return r
	}
	images := v.Get("images").Len()
	if r.role == lore.User && r.partial || words.Text == "" && images == 0 && !(kind == "text" && text.Exists()) {
		r.skip = kind
		return r
	}
	if words.Text != "" || images == 0 {
		r.parts = append(r.parts, words)
	}
	for image := range v.Get("images").Items() {
		r.parts = append(r.parts, kit.MediaPart(lore.Image, image, "", false))
	}
	return r
}

// object parses a text that holds JSON; absent when it does not.
func object(text string) kit.Value {
	var doc kit.Doc
	if !strings.HasPrefix(text, "{") {
		return kit.Value{}
	}
	v, err := doc.Parse([]byte(text))
	if err != nil {
		return kit.Value{}
	}
	return v
}

// sayOf takes words out of the JSON in which some rows hold them.
func sayOf(text string) string {
	v := object(text)
	for _, key := range []string{"response", "question"} {
		if words := v.Get(key); words.IsString() {
			return words.String()
		}
	}
	return text
}

// callOf names a call that a row shows, and what it is about.
func callOf(kind, text string) (name, key string) {
	v := object(text)
	if name = v.Get("tool").String(); name == "" {
		name = v.Get("toolName").String()
	}
	if name == "" {
		name = kind
	}
	for _, k := range keyNames {
		if key = v.Get(k).String(); key != "" {
			return name, key
		}
	}
	if kind == "command" {
		key = text
	}
	return name, key
}

// keyNames are arguments by which a call is known again.
var keyNames = []string{"path", "command", "toolName", "tool_name", "uri", "url", "query", "action"}

func spentOf(text string) *lore.Usage {
	v := object(text)
	n := func(key string) int64 {
		i, ok := v.Get(key).Int()
		if !ok || i < 0 {
			return 0
		}
		return i
	}
	u := lore.Usage{Input: n("tokensIn"), Output: n("tokensOut"), CacheRead: n("cacheReads"), CacheWrite: n("cacheWrites")}
	if u == (lore.Usage{}) {
		return nil
	}
	return &u
}
