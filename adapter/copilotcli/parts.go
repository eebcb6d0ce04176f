package copilotcli

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// raw makes a part of any value: a string by its text, all else as it is written. A cut one says so.
func raw(kind lore.PartKind, v kit.Value) lore.Part {
	p := lore.Part{Kind: kind}
	switch v.Kind() {
	case kit.String:
		p.Text = v.String()
	case kit.Absent, kit.Null:
		return p
	default:
		p.Text = strings.ToValidUTF8(string(v.Raw()), "\ufffd")
	}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// thinking makes a part of reasoning.
func thinking(v kit.Value) lore.Part { return raw(lore.Thinking, v) }

// shaped makes a part of a value that ought to be a string, and says where it is none.
func (b *builder) shaped(kind lore.PartKind, v kit.Value, what string) lore.Part {
	if !v.IsString() {
		b.losses.one(lore.UnexpectedShape, lore.Info, int(b.ev.line), what+" is no string")
	}
	return raw(kind, v)
}

// attachment makes the parts of what was attached to a prompt.
func (b *builder) attachment(a kit.Value) []lore.Part {
	name := first(a.Get("displayName"), a.Get("title")).String()
	switch typ := a.Get("type").String(); typ {
	case "file", "directory":
		return []lore.Part{{Kind: lore.File, Text: a.Get("path").String(), Name: name}}
	case "selection":
		parts := []lore.Part{{Kind: lore.File, Text: a.Get("filePath").String(), Name: name}}
		if s := a.Get("text"); s.String() != "" {
			p := raw(lore.Text, s)
			p.Name = "selection"
			parts = append(parts, p)
		}
		return parts
	case "blob":
		return b.blob(a)
	default:
		if ref := first(a.Get("url"), a.Get("path"), a.Get("filePath")); ref.IsString() {
			return []lore.Part{{Kind: lore.File, Text: ref.String(), Name: name}}
		}
		p := raw(lore.Unknown, a)
		p.Name = clip(typ)
		b.losses.one(lore.UnexpectedShape, lore.Info, int(b.ev.line), "attachment "+p.Name)
		return []lore.Part{p}
	}
}

// blob makes a part of embedded bytes: by digest. What holds none, texts among it, makes none: it is said elsewhere.
func (b *builder) blob(v kit.Value) []lore.Part {
	at := v
	if r := v.Get("resource"); r.IsObject() {
		at = r
	}
	data, media := first(at.Get("data"), at.Get("blob")), at.Get("mimeType").String()
	if !data.IsString() {
		if uri := first(at.Get("uri")); uri.IsString() {
			return []lore.Part{{Kind: lore.File, Text: uri.String(), Name: first(at.Get("title"), at.Get("name")).String(), MediaType: media}}
		}
		return nil
	}
	p := lore.Part{Kind: lore.File, MediaType: media, Name: first(v.Get("displayName"), v.Get("name")).String()}
	if strings.HasPrefix(media, "image/") || v.Get("type").Is("image") {
		p.Kind = lore.Image
	}
	switch digest, ok := kit.Base64(data, media); {
	case data.Cut():
		p.Cut, p.Bytes = true, data.Size()
	case ok:
		p.Text, p.Bytes = digest.Ref, digest.Bytes
	default:
		p.Text = data.String()
	}
	return []lore.Part{p}
}
