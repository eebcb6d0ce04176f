package continuedev

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// parts reads what one entry says.
func (s *session) parts(v kit.Value, role lore.Role) []lore.Part {
	said := v.Get("message")
	var list []lore.Part
	if words := v.Get("reasoning", "text"); words.String() != "" {
		list = append(list, kit.TextPart(lore.Thinking, words))
	}
	kind := lore.Text
	switch {
	case said.Get("role").Is("thinking"):
		kind = lore.Thinking
	case role == lore.Tool:
		kind = lore.Result
	}
	list = append(list, s.content(said, kind)...)
	if said.Get("redactedThinking").String() != "" {
		list = append(list, lore.Part{Kind: lore.Thinking, Unreadable: true})
	}
	for call := range said.Get("toolCalls").Items() {
		p := kit.RawPart(lore.Call, call.Get("function", "arguments"))
		p.Name, p.CallID = call.Get("function", "name").String(), call.Get("id").String()
		list = append(list, p)
	}
	return list
}

// content reads the content of a message: a text, or a list of texts and images.
func (s *session) content(said kit.Value, kind lore.PartKind) []lore.Part {
	content := said.Get("content")
	call := said.Get("toolCallId").String()
	var list []lore.Part
	switch {
	case content.IsString() && content.String() == "" && said.Get("toolCalls").Len() > 0:
	case content.IsString():
		p := kit.TextPart(kind, content)
		p.CallID = call
		list = append(list, p)
	case content.IsArray():
		for b := range content.Items() {
			p := s.block(b, kind)
			if p.Kind == lore.Result {
				p.CallID = call
			}
			list = append(list, p)
		}
	case content.Exists() && !content.IsNull():
		s.losses.More(lore.UnexpectedShape, lore.Warning, 0, "a content that is neither text nor list")
		list = append(list, kit.UnknownPart("content", content))
	}
	return list
}

func (s *session) block(b kit.Value, kind lore.PartKind) lore.Part {
	switch typ := b.Get("type").String(); typ {
	case "text":
		return kit.TextPart(kind, b.Get("text"))
	case "imageUrl", "image_url":
		url := b.Get("imageUrl")
		if !url.Exists() {
			url = b.Get("image_url")
		}
		return kit.MediaPart(lore.Image, url.Get("url"), "", false)
	default:
		s.losses.Unknown(0, "block "+typ)
		return kit.UnknownPart(typ, b)
	}
}

// attached reads what was attached to a message: files, and pieces of code.
func attached(items kit.Value) []lore.Part {
	var list []lore.Part
	for item := range items.Items() {
		p := kit.TextPart(lore.Text, item.Get("content"))
		p.Name = item.Get("name").String()
		if p.Text != "" || p.Name != "" {
			list = append(list, p)
		}
	}
	return list
}

// outputs reads what calls gave, where it stands at the entry that made them. Those in other are entries of their own.
func (s *session) outputs(states kit.Value, other map[string]bool) []lore.Part {
	var list []lore.Part
	for state := range states.Items() {
		id := state.Get("toolCallId").String()
		if id == "" {
			id = state.Get("toolCall", "id").String()
		}
		if other[id] {
			continue
		}
		var texts []string
		for out := range state.Get("output").Items() {
			if words := out.Get("content").String(); words != "" {
				texts = append(texts, words)
			}
		}
		status := state.Get("status")
		failed := status.Is("errored")
		if len(texts) == 0 && !failed && !status.Is("done") {
			continue
		}
		list = append(list, lore.Part{Kind: lore.Result, Text: strings.Join(texts, "\n"), CallID: id,
			Name: state.Get("toolCall", "function", "name").String(), IsError: failed})
	}
	return list
}
