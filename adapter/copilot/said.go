package copilot

import (
	"lore"
	"lore/adapter/kit"
)

// scripted makes messages of a turn that only the transcript tells. Events of sub-agents are left for conversations of
// their own.
func (e *emitter) scripted(events []*event, active bool) {
	for _, x := range events {
		if x.child == "" {
			e.scriptEvent(x, active)
		}
	}
}

// scriptEvent makes the message of one event.
func (e *emitter) scriptEvent(x *event, active bool) {
	v, cut := e.value(x.node)
	if cut {
		e.oversized(x.node)
	}
	data := v.Get("data")
	e.now = voice{active: active, nameless: true}
	id := v.Get("id").String()
	e.now.at, e.now.from = e.scriptTime(v.Get("timestamp"), x.node)
	role, subtype, parts := spokenParts(x.what, data)
	for i, p := range parts {
		if cut {
			p.Cut, p.Bytes = true, x.node.len
		}
		e.part(role, subtype, p, x.node.unit)
		if i == 0 {
			e.run.msg.Native = id
		}
	}
	e.closeRun()
}

func (e *emitter) scriptTime(v kit.Value, n *node) (lore.Time, lore.TimeFrom) {
	if t, ok := kit.ParseTime(v); ok {
		e.last = t
		return t, kit.TimeFrom(t)
	}
	if isSaid(v) {
		e.losses.more(n.src, lore.BadTime, lore.Warning, e.lineOf(n), "times that cannot be read", 1)
	}
	if e.last.IsZero() {
		return lore.Time{}, lore.FromNone
	}
	return e.last, lore.FromInherited
}

// spokenParts reads an event: who speaks, and what is said.
func spokenParts(what string, data kit.Value) (role lore.Role, subtype string, parts []lore.Part) {
	text := func(kind lore.PartKind, v kit.Value) {
		if t := joined(v); t != "" {
			parts = append(parts, lore.Part{Kind: kind, Text: t})
		}
	}
	switch what {
	case "user.message":
		role = lore.User
		text(lore.Text, data.Get("content"))
		for a := range data.Get("attachments").Items() {
			parts = append(parts, attached(a))
		}
	case "assistant.message", "assistant.reasoning":
		role = lore.Assistant
		text(lore.Thinking, data.Get("reasoningText"))
		kind := lore.Text
		if what == "assistant.reasoning" {
			kind = lore.Thinking
		}
		text(kind, data.Get("content"))
		for q := range data.Get("toolRequests").Items() {
			parts = append(parts, requested(q))
		}
	case "tool.execution_start":
		role = lore.Assistant
		parts = append(parts, requested(data))
	case "tool.execution_complete":
		role = lore.Tool
		parts = append(parts, completed(data))
	default:
		role, subtype = lore.System, "notice"
		if what == "system.message" {
			subtype = "context"
		}
		for _, key := range []string{"content", "message", "reason"} {
			text(lore.Text, data.Get(key))
		}
	}
	if len(parts) == 0 {
		parts = []lore.Part{{Kind: lore.Text}}
	}
	return role, subtype, parts
}

// requested makes a call of a request for a tool, or of its start.
func requested(q kit.Value) lore.Part {
	name := q.Get("toolName").String()
	if name == "" {
		name = q.Get("name").String()
	}
	return lore.Part{Kind: lore.Call, Name: name, CallID: q.Get("toolCallId").String(), Text: rawOf(q.Get("arguments"))}
}

// completed makes a result of the end of a call.
func completed(data kit.Value) lore.Part {
	p := lore.Part{Kind: lore.Result, CallID: data.Get("toolCallId").String()}
	result := data.Get("result")
	for _, v := range []kit.Value{result.Get("detailedContent"), result.Get("content"), result, data.Get("error", "message"), data.Get("error")} {
		if p.Text == "" && !(v.IsObject() && v.Get("content").Exists()) {
			p.Text = rawOf(v)
		}
	}
	success := data.Get("success")
	p.IsError = success.Kind() == kit.Bool && !success.Bool()
	return p
}

// attached makes a part of an attachment.
func attached(a kit.Value) lore.Part {
	for _, key := range []string{"uri", "path", "filePath"} {
		if ref, name, ok := uriOf(a.Get(key)); ok {
			return lore.Part{Kind: lore.File, Text: ref, Name: name}
		}
	}
	return lore.Part{Kind: lore.Unknown, Name: kit.Clip(a.Get("type").String()), Text: plainText(a.Raw())}
}
