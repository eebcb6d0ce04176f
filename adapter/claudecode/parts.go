package claudecode

import (
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter/kit"
)

// content reads the content of a message: a string, or a list of blocks.
func (b *body) content(v kit.Value) {
	switch v.Kind() {
	case kit.String:
		if blank(v) {
			return // an empty answer: a message without parts
		}
		b.blocks = append(b.blocks, block{part: text(lore.Text, v)})
	case kit.Array:
		if n := v.Len(); n > 0 && b.blocks == nil {
			b.blocks = make([]block, 0, n)
		}
		for item := range v.Items() {
			b.block(item)
		}
	case kit.Absent, kit.Null:
	default:
		b.strange("content", v)
	}
}

// block reads one block.
func (b *body) block(v kit.Value) {
	switch t := v.Get("type").String(); t {
	case "text":
		if words := v.Get("text"); words.IsString() {
			b.put(text(lore.Text, words))
			return
		}
		b.strange("text", v)
	case "thinking", "redacted_thinking":
		b.thinking(v)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		b.put(call(v))
	case "tool_result":
		b.result(v)
	case "image", "document":
		b.media(v, "")
	default:
		if strings.HasSuffix(t, "_tool_result") {
			b.result(v)
			return
		}
		b.strange(named(t), v)
	}
}

func named(t string) string {
	if t == "" {
		return "block"
	}
	return t
}

func (b *body) put(p lore.Part) { b.blocks = append(b.blocks, block{part: p}) }

func (b *body) thinking(v kit.Value) {
	p := text(lore.Thinking, v.Get("thinking"))
	signature := v.Get("signature")
	if !signature.IsString() {
		signature = v.Get("data")
	}
	p.Unreadable = p.Text == "" && signature.IsString() && !blank(signature)
	b.blocks = append(b.blocks, block{part: p, sig: xxhash.Sum64(signature.Raw())})
}

// call keeps the input exactly as the source wrote it.
func call(v kit.Value) lore.Part {
	p := lore.Part{Kind: lore.Call, Name: v.Get("name").String(), CallID: v.Get("id").String()}
	input := v.Get("input")
	if input.IsString() {
		return merge(p, text(lore.Call, input))
	}
	return merge(p, raw(lore.Call, "", input))
}

// merge puts the text of q into p.
func merge(p, q lore.Part) lore.Part {
	p.Text, p.Cut, p.Bytes = q.Text, q.Cut, q.Bytes
	return p
}

// text makes a part of a string value.
func text(k lore.PartKind, v kit.Value) lore.Part {
	p := lore.Part{Kind: k, Text: v.String()}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// raw makes a part of the bytes of a value as written.
func raw(k lore.PartKind, name string, v kit.Value) lore.Part {
	p := lore.Part{Kind: k, Name: name, Text: valid(v.Raw())}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// valid makes a string of bytes, each that is not UTF-8 as one U+FFFD.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// media reads an image or a document. A document of plain text is words; one that is a list of blocks is these.
func (b *body) media(v kit.Value, call string) {
	role := lore.Role("")
	if call != "" {
		role = lore.Tool
	}
	src := v.Get("source")
	switch src.Get("type").String() {
	case "text":
		p := text(lore.Text, src.Get("data"))
		if call != "" {
			p.Kind, p.CallID = lore.Result, call
		}
		b.blocks = append(b.blocks, block{part: p, role: role})
		return
	case "content":
		for item := range src.Get("content").Items() {
			b.block(item)
		}
		return
	}
	p := lore.Part{Kind: lore.Image, CallID: call, MediaType: src.Get("media_type").String()}
	if v.Get("type").Is("document") {
		p.Kind, p.Name = lore.File, v.Get("title").String()
	}
	switch data := src.Get("data"); {
	case data.IsString():
		if !embed(&p, data) {
			p.Bytes = data.Size() // what it is does not show, but it is no text either
			b.notes = append(b.notes, note{lore.UnexpectedShape, "an image's data is no base64"})
		}
	default:
		ref := firstOf(src, "url", "file_id")
		if !ref.Exists() {
			b.strange(named(v.Get("type").String()), v)
			return
		}
		p = merge(p, text(p.Kind, ref))
	}
	b.blocks = append(b.blocks, block{part: p, role: role})
}

// embed puts the digest of base64 data into a part. Of data that is cut there is no digest, only the size.
func embed(p *lore.Part, data kit.Value) bool {
	if data.Cut() {
		p.Cut, p.Bytes = true, data.Size()/4*3
		return true
	}
	blob, ok := kit.Base64(data, p.MediaType)
	if !ok {
		return false
	}
	p.Text, p.Bytes = blob.Ref, blob.Bytes
	return true
}

// blank reports whether a value is the empty string. It decodes nothing.
func blank(v kit.Value) bool { return v.IsString() && len(v.Raw()) == 2 }
