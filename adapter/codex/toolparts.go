package codex

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// callPart makes the part of a call, from an item, an event or a completed item. The input is as the source wrote it.
func (b *builder) callPart(body kit.Value) lore.Part {
	p := b.raw(lore.Call, callInput(body))
	p.Name = callName(body)
	p.CallID = callID(body).String()
	return p
}

// callInput returns what a tool was called with.
func callInput(body kit.Value) kit.Value {
	for _, key := range [...]string{"arguments", "input", "action", "changes", "command", "revised_prompt", "prompt", "path", "query"} {
		if v := body.Get(key); v.Exists() && !v.IsNull() {
			return v
		}
	}
	return first(body.Get("invocation", "arguments"), body.Get("function", "arguments"), body.Get("receiver_thread_id"))
}

// toolNames are the tools behind items and events that do not name one.
var toolNames = map[string]string{
	"local_shell_call": "local_shell", "web_search_call": "web_search", "tool_search_call": "tool_search",
	"image_generation_call": "image_generation", "exec_command": "exec_command", "patch_apply": "apply_patch",
	"web_search": "web_search", "view_image_tool_call": "view_image", "image_generation": "image_generation",
	"collab_agent_spawn": "spawn_agent", "collab_agent_interaction": "send_input", "collab_waiting": "wait",
	"collab_close": "close_agent", "collab_resume": "resume_agent",
	"commandexecution": "exec_command", "filechange": "apply_patch", "websearch": "web_search", "imageview": "view_image",
	"imagegeneration": "image_generation",
}

// callName returns the tool's name: with its namespace or server where the source has one.
func callName(body kit.Value) string {
	name := idOf(first(body.Get("name"), body.Get("function", "name"), body.Get("tool"), body.Get("invocation", "tool")))
	space := idOf(first(body.Get("namespace"), body.Get("server"), body.Get("invocation", "server")))
	switch typ := body.Get("type").String(); {
	case name != "" && space != "":
		return space + "." + name
	case name != "":
		return name
	case plain(typ) == "extension":
		return idOf(body.Get("kind"))
	case toolNames[typ] != "":
		return toolNames[typ]
	case toolNames[plain(typ)] != "":
		return toolNames[plain(typ)]
	default:
		typ = strings.TrimSuffix(strings.TrimSuffix(typ, "_end"), "_begin")
		if n := toolNames[typ]; n != "" {
			return n
		}
		return clip(typ)
	}
}

// output makes the parts of a tool's output: of a string, of one that holds JSON with the output and how it went, of a
// list with words and images, or of an object.
func (b *builder) output(v kit.Value, id string) []lore.Part {
	var parts []lore.Part
	switch v.Kind() {
	case kit.String:
		parts = []lore.Part{b.unwrapped(v)}
	case kit.Array:
		if knownBlocks(v) {
			parts = b.content(v, lore.Result)
		}
	case kit.Object:
		parts = b.objectOutput(v)
	}
	if len(parts) == 0 {
		parts = []lore.Part{b.raw(lore.Result, v)}
	}
	for i := range parts {
		parts[i].CallID = id
	}
	return parts
}

// knownBlocks reports whether a list holds content; search results, say, are lists of another sort and stay as written.
func knownBlocks(list kit.Value) bool {
	for block := range list.Items() {
		if kind, _ := kindOf(block); kind != blockUnknown {
			return true
		}
	}
	return false
}

func (b *builder) objectOutput(v kit.Value) []lore.Part {
	if ok := v.Get("Ok"); ok.Exists() {
		v = ok
	}
	if err := v.Get("Err"); err.Exists() {
		return []lore.Part{b.raw(lore.Result, err)}
	}
	if kind, _ := kindOf(v); kind == blockText || kind == blockImage {
		if p, ok := b.block(v, lore.Result); ok {
			return []lore.Part{p}
		}
	}
	switch content := v.Get("content"); content.Kind() {
	case kit.String, kit.Array:
		parts := b.content(content, lore.Result)
		if len(parts) == 0 {
			parts = append(parts, b.raw(lore.Result, v.Get("structuredContent")))
		}
		for i := range parts {
			parts[i].IsError = v.Get("isError").Bool() || failedFlag(v.Get("success"))
		}
		return parts
	}
	if out := v.Get("output"); out.IsString() && v.Get("metadata").IsObject() {
		p := b.text(lore.Result, out)
		p.IsError = exitFailed(v)
		return []lore.Part{p}
	}
	return nil
}

func failedFlag(v kit.Value) bool { return v.Kind() == kit.Bool && !v.Bool() }

// eventResult makes the parts of the result that a tool event holds: its output, and its error output where that is not
// in it.
func (b *builder) eventResult(body kit.Value) []lore.Part {
	result, id := resultOf(body), callID(body).String()
	var parts []lore.Part
	switch typ := plain(body.Get("type").String()); {
	case typ == "imagegenerationend" || typ == "imagegeneration" || typ == "imagegenerationcall":
		if p, ok := b.image(result, body); ok {
			parts = []lore.Part{b.generated(p, body.Get("result"))}
		}
	default:
		parts = b.output(result, id)
	}
	parts = b.withStderr(parts, body)
	failed := runFailed(body)
	for i := range parts {
		parts[i].CallID = id
		parts[i].IsError = parts[i].IsError || failed && parts[i].Kind == lore.Result
	}
	return parts
}

// generated makes the part of an image that the model made: plain base64.
func (b *builder) generated(p lore.Part, v kit.Value) lore.Part {
	if v.Cut() || strings.HasPrefix(p.Text, "sha256:") {
		return p
	}
	if blob, ok := kit.Base64(v, "image/png"); ok {
		return lore.Part{Kind: lore.Image, Text: blob.Ref, MediaType: blob.MediaType, Bytes: blob.Bytes}
	}
	return p
}

// withStderr adds the error output of a run where no part holds it.
func (b *builder) withStderr(parts []lore.Part, body kit.Value) []lore.Part {
	v := body.Get("stderr")
	if !holds(v) || !v.IsString() {
		return parts
	}
	p := b.text(lore.Result, v)
	for _, q := range parts {
		if strings.Contains(q.Text, strings.TrimSpace(p.Text)) {
			return parts
		}
	}
	p.Name = "stderr"
	return append(parts, p)
}
