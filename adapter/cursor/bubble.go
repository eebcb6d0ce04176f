package cursor

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// The types of bubbles. Older chats write them as words.
const (
	bubbleUser      = "1"
	bubbleAssistant = "2"
)

// knownBubble is the newest version of bubbles that is known. A newer one is read as far as it is understood.
const knownBubble = 3

// bubbles makes messages of bubbles. It is reused from one to the next.
type bubbles struct {
	losses *losses
	doc    kit.Doc // for trees inside of strings
}

// speaker returns the role of a bubble; "" for a type that is not known.
func speaker(v kit.Value) lore.Role {
	switch idOf(first(v.Get("type"), v.Get("role"))) {
	case bubbleUser, "user":
		if v.Get("isNudge").Bool() {
			return lore.System
		}
		return lore.User
	case bubbleAssistant, "ai", "assistant":
		return lore.Assistant
	}
	return ""
}

// typeName names a type that is not known.
func typeName(v kit.Value) string {
	return "bubble " + clip(idOf(first(v.Get("type"), v.Get("role"))))
}

// messages makes the messages of a bubble: thinking, text, call in this order, then the result. A bubble without all of
// them is one empty message.
func (b *bubbles) messages(v kit.Value, id string, at spot) runs {
	var r runs
	role := speaker(v)
	switch role {
	case "":
		p := raw(lore.Unknown, v)
		p.Name = typeName(v)
		r.add(lore.System, "", p)
		r.name(id, lore.System)
		return r
	case lore.System:
		r.add(role, subNotice, lore.Part{Kind: lore.Text, Text: b.words(v)})
		r.name(id, role)
		return r
	}
	for _, p := range thoughts(v) {
		r.add(lore.Assistant, "", p)
	}
	words := b.words(v)
	if words != "" {
		r.add(role, "", lore.Part{Kind: lore.Text, Text: words})
	}
	for _, p := range code(v, words) {
		r.add(role, "", p)
	}
	if role == lore.User {
		for _, p := range attachments(v) {
			r.add(role, "", p)
		}
	}
	b.tool(&r, v.Get("toolFormerData"), at)
	if len(r) == 0 {
		r.add(role, "", lore.Part{Kind: lore.Text})
	}
	r.name(id, role)
	return r
}

// words returns the text of a bubble. Where it is empty, rich text and older fields hold it.
func (b *bubbles) words(v kit.Value) string {
	if t := v.Get("text"); t.IsString() && strings.TrimSpace(t.String()) != "" {
		return t.String()
	}
	for _, field := range []string{"richText", "rawText", "initText", "content", "message"} {
		t := v.Get(field)
		if words, ok := richText(&b.doc, t); ok {
			if strings.TrimSpace(words) != "" {
				return words
			}
			continue
		}
		if t.IsString() && strings.TrimSpace(t.String()) != "" {
			return t.String()
		}
	}
	return ""
}

// thoughts returns the thinking of a bubble: of the one field, else of the list.
func thoughts(v kit.Value) (parts []lore.Part) {
	if t := v.Get("thinking"); holds(t) {
		if p, ok := thought(t); ok && !p.Unreadable {
			return []lore.Part{p}
		} else if ok {
			parts = append(parts, p)
		}
	}
	for block := range v.Get("allThinkingBlocks").Items() {
		if p, ok := thought(block); ok && (!p.Unreadable || len(parts) == 0) {
			if len(parts) == 1 && parts[0].Unreadable {
				parts = parts[:0]
			}
			parts = append(parts, p)
		}
	}
	return parts
}

// thought makes a part of one thinking: a string, or an object with a text or only a signature.
func thought(v kit.Value) (lore.Part, bool) {
	words, signature := v, kit.Value{}
	if v.IsObject() {
		words, signature = first(v.Get("text"), v.Get("thinking"), v.Get("content")), first(v.Get("signature"), v.Get("redactedThinking"))
	}
	p := thinking(words)
	return p, !p.Unreadable || holds(signature)
}

// code returns the blocks of code that the text does not show.
func code(v kit.Value, words string) (parts []lore.Part) {
	shown := foldSpace(words)
	for _, list := range []string{"codeBlocks", "suggestedCodeBlocks"} {
		for block := range v.Get(list).Items() {
			t := first(block.Get("content"), block.Get("code"))
			if !t.IsString() || strings.TrimSpace(t.String()) == "" {
				continue
			}
			folded := foldSpace(t.String())
			if strings.Contains(shown, folded) {
				continue
			}
			shown += " " + folded
			parts = append(parts, text(lore.Text, t))
		}
	}
	return parts
}

// tool makes the call and the result of a bubble's tool.
func (b *bubbles) tool(r *runs, v kit.Value, at spot) {
	if !v.IsObject() {
		return
	}
	name, id := v.Get("name").String(), idOf(v.Get("toolCallId"))
	input, result := toolInput(v), v.Get("result")
	failed := v.Get("status").Is("error") || v.Get("additionalData", "status").Is("error")
	if name == "" && id == "" && !holds(input) && !holds(result) && !holds(v.Get("tool")) {
		return // a place that was kept for a tool
	}
	call := raw(lore.Call, input)
	call.Name, call.CallID = name, id
	r.add(lore.Assistant, "", call)
	fault := v.Get("error")
	switch {
	case holds(result) || result.IsString() && v.Get("status").Is("completed"):
		p := raw(lore.Result, result)
		p.Name, p.CallID, p.IsError = name, id, failed
		r.add(lore.Tool, "", p)
	case holds(fault):
		p := raw(lore.Result, fault)
		p.Name, p.CallID, p.IsError = name, id, true
		r.add(lore.Tool, "", p)
	default:
		b.losses.more(lore.UnpairedCall, lore.Info, at, "calls without a result", 1)
	}
}

// toolInput returns what the model wrote as input; where that is empty, what Cursor made of it.
func toolInput(v kit.Value) kit.Value {
	for _, field := range []string{"rawArgs", "params", "args"} {
		if input := v.Get(field); holds(input) && !input.Is("{}") {
			return input
		}
	}
	return first(v.Get("rawArgs"), v.Get("params"))
}

// bubbleTime returns when a bubble was written; absent when it does not say. A time that cannot be read is told by ok.
func bubbleTime(v kit.Value) (at lore.Time, ok bool) {
	ok = true
	for _, field := range []string{"createdAt", "timestamp"} {
		t := v.Get(field)
		if at, read := kit.ParseTime(t); read {
			return at, true
		}
		ok = ok && (!holds(t) || t.IsNumber())
	}
	// Counts of milliseconds since the window was opened stand beside times.
	const sensible = 1e12
	for _, field := range []string{"clientRpcSendTime", "clientSettleTime", "clientEndTime"} {
		t := v.Get("timingInfo", field)
		if n, number := t.Float(); number && n >= sensible {
			if at, read := kit.ParseTime(t); read {
				return at, ok
			}
		}
	}
	return lore.Time{}, ok
}

// bubbleModel returns the model that a bubble names; "" when it names none.
func bubbleModel(v kit.Value) string {
	return modelName(first(v.Get("modelInfo", "modelName"), v.Get("modelType"), v.Get("model")))
}

// modelName returns the name of a model. "default" is the choice of none.
func modelName(v kit.Value) string {
	if name := v.String(); name != "default" {
		return name
	}
	return ""
}

// bubbleUsage returns the tokens of an answer; nil where the counts were never filled in.
func bubbleUsage(v kit.Value) *lore.Usage {
	in, _ := v.Get("tokenCount", "inputTokens").Int()
	out, _ := v.Get("tokenCount", "outputTokens").Int()
	if in <= 0 && out <= 0 {
		return nil
	}
	return &lore.Usage{Input: max(in, 0), Output: max(out, 0)}
}
