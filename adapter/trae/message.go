package trae

import (
	"slices"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// roles are the roles that a message may name. The first two are known to be written.
var roles = map[string]lore.Role{"user": lore.User, "assistant": lore.Assistant, "system": lore.System, "tool": lore.Tool}

// message makes the message of an entry. One of an unknown role is kept whole, as what is no speech.
func (t *session) message(e *entry) lore.Message {
	m := lore.Message{Role: e.role, Active: true, Units: 1, Origins: e.origins}
	if e.role == "" {
		role := "role " + name(e.v.Get("role"))
		t.ledger.Meet(kit.Clip(role))
		t.losses.unknown(e.origins[0].Row, role)
		m.Role, m.Subtype, m.Units = lore.System, "unknown", 0
		m.Parts = []lore.Part{kit.UnknownPart(role, e.v)}
		return m
	}
	t.ledger.Keep(1)
	kind := lore.Text
	switch e.role {
	case lore.Assistant:
		if m.Model = modelOf(e.v); m.Model == "" {
			m.Model = t.model
		}
	case lore.System:
		m.Subtype = "context"
	case lore.Tool:
		kind = lore.Result
	}
	b := &body{session: t, row: e.origins[0].Row}
	b.task(e.v)
	b.content(kind, e.v.Get("content"))
	b.media(e.v.Get("multiMedia"))
	if len(b.parts) == 0 {
		b.add(kind, "")
	}
	m.Parts = b.parts
	return m
}

// body gathers the parts of a message.
type body struct {
	*session
	row     string
	parts   []lore.Part
	thought int // parts that the answer was thought with, before anything was said
}

func (b *body) add(kind lore.PartKind, text string) {
	b.parts = append(b.parts, lore.Part{Kind: kind, Text: text})
}

// text adds a value as a part; what is no text is kept raw.
func (b *body) text(kind lore.PartKind, field string, v kit.Value) {
	switch v = first(v); {
	case v.IsString():
		b.add(kind, v.String())
	case v.Exists():
		b.parts = append(b.parts, kit.UnknownPart(field, v))
		b.losses.more(lore.UnexpectedShape, lore.Info, b.row, "texts of another shape: "+field, 1)
	}
}

// content puts what the message says directly behind the thoughts that led to it and before the steps of its plan, unless
// the plan says the same.
func (b *body) content(kind lore.PartKind, v kit.Value) {
	says := func(p lore.Part) bool { return p.Kind == lore.Text && p.Text == v.String() }
	if v.IsString() && slices.ContainsFunc(b.parts, says) {
		return
	}
	plan := slices.Clone(b.parts[b.thought:])
	b.parts = b.parts[:b.thought]
	b.text(kind, "content", v)
	b.parts = append(b.parts, plan...)
}

// task adds what the agent did for an answer: its thoughts, what it proposed, the steps of its plan.
func (b *body) task(message kit.Value) {
	v := message.Get("agentTaskContent")
	for _, field := range []string{"proposalReasoningContent", "reasoningContent"} {
		b.text(lore.Thinking, field, first(message.Get(field), v.Get(field)))
	}
	b.thought = len(b.parts)
	if !v.IsObject() {
		b.text(lore.Text, "agentTaskContent", v)
		return
	}
	for _, field := range []string{"proposal", "text", "content"} {
		b.text(lore.Text, field, v.Get(field))
	}
	plan := v.Get("guideline", "planItems")
	for item := range plan.Items() {
		b.step(item)
	}
	if len(b.parts) == 0 && v.Len() > 0 && plan.Len() == 0 || plan.Exists() && !plan.IsArray() && !plan.IsNull() {
		b.parts = append(b.parts, kit.UnknownPart("agentTaskContent", v))
		b.losses.more(lore.UnexpectedShape, lore.Info, b.row, "texts of another shape: agentTaskContent", 1)
	}
}

// step adds one item of a plan. The thought of the one that finishes it is the answer.
func (b *body) step(v kit.Value) {
	if !v.IsObject() {
		b.text(lore.Text, "planItem", v)
		return
	}
	b.text(lore.Thinking, "reasoningContent", v.Get("reasoningContent"))
	switch tool := name(v.Get("toolName")); tool {
	case "finish":
		b.text(lore.Text, "thought", v.Get("thought"))
		if !v.Get("content").Equal(v.Get("thought")) {
			b.text(lore.Text, "content", v.Get("content"))
		}
	case "":
		b.text(lore.Thinking, "thought", v.Get("thought"))
		b.text(lore.Text, "content", v.Get("content"))
	default:
		b.text(lore.Thinking, "thought", v.Get("thought"))
		b.parts = append(b.parts, lore.Part{Kind: lore.Call, Name: tool, Text: input(v)})
	}
}

// input makes the input of a call of all fields of its step that are said by no other part.
func input(step kit.Value) string {
	var b []byte
	for key, v := range step.Fields() {
		switch key {
		case "toolName", "thought", "reasoningContent":
			continue
		}
		if b = append(b, ','); len(b) == 1 {
			b[0] = '{'
		}
		b = append(lore.AppendJSON(b, key), ':')
		switch raw := v.Raw(); {
		case utf8.Valid(raw):
			b = append(b, raw...)
		case v.IsString():
			b = lore.AppendJSON(b, v.String())
		default:
			b = append(b, kit.RawPart(lore.Call, v).Text...)
		}
	}
	if b == nil {
		return ""
	}
	return string(append(b, '}'))
}

// media adds what was attached to a prompt: an image by its digest where its bytes stand there, all else as written.
func (b *body) media(list kit.Value) {
	for v := range list.Items() {
		b.parts = append(b.parts, mediaPart(v))
	}
}

func mediaPart(v kit.Value) lore.Part {
	if _, ok := kit.DataURL(v); ok {
		return kit.MediaPart(lore.Image, v, "", false)
	}
	for _, field := range v.Fields() {
		if _, ok := kit.DataURL(field); ok {
			return kit.MediaPart(lore.Image, field, "", false)
		}
	}
	return kit.UnknownPart("multiMedia", v)
}
