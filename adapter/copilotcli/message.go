package copilotcli

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// builder makes the message of one event.
type builder struct {
	*scan
	ev    *event
	child bool // of a sub-agent's conversation
}

// message makes the message; false when the event says nothing.
func (b *builder) message(v kit.Value) (lore.Message, bool) {
	body, typ := bodyOf(v), v.Get("type").String()
	switch b.ev.kind {
	case kindUser:
		return b.prompt(body), true
	case kindAnswer:
		return b.answer(body), true
	case kindReason:
		return lore.Message{Role: lore.Assistant, Parts: []lore.Part{thinking(body.Get("content"))}}, true
	case kindStart:
		return lore.Message{Role: lore.Assistant, Parts: []lore.Part{b.call(body)}}, true
	case kindAsked:
		return lore.Message{Role: lore.User, Subtype: "command", Parts: []lore.Part{b.call(body)}}, true
	case kindResult:
		return b.result(body), true
	case kindReply:
		m := lore.Message{Role: lore.User, Subtype: "answer"}
		return m, b.say(&m, body.Get("answer"))
	}
	return b.aside(body, typ)
}

// say gives a message one text; false when there is none.
func (b *builder) say(m *lore.Message, v kit.Value) bool {
	if !holds(v) || v.IsString() && len(v.Raw()) == 2 {
		return false
	}
	m.Parts = []lore.Part{raw(lore.Text, v)}
	return true
}

// prompt makes what a person said, with what was attached. What the tool says in a person's place is context.
func (b *builder) prompt(body kit.Value) lore.Message {
	content := first(body.Get("content"), body.Get("prompt"))
	m := lore.Message{Role: lore.User}
	if injected(body, content) {
		m.Role, m.Subtype = lore.System, "context"
	}
	switch delivery := body.Get("delivery").String(); {
	case m.Role != lore.User:
	case delivery == "queued", delivery == "steering":
		m.Subtype = delivery
	}
	if holds(content) && (!content.IsString() || len(content.Raw()) > 2) {
		m.Parts = append(m.Parts, b.shaped(lore.Text, content, "content of a prompt"))
	}
	for a := range body.Get("attachments").Items() {
		m.Parts = append(m.Parts, b.attachment(a)...)
	}
	return m
}

// injected reports whether a prompt is not a person's: by its source, or by the frame of a skill.
func injected(body, content kit.Value) bool {
	switch source, _, _ := strings.Cut(body.Get("source").String(), "-"); source {
	case "skill", "system", "schedule", "autopilot", "notification":
		return true
	}
	return strings.HasPrefix(strings.TrimSpace(begins(content, 64)), "<skill-context")
}

// begins returns the first bytes of a string value, as written.
func begins(v kit.Value, n int) string {
	if !v.IsString() {
		return ""
	}
	raw := v.Raw()
	return string(raw[1:min(n, len(raw)-1)])
}

// answer makes what the model wrote: reasoning, words and calls in one message.
func (b *builder) answer(body kit.Value) lore.Message {
	m := lore.Message{Role: lore.Assistant}
	if id := idOf(body.Get("messageId")); id != "" {
		m.Aliases = []string{id}
	}
	switch thought := body.Get("reasoningText"); {
	case b.ev.told:
	case thought.String() != "":
		m.Parts = append(m.Parts, thinking(thought))
	case body.Get("reasoningOpaque").String() != "", body.Get("encryptedContent").String() != "":
		m.Parts = append(m.Parts, lore.Part{Kind: lore.Thinking, Unreadable: true})
	}
	content := first(body.Get("content"), body.Get("output"), body.Get("result"))
	if holds(content) && (!content.IsString() || len(content.Raw()) > 2) {
		m.Parts = append(m.Parts, b.shaped(lore.Text, content, "content of an answer"))
	}
	for req := range body.Get("toolRequests").Items() {
		m.Parts = append(m.Parts, b.call(req))
	}
	if n, ok := body.Get("outputTokens").Int(); ok && n > 0 {
		m.Usage = &lore.Usage{Output: n}
	}
	return m
}

// call makes a call, of a request or of the beginning of a run. Its input is as the source wrote it.
func (b *builder) call(v kit.Value) lore.Part {
	p := raw(lore.Call, v.Get("arguments"))
	p.Name, p.CallID = callName(v), idOf(v.Get("toolCallId"))
	for _, key := range [...]string{"name", "toolName", "toolCallId"} {
		if f := v.Get(key); holds(f) && !f.IsString() {
			b.losses.one(lore.UnexpectedShape, lore.Info, int(b.ev.line), key+" is no string")
		}
	}
	return p
}

// result makes what a tool gave: what the model was told, what the person was shown where that is more, and the error.
func (b *builder) result(body kit.Value) lore.Message {
	m := lore.Message{Role: lore.Tool}
	id := idOf(body.Get("toolCallId"))
	base := lore.Part{Kind: lore.Result, CallID: id}
	if k := b.calls[id]; k != nil && id != "" {
		base.Name = k.name
	}
	success := body.Get("success")
	base.IsError = success.Kind() == kit.Bool && !success.Bool()
	if holds(success) && success.Kind() != kit.Bool {
		b.losses.one(lore.UnexpectedShape, lore.Info, int(b.ev.line), "success is neither true nor false")
	}
	add := func(v kit.Value) {
		p := raw(lore.Result, v)
		p.Name, p.CallID, p.IsError = base.Name, base.CallID, base.IsError
		m.Parts = append(m.Parts, p)
	}
	given := body.Get("result")
	content, detailed := given.Get("content"), given.Get("detailedContent")
	if !given.IsObject() {
		content = given
	}
	fuller := detailed.String() != "" && strings.Contains(detailed.String(), content.String())
	if holds(content) && !fuller {
		add(content)
	}
	if holds(detailed) && detailed.String() != "" && !detailed.Equal(content) || fuller {
		add(detailed)
	}
	for block := range given.Get("contents").Items() {
		m.Parts = append(m.Parts, b.blob(block)...)
	}
	if fault := body.Get("error"); holds(fault) {
		base.IsError = true
		add(first(fault.Get("message"), fault))
	}
	if len(m.Parts) == 0 {
		m.Parts = []lore.Part{base}
	}
	return m
}

// aside makes what the tool says, to the model or to the person.
func (b *builder) aside(body kit.Value, typ string) (lore.Message, bool) {
	m := lore.Message{Role: lore.System, Subtype: "notice"}
	switch typ {
	case "system.message":
		m.Subtype = "context"
		return m, b.say(&m, body.Get("content"))
	case "skill.invoked":
		m.Subtype = "context"
		if !b.say(&m, body.Get("content")) {
			return m, false
		}
		if path := body.Get("path").String(); path != "" {
			m.Parts = append(m.Parts, lore.Part{Kind: lore.File, Text: path, Name: body.Get("name").String()})
		}
		return m, true
	case "session.binary_asset":
		m.Subtype = "context"
		m.Parts = b.blob(body)
		return m, len(m.Parts) > 0
	case "session.compaction_complete":
		m.Subtype = "compaction"
		return m, b.say(&m, first(body.Get("summaryContent"), body.Get("summary"), body.Get("error")))
	case "hook.end":
		m.Subtype = "hook"
		output := body.Get("output")
		if output.IsObject() && output.Len() == 0 {
			output = kit.Value{}
		}
		return m, b.say(&m, first(output, body.Get("error", "message")))
	}
	for _, key := range [...]string{"message", "content", "summary", "context", "errorReason", "error", "reason"} {
		if b.say(&m, body.Get(key)) {
			return m, true
		}
	}
	return m, false
}
