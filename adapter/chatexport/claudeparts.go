package chatexport

import (
	"lore"
	"lore/adapter/kit"
)

// block adds the parts of one block of a content.
func (t *talk) block(role lore.Role, b kit.Value, add func(lore.Role, lore.Part)) {
	switch typ := b.Get("type").String(); {
	case b.IsString():
		add(role, kit.TextPart(lore.Text, b))
	case b.IsNull():
	case typ == "text":
		add(role, kit.TextPart(lore.Text, b.Get("text")))
	case typ == "thinking":
		add(role, kit.TextPart(lore.Thinking, b.Get("thinking")))
	case typ == "redacted_thinking":
		add(role, lore.Part{Kind: lore.Thinking, Unreadable: true})
	case typ == "tool_use":
		p := kit.RawPart(lore.Call, b.Get("input"))
		p.Name, p.CallID = b.Get("name").String(), b.Get("id").String()
		add(role, p)
	case typ == "tool_result":
		for _, p := range t.result(b) {
			add(lore.Tool, p)
		}
	default:
		add(role, t.unknown("block "+typ, b))
	}
}

// result makes the parts of a tool's result: its words, then its images and what else it holds.
func (t *talk) result(b kit.Value) []lore.Part {
	words := lore.Part{Kind: lore.Result, Name: b.Get("name").String(), CallID: b.Get("tool_use_id").String(), IsError: b.Get("is_error").Bool()}
	c := b.Get("content")
	if !c.IsArray() {
		p := kit.RawPart(lore.Result, c)
		p.Name, p.CallID, p.IsError = words.Name, words.CallID, words.IsError
		return []lore.Part{p}
	}
	var rest []lore.Part
	first := true
	for v := range c.Items() {
		typ := v.Get("type").String()
		switch {
		case v.IsString(), typ == "text":
			s := v
			if typ == "text" {
				s = v.Get("text")
			}
			if !first {
				words.Text += "\n"
			}
			words.Text += s.String()
			first = false
		case typ == "image":
			data := v.Get("source", "data")
			if data.String() == "" {
				rest = append(rest, t.namedFile(v))
				continue
			}
			rest = append(rest, kit.MediaPart(lore.Image, data, v.Get("source", "media_type").String(), true))
		default: // a hit of a search, say: kept as written
			rest = append(rest, t.unknown("result "+typ, v))
		}
	}
	return append([]lore.Part{words}, rest...)
}

// attachment makes a part of a file whose text the export holds. The words are the file's, not the person's.
func (t *talk) attachment(a kit.Value) lore.Part {
	p := kit.TextPart(lore.File, a.Get("extracted_content"))
	p.Name, p.MediaType = a.Get("file_name").String(), a.Get("file_type").String()
	if n, ok := a.Get("file_size").Int(); ok && n > 0 && !p.Cut {
		p.Bytes = n
	}
	if p.Text == "" {
		t.lose(lore.ExternalMissing, lore.Info, 1, "attachments without text")
	}
	return p
}

// namedFile makes a part of a file of which the export has only the name.
func (t *talk) namedFile(f kit.Value) lore.Part {
	p := lore.Part{Kind: lore.File, Name: f.Get("file_name").String(), Text: f.Get("file_uuid").String()}
	if f.Get("type").String() == "image" || f.Get("file_kind").String() == "image" {
		p.Kind = lore.Image
	}
	t.lose(lore.ExternalMissing, lore.Info, 1, "files that the export only names")
	return p
}
