package copilot

import (
	"strings"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// The kinds of node in a prompt tree, which tools may give as their result.
const (
	treePiece = 1
	treeText  = 2

	pieceImage = 3
)

// treeWords returns the words of a prompt tree as the model got them.
func treeWords(root kit.Value) string {
	var b strings.Builder
	var walk func(v kit.Value, depth int)
	walk = func(v kit.Value, depth int) {
		kind, _ := v.Get("type").Int()
		switch {
		case depth > maxTree:
		case kind == treeText:
			if v.Get("lineBreakBefore").Bool() && b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(v.Get("text").String())
		case kind == treePiece:
			if ctor, _ := v.Get("ctor").Int(); ctor == pieceImage {
				b.WriteString("<image>")
				return
			}
			for k := range v.Get("children").Items() {
				walk(k, depth+1)
			}
		}
	}
	walk(root, 0)
	return b.String()
}

// maxTree is how deep a prompt tree may nest.
const maxTree = 500

// toolResult makes parts of what a tool gave to the model: its words as one result, then images.
func (e *emitter) toolResult(n *node, id, name string) []result {
	if n.isNull() {
		return nil
	}
	v, cut := e.value(n)
	if !v.Exists() {
		return nil
	}
	content := v.Get("content")
	if !content.IsArray() {
		content = v
	}
	words, more, odd := e.content(content)
	p := lore.Part{Kind: lore.Result, Name: name, CallID: id, Text: words}
	p.IsError = v.Get("hasError").Bool() || isSaid(v.Get("toolResultError")) || v.Get("isError").Bool()
	if cut {
		p.Cut, p.Bytes = true, n.len
		e.oversized(n)
	}
	if odd != "" {
		e.losses.unknown(n.src, e.lineOf(n), "result of "+odd)
	}
	out := []result{{p, n.unit}}
	for _, m := range more {
		m.CallID = id
		out = append(out, result{m, n.unit})
	}
	return out
}

// content reads the pieces of a result: plain words, a prompt tree, bytes. odd names a piece that is none of these.
func (e *emitter) content(v kit.Value) (words string, more []lore.Part, odd string) {
	if v.IsString() {
		return v.String(), nil, ""
	}
	var texts []string
	for c := range v.Items() {
		value := c.Get("value")
		switch {
		case c.IsString():
			texts = append(texts, c.String())
		case value.IsString():
			texts = append(texts, value.String())
		case value.Get("node").IsObject():
			texts = append(texts, treeWords(value.Get("node")))
		case c.Get("text").IsString():
			texts = append(texts, c.Get("text").String())
		case c.Get("mimeType").IsString():
			more = append(more, picture(c.Get("data"), c.Get("mimeType").String()))
		default:
			texts = append(texts, plainText(c.Raw()))
			odd = "a shape that this version does not know"
		}
	}
	return strings.Join(texts, "\n"), more, odd
}

// picture makes a part of embedded bytes: an image, or a file by its media type. Bytes stand in base64, in a data URL,
// or as a list or map of numbers.
func picture(v kit.Value, media string) lore.Part {
	p := lore.Part{Kind: lore.Image, MediaType: media}
	if media != "" && !strings.HasPrefix(media, "image/") {
		p.Kind = lore.File
	}
	if in := v.Get("$base64"); in.Exists() {
		v = in
	}
	if in := v.Get("value"); in.Exists() && v.IsObject() {
		v = in
	}
	if blob, ok := kit.DataURL(v); ok {
		p.Text, p.Bytes, p.MediaType = blob.Ref, blob.Bytes, blob.MediaType
		return p
	}
	if blob, ok := kit.Base64(v, media); ok {
		p.Text, p.Bytes = blob.Ref, blob.Bytes
		return p
	}
	if blob, ok := numbers(v, media); ok {
		p.Text, p.Bytes = blob.Ref, blob.Bytes
		return p
	}
	if v.IsString() {
		p.Text = v.String()
	}
	return p
}

// isSaid reports whether a value is there and says something.
func isSaid(v kit.Value) bool {
	return v.Exists() && !v.IsNull() && !(v.Kind() == kit.Bool && !v.Bool()) && string(v.Raw()) != `""`
}

// plainText returns bytes of the source as text: each invalid byte as one U+FFFD.
func plainText(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		b.WriteRune(r)
		raw = raw[n:]
	}
	return b.String()
}
