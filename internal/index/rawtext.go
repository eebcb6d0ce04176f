package index

import (
	"bytes"
	"unsafe"
)

// maxRawUnit bounds how much of an evidence is read for one document.
const maxRawUnit = 64 << 20

// evidenceText returns the strings of the units that a document was made from, as the evidence holds them; nil when they
// cannot be read. It knows no format: whatever stands in quotes is a string, and where nothing does the bytes are text.
func (r *Reader) evidenceText(at located, d *document) []string {
	if r.raw == nil {
		return nil
	}
	b, err := r.segments[at.seg].row(secPlace, at.doc)
	if err != nil {
		return nil
	}
	p := decodePlace(b)
	units := append([]span{{int64(p.offset), int64(p.length)}}, d.units...)
	var out []string
	for _, u := range units {
		if u.len <= 0 || u.len > maxRawUnit {
			continue
		}
		raw, err := r.raw(int64(p.evidence), u.off, u.len)
		if err != nil {
			continue
		}
		out = append(out, unitStrings(raw)...)
	}
	return out
}

// unitStrings returns the decoded strings of a unit; of one that is JSON inside of a string, those in it as well.
func unitStrings(raw []byte) []string {
	var out []string
	scanJSON(raw, func(_, value []byte) bool {
		s := plainString(value)
		out = append(out, s)
		if len(s) > 1 && (s[0] == '{' || s[0] == '[') {
			scanJSON([]byte(s), func(_, inner []byte) bool {
				out = append(out, plainString(inner))
				return true
			})
		}
		return true
	})
	if len(out) == 0 && len(raw) > 0 {
		out = append(out, string(raw))
	}
	return out
}

// plainString decodes the inside of a JSON string, without copying one that has nothing to decode.
func plainString(value []byte) string {
	if bytes.IndexByte(value, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(value), len(value)) // nobody writes to a unit
	}
	return unescape(value)
}
