package codex

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// builder makes parts out of what the source wrote. It is reused from one unit to the next.
type builder struct {
	losses *losses
	line   int32
	doc    kit.Doc // for JSON inside of strings
	buf    []byte  // which it parses
}

// text makes a part of a string value; a cut one says so.
func (b *builder) text(kind lore.PartKind, v kit.Value) lore.Part {
	p := lore.Part{Kind: kind, Text: v.String()}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// raw makes a part of any value: a string by its text, all else as it is written.
func (b *builder) raw(kind lore.PartKind, v kit.Value) lore.Part {
	switch v.Kind() {
	case kit.String:
		return b.text(kind, v)
	case kit.Absent, kit.Null:
		return lore.Part{Kind: kind}
	}
	p := lore.Part{Kind: kind, Text: valid(v.Raw())}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// valid returns bytes of the source as text: each invalid byte as one U+FFFD.
func valid(raw []byte) string {
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

// content makes the parts of a message's content. Words that only frame an image are left out.
func (b *builder) content(v kit.Value, words lore.PartKind) []lore.Part {
	if v.IsString() {
		return []lore.Part{b.text(words, v)}
	}
	parts := make([]lore.Part, 0, v.Len())
	images := false
	for block := range v.Items() {
		p, ok := b.block(block, words)
		if ok {
			parts = append(parts, p)
			images = images || p.Kind == lore.Image
		}
	}
	if !images {
		return parts
	}
	kept := parts[:0]
	for _, p := range parts {
		if p.Kind != lore.Text || !isFrame(p.Text) {
			kept = append(kept, p)
		}
	}
	return kept
}

func (b *builder) block(v kit.Value, words lore.PartKind) (lore.Part, bool) {
	kind, value := kindOf(v)
	switch kind {
	case blockText:
		return b.text(words, value), true
	case blockImage:
		return b.image(value, v)
	case blockLocalImage:
		return lore.Part{Kind: lore.Image, Text: value.String()}, holds(value)
	case blockFile:
		return b.file(value, v)
	case blockMention:
		return lore.Part{Kind: lore.File, Text: value.String(), Name: idOf(v.Get("name"))}, holds(value)
	case blockCipher:
		return lore.Part{Kind: lore.Thinking, Unreadable: true}, true
	case blockEmpty:
		return lore.Part{}, false
	}
	name := v.Get("type").String()
	b.losses.unknown(b.line, "block "+name)
	p := b.raw(lore.Unknown, v)
	p.Name = clip(name)
	return p, true
}

// image makes an image part: by digest when the bytes are embedded, else by its reference. A block without an image
// makes none.
func (b *builder) image(v, block kit.Value) (lore.Part, bool) {
	if v.IsObject() {
		v = first(v.Get("url"), v.Get("data"))
	}
	if !holds(v) || !v.IsString() {
		return lore.Part{}, false
	}
	media := idOf(first(block.Get("media_type"), block.Get("mimeType"), block.Get("mime_type")))
	return b.embedded(lore.Image, v, media, block.Get("data").Exists()), true
}

func (b *builder) file(v, block kit.Value) (lore.Part, bool) {
	if !holds(v) || !v.IsString() {
		return lore.Part{}, false
	}
	p := b.embedded(lore.File, v, idOf(block.Get("media_type")), block.Get("file_data").Exists())
	p.Name = idOf(first(block.Get("filename"), block.Get("name")))
	return p, true
}

// embedded makes a part of bytes in a data URL, or in base64 where the field holds nothing else; of a reference when
// they are neither. Of bytes that were cut nothing can be told but their size.
func (b *builder) embedded(kind lore.PartKind, v kit.Value, media string, base64 bool) lore.Part {
	p := lore.Part{Kind: kind, MediaType: media}
	data := strings.HasPrefix(begins(v, 5), "data:")
	if v.Cut() && (data || base64) {
		p.Cut, p.Bytes = true, v.Size()
		return p
	}
	blob, ok := kit.DataURL(v)
	if !ok && base64 && !data {
		blob, ok = kit.Base64(v, media)
	}
	if !ok {
		p.Text = v.String()
		return p
	}
	p.Text, p.Bytes = blob.Ref, blob.Bytes
	if blob.MediaType != "" {
		p.MediaType = blob.MediaType
	}
	return p
}

// begins returns the first bytes of a string value, as written.
func begins(v kit.Value, n int) string {
	raw := v.Raw()
	if len(raw) < 2 {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	return string(raw[:min(n, len(raw))])
}

// thinking makes the parts of reasoning: what is open first, then the summary; else one that says that there was some.
func (b *builder) thinking(lists ...kit.Value) []lore.Part {
	var parts []lore.Part
	for _, list := range lists {
		parts = append(parts, b.content(list, lore.Thinking)...)
	}
	for _, p := range parts {
		if p.Text != "" || p.Unreadable {
			return parts
		}
	}
	return []lore.Part{{Kind: lore.Thinking, Unreadable: true}}
}
