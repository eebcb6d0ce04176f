package qwencode

import (
	"lore"
	"lore/adapter/kit"
)

// parts makes the parts of a record's message.
func (w *writer) parts(e *entry, v kit.Value) []lore.Part {
	if v.Exists() && !v.IsNull() && !v.IsArray() {
		w.losses.More(lore.UnexpectedShape, lore.Warning, int(e.line), "parts of a message")
		return []lore.Part{kit.UnknownPart("parts", v)}
	}
	var parts []lore.Part
	for part := range v.Items() {
		parts = append(parts, w.part(e, part)...)
	}
	return parts
}

func (w *writer) part(e *entry, v kit.Value) []lore.Part {
	if text := v.Get("text"); text.IsString() {
		kind := lore.Text
		if v.Get("thought").Bool() {
			kind = lore.Thinking
		}
		return []lore.Part{kit.TextPart(kind, text)}
	}
	if call := v.Get("functionCall"); call.IsObject() {
		p := kit.RawPart(lore.Call, call.Get("args"))
		p.Name, p.CallID = call.Get("name").String(), call.Get("id").String()
		return []lore.Part{p}
	}
	if response := v.Get("functionResponse"); response.IsObject() {
		return w.response(e, response)
	}
	if data := v.Get("inlineData"); data.IsObject() {
		return []lore.Part{media(data.Get("data"), data, true)}
	}
	if data := v.Get("fileData"); data.IsObject() {
		return []lore.Part{media(data.Get("fileUri"), data, false)}
	}
	name := "part"
	for key := range v.Fields() {
		name = key
		break
	}
	w.losses.Unknown(int(e.line), "part "+name)
	return []lore.Part{kit.UnknownPart(name, v)}
}

// response makes the parts of a tool's response: its output or its error, and what stands beside it.
func (w *writer) response(e *entry, v kit.Value) []lore.Part {
	said, failed := v.Get("response", "output"), false
	if fault := v.Get("response", "error"); fault.Exists() && !fault.IsNull() {
		said, failed = fault, true
	}
	if !said.Exists() {
		if said = v.Get("response"); said.Len() == 0 {
			said = kit.Value{}
		}
	}
	p := kit.RawPart(lore.Result, said)
	p.Name, p.CallID, p.IsError = v.Get("name").String(), v.Get("id").String(), failed
	parts := []lore.Part{p}
	for _, more := range w.parts(e, v.Get("parts")) {
		more.CallID = p.CallID
		parts = append(parts, more)
	}
	return parts
}

// media makes the part of an image or of another file.
func media(v, about kit.Value, base64 bool) lore.Part {
	kind, typ := lore.File, about.Get("mimeType").String()
	if len(typ) > 6 && typ[:6] == "image/" {
		kind = lore.Image
	}
	p := kit.MediaPart(kind, v, typ, base64)
	p.Name = about.Get("displayName").String()
	return p
}
