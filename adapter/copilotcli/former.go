package copilotcli

import (
	"context"

	"lore"
	"lore/adapter/kit"
)

// session reads a session of the first versions: the messages as the model's API has them, and a timeline for the screen
// that says most of them again, with times.
func (d *document) session(ctx context.Context, yield yielder) error {
	d.begun, _ = kit.ParseTimeString(d.words["startTime"])
	times := d.screenTimes()
	said := map[uint64]bool{}
	for _, at := range d.lists["chatMessages"] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v := d.value(at); !d.chatMessage(at, v, times, said) {
			d.unknown(at, "chat message "+clip(v.Get("role").String()))
		}
	}
	alone := len(d.messages) == 0
	for _, at := range d.lists["timeline"] {
		d.screen(at, d.value(at), said, alone)
	}
	return d.end(d.words["sessionId"], d.words["cwd"], yield)
}

// screenTimes are the times of what the timeline shows, by its words, in order.
func (d *document) screenTimes() map[uint64][]lore.Time {
	times := map[uint64][]lore.Time{}
	for _, where := range d.lists["timeline"] {
		t := d.value(where)
		if at, ok := kit.ParseTime(t.Get("timestamp")); ok {
			key := digestOf(screenKey(t))
			times[key] = append(times[key], at)
		}
	}
	return times
}

// screenKey is what an element of the timeline and what it shows have in common: the id of a call, or the words.
func screenKey(t kit.Value) string {
	if id := idOf(first(t.Get("callId"), t.Get("toolCallId"))); id != "" {
		return "call " + id
	}
	return first(t.Get("text"), t.Get("content")).String()
}

// chatMessage makes one message of the model's API; false when its role is unknown.
func (d *document) chatMessage(s span, v kit.Value, times map[uint64][]lore.Time, said map[uint64]bool) bool {
	m := lore.Message{Native: idOf(v.Get("id"))}
	text := v.Get("content").String()
	switch v.Get("role").String() {
	case "user":
		m.Role = lore.User
	case "assistant":
		m.Role = lore.Assistant
		m.Model = v.Get("model").String()
		if r := first(v.Get("reasoning_text"), v.Get("reasoning_content")); r.String() != "" {
			m.Parts = append(m.Parts, thinking(r))
		}
	case "system", "developer":
		m.Role, m.Subtype = lore.System, "context"
	case "tool":
		id := idOf(v.Get("tool_call_id"))
		p := raw(lore.Result, v.Get("content"))
		p.CallID = id
		if p.Name = v.Get("name").String(); p.Name == "" {
			p.Name = d.names[id]
		}
		said[digestOf("call "+id)] = true
		d.add(s, lore.Message{Role: lore.Tool, Parts: []lore.Part{p}, Native: kit.SplitNative(lore.Tool, id)}, lore.Time{})
		return true
	default:
		return false
	}
	m.Parts = append(m.Parts, d.content(s, v.Get("content"))...)
	for call := range v.Get("tool_calls").Items() {
		p := raw(lore.Call, call.Get("function", "arguments"))
		p.Name, p.CallID = call.Get("function", "name").String(), idOf(call.Get("id"))
		d.names[p.CallID] = p.Name
		said[digestOf("call "+p.CallID)] = true
		m.Parts = append(m.Parts, p)
	}
	key := digestOf(text)
	said[key] = said[key] || text != ""
	var at lore.Time
	if list := times[key]; text != "" && len(list) > 0 {
		at, times[key] = list[0], list[1:]
	}
	d.add(s, m, at)
	return true
}

// content makes the parts of a message's content: a string, or a list of blocks.
func (d *document) content(s span, v kit.Value) []lore.Part {
	if v.IsString() && len(v.Raw()) > 2 {
		return []lore.Part{raw(lore.Text, v)}
	}
	var parts []lore.Part
	for block := range v.Items() {
		switch {
		case block.Get("text").IsString():
			parts = append(parts, raw(lore.Text, block.Get("text")))
		case block.Get("image_url").Exists():
			url := first(block.Get("image_url", "url"), block.Get("image_url"))
			p := lore.Part{Kind: lore.Image, Text: url.String()}
			if digest, ok := kit.DataURL(url); ok {
				p.Text, p.MediaType, p.Bytes = digest.Ref, digest.MediaType, digest.Bytes
			}
			parts = append(parts, p)
		default:
			p := raw(lore.Unknown, block)
			p.Name = clip(block.Get("type").String())
			d.losses.one(lore.UnexpectedShape, lore.Info, d.lineAt(s.offset), "block "+p.Name)
			parts = append(parts, p)
		}
	}
	return parts
}

// screen takes in one element of the timeline. What a message says is merged; the rest makes a message, notices only
// where the timeline is all there is.
func (d *document) screen(s span, t kit.Value, said map[uint64]bool, alone bool) {
	text := first(t.Get("text"), t.Get("content"))
	at, _ := kit.ParseTime(t.Get("timestamp"))
	typ := t.Get("type").String()
	if said[digestOf(screenKey(t))] {
		d.ledger.Merge(1)
		return
	}
	id := idOf(first(t.Get("callId"), t.Get("toolCallId")))
	switch typ {
	case "user":
		d.add(s, lore.Message{Role: lore.User, Parts: d.content(s, text)}, at)
	case "copilot", "assistant":
		d.add(s, lore.Message{Role: lore.Assistant, Parts: d.content(s, text)}, at)
	case "tool_call_requested":
		p := raw(lore.Call, t.Get("arguments"))
		p.Name, p.CallID = t.Get("name").String(), id
		d.add(s, lore.Message{Role: lore.Assistant, Parts: []lore.Part{p}}, at)
	case "tool_call_completed":
		result := t.Get("result")
		p := raw(lore.Result, first(result.Get("log"), result.Get("content"), result.Get("error"), result))
		p.Name, p.CallID = t.Get("name").String(), id
		p.IsError = result.Get("type").Is("failure") || holds(result.Get("error"))
		d.add(s, lore.Message{Role: lore.Tool, Parts: []lore.Part{p}}, at)
	case "info", "warning", "error":
		if !alone || text.String() == "" {
			d.ledger.Skip("timeline " + typ)
			return
		}
		d.add(s, lore.Message{Role: lore.System, Subtype: "notice", Parts: d.content(s, text)}, at)
	default:
		d.unknown(s, "timeline "+clip(typ))
	}
}

// isOldest reports whether the document is one of the oldest sessions: turns of a human and an assistant.
func (d *document) isOldest() bool {
	for _, at := range d.lists["history"] {
		v := d.value(at)
		role := v.Get("role")
		return (role.Is("human") || role.Is("assistant")) && (v.Get("content").IsString() || v.Get("result").IsString()) && !v.Get("parts").Exists()
	}
	return false
}

// oldest reads the turns of such a session. Where it names no id its first message anchors it.
func (d *document) oldest(yield yielder) error {
	for _, s := range d.lists["history"] {
		v := d.value(s)
		text := first(v.Get("content"), v.Get("result"), v.Get("text"))
		at, _ := kit.ParseTime(first(v.Get("time"), v.Get("timestamp")))
		switch v.Get("role").String() {
		case "human", "user":
			d.add(s, lore.Message{Role: lore.User, Parts: d.content(s, text)}, at)
		case "assistant":
			d.add(s, lore.Message{Role: lore.Assistant, Parts: d.content(s, text)}, at)
		default:
			d.unknown(s, "turn of "+clip(v.Get("role").String()))
		}
	}
	return d.end(d.words["sessionId"], d.words["workspacePath"], yield)
}
