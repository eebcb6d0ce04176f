package kit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	maxName  = 20  // strings up to this length are made once, as long as they are in use
	maxNames = 256 // places for them; a newer one takes the place of an older
)

// String returns the decoded text of a string: UTF-8, a lone surrogate as its three-byte form, an invalid byte as
// U+FFFD. It is "" for every other kind.
func (v Value) String() string {
	if v.Kind() != String {
		return ""
	}
	n := v.node()
	raw := v.doc.src[n.start+1 : n.end-1]
	if n.info&escaped == 0 && utf8.Valid(raw) {
		return v.doc.name(raw)
	}
	v.doc.buf = appendText(v.doc.buf[:0], raw)
	text := string(v.doc.buf)
	if cap(v.doc.buf) > 1<<20 {
		v.doc.buf = nil // one huge string must not hold memory for the rest of the file
	}
	return text
}

// name makes the string, or finds it when it is short and was made a little while ago.
func (d *Doc) name(raw []byte) string {
	if len(raw) == 0 || len(raw) > maxName {
		return string(raw)
	}
	if d.names == nil {
		d.names = new([maxNames]string)
	}
	at := &d.names[(len(raw)*5+int(raw[0])+int(raw[len(raw)/2])*7+int(raw[len(raw)-1])*31)%maxNames]
	if *at != string(raw) {
		*at = string(raw)
	}
	return *at
}

// AppendString appends what String returns.
func (v Value) AppendString(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	n := v.node()
	raw := v.doc.src[n.start+1 : n.end-1]
	if n.info&escaped == 0 {
		return appendValid(dst, raw)
	}
	return appendText(dst, raw)
}

// Is reports whether the value is a string with exactly this text; it allocates nothing.
func (v Value) Is(text string) bool {
	return v.Kind() == String && v.doc.textIs(v.node(), text)
}

// textIs reports whether a string node decodes to text.
func (d *Doc) textIs(n *node, text string) bool {
	raw := d.src[n.start+1 : n.end-1]
	if n.info&escaped == 0 && (string(raw) == text || !strings.Contains(text, "\uFFFD")) {
		return string(raw) == text
	}
	if len(raw)*3 < len(text) { // an invalid byte grows to three, nothing grows more
		return false
	}
	d.buf = appendText(d.buf[:0], raw)
	return string(d.buf) == text
}

// sameText compares two string nodes of one document.
func (d *Doc) sameText(a, b *node) bool { return d.sameTextAs(a, d, b) }

func (d *Doc) sameTextAs(a *node, e *Doc, b *node) bool {
	x, y := d.src[a.start+1:a.end-1], e.src[b.start+1:b.end-1]
	if bytes.Equal(x, y) {
		return true
	}
	if (a.info|b.info)&escaped == 0 && utf8.Valid(x) && utf8.Valid(y) {
		return false
	}
	return bytes.Equal(appendText(nil, x), appendText(nil, y))
}

// appendText appends the decoded form of what stands between the quotes of a valid string.
func appendText(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return appendValid(dst, raw)
		}
		dst = appendValid(dst, raw[:i])
		var n int
		dst, n = appendEscape(dst, raw[i:])
		raw = raw[i+n:]
	}
}

// appendValid appends bytes as they are, but each one that is not UTF-8 as U+FFFD.
func appendValid(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}

// unescape gives the byte that a one-letter escape stands for; 0 for letters that make none.
var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendEscape decodes the escape at the head of b, which the parser has found valid, and returns its length.
func appendEscape(dst, b []byte) ([]byte, int) {
	if b[1] != 'u' {
		return append(dst, unescape[b[1]]), 2
	}
	r := hex4(b[2:])
	if r < 0xd800 || r > 0xdfff {
		return utf8.AppendRune(dst, rune(r)), 6
	}
	if low := pairedWith(r, b[6:]); low != 0 {
		return utf8.AppendRune(dst, rune((r-0xd800)<<10|(low-0xdc00))+0x10000), 12
	}
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f)), 6
}

// pairedWith returns the low surrogate that stands as an escape at the head of b and pairs with high; 0 when none does.
func pairedWith(high int, b []byte) int {
	if high >= 0xdc00 || len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	if low := hex4(b[2:]); low >= 0xdc00 && low <= 0xdfff {
		return low
	}
	return 0
}

// hex4 reads four hex digits; -1 when they are not there.
func hex4(b []byte) int {
	if len(b) < 4 {
		return -1
	}
	r := int(hexDigit[b[0]])<<12 | int(hexDigit[b[1]])<<8 | int(hexDigit[b[2]])<<4 | int(hexDigit[b[3]])
	if r > 0xffff {
		return -1
	}
	return r
}

// hexDigit gives the value of a hex digit, and one that is too large for all other bytes.
var hexDigit = func() (t [256]uint32) {
	for i := range t {
		t[i] = 1 << 20
	}
	for i := range 10 {
		t['0'+i] = uint32(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = uint32(10+i), uint32(10+i)
	}
	return t
}()
