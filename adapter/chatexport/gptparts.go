package chatexport

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// gptParts makes the parts of a content. kind is that of its words: a text, or a tool's result with the tool's name.
func (t *talk) gptParts(c kit.Value, kind lore.PartKind, tool string) []lore.Part {
	words := func(v kit.Value) lore.Part {
		p := kit.TextPart(kind, v)
		p.Name = tool
		return p
	}
	switch typ := c.Get("content_type").String(); typ {
	case "text", "multimodal_text", "":
		if typ == "" && !c.Get("parts").IsArray() {
			break
		}
		return t.pieceParts(c.Get("parts"), words)
	case "code", "execution_output":
		return []lore.Part{words(c.Get("text"))}
	case "system_error":
		p := words(c.Get("text"))
		p.IsError = kind == lore.Result
		return []lore.Part{p}
	case "tether_quote":
		return []lore.Part{joined(words(c.Get("text")), c.Get("title"), c.Get("url"))}
	case "tether_browsing_display":
		return []lore.Part{joined(words(c.Get("result")), c.Get("summary"))}
	case "thoughts":
		return thoughts(c.Get("thoughts"))
	case "reasoning_recap":
		return []lore.Part{words(c.Get("content"))}
	case "user_editable_context":
		return nonEmpty(words(c.Get("user_profile")), words(c.Get("user_instructions")))
	case "model_editable_context":
		return nonEmpty(words(c.Get("model_set_context")))
	}
	if !c.Exists() || c.IsNull() {
		return nil
	}
	typ := c.Get("content_type").String()
	return []lore.Part{t.unknown("content "+typ, c)}
}

// pieceParts makes the parts of a list of strings and objects.
func (t *talk) pieceParts(list kit.Value, words func(kit.Value) lore.Part) []lore.Part {
	var parts []lore.Part
	for v := range list.Items() {
		switch typ := v.Get("content_type").String(); {
		case v.IsString():
			parts = append(parts, words(v))
		case v.IsNull():
		case (typ == "text" || typ == "audio_transcription") && v.Get("text").IsString():
			parts = append(parts, words(v.Get("text")))
		case typ == "image_asset_pointer":
			parts = append(parts, t.asset(lore.Image, v.Get("asset_pointer"), "", mime(v)))
		case v.Get("asset_pointer").IsString():
			parts = append(parts, t.asset(lore.File, v.Get("asset_pointer"), "", mime(v)))
		case v.Get("audio_asset_pointer", "asset_pointer").IsString(): // what was said in a call, with its pictures
			parts = append(parts, t.asset(lore.File, v.Get("audio_asset_pointer", "asset_pointer"), "", mime(v.Get("audio_asset_pointer"))))
			for frame := range v.Get("frames_asset_pointers").Items() {
				parts = append(parts, t.asset(lore.Image, frame.Get("asset_pointer"), "", mime(frame)))
			}
		default:
			parts = append(parts, t.unknown("part "+typ, v))
		}
	}
	return parts
}

// mime returns the media type that a reference names.
func mime(v kit.Value) string {
	for _, key := range []string{"mime_type", "mime", "mimeType"} {
		if s := v.Get(key).String(); s != "" {
			return s
		}
	}
	return ""
}

// gptCall makes the call of a message that is addressed to a tool. Its input is what the message says.
func (t *talk) gptCall(c kit.Value, tool string) []lore.Part {
	input, ok := c.Get("text"), true
	if list := c.Get("parts"); list.IsArray() {
		input, ok = list.Index(0), list.Len() == 1
	}
	if !ok || !input.IsString() {
		input = c
	}
	p := kit.RawPart(lore.Call, input)
	p.Name = tool
	return []lore.Part{p}
}

// thoughts makes the thinking, each thought with its heading.
func thoughts(list kit.Value) []lore.Part {
	var parts []lore.Part
	for v := range list.Items() {
		p := kit.TextPart(lore.Thinking, v.Get("content"))
		if v.IsString() {
			p = kit.TextPart(lore.Thinking, v)
		}
		parts = append(parts, joined(p, v.Get("summary")))
	}
	return parts
}

// joined puts headings before the words of a part, one a line.
func joined(p lore.Part, headings ...kit.Value) lore.Part {
	var lines []string
	for _, h := range headings {
		if s := h.String(); s != "" {
			lines = append(lines, s)
		}
	}
	if p.Text != "" {
		lines = append(lines, p.Text)
	}
	p.Text = strings.Join(lines, "\n")
	return p
}

func nonEmpty(list ...lore.Part) []lore.Part {
	var parts []lore.Part
	for _, p := range list {
		if p.Text != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// attachments makes parts of the files that a message has; one that the content shows already gets its name and type.
func (t *talk) attachments(m kit.Value, shown []lore.Part) []lore.Part {
	var parts []lore.Part
next:
	for v := range m.Get("metadata", "attachments").Items() {
		name, typ := v.Get("name").String(), mime(v)
		for i := range shown {
			p := &shown[i]
			if (p.Kind == lore.Image || p.Kind == lore.File) && assetID(p.Text) == assetID(v.Get("id").String()) {
				if name != "" {
					p.Name = name
				}
				if p.MediaType == "" {
					p.MediaType = typ
				}
				continue next
			}
		}
		kind := lore.File
		if strings.HasPrefix(typ, "image/") {
			kind = lore.Image
		}
		parts = append(parts, t.asset(kind, v.Get("id"), name, typ))
	}
	return parts
}
