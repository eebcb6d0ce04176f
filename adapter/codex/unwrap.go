package codex

import (
	"bytes"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// unwrapped makes a result of a string. Most outputs are JSON inside of a string: {"output":"...","metadata":{...}}.
// There the output is the text, and the metadata say how it went.
func (b *builder) unwrapped(v kit.Value) lore.Part {
	raw := v.Raw()
	if len(raw) < 2 || raw[1] != '{' || v.Cut() {
		return b.text(lore.Result, v)
	}
	if p, ok := b.unwrapFast(raw[1 : len(raw)-1]); ok {
		return p
	}
	b.buf = v.AppendString(b.buf[:0])
	inner, err := b.doc.Parse(b.buf)
	if err != nil || !inner.Get("output").IsString() || !inner.Get("metadata").IsObject() {
		return b.text(lore.Result, v)
	}
	return lore.Part{Kind: lore.Result, Text: inner.Get("output").String(), IsError: exitFailed(inner)}
}

func exitFailed(v kit.Value) bool {
	code, ok := v.Get("metadata", "exit_code").Int()
	return ok && code != 0
}

// wrapHead and wrapTail are what Codex writes around an output, as it stands in the outer string.
var (
	wrapHead = []byte(`{\"output\":\"`)
	wrapTail = []byte(`,\"metadata\":{`)
)

// unwrapFast takes the form that Codex writes apart in one go, from two layers of escapes to text: outputs are most of
// a rollout. False where anything is not in that form; then the slow way decides.
func (b *builder) unwrapFast(raw []byte) (lore.Part, bool) {
	if !bytes.HasPrefix(raw, wrapHead) {
		return lore.Part{}, false
	}
	text, rest, ok := unescapeTwice(b.buf[:0], raw[len(wrapHead):])
	b.buf = text
	if !ok || !bytes.HasPrefix(rest, wrapTail) || bytes.Contains(rest, []byte(`\"output\"`)) || !utf8.Valid(text) {
		return lore.Part{}, false
	}
	n := len(text)
	b.buf = append(b.buf, '{')
	for i, c := range rest[1:] { // of the tail's escapes only quotes are known to it
		if c != '\\' {
			b.buf = append(b.buf, c)
		} else if i+2 >= len(rest) || rest[i+2] != '"' {
			return lore.Part{}, false
		}
	}
	inner, err := b.doc.Parse(b.buf[n:])
	if err != nil || !inner.Get("metadata").IsObject() {
		return lore.Part{}, false
	}
	return lore.Part{Kind: lore.Result, Text: string(b.buf[:n]), IsError: exitFailed(inner)}, true
}

// unescapeTwice appends what an inner JSON string says whose quotes and backslashes an outer one has escaped once more,
// up to its closing quote, and returns what follows that. False at any escape but those that JSON writers use.
func unescapeTwice(dst, raw []byte) (text, rest []byte, ok bool) {
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 || at+1 >= len(raw) {
			return dst, nil, false
		}
		dst = append(dst, raw[:at]...)
		raw = raw[at+1:]
		switch {
		case raw[0] == '"': // \" is the inner closing quote
			return dst, raw[1:], true
		case raw[0] != '\\' || len(raw) < 3:
			return dst, nil, false
		}
		c, n := raw[1], 2
		if c == '\\' { // \\\" and \\\\ are an inner escaped quote and backslash
			c, n = raw[2], 3
			if c != '"' && c != '\\' {
				return dst, nil, false
			}
		}
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			r, ok := hex4(raw[2:])
			if !ok || r >= utf8.RuneSelf { // control bytes; all else is for the slow way
				return dst, nil, false
			}
			c, n = byte(r), 6
		case '"', '\\':
			if n == 2 {
				return dst, nil, false
			}
		case '/':
		default:
			return dst, nil, false
		}
		dst = append(dst, c)
		raw = raw[n:]
	}
}
