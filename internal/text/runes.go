package text

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind says what a character is to the analyser.
type kind uint8

const (
	separator  kind = iota
	escape          // begins an escape sequence of a terminal
	beyond          // a byte of a character that is not ASCII: only in the table of bytes
	ignorable       // an accent or a character without width: part of the word it stands in, and no more
	spaceless       // of a script that writes without spaces
	picture         // a pictograph: a word of its own
	underscore      // from here on: what words are made of
	digit
	lower // also letters without case
	upper
)

// kindOfByte holds the kind of each byte, lowered the byte in lower case, singles that as a string.
var kindOfByte, lowered, singles = tables()

func tables() (kinds [256]kind, low [256]byte, single [utf8.RuneSelf]string) {
	for c := range 256 {
		low[c] = byte(c)
		switch {
		case c == 0x1b:
			kinds[c] = escape
		case c == '_':
			kinds[c] = underscore
		case c >= '0' && c <= '9':
			kinds[c] = digit
		case c >= 'a' && c <= 'z':
			kinds[c] = lower
		case c >= 'A' && c <= 'Z':
			kinds[c], low[c] = upper, byte(c)+'a'-'A'
		case c >= utf8.RuneSelf:
			kinds[c] = beyond
		}
		if c < utf8.RuneSelf {
			single[c] = string(low[c : c+1])
		}
	}
	return kinds, low, single
}

// folded is what a character is and what it folds to. The fold of an ignorable character is empty.
type folded struct {
	text string
	kind kind
}

// foldPage remembers the folds of 256 neighbouring characters. Each is made when it is first needed: a text that holds one
// arrow must not pay for the 255 characters around it.
type foldPage [256]atomic.Pointer[folded]

var pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[foldPage]

// foldOf returns the fold of a character.
func foldOf(r rune) *folded {
	if r < 0 || r > unicode.MaxRune {
		r = utf8.RuneError
	}
	at := &pages[r>>8]
	page := at.Load()
	if page == nil {
		if page = new(foldPage); !at.CompareAndSwap(nil, page) {
			page = at.Load()
		}
	}
	f := page[r&0xff].Load()
	if f == nil {
		made := makeFold(r)
		f = &made
		page[r&0xff].Store(f)
	}
	return f
}

// noDecomposition lists letters that Unicode does not take apart although readers take them for plain ones.
var noDecomposition = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'ı': "i", 'ø': "o", 'Ø': "o", 'ł': "l", 'Ł': "l", 'đ': "d", 'Đ': "d", 'ħ': "h", 'Ħ': "h",
	'ŧ': "t", 'Ŧ': "t", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ς': "σ",
}

// plainPunctuation lists marks that a keyboard or an editor puts in the place of a plain one.
var plainPunctuation = map[rune]string{
	'‘': "'", '’': "'", '“': `"`, '”': `"`, '‐': "-", '‑': "-",
}

func makeFold(r rune) folded {
	k := kindOf(r)
	if r < utf8.RuneSelf {
		return folded{singles[r], k}
	}
	switch k {
	case ignorable:
		return folded{"", k}
	case separator, picture, escape:
		if plain, ok := plainPunctuation[r]; ok {
			return folded{plain, k}
		}
		if wide := norm.NFKC.String(string(r)); utf8.RuneCountInString(wide) == 1 {
			return folded{wide, k}
		}
		return folded{string(r), k}
	case spaceless:
		return folded{norm.NFKC.String(string(r)), k}
	}
	if plain, ok := noDecomposition[r]; ok {
		return folded{plain, k}
	}
	plain, first := make([]byte, 0, 8), rune(-1)
	for _, d := range norm.NFKD.String(string(r)) {
		switch kindOf(d) {
		case ignorable:
			continue
		case separator, picture, spaceless, escape:
			return folded{string(unicode.ToLower(r)), k} // a fraction, a ligature of whole sentences: it stands for itself
		}
		if first < 0 {
			first = d
		}
		if more, ok := noDecomposition[d]; ok {
			plain = append(plain, more...)
		} else {
			plain = utf8.AppendRune(plain, unicode.ToLower(d))
		}
	}
	if first == '_' || first >= '0' && first <= '9' {
		k = kindOfByte[first]
	}
	return folded{string(plain), k}
}

// withoutSpaces are the scripts that write without spaces, or, like hangul, join to a word what others write apart.
var withoutSpaces = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar,
}

// accents are the blocks of marks that a reader may leave out: those of Latin, Greek and Cyrillic letters, the vowel
// points of Hebrew and Arabic, selectors of variants. The vowel signs of other scripts are as good as letters.
var accents = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0300, 0x036f, 1}, {0x0483, 0x0489, 1}, {0x0591, 0x05bd, 1}, {0x05bf, 0x05c2, 1}, {0x05c4, 0x05c5, 1},
		{0x0610, 0x061a, 1}, {0x0640, 0x0640, 1}, {0x064b, 0x065f, 1}, {0x0670, 0x0670, 1}, {0x1ab0, 0x1aff, 1},
		{0x1dc0, 0x1dff, 1}, {0x20d0, 0x20ff, 1}, {0xfe00, 0xfe0f, 1}, {0xfe20, 0xfe2f, 1},
	},
	R32: []unicode.Range32{{0x1f3fb, 0x1f3ff, 1}, {0xe0100, 0xe01ef, 1}},
}

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return kindOfByte[r]
	case r == 0x9b:
		return escape
	case unicode.Is(accents, r), unicode.Is(unicode.Cf, r):
		return ignorable
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return kindOfLetter(r)
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf:
		return picture
	case r == '＿':
		return underscore
	}
	return separator
}

func kindOfLetter(r rune) kind {
	switch {
	case unicode.In(r, withoutSpaces...), r == 0x30fc, r >= 0xff66 && r <= 0xff9f, r == voiced, r == semiVoiced:
		return spaceless
	case unicode.IsDigit(r):
		return digit
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	}
	return lower
}

// clusterAt returns the fold of the character at i, which is below len(text), and its size in bytes. Where kana or
// hangul are written in pieces it takes all pieces of a character.
func clusterAt(text string, i int) (f *folded, size int) {
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size == 1 {
		if n := surrogateAt(text, i); n > 0 {
			return &folded{text[i : i+n], separator}, n
		}
		return &invalid, 1
	}
	f = foldOf(r)
	if f.kind == spaceless && !(r >= 0x3400 && r < 0xa000) {
		return compose(text, i+size, r, f, size)
	}
	return f, size
}

// invalid is what a byte outside of every character is.
var invalid = folded{"\uFFFD", separator}

// surrogateAt returns 3 where a lone surrogate in its three-byte form begins at i, else 0.
func surrogateAt(text string, i int) int {
	if i+3 <= len(text) && text[i] == 0xed && text[i+1] >= 0xa0 && text[i+1] < 0xc0 && text[i+2]&0xc0 == 0x80 {
		return 3
	}
	return 0
}

// Marks that change the sound of the kana before them.
const voiced, semiVoiced = 0x3099, 0x309a

// compose joins the marks of kana and the letters of hangul that follow r at i.
func compose(text string, i int, r rune, f *folded, size int) (*folded, int) {
	for i < len(text) && text[i] >= utf8.RuneSelf {
		next, n := utf8.DecodeRuneInString(text[i:])
		whole := composed(firstRune(f.text), next)
		if whole == 0 {
			break
		}
		f, i, size = foldOf(whole), i+n, size+n
	}
	return f, size
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// composed returns the one character that a and b together are, or 0.
func composed(a, b rune) rune {
	switch {
	case b == 0xff9e:
		b = voiced
	case b == 0xff9f:
		b = semiVoiced
	case b >= 0x1160 && b < 0x1200:
	case b != voiced && b != semiVoiced:
		return 0
	}
	if !(a >= 0x3040 && a < 0x3100 || a >= 0x1100 && a < 0x1200 || a >= 0xac00 && a < 0xd7a4) {
		return 0
	}
	pair := norm.NFC.String(string([]rune{a, b}))
	if r, n := utf8.DecodeRuneInString(pair); n == len(pair) {
		return r
	}
	return 0
}

// fold returns a needle folded; texts that are searched are never folded whole.
func fold(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		f, n := clusterAt(text, i)
		b.WriteString(f.text)
		i += n
	}
	return b.String()
}
