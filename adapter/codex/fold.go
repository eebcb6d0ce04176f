package codex

import (
	"unicode/utf8"

	"lore/adapter/kit"
)

// fold is a digest of words without their white space. Two representations of one text differ in how pieces are joined
// and where lines end; their folds are equal. It is used inside one reading only and is no identity.
type fold uint64

// emptyFold is the fold of a text without words.
const emptyFold fold = 14695981039346656037

func (h fold) byte(c byte) fold {
	if c == ' ' || c >= '\t' && c <= '\r' {
		return h
	}
	return (h ^ fold(c)) * 1099511628211
}

func (h fold) text(s string) fold {
	for i := range len(s) {
		h = h.byte(s[i])
	}
	return h
}

// value folds a string value without decoding it into memory. Other kinds add nothing.
func (h fold) value(v kit.Value) fold {
	if !v.IsString() {
		return h
	}
	raw := v.Raw()
	raw = raw[1 : len(raw)-1]
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			h = h.byte(raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'n', 'r', 't', 'f':
		case 'b':
			h = h.byte('\b')
		case 'u':
			var n int
			h, n = h.escape(raw[i+1:])
			i += n
		default:
			h = h.byte(raw[i])
		}
	}
	return h
}

// escape folds the character whose \u escape begins in b, behind the "u", and returns how many bytes of b it took.
func (h fold) escape(b []byte) (fold, int) {
	r, ok := hex4(b)
	if !ok {
		return h.byte('u'), 0
	}
	n := 4
	if r >= 0xd800 && r < 0xdc00 && len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		if low, ok := hex4(b[6:]); ok && low >= 0xdc00 && low < 0xe000 {
			r, n = (r-0xd800)<<10|(low-0xdc00)+0x10000, 10
		}
	}
	if r >= 0xd800 && r < 0xe000 {
		for _, c := range []byte{0xed, byte(0x80 | r>>6&0x3f), byte(0x80 | r&0x3f)} {
			h = h.byte(c)
		}
		return h, n
	}
	var buf [utf8.UTFMax]byte
	for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
		h = h.byte(c)
	}
	return h, n
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// foldText and foldValue fold one text.
func foldText(s string) fold        { return emptyFold.text(s) }
func foldValue(v kit.Value) fold    { return emptyFold.value(v) }
func foldValues(a []kit.Value) fold { return foldAll(emptyFold, a) }

func foldAll(h fold, values []kit.Value) fold {
	for _, v := range values {
		h = h.value(v)
	}
	return h
}
