package qwencode

import (
	"fmt"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// The frame in which the tool puts what a hook adds to a prompt, as a part of its own.
const (
	hookOpen = "<qwen:user-prompt-submit-context>"
	hookEnd  = "</qwen:user-prompt-submit-context>"
)

// speech makes the messages of a record that speaks.
func (w *writer) speech(e *entry, v kit.Value, name string) error {
	payload := v.Get("systemPayload")
	system := func(subtype string, parts []lore.Part) error {
		return w.add(e, w.about(e, v), message{lore.System, subtype, parts})
	}
	switch e.kind {
	case kindUser, kindQueued:
		return w.prompt(e, v)
	case kindAnswer:
		return w.answer(e, v)
	case kindResult:
		return w.result(e, v)
	case kindNotice:
		return system("notice", w.shown(e, v))
	case kindContext:
		return system("context", w.shown(e, v))
	case kindCompaction:
		return system("compaction", w.parts(e, payload.Get("compressedHistory").Index(0).Get("parts")))
	}
	if parts := command(payload); len(parts) > 0 {
		return system("command", parts)
	}
	w.ledger.Skip(name)
	return nil
}

// prompt makes the message of a person's words, and of what the tool added to them for the model: what a hook said, and
// the prompt with everything expanded in it.
func (w *writer) prompt(e *entry, v kit.Value) error {
	words := message{role: lore.User}
	if e.kind == kindQueued {
		words.subtype = "queued"
	}
	shown, hook := v.Get("systemPayload", "displayText"), v.Get("systemPayload", "hookContext")
	var texts, others, hooks []lore.Part
	for _, p := range w.parts(e, v.Get("message", "parts")) {
		switch framed, ok := inFrame(p.Text); {
		case p.Kind != lore.Text:
			others = append(others, p)
		case ok:
			p.Text = framed
			hooks = append(hooks, p)
		default:
			texts = append(texts, p)
		}
	}
	if len(hooks) == 0 && hook.IsString() && !hook.Is("") {
		hooks = []lore.Part{kit.TextPart(lore.Text, hook)}
	}
	var expanded []lore.Part
	if shown.IsString() && !shown.Is("") {
		typed := kit.TextPart(lore.Text, shown)
		if joined(texts) != typed.Text {
			expanded = texts
		}
		texts = []lore.Part{typed}
	}
	words.parts = append(texts, others...)
	list := []message{words}
	if len(hooks) > 0 {
		list = append(list, message{lore.System, "hook", hooks})
	}
	if len(expanded) > 0 {
		list = append(list, message{lore.System, "context", expanded})
	}
	return w.add(e, w.about(e, v), list...)
}

// inFrame returns what stands in a hook's frame, when the text is nothing else.
func inFrame(text string) (string, bool) {
	inside, ok := strings.CutPrefix(text, hookOpen)
	if !ok {
		return text, false
	}
	inside, ok = strings.CutSuffix(strings.TrimRight(inside, " \r\n\t"), hookEnd)
	if !ok || strings.Contains(inside, hookEnd) {
		return text, false
	}
	return strings.Trim(inside, "\r\n"), true
}

func joined(parts []lore.Part) string {
	var b strings.Builder
	for i := range parts {
		b.WriteString(parts[i].Text)
	}
	return b.String()
}

// shown returns what the tool shows of a record in a user's place: its display text, else its parts.
func (w *writer) shown(e *entry, v kit.Value) []lore.Part {
	if parts := w.parts(e, v.Get("message", "parts")); len(parts) > 0 {
		return parts
	}
	if text := v.Get("systemPayload", "displayText"); text.IsString() && !text.Is("") {
		return []lore.Part{kit.TextPart(lore.Text, text)}
	}
	return nil
}

// answer makes the message of an answer, of all records that carry its uuid.
func (w *writer) answer(e *entry, v kit.Value) error {
	a := w.about(e, v)
	a.units = 0
	var parts []lore.Part
	for at := e; ; {
		if !at.repeat {
			a.units++
			parts = append(parts, w.parts(at, v.Get("message", "parts"))...)
			if spent := usage(v.Get("usageMetadata")); spent != nil {
				a.usage = spent
			}
			if model := v.Get("model").String(); model != "" {
				a.model = model
			}
		}
		if at.next < 0 {
			return w.add(e, a, message{lore.Assistant, "", parts})
		}
		at = &w.entries[at.next]
		var err error
		if v, err = w.lines.At(at.offset, at.length); err != nil {
			return fmt.Errorf("line %d: %w", at.line, err)
		}
	}
}

func usage(v kit.Value) *lore.Usage {
	if v.Len() == 0 {
		return nil
	}
	count := func(key string) int64 { n, _ := v.Get(key).Int(); return n }
	return &lore.Usage{Input: count("promptTokenCount"), Output: count("candidatesTokenCount"), CacheRead: count("cachedContentTokenCount")}
}

// result makes the message of a tool's result. The tool's own account of it tells whether it failed, and stands in where
// the response is missing.
func (w *writer) result(e *entry, v kit.Value) error {
	account := v.Get("toolCallResult")
	failed := account.Get("status").Is("error")
	call := account.Get("callId").String()
	parts := w.parts(e, v.Get("message", "parts"))
	if len(parts) == 0 {
		parts = []lore.Part{kit.RawPart(lore.Result, account.Get("resultDisplay"))}
	}
	for i := range parts {
		p := &parts[i]
		if p.Kind == lore.Text {
			p.Kind = lore.Result
		}
		if p.CallID == "" {
			p.CallID = call
		}
		p.IsError = p.IsError || failed && p.Kind == lore.Result
	}
	return w.add(e, w.about(e, v), message{lore.Tool, "", parts})
}

// command makes the parts of a slash command: what was typed, or what it printed.
func command(payload kit.Value) []lore.Part {
	if raw := payload.Get("rawCommand"); payload.Get("phase").Is("invocation") && raw.IsString() && !raw.Is("") {
		return []lore.Part{kit.TextPart(lore.Text, raw)}
	}
	var parts []lore.Part
	for item := range payload.Get("outputHistoryItems").Items() {
		if text := item.Get("text"); text.IsString() && !text.Is("") {
			parts = append(parts, kit.TextPart(lore.Text, text))
		}
	}
	return parts
}
