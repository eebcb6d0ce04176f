package codex

import (
	"lore"
	"lore/adapter/kit"
)

// emit makes the messages of one unit.
func (e *emitter) emit(i int32, u *unit, v kit.Value) error {
	r := peel(v)
	e.builder.line = u.line
	body := r.body
	if u.rep == repCompleted || u.what == plan || r.kind == "item_completed" {
		body = r.body.Get("item")
	}
	switch u.what {
	case prompt:
		return e.sayPrompt(u, &r, body)
	case answer:
		e.sayAnswer(i, u, &r, body)
	case plan:
		m := e.message(u, &r, lore.Assistant)
		m.Native, m.Subtype = idOf(body.Get("id")), subPlan
		m.Parts = []lore.Part{e.builder.text(lore.Text, body.Get("text"))}
		m.Usage = e.usage.spentAt(i)
		e.put(u, 1, m)
	case thought:
		e.sayThought(i, u, &r, body)
	case call:
		e.sayCall(i, u, &r, body)
	case output:
		return e.sayOutput(u, &r, body)
	case toolBegin, toolEnd:
		e.sayRun(i, u, &r, body)
	case ending:
		e.sayEnding(i, u, &r, body)
	default:
		e.saySystem(u, &r, body)
	}
	return nil
}

// sayPrompt makes a message of a prompt: of a person's words, parted from what an editor put before them, or of what the
// client injected.
func (e *emitter) sayPrompt(u *unit, r *record, body kit.Value) error {
	m := e.message(u, r, lore.User)
	if u.rep == repEvent {
		m.Parts = []lore.Part{e.builder.text(lore.Text, body.Get("message"))}
		m.Parts = append(m.Parts, e.eventImages(body, 0)...)
	} else {
		m.Native = idOf(body.Get("id"))
		m.Parts = e.builder.content(first(body.Get("content"), body.Get("message")), lore.Text)
	}
	kept := 1
	if !u.human() {
		m.Role, m.Subtype = lore.System, subContext
		if sub, ok := injectedAs(firstText(m.Parts)); ok {
			m.Subtype = sub
		}
		e.put(u, kept, m)
		return nil
	}
	if u.mate >= 0 {
		more, err := e.mateImages(u, m.Parts)
		if err != nil {
			return err
		}
		if len(more) > 0 {
			m.Parts = append(m.Parts, more...)
			e.ledger.Remerge(-1)
			kept++
		}
	}
	if before, ok := splitContext(&m); ok {
		e.put(u, 0, before)
	}
	e.put(u, kept, m)
	return nil
}

// splitContext takes what an editor has put before a prompt out of it, as a message of its own. The prompt keeps the id.
func splitContext(m *lore.Message) (lore.Message, bool) {
	for n, p := range m.Parts {
		if p.Kind != lore.Text {
			continue
		}
		context, request, ok := splitIDE(p.Text)
		if !ok {
			break
		}
		before := *m
		before.Role, before.Subtype = lore.System, subContext
		if m.Native != "" {
			before.Native = kit.SplitNative(lore.System, m.Native)
		}
		before.Parts = []lore.Part{{Kind: lore.Text, Text: context}}
		m.Parts[n].Text = request
		return before, true
	}
	return lore.Message{}, false
}

func firstText(parts []lore.Part) string {
	for _, p := range parts {
		if p.Kind == lore.Text {
			return p.Text
		}
	}
	return ""
}

// mateImages returns the images that only the event of a prompt names.
func (e *emitter) mateImages(u *unit, parts []lore.Part) ([]lore.Part, error) {
	v, err := e.readMate(&e.units[u.mate])
	if err != nil {
		return nil, err
	}
	has := 0
	for _, p := range parts {
		if p.Kind == lore.Image {
			has++
		}
	}
	return e.eventImages(peel(v).body, has), nil
}

// eventImages returns the images of a user_message event from one on: embedded ones first, then paths.
func (e *emitter) eventImages(body kit.Value, from int) []lore.Part {
	var parts []lore.Part
	for _, key := range [...]string{"images", "local_images"} {
		for v := range body.Get(key).Items() {
			if from > 0 {
				from--
			} else if p, ok := e.builder.image(v, kit.Value{}); ok {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// sayAnswer makes a message of the assistant's words; in generation 1 an item holds thinking, words and calls.
func (e *emitter) sayAnswer(i int32, u *unit, r *record, body kit.Value) {
	m := e.message(u, r, lore.Assistant)
	if u.rep == repEvent {
		m.Parts = []lore.Part{e.builder.text(lore.Text, body.Get("message"))}
	} else {
		m.Native = idOf(body.Get("id"))
		if reasoning := body.Get("reasoning"); holds(reasoning) {
			m.Parts = e.builder.content(reasoning, lore.Thinking)
		}
		content := first(body.Get("content"), body.Get("text"), body.Get("message"))
		words := e.builder.content(content, lore.Text)
		calls := body.Get("tool_calls")
		if len(words) > 1 || calls.Len() == 0 || firstText(words) != "" {
			m.Parts = append(m.Parts, words...)
		}
		for call := range calls.Items() {
			m.Parts = append(m.Parts, e.builder.callPart(call))
		}
	}
	m.Usage = e.usage.spentAt(i)
	e.put(u, 1, m)
}

func (e *emitter) sayThought(i int32, u *unit, r *record, body kit.Value) {
	m := e.message(u, r, lore.Assistant)
	switch u.rep {
	case repEvent:
		m.Parts = e.builder.thinking(body.Get("text"))
	case repCompleted:
		m.Native = idOf(body.Get("id"))
		m.Parts = e.builder.thinking(first(body.Get("raw_content"), body.Get("content")), first(body.Get("summary_text"), body.Get("summary")))
	default:
		m.Native = idOf(body.Get("id"))
		m.Parts = e.builder.thinking(body.Get("content"), body.Get("summary"))
	}
	m.Usage = e.usage.spentAt(i)
	e.put(u, 1, m)
}

// sayEnding makes messages of the end of a turn: the last words, the error.
func (e *emitter) sayEnding(i int32, u *unit, r *record, body kit.Value) {
	kept := 1
	if u.flags&onlyError == 0 {
		m := e.message(u, r, lore.Assistant)
		m.Parts = []lore.Part{e.builder.text(lore.Text, body.Get("last_agent_message"))}
		m.Usage = e.usage.spentAt(i)
		e.put(u, kept, m)
		kept = 0
	}
	if fault := body.Get("error", "message"); holds(fault) {
		m := e.message(u, r, lore.System)
		m.Subtype = subNotice
		m.Parts = []lore.Part{e.builder.text(lore.Text, fault)}
		e.put(u, kept, m)
	}
}

// saySystem makes messages of what no person and no model said to the person.
func (e *emitter) saySystem(u *unit, r *record, body kit.Value) {
	m := e.message(u, r, lore.System)
	switch u.what {
	case compaction:
		m.Subtype = subCompaction
		if text := first(body.Get("message"), body.Get("last_agent_message")); text.IsString() {
			m.Parts = []lore.Part{e.builder.text(lore.Text, text)}
		}
	case aborted:
		m.Subtype = subNotice
		if u.rep == repItem {
			m.Native = idOf(body.Get("id"))
			m.Parts = e.builder.content(body.Get("content"), lore.Text)
		} else {
			m.Parts = []lore.Part{e.builder.text(lore.Text, body.Get("reason"))}
		}
	case letter:
		m.Native, m.Subtype = idOf(body.Get("id")), subAgent
		if content := body.Get("content"); holds(content) {
			m.Parts = e.builder.content(content, lore.Text)
		}
		if holds(body.Get("encrypted_content")) {
			m.Parts = append(m.Parts, lore.Part{Kind: lore.Thinking, Unreadable: true})
		}
	case background:
		m.Native, m.Subtype = idOf(body.Get("id")), subContext
		m.Parts = e.builder.content(first(body.Get("content"), body.Get("message")), lore.Text)
	case notice:
		kind := body.Get("type").String()
		m.Subtype = noticeKinds[kind]
		for _, text := range noticeTexts(body, kind) {
			m.Parts = append(m.Parts, lore.Part{Kind: lore.Text, Text: text})
		}
	}
	e.put(u, 1, m)
}
