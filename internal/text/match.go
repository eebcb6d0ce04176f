package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Range is a span of bytes of a text: from Start up to, not including, End. Of tells which matcher found it, by its place
// in the list that Matches was given; 0 where there is only one.
type Range struct{ Start, End, Of int }

// Matcher finds one word, literal, phrase or prefix in texts, whatever their case, accents and width. It is made once
// for a question and may be used by several goroutines.
type Matcher struct {
	text        string
	kind        matchKind
	pieces      []piece
	left, right bool      // the match has to begin, to end, at a border of a word or of a piece of one
	begin       [256]bool // bytes that a match can begin with
	second      [256]bool // bytes that can follow the first one when that is ASCII
}

// piece is a stretch of a needle that stands in the text as it is, but for its fold.
type piece struct {
	text  string // folded, never empty
	after gap    // what stands before it
}

type gap uint8

const (
	nothing    gap = iota
	spaces         // white space
	separators     // anything that is not part of a word
)

type matchKind uint8

const (
	wordKind matchKind = iota
	literalKind
	phraseKind
	prefixKind
	substringKind
)

// Word matches a text of letters and digits where it is a whole word or a piece of one.
func Word(text string) *Matcher { return newMatcher(text, wordKind) }

// Literal matches the text as it stands. Where it begins or ends with a letter or digit, there must be a border of a word
// or of a piece of one.
func Literal(text string) *Matcher { return newMatcher(text, literalKind) }

// Phrase matches like Literal, but white space in it stands for any separators.
func Phrase(text string) *Matcher { return newMatcher(text, phraseKind) }

// Prefix matches like Literal, but may end inside a word.
func Prefix(text string) *Matcher { return newMatcher(text, prefixKind) }

// Substring matches the text as it stands, anywhere.
func Substring(text string) *Matcher { return newMatcher(text, substringKind) }

func newMatcher(text string, kind matchKind) *Matcher {
	m := &Matcher{text: text, kind: kind}
	if kind == phraseKind {
		m.text = strings.TrimSpace(text)
		for _, field := range strings.FieldsFunc(text, unicode.IsSpace) {
			m.add(field)
		}
	} else {
		m.add(text)
	}
	if len(m.pieces) == 0 {
		return m
	}
	first, last := m.pieces[0].text, m.pieces[len(m.pieces)-1].text
	m.left = kind != substringKind && kindAt(first, 0) >= spaceless
	m.right = kind != substringKind && kind != prefixKind && kindBefore(last, len(last)) >= spaceless
	for c := range m.begin {
		m.begin[c] = beginsWith(byte(c), first[0])
		m.second[c] = len(first) < 2 || c >= utf8.RuneSelf || lowered[c] == first[1]
	}
	return m
}

func (m *Matcher) add(field string) {
	p := piece{text: fold(field)}
	switch {
	case p.text == "":
		return
	case len(m.pieces) == 0:
	case kindAt(p.text, 0) >= spaceless:
		p.after = separators
	default:
		p.after = spaces
	}
	m.pieces = append(m.pieces, p)
}

// beginsWith reports whether a character that begins with byte c can have a fold that begins with want. It may say yes
// too often.
func beginsWith(c, want byte) bool {
	switch {
	case c < utf8.RuneSelf:
		return lowered[c] == want
	case c < 0xc2 || c > 0xf4:
		return want == "\uFFFD"[0]
	case isHan(c):
		return c == want
	}
	return true
}

// isHan reports whether a byte begins one of the characters U+4000 to U+9FFF, which have three bytes and fold to
// themselves.
func isHan(c byte) bool { return c >= 0xe4 && c <= 0xe9 }

// Find returns the first match at or after from, which is 0 or the end of a match before.
func (m *Matcher) Find(text string, from int) (r Range, ok bool) {
	if len(m.pieces) == 0 {
		return Range{}, false
	}
	for i := from; i < len(text); {
		if c := text[i]; !m.begin[c] || c < utf8.RuneSelf && i+1 < len(text) && !m.second[text[i+1]] {
			i++
			continue
		}
		if end := m.at(text, i); end > 0 {
			return Range{Start: i, End: end}, true
		}
		switch c := text[i]; {
		case c < utf8.RuneSelf:
			i++
		case isHan(c):
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		default:
			_, n := clusterAt(text, i)
			i += n
		}
	}
	return Range{}, false
}

// Matches reports whether the text has a match.
func (m *Matcher) Matches(text string) bool {
	_, ok := m.Find(text, 0)
	return ok
}

// at returns the end of the match that begins at i, or 0.
func (m *Matcher) at(text string, i int) (end int) {
	if text[i] >= utf8.RuneSelf {
		if f, _ := clusterAt(text, i); f.kind == ignorable {
			return 0
		}
	}
	end = i
	for _, p := range m.pieces {
		if end = p.after.skip(text, end); end < 0 {
			return 0
		}
		if end = p.at(text, end); end == 0 {
			return 0
		}
	}
	if m.left && !border(text, i) || m.right && !border(text, end) {
		return 0
	}
	return end
}

// at returns the end of the piece at i, or 0 when it does not stand there. Accents that follow belong to it.
func (p piece) at(text string, i int) (end int) {
	want := p.text
	for len(want) > 0 {
		if i >= len(text) {
			return 0
		}
		if c := text[i]; c < utf8.RuneSelf {
			if lowered[c] != want[0] {
				return 0
			}
			i, want = i+1, want[1:]
			continue
		}
		if isHan(text[i]) && !strings.HasPrefix(want, text[i:min(i+3, len(text))]) {
			return 0
		}
		f, n := clusterAt(text, i)
		if !strings.HasPrefix(want, f.text) {
			return 0
		}
		i, want = i+n, want[len(f.text):]
	}
	return afterIgnorable(text, i)
}

func afterIgnorable(text string, i int) int {
	for i < len(text) && text[i] >= utf8.RuneSelf {
		f, n := clusterAt(text, i)
		if f.kind != ignorable {
			break
		}
		i += n
	}
	return i
}

// skip returns where the gap at i ends, or -1 when there is none although there must be one.
func (g gap) skip(text string, i int) int {
	if g == nothing {
		return i
	}
	start := i
	for i < len(text) {
		k, n := kindOfByte[text[i]], 1
		if k == beyond {
			f, size := clusterAt(text, i)
			k, n = f.kind, size
		}
		if k == escape {
			i = afterEscape(text, i)
			continue
		}
		if k >= spaceless || g == spaces && k != ignorable && !isSpace(text, i) {
			break
		}
		i += n
	}
	if i == start {
		return -1
	}
	return i
}

func isSpace(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// Matches returns the first matches of each matcher in the text, at most limit of each, in the order of the text.
func Matches(text string, of []*Matcher, limit int) []Range {
	var all []Range
	for n, m := range of {
		from := 0
		for range limit {
			r, ok := m.Find(text, from)
			if !ok {
				break
			}
			r.Of = n
			all, from = append(all, r), r.End
		}
	}
	slices.SortFunc(all, func(a, b Range) int {
		return cmp.Or(a.Start-b.Start, b.End-a.End, a.Of-b.Of)
	})
	return all
}
