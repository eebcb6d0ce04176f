package opencode

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// part takes one part of the message.
func (t *turn) part(u *unit) {
	if u.id != "" && u.id == t.session.revertPart && t.message.id == t.session.revertMessage {
		t.undone = true
	}
	switch u.state {
	case good:
		t.note(u)
		t.block(u, u.value)
	case absent:
	case left:
		t.account(u, "part")
		t.oversized(u)
	default:
		t.account(u, "part")
	}
}

// oversized says that a part is there and how large it is. Its bytes are in the archive.
func (t *turn) oversized(u *unit) {
	t.answered()
	role, sub := t.own()
	r := t.run(role, sub, u.time, t.undone)
	r.parts = append(r.parts, lore.Part{Kind: lore.Unknown, Name: "part", Cut: true, Bytes: u.size})
	r.units++
	r.origins = append(r.origins, u.at)
}

// block makes of a part what it is.
func (t *turn) block(u *unit, v kit.Value) {
	at := partTime(v, u.time)
	role, sub := t.own()
	switch typ := v.Get("type").String(); typ {
	case "text":
		if s := textSubtype(v); s != "" {
			role, sub = lore.System, s
		}
		t.say(role, sub, at, u, kit.TextPart(lore.Text, v.Get("text")))
	case "reasoning":
		p := kit.TextPart(lore.Thinking, v.Get("text"))
		p.Unreadable = p.Text == "" && v.Get("metadata").Len() > 0
		t.say(role, sub, at, u, p)
	case "tool":
		t.tool(u, v, at)
	case "file":
		t.say(role, sub, at, u, filePart(v))
	case "compaction":
		t.say(lore.System, subCompaction, at, u)
	case "subtask":
		t.say(lore.System, subTask, at, u, kit.TextPart(lore.Text, v.Get("prompt")))
	case "retry":
		t.say(lore.System, subNotice, at, u, lore.Part{Kind: lore.Text, Text: errorWords(v.Get("error"))})
	case "step-start", "snapshot", "patch":
		t.ledger.Skip("part " + typ)
	case "agent":
		t.ledger.Skip("part agent") // the prompt names it
	case "step-finish":
		if t.message.usage == nil {
			t.ledger.Skip("part step-finish")
		} else {
			t.ledger.Merge(1)
		}
	default:
		t.unknown(u, typ, v)
	}
}

// unknown keeps a part of a type that this version does not know.
func (t *turn) unknown(u *unit, typ string, v kit.Value) {
	t.answered()
	role, sub := t.own()
	r := t.run(role, sub, u.time, t.undone)
	r.parts = append(r.parts, kit.UnknownPart(typ, v))
	r.origins = append(r.origins, u.at)
	t.ledger.Meet("part " + kit.Clip(typ))
	t.lost.more(lore.UnknownRecord, lore.Info, u.at, "part of type "+kit.Clip(typ))
}

// isWork reports whether only an answer has parts of a type.
func isWork(typ string) bool {
	switch typ {
	case "reasoning", "tool", "step-start", "step-finish", "snapshot", "patch":
		return true
	}
	return false
}

// textSubtype says what a text is that nobody typed and no model wrote; empty for plain speech.
func textSubtype(v kit.Value) string {
	switch {
	case v.Get("ignored").Bool():
		return subNotice
	case v.Get("synthetic").Bool(), v.Get("metadata", "compaction_continue").Bool():
		return subContext
	}
	return ""
}

// partTime is when a part began.
func partTime(v kit.Value, row lore.Time) lore.Time {
	for _, key := range []string{"start", "created"} {
		if at, ok := kit.ParseTime(v.Get("time", key)); ok {
			return at
		}
	}
	if at, ok := kit.ParseTime(v.Get("state", "time", "start")); ok {
		return at
	}
	return row
}

// tool parts a tool's part into the call and what came of it.
func (t *turn) tool(u *unit, v kit.Value, at lore.Time) {
	name, id, state := v.Get("tool").String(), v.Get("callID").String(), v.Get("state")
	call := kit.RawPart(lore.Call, state.Get("input"))
	call.Name, call.CallID = name, id
	if raw := state.Get("raw"); state.Get("input").Len() == 0 && raw.String() != "" {
		call.Text = raw.String() // as far as the model has written it
	}
	t.call(u, at, call, resultOf(state, name, id))
	for _, key := range []string{"sessionId", "sessionID"} {
		if child := state.Get("metadata", key).String(); child != "" {
			t.calls = append(t.calls, started{child, id})
			return
		}
	}
}

// resultOf returns what came of a call; nil while nothing has.
func resultOf(state kit.Value, name, id string) *result {
	words := state.Get("output")
	failed := state.Get("status").Is("error")
	if failed {
		words = state.Get("error")
	}
	if !words.Exists() && !failed && !state.Get("status").Is("completed") {
		return nil
	}
	p := kit.RawPart(lore.Result, words)
	p.Name, p.CallID, p.IsError = name, id, failed
	res := &result{parts: []lore.Part{p}}
	for file := range state.Get("attachments").Items() {
		res.parts = append(res.parts, filePart(file))
	}
	res.at, _ = kit.ParseTime(state.Get("time", "end"))
	return res
}

// filePart makes an image or file of what refers to it, or holds it.
func filePart(v kit.Value) lore.Part {
	mime := v.Get("mime").String()
	kind := lore.File
	if strings.HasPrefix(mime, "image/") {
		kind = lore.Image
	}
	p := kit.MediaPart(kind, v.Get("url"), mime, false)
	p.Name = v.Get("filename").String()
	return p
}
