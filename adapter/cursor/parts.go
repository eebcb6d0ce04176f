package cursor

import (
	"strings"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// text makes a part of a string value; a cut one says so.
func text(kind lore.PartKind, v kit.Value) lore.Part {
	return cut(lore.Part{Kind: kind, Text: v.String()}, v)
}

// raw makes a part of any value: a string by its text, all else as it is written.
func raw(kind lore.PartKind, v kit.Value) lore.Part {
	switch v.Kind() {
	case kit.String:
		return text(kind, v)
	case kit.Absent, kit.Null:
		return lore.Part{Kind: kind}
	}
	return cut(lore.Part{Kind: kind, Text: valid(v.Raw())}, v)
}

func cut(p lore.Part, v kit.Value) lore.Part {
	if v.Exists() && v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// valid returns bytes of the source as text: each invalid byte as one U+FFFD.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// invalidBytes counts the bytes that valid replaces.
func invalidBytes(b []byte) (count int) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			count++
		}
		b = b[n:]
	}
	return count
}

// holds reports whether a value says something: no null, no empty string.
func holds(v kit.Value) bool {
	switch v.Kind() {
	case kit.Absent, kit.Null:
		return false
	case kit.String:
		return len(v.Raw()) > 2
	}
	return true
}

// first returns the first value that says something.
func first(list ...kit.Value) kit.Value {
	for _, v := range list {
		if holds(v) {
			return v
		}
	}
	return kit.Value{}
}

// idOf returns an id: a string, or a number as it is written.
func idOf(v kit.Value) string {
	if v.IsNumber() {
		return string(v.Raw())
	}
	return v.String()
}

// image makes an image part: by digest when the bytes are embedded, else by its reference.
func image(v, mediaType kit.Value) lore.Part {
	p := lore.Part{Kind: lore.Image, MediaType: mediaType.String()}
	if v.Cut() {
		return cut(p, v)
	}
	blob, ok := kit.DataURL(v)
	if !ok && !strings.ContainsAny(begins(v, 64), ":.\\") {
		blob, ok = kit.Base64(v, p.MediaType)
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
	b := v.Raw()
	if len(b) < 2 {
		return ""
	}
	b = b[1 : len(b)-1]
	return string(b[:min(n, len(b))])
}

// runs puts parts in order into messages, one for each run of one role.
type runs []lore.Message

// add puts a part behind those that are there.
func (r *runs) add(role lore.Role, subtype string, p lore.Part) {
	if n := len(*r); n > 0 && (*r)[n-1].Role == role && (*r)[n-1].Subtype == subtype {
		(*r)[n-1].Parts = append((*r)[n-1].Parts, p)
		return
	}
	*r = append(*r, lore.Message{Role: role, Subtype: subtype, Active: true, Parts: []lore.Part{p}})
}

// name gives the runs of a unit their native ids: the words have the unit's own, the first run of another role one that
// names the role, a later run none.
func (r runs) name(id string, words lore.Role) {
	if id == "" {
		return
	}
	var given []lore.Role
	for i := range r {
		m := &r[i]
		known := false
		for _, role := range given {
			known = known || role == m.Role
		}
		switch {
		case known:
			continue
		case m.Role == words:
			m.Native = id
		default:
			m.Native = kit.SplitNative(m.Role, id)
		}
		given = append(given, m.Role)
	}
}

// subContext and the others are the subtypes of what no person and no model said.
const (
	subContext   = "context"
	subNotice    = "notice"
	subRecovered = "recovered"
)

// foldSpace is a text with its white space folded: what two renderings of one text share.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
