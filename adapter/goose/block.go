package goose

import (
	"lore"
	"lore/adapter/kit"
)

// The subtypes of what is no plain speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subCompaction = "compaction"
)

// block tells who says a block of a message, and what. An empty role: nobody says anything.
func (t *talk) block(m *message, v kit.Value) (lore.Role, string, []lore.Part) {
	role, sub := m.own()
	switch typ := v.Get("type").String(); typ {
	case "text":
		kind := lore.Text
		if role == lore.Tool {
			kind = lore.Result
		}
		return role, sub, []lore.Part{kit.TextPart(kind, v.Get("text"))}
	case "thinking":
		p := kit.TextPart(lore.Thinking, v.Get("thinking"))
		p.Unreadable = p.Text == ""
		return role, sub, []lore.Part{p}
	case "redactedThinking":
		return role, sub, []lore.Part{{Kind: lore.Thinking, Unreadable: true}}
	case "image":
		return role, sub, []lore.Part{imagePart(v)}
	case "toolRequest", "frontendToolRequest":
		return lore.Assistant, "", []lore.Part{callPart(v)}
	case "toolResponse":
		return lore.Tool, "", resultParts(v)
	case "toolConfirmationRequest":
		return notice(subNotice, v.Get("prompt"))
	case "systemNotification", "contextLengthExceeded":
		return notice(subNotice, v.Get("msg"))
	case "summarizationRequested", "conversationCompacted":
		return notice(subCompaction, v.Get("msg"))
	case "actionRequired":
		return action(v.Get("data"))
	default:
		t.lost.more(lore.UnknownRecord, lore.Info, m.unit, "block of type "+kit.Clip(typ))
		return role, sub, []lore.Part{kit.UnknownPart(typ, v)}
	}
}

// notice is something that the client says; without words it says nothing.
func notice(sub string, words kit.Value) (lore.Role, string, []lore.Part) {
	if words.String() == "" {
		return "", "", nil
	}
	return lore.System, sub, []lore.Part{kit.TextPart(lore.Text, words)}
}

// action is a question of the client to the person, or what the person filled in.
func action(v kit.Value) (lore.Role, string, []lore.Part) {
	switch v.Get("actionType").String() {
	case "elicitationResponse":
		words := v.Get("userData")
		if !words.Exists() {
			words = v.Get("user_data")
		}
		return lore.User, "", []lore.Part{kit.RawPart(lore.Text, words)}
	case "elicitation":
		return notice(subNotice, v.Get("message"))
	}
	return notice(subNotice, v.Get("prompt"))
}

// callPart makes a call of a request, whose name and input stand in it as they are or as the value of a success. A
// request that could not be read has an error in their place.
func callPart(v kit.Value) lore.Part {
	call := v.Get("toolCall")
	if call.Get("value").IsObject() {
		call = call.Get("value")
	}
	id := first(v.Get("id"), call.Get("id")).String()
	if fault := call.Get("error"); fault.Exists() && !call.Get("name").Exists() {
		p := kit.RawPart(lore.Call, fault)
		p.CallID, p.IsError = id, true
		return p
	}
	p := kit.RawPart(lore.Call, call.Get("arguments"))
	p.Name, p.CallID = call.Get("name").String(), id
	return p
}

// resultParts makes one part of each thing that came of a call, at least one.
func resultParts(v kit.Value) []lore.Part {
	id := first(v.Get("id"), v.Get("toolCallId")).String()
	result := v.Get("toolResult")
	if value := result.Get("value"); value.Exists() {
		result = merged(result, value)
	}
	failed := v.Get("toolResult", "status").Is("error") || result.Get("isError").Bool()
	if fault := v.Get("toolResult", "error"); fault.Exists() {
		p := kit.RawPart(lore.Result, fault)
		p.CallID, p.IsError = id, true
		return []lore.Part{p}
	}
	content := result
	if result.IsObject() {
		content = result.Get("content")
	}
	var parts []lore.Part
	for item := range content.Items() {
		p := itemPart(item)
		if p.Kind == lore.Result {
			p.CallID, p.IsError = id, failed
		}
		parts = append(parts, p)
	}
	if !content.IsArray() {
		p := kit.RawPart(lore.Result, result)
		p.CallID, p.IsError = id, failed
		return []lore.Part{p}
	}
	if len(parts) == 0 {
		parts = append(parts, lore.Part{Kind: lore.Result, CallID: id, IsError: failed})
	}
	return parts
}

// merged is the value of a success: an object with the content, or, in older sessions, the content itself.
func merged(result, value kit.Value) kit.Value {
	if value.IsObject() || value.IsArray() {
		return value
	}
	return result
}

// itemPart makes a part of one thing that a tool gave back.
func itemPart(v kit.Value) lore.Part {
	switch v.Get("type").String() {
	case "text":
		return kit.TextPart(lore.Result, v.Get("text"))
	case "image":
		return imagePart(v)
	case "resource":
		r := v.Get("resource")
		if text := r.Get("text"); text.IsString() {
			return kit.TextPart(lore.Result, text)
		}
		p := kit.MediaPart(lore.File, r.Get("blob"), r.Get("mimeType").String(), true)
		if !r.Get("blob").Exists() {
			p.Text = r.Get("uri").String()
		}
		p.Name = kit.Base(r.Get("uri").String())
		return p
	}
	return kit.RawPart(lore.Result, v)
}

func imagePart(v kit.Value) lore.Part {
	return kit.MediaPart(lore.Image, v.Get("data"), first(v.Get("mimeType"), v.Get("mime_type")).String(), true)
}

// first returns the first value that is there.
func first(values ...kit.Value) kit.Value {
	for _, v := range values {
		if v.Exists() {
			return v
		}
	}
	return kit.Value{}
}
