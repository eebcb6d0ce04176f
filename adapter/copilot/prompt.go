package copilot

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// prompt says what the person asked: the words of the request, then what was attached. What the editor attached by
// itself follows as context.
func (e *emitter) prompt(t *turn, role lore.Role) {
	words := e.words(e.get(t.req, "message"))
	person, editor := e.attachments(t.req)
	parts := person
	if words.part.Text != "" {
		parts = append([]result{{words.part, words.unit}}, person...)
	}
	native := t.id
	e.speech(role, "", native, parts)
	if native != "" && len(parts) > 0 {
		native = kit.SplitNative(lore.System, native)
	}
	e.speech(lore.System, "context", native, editor)
}

// speech says parts of one role as one message with its own id.
func (e *emitter) speech(role lore.Role, subtype, native string, parts []result) {
	for i, p := range parts {
		e.part(role, subtype, p.part, p.unit)
		if i == 0 {
			e.run.msg.Native = native
		}
	}
	e.closeRun()
}

// words are the words of a request.
type words struct {
	part lore.Part
	unit int32
}

// words reads a message: a plain string, or an object with the text, or with its pieces alone.
func (e *emitter) words(n *node) words {
	w := words{part: lore.Part{Kind: lore.Text}, unit: -1}
	if n.isNull() {
		return w
	}
	w.unit = n.unit
	if n.isObject() {
		if t := e.get(n, "text"); t.isString() {
			n = t
			w.unit = t.unit
		}
	}
	v, cut := e.value(n)
	if v.IsObject() {
		var b strings.Builder
		for p := range v.Get("parts").Items() {
			b.WriteString(p.Get("text").String())
		}
		w.part.Text = b.String()
	} else {
		w.part.Text = v.String()
	}
	if cut {
		w.part.Cut, w.part.Bytes = true, n.len
		e.oversized(n)
	}
	return w
}

// attachments makes parts of what was attached to a request, by the person and by the editor.
func (e *emitter) attachments(req *node) (person, editor []result) {
	for _, n := range e.items(e.get(req, "variableData", "variables")) {
		v, cut := e.value(n)
		p, ok := e.attachment(n, v)
		if !ok {
			continue
		}
		if cut {
			p.Cut, p.Bytes = true, n.len
			e.oversized(n)
		}
		if isContext(v) {
			editor = append(editor, result{p, n.unit})
		} else {
			person = append(person, result{p, n.unit})
		}
	}
	return person, editor
}

// isContext reports whether the editor attached something by itself.
func isContext(v kit.Value) bool {
	switch v.Get("kind").String() {
	case "promptFile", "promptText", "implicit", "workspace":
		return true
	}
	return v.Get("automaticallyAdded").Bool()
}

// attachment makes a part of one attached thing. A tool that was switched on for the prompt is none.
func (e *emitter) attachment(n *node, v kit.Value) (lore.Part, bool) {
	kind, value, name := v.Get("kind").String(), v.Get("value"), v.Get("name").String()
	switch kind {
	case "tool", "toolset", "command", "agent":
		return lore.Part{}, false
	case "image":
		return e.image(v, name)
	}
	if p, ok := place(value); ok && kind != "promptText" && kind != "string" {
		return p, true
	}
	if list := value; list.IsArray() { // the oldest shape: a list of levels of detail
		if p, ok := place(list.Index(list.Len() - 1).Get("value")); ok {
			return p, true
		}
	}
	for _, t := range []kit.Value{value, v.Get("code"), value.Get("code"), v.Get("content")} {
		if t.IsString() {
			return lore.Part{Kind: lore.Text, Text: t.String()}, t.String() != ""
		}
	}
	if !isSaid(value) {
		return lore.Part{}, false
	}
	e.losses.unknown(n.src, e.lineOf(n), "attachment "+kit.Clip(kind))
	return lore.Part{Kind: lore.Unknown, Name: kit.Clip(kind), Text: plainText(v.Raw())}, true
}

// place makes a part of a value that is a file or another place. A plain string is one only when it is a URI.
func place(v kit.Value) (lore.Part, bool) {
	if v.IsString() && !strings.Contains(v.String(), "://") {
		return lore.Part{}, false
	}
	ref, name, ok := uriOf(v)
	return lore.Part{Kind: lore.File, Text: ref, Name: name}, ok
}

// image makes a part of a picture that was pasted or attached: by its bytes, else by where it lies.
func (e *emitter) image(v kit.Value, name string) (lore.Part, bool) {
	p := picture(v.Get("value"), v.Get("mimeType").String())
	p.Kind, p.Name = lore.Image, name
	if !strings.HasPrefix(p.Text, "sha256:") {
		for _, at := range []kit.Value{v.Get("value"), v.Get("references").Index(0).Get("reference")} {
			if ref, _, ok := uriOf(at); ok {
				p.Text = ref
				break
			}
		}
	}
	return p, p.Text != "" || name != ""
}
