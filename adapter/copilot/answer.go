package copilot

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// look goes over an answer before it is told: which calls it shows, whether it shows words and thinking, and, where
// something was cut from it, what it says.
func (e *emitter) look(t *turn) *look {
	seen := &look{}
	for i, n := range e.items(e.get(t.req, "response")) {
		v, _ := e.value(n)
		switch kind := v.Get("kind").String(); {
		case kind == "toolInvocationSerialized":
			id, tool := v.Get("toolCallId").String(), v.Get("toolId").String()
			seen.invocations = append(seen.invocations, &invocation{at: i, id: id, tool: tool})
		case kind == "thinking":
			seen.thinking = seen.thinking || thinkingOf(v) != ""
		case kind == "":
			seen.words = seen.words || textOf(v) != ""
		default:
			seen.words = seen.words || kind == "markdownContent" || kind == "markdownVuln"
		}
		if len(t.cut) > 0 {
			seen.say(v)
		}
	}
	return seen
}

// answer tells the elements of an answer in their order, and where they belong the calls that only the rounds tell.
func (e *emitter) answer(t *turn, seen *look) {
	response := e.get(t.req, "response")
	length := 0
	if response.isArray() {
		length = len(e.of(response).kids)
	}
	c := e.join(t.req, seen, length)
	for i := range length {
		e.extras(c.before[i], c)
		if n := e.of(response).kids[i]; n != nil {
			e.element(n, i, c, seen)
		}
		if e.err != nil || e.stopped {
			return
		}
	}
	e.extras(c.before[length], c)
}

// element tells one element of an answer.
func (e *emitter) element(n *node, i int, c *calls, seen *look) {
	v, cut := e.value(n)
	if cut {
		e.oversized(n)
	}
	kind := v.Get("kind").String()
	if v.IsString() {
		kind = ""
	}
	switch kind {
	case "", "markdownContent", "markdownVuln":
		e.spoken(n, v, cut)
	case "inlineReference":
		if name := referred(v); name != "" {
			e.refer(name, n.unit)
		}
	case "thinking":
		if t := thinkingOf(v); t != "" {
			e.say(lore.Assistant, "", e.whole(lore.Part{Kind: lore.Thinking, Text: t}, n, cut), n.unit)
		}
	case "toolInvocationSerialized":
		e.invoke(n, v, cut, c.of[i], c)
	case "prepareToolInvocation":
		e.prepare(n, i, v.Get("toolName").String(), seen)
	case "questionCarousel":
		e.carousel(n, v, seen)
	case "textEditGroup", "notebookEditGroup", "workspaceEdit", "externalEdit", "multiDiffData", "treeData":
		e.edit(n, v, kind, cut)
	case "confirmation", "elicitationSerialized", "warning", "info", "systemNotification", "hook", "pullRequest":
		e.notice(noticeOf(v), n.unit)
	default:
		e.other(n, v, kind, cut)
	}
}

// skippedKinds are elements that are known and no conversation: progress, buttons, marks of the editor.
var skippedKinds = set("mcpServersStarting", "undoStop", "codeblockUri", "progressMessage", "progressTask",
	"progressTaskSerialized", "command", "extensions", "clearToPreviousToolInvocation", "autoModeResolution",
	"disabledClaudeHooks", "externalEdits", "voiceProgress", "usage", "move", "reference", "usedContext", "codeCitation")

// other keeps an element of an unknown kind whole. One that is no conversation is passed by.
func (e *emitter) other(n *node, v kit.Value, kind string, cut bool) {
	if skippedKinds[kind] || !v.IsObject() {
		e.units.pass(n.unit, "response "+kind)
		return
	}
	e.losses.unknown(n.src, e.lineOf(n), "response "+kit.Clip(kind))
	e.say(lore.Assistant, "", e.whole(lore.Part{Kind: lore.Unknown, Name: kit.Clip(kind), Text: plainText(v.Raw())}, n, cut), n.unit)
}

// whole says of a part whether it is.
func (e *emitter) whole(p lore.Part, n *node, cut bool) lore.Part {
	if cut {
		p.Cut, p.Bytes = true, n.len
	}
	return p
}

// spoken adds words to the answer.
func (e *emitter) spoken(n *node, v kit.Value, cut bool) {
	t := textOf(v)
	if t == "" {
		e.units.pass(n.unit, "response without words")
		return
	}
	e.speak(t, n.unit)
	if cut {
		e.sentence.cut += n.len
	}
}

// textOf returns the words of an element: a plain string, a value, or markdown inside of it.
func textOf(v kit.Value) string {
	for _, t := range []kit.Value{v, v.Get("value"), v.Get("content"), v.Get("content", "value")} {
		if t.IsString() {
			return t.String()
		}
	}
	return ""
}

// thinkingOf returns the words of a thinking element, which may be a list of them.
func thinkingOf(v kit.Value) string {
	value := v.Get("value")
	if !value.IsArray() {
		return value.String()
	}
	var b strings.Builder
	for w := range value.Items() {
		b.WriteString(w.String())
	}
	return b.String()
}

// referred returns the name of a file or symbol that stands inside a sentence.
func referred(v kit.Value) string {
	in := v.Get("inlineReference")
	for _, n := range []kit.Value{v.Get("name"), in.Get("name")} {
		if n.String() != "" {
			return n.String()
		}
	}
	_, name, _ := uriOf(in)
	return name
}

// messageOf returns a text that may be plain or markdown.
func messageOf(v kit.Value) string {
	if v.IsObject() {
		v = v.Get("value")
	}
	return v.String()
}

// noticeOf returns what the editor told the person: a title and a text.
func noticeOf(v kit.Value) string {
	var lines []string
	for _, key := range []string{"title", "subtitle", "message", "content", "description", "systemMessage", "stopReason"} {
		if t := messageOf(v.Get(key)); t != "" {
			lines = append(lines, t)
		}
	}
	return strings.Join(lines, "\n")
}

// edit keeps a change of files as what the assistant did: the source's own account of it.
func (e *emitter) edit(n *node, v kit.Value, kind string, cut bool) {
	if edits := v.Get("edits"); edits.IsArray() && edits.Len() == 0 {
		e.units.pass(n.unit, "response "+kind)
		return
	}
	e.call(e.whole(lore.Part{Kind: lore.Call, Name: kind, Text: plainText(v.Raw())}, n, cut), n.unit, nil)
}
