package claudecode

import (
	"bytes"
	"path"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// result reads a tool_result block: a part for each text, and the images in it.
func (b *body) result(v kit.Value) {
	id, failed := v.Get("tool_use_id").String(), v.Get("is_error").Bool()
	put := func(p lore.Part) {
		p.CallID, p.IsError = id, failed
		b.blocks = append(b.blocks, block{part: p, role: lore.Tool})
	}
	before := len(b.blocks)
	switch c := v.Get("content"); c.Kind() {
	case kit.String:
		put(text(lore.Result, c))
		b.blocks[before].written = plainBytes(c)
		b.persisted()
	case kit.Array:
		for item := range c.Items() {
			switch t := item.Get("type").String(); {
			case t == "text" && item.Get("text").IsString():
				put(text(lore.Result, item.Get("text")))
				b.persisted()
			case t == "image" || t == "document":
				b.media(item, id)
			case t == "tool_reference" || strings.HasPrefix(t, "web_search_") || strings.HasPrefix(t, "search_"):
				put(raw(lore.Unknown, t, item))
			default:
				put(raw(lore.Unknown, named(t), item))
				b.notes = append(b.notes, note{lore.UnexpectedShape, "a result's block is " + shape(item)})
			}
		}
	case kit.Absent, kit.Null:
	default:
		put(raw(lore.Result, "", c))
		if v.Get("type").Is("tool_result") {
			b.notes = append(b.notes, note{lore.UnexpectedShape, "a result's content is " + shape(c)})
		}
	}
	if len(b.blocks) == before {
		put(lore.Part{Kind: lore.Result}) // a result without words still answers its call
	}
}

// Two ways in which the tool says that a result's whole text lies in a side file: with a preview, and without.
const (
	previewFrame = "<persisted-output>"
	tooLongFrame = "Error: result ("
	sideFolder   = "tool-results"
)

// persisted finds, in the text that was read last, the side file that holds the whole of it. Only its base name counts:
// the folder in the text is that of another day or machine.
func (b *body) persisted() {
	last := &b.blocks[len(b.blocks)-1]
	t := last.part.Text
	preview := strings.HasPrefix(t, previewFrame)
	if !preview && !strings.HasPrefix(t, tooLongFrame) {
		return
	}
	t = t[:min(len(t), 4096)]
	at := strings.LastIndex(strings.ReplaceAll(t, `\`, "/"), "/"+sideFolder+"/")
	if preview { // the preview itself may hold such a path; the frame's own comes first
		at = strings.Index(strings.ReplaceAll(t, `\`, "/"), "/"+sideFolder+"/")
	}
	if at < 0 {
		return
	}
	name := t[at+len(sideFolder)+2:]
	if end := strings.IndexAny(name, "\r\n<>\"'`"); end >= 0 {
		name = name[:end]
	}
	if !preview {
		name, _, _ = strings.Cut(name, " ")
	}
	name = path.Base(strings.ReplaceAll(strings.TrimRight(name, " ."), `\`, "/"))
	if name == "." || name == "/" || name == ".." {
		return
	}
	last.side, last.added = name, !preview
}

// twin reads toolUseResult, the richer twin of the record's one result. Its text counts where the result holds none or
// only its beginning; an image in it counts where the result has none.
func (b *body) twin(v kit.Value) {
	first, results := -1, 0
	for i := range b.blocks {
		if b.blocks[i].role == lore.Tool {
			if results++; first < 0 {
				first = i
			}
		}
	}
	if first < 0 || !v.Exists() || v.IsNull() {
		return
	}
	b.twinFile(v.Get("file"), b.blocks[first].part.CallID)
	own := &b.blocks[first]
	if own.part.Kind != lore.Result || results > 1 && !v.IsArray() {
		return
	}
	whole := twinText(v)
	switch {
	case v.IsArray():
		if own.part.Text == "" {
			b.twinList(first, v)
		}
	case !whole.IsString() || blank(whole):
	case own.part.Text == "" || own.beginsIn(whole):
		if own.side != "" {
			own.twin = whole.String()
			return
		}
		own.part = merge(own.part, text(lore.Result, whole))
	}
}

// twinList takes the texts of a twin that is a list of blocks, for a result that is empty.
func (b *body) twinList(first int, v kit.Value) {
	own := b.blocks[first].part
	rest := append([]block(nil), b.blocks[first+1:]...)
	b.blocks = b.blocks[:first]
	for item := range v.Items() {
		if t := item.Get("text"); t.IsString() {
			b.blocks = append(b.blocks, block{part: merge(own, text(lore.Result, t)), role: lore.Tool})
		}
	}
	if len(b.blocks) == first {
		b.blocks = append(b.blocks, block{part: own, role: lore.Tool})
	}
	b.blocks = append(b.blocks, rest...)
}

// twinFile takes an embedded file that the result itself does not show.
func (b *body) twinFile(v kit.Value, id string) {
	data := v.Get("base64")
	if !data.IsString() || blank(data) {
		return
	}
	for i := range b.blocks {
		if k := b.blocks[i].part.Kind; k == lore.Image || k == lore.File {
			return
		}
	}
	p := lore.Part{Kind: lore.File, CallID: id, MediaType: v.Get("type").String(), Name: kit.Base(v.Get("filePath").String())}
	if strings.HasPrefix(p.MediaType, "image/") {
		p.Kind, p.Name = lore.Image, ""
	}
	if embed(&p, data) {
		b.blocks = append(b.blocks, block{part: p, role: lore.Tool})
	}
}

// twinText returns the value of a structured twin that holds the result's text.
func twinText(v kit.Value) kit.Value {
	if v.IsString() {
		return v
	}
	for _, name := range []string{"stdout", "content", "result", "text"} {
		if t := v.Get(name); t.IsString() {
			return t
		}
	}
	return v.Get("file", "content")
}

// beginsIn reports whether a result is only the beginning of a longer text: it is a preview, or the longer one goes on
// with more than white space. Bytes are compared as they are written, which tells most results apart at once.
func (b *block) beginsIn(whole kit.Value) bool {
	if strings.HasPrefix(b.part.Text, previewFrame) {
		have := previewed(b.part.Text)
		full := strings.TrimLeft(whole.String(), " \t\r\n")
		return have != "" && len(full) > len(have) && strings.HasPrefix(full, have)
	}
	rest, ok := bytes.CutPrefix(plainBytes(whole), b.written)
	return ok && len(b.written) > 0 && len(bytes.Trim(rest, ` \nrt`)) > 0
}

// plainBytes returns what stands between a string's quotes.
func plainBytes(v kit.Value) []byte {
	if raw := v.Raw(); len(raw) >= 2 {
		return raw[1 : len(raw)-1]
	}
	return nil
}

// previewed returns the text in the frame of a preview.
func previewed(t string) string {
	at := strings.Index(t, "Preview (first ")
	if at < 0 {
		return ""
	}
	_, t, _ = strings.Cut(t[at:], "\n")
	t = strings.TrimSuffix(strings.TrimSpace(t), "</persisted-output>")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(t), "..."))
}
