package kit

import (
	"strings"

	"lore"
)

// TextPart makes a part of a string value: its text, and that it was cut. Other kinds of value give an empty text.
func TextPart(kind lore.PartKind, v Value) lore.Part {
	return marked(lore.Part{Kind: kind, Text: v.String()}, v)
}

// RawPart makes a part of any value: a string by its text, all else by its bytes as written, each byte that is not UTF-8
// as one U+FFFD. An absent or null value gives an empty text.
func RawPart(kind lore.PartKind, v Value) lore.Part {
	switch v.Kind() {
	case String:
		return TextPart(kind, v)
	case Absent, Null:
		return lore.Part{Kind: kind}
	}
	return marked(lore.Part{Kind: kind, Text: string(appendValid(nil, v.Raw()))}, v)
}

// UnknownPart keeps, raw, a block of a type that its reader does not know.
func UnknownPart(typ string, v Value) lore.Part {
	p := RawPart(lore.Unknown, v)
	p.Name = Clip(typ)
	return p
}

// MediaPart makes a part of an image or file: by digest where the value is a data URL, or base64 and is said to be; else
// by its reference as written. Of bytes that were cut nothing is told but their size.
func MediaPart(kind lore.PartKind, v Value, mediaType string, base64 bool) lore.Part {
	p := lore.Part{Kind: kind, MediaType: mediaType}
	data := isDataURL(v)
	if v.Cut() && (data || base64) {
		p.Cut, p.Bytes = true, v.Size()
		return p
	}
	blob, ok := DataURL(v)
	if !ok && base64 && !data {
		blob, ok = Base64(v, mediaType)
	}
	if !ok {
		return marked(lore.Part{Kind: kind, MediaType: mediaType, Text: v.String()}, v)
	}
	p.Text, p.Bytes = blob.Ref, blob.Bytes
	if blob.MediaType != "" {
		p.MediaType = blob.MediaType
	}
	return p
}

func isDataURL(v Value) bool {
	raw := v.Raw()
	return v.IsString() && len(raw) > 6 && strings.EqualFold(string(raw[1:6]), "data:")
}

// marked says of a part whose value was cut that it is only the head.
func marked(p lore.Part, v Value) lore.Part {
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// Clip keeps a name from a source short enough for a line.
func Clip(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "")
}
