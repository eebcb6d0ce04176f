package copilot

import (
	"encoding/base64"
	"strconv"

	"lore/adapter/kit"
)

// numbers digests bytes that a source wrote as a list of numbers, or as an object of them by index.
func numbers(v kit.Value, media string) (kit.Blob, bool) {
	var raw []byte
	ok := v.Len() > 0
	take := func(e kit.Value) {
		n, whole := e.Int()
		ok = ok && whole && n >= 0 && n < 256
		raw = append(raw, byte(n))
	}
	switch {
	case v.IsArray():
		for e := range v.Items() {
			take(e)
		}
	case v.IsObject():
		next := 0
		for key, e := range v.Fields() {
			ok = ok && key == strconv.Itoa(next)
			next++
			take(e)
		}
	default:
		return kit.Blob{}, false
	}
	if !ok {
		return kit.Blob{}, false
	}
	quoted := make([]byte, 0, base64.StdEncoding.EncodedLen(len(raw))+2)
	quoted = append(base64.StdEncoding.AppendEncode(append(quoted, '"'), raw), '"')
	var doc kit.Doc
	text, err := doc.Parse(quoted)
	if err != nil {
		return kit.Blob{}, false
	}
	return kit.Base64(text, media)
}
