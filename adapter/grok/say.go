package grok

import (
	"fmt"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// item makes the messages of a record of the history, with what the updates add to it.
func (w *writer) item(t *turn) error {
	v, err := w.items.At(t.spot.offset, t.spot.length)
	if err != nil {
		return fmt.Errorf("line %d: %w", t.spot.line, err)
	}
	w.losses.In(w.in.Name(w.itemFile))
	list := w.messages(t, v)
	w.ledger.Keep(1)
	origins := []lore.Locator{{File: w.in.Name(w.itemFile), Line: int(t.spot.line), Offset: t.spot.offset, Length: t.spot.length}}
	words := &list[len(list)-1] // those before it only stand around it
	words.Units = 1
	words.Origins = origins
	time, err := w.twins(t, words)
	if err != nil {
		return err
	}
	at, from := w.stamp(time)
	for i := range list {
		m := &list[i]
		m.At, m.AtFrom = at, from
		if m.Origins == nil {
			m.Origins = origins
		}
		if err := w.put(*m); err != nil {
			return err
		}
	}
	return nil
}

// messages makes what a record of the history says: its words last, before them what the tool says around them.
func (w *writer) messages(t *turn, v kit.Value) []lore.Message {
	line := int(t.spot.line)
	switch t.what {
	case background:
		return []lore.Message{{Role: lore.System, Subtype: "context", Parts: w.content(line, v.Get("content"), lore.Text)}}
	case prompt:
		return w.prompt(line, v)
	case thought:
		return []lore.Message{{Role: lore.Assistant, Native: v.Get("id").String(), Parts: w.thinking(line, v)}}
	case result:
		id := v.Get("tool_call_id").String()
		return []lore.Message{{Role: lore.Tool, Native: kit.SplitNative(lore.Tool, id), Parts: w.result(line, v, id)}}
	case backend:
		kind := v.Get("kind")
		p := kit.RawPart(lore.Call, kind.Get("action"))
		p.Name, p.CallID = kind.Get("tool_type").String(), kind.Get("id").String()
		return []lore.Message{{Role: lore.Assistant, Native: p.CallID, Parts: []lore.Part{p}}}
	}
	return w.answer(line, v)
}

// prompt makes the message of words in a person's place. What the tool says around them is a notice of its own.
func (w *writer) prompt(line int, v kit.Value) []lore.Message {
	parts := w.content(line, v.Get("content"), lore.Text)
	m := lore.Message{Role: lore.User, Parts: parts}
	switch reason := v.Get("synthetic_reason").String(); {
	case reason == "interjection":
		m.Subtype = "queued"
	case reason == "compaction_meta":
		m.Role, m.Subtype = lore.System, "compaction"
	case reason != "", !v.Get("prompt_index").Exists() && len(parts) == 1 && isInjected(parts[0].Text):
		m.Role, m.Subtype = lore.System, "context"
	}
	if m.Role != lore.User {
		return []lore.Message{m}
	}
	notice := v.Get("prior_turn_interrupt").String()
	for i := range parts {
		if p := &parts[i]; p.Kind == lore.Text && !p.Cut {
			if typed, around := unframe(p.Text); typed != p.Text {
				p.Text = typed
				if around != "" {
					notice = around
				}
			}
			break
		}
	}
	if notice == "" {
		return []lore.Message{m}
	}
	return []lore.Message{{Role: lore.System, Subtype: "notice", Parts: []lore.Part{{Kind: lore.Text, Text: notice}}}, m}
}

// answer makes the message of an answer. Older files hold its reasoning in the same record; newer ones in one of its own,
// and so it is here.
func (w *writer) answer(line int, v kit.Value) []lore.Message {
	m := lore.Message{Role: lore.Assistant, Model: v.Get("model_id").String(), Parts: w.content(line, v.Get("content"), lore.Text)}
	for c := range v.Get("tool_calls").Items() {
		said := c
		if function := c.Get("function"); function.IsObject() {
			said = function
		}
		p := kit.RawPart(lore.Call, said.Get("arguments"))
		p.Name, p.CallID = said.Get("name").String(), c.Get("id").String()
		m.Parts = append(m.Parts, p)
		if m.Native == "" {
			m.Native = p.CallID
		} else if p.CallID != "" {
			m.Aliases = append(m.Aliases, p.CallID)
		}
	}
	reasoning := v.Get("reasoning_content")
	if !reasoning.IsString() || reasoning.Is("") {
		return []lore.Message{m}
	}
	return []lore.Message{{Role: lore.Assistant, Parts: []lore.Part{kit.TextPart(lore.Thinking, reasoning)}}, m}
}

// thinking makes the parts of reasoning: its summary, else one that says that there was some.
func (w *writer) thinking(line int, v kit.Value) []lore.Part {
	var parts []lore.Part
	for block := range v.Get("summary").Items() {
		if text := block.Get("text"); text.IsString() && !text.Is("") {
			parts = append(parts, kit.TextPart(lore.Thinking, text))
		}
	}
	if len(parts) == 0 {
		cipher := v.Get("encrypted_content")
		parts = []lore.Part{{Kind: lore.Thinking, Unreadable: cipher.IsString() && !cipher.Is("")}}
	}
	return parts
}

// result makes the parts of a tool's result.
func (w *writer) result(line int, v kit.Value, id string) []lore.Part {
	parts := append(w.content(line, v.Get("content"), lore.Result), w.content(line, v.Get("images"), lore.Result)...)
	if len(parts) == 0 {
		parts = []lore.Part{{Kind: lore.Result}}
	}
	for i := range parts {
		parts[i].CallID = id
	}
	return parts
}

// content makes the parts of a content: of a string, or of blocks.
func (w *writer) content(line int, v kit.Value, kind lore.PartKind) []lore.Part {
	switch {
	case v.IsString():
		if v.Is("") {
			return nil
		}
		return []lore.Part{kit.TextPart(kind, v)}
	case v.IsObject():
		return []lore.Part{w.block(line, v, kind)}
	case v.Exists() && !v.IsNull() && !v.IsArray():
		w.losses.More(lore.UnexpectedShape, lore.Warning, line, "content of a message")
		return []lore.Part{kit.UnknownPart("content", v)}
	}
	var parts []lore.Part
	for block := range v.Items() {
		parts = append(parts, w.block(line, block, kind))
	}
	return parts
}

func (w *writer) block(line int, v kit.Value, kind lore.PartKind) lore.Part {
	switch typ := v.Get("type").String(); typ {
	case "text":
		return kit.TextPart(kind, v.Get("text"))
	case "image":
		if data := v.Get("data"); data.IsString() {
			return kit.MediaPart(lore.Image, data, v.Get("mimeType").String(), true)
		}
		return kit.MediaPart(lore.Image, v.Get("url"), mediaType(v.Get("url").String()), false)
	case "resource_link":
		p := kit.TextPart(lore.File, v.Get("uri"))
		p.Name, p.MediaType = v.Get("name").String(), v.Get("mimeType").String()
		return p
	default:
		w.losses.Unknown(line, "block "+typ)
		return kit.UnknownPart(typ, v)
	}
}

// mediaType returns the type that a data URL names, also where its data is none.
func mediaType(u string) string {
	rest, ok := strings.CutPrefix(u, "data:")
	if !ok || len(rest) > 1<<20 && !strings.Contains(rest[:256], ";") {
		return ""
	}
	typ, _, _ := strings.Cut(rest, ";")
	if len(typ) > 128 {
		return ""
	}
	return typ
}
