package chatexport

import (
	"bytes"
	"errors"

	"lore/adapter/kit"
)

// firstKeys are keys with which an element begins.
var firstKeys = []string{"title", "id", "conversation_id", "uuid", "name", "create_time", "created_at", "mapping", "chat_messages"}

// search finds the next whole element in b, behind its first byte. 0: there is none.
func (e *elements) search(b []byte) int {
	from := max(1, int(min(e.barren-e.base, int64(len(b)))))
	budget := 8*len(b) + 1<<20 // so that no bytes make the search slow
	unsure := len(b)
	for p := from; p < len(b) && budget > 0; p++ {
		i := bytes.IndexByte(b[p:], '{')
		if i < 0 {
			break
		}
		if p += i; !begins(b[p+1:]) {
			continue
		}
		v, n, err := e.doc.ParsePrefix(b[p:])
		var syntax *kit.SyntaxError
		switch {
		case err == nil && e.known(v):
			return p
		case err == nil:
			budget -= n
			p += n - 1
		case errors.As(err, &syntax):
			budget -= syntax.Offset
			if syntax.AtEnd {
				unsure = min(unsure, p)
			}
		default:
			budget -= len(b) - p
		}
	}
	e.barren = e.base + int64(unsure)
	return 0
}

// begins reports whether the first key of an object is one of an element's.
func begins(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 64)], " \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return false
	}
	name, _, ok := bytes.Cut(b[1:], []byte(`"`))
	if !ok {
		return false
	}
	for _, k := range firstKeys {
		if string(name) == k {
			return true
		}
	}
	return false
}
