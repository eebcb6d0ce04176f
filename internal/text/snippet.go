package text

import (
	"strings"
	"unicode/utf8"
)

// SnippetBytes is the bound of a snippet in bytes, SnippetColumns that in columns of a terminal.
const (
	SnippetBytes   = 240
	SnippetColumns = 160
)

const (
	clusterBytes = 180 // matches that lie closer than this are shown together
	wordSearch   = 40  // how far an end of the window is moved to meet the border of a word
	rawBytes     = 960 // bound of the window before white space is folded
)

// Snippet returns a window of whole words around the best cluster of the matches, which are sorted spans of text, and
// the spans of the matches in the window. Without matches it is the head of the text. A run of white space and line ends
// is one space in it; other control characters stand as they are, for the face to make visible. A character, and half of
// a UTF-16 pair that stands for itself, is never cut.
func Snippet(text string, matches []Range) (snippet string, ranges []Range) {
	core := bestCluster(matches)
	core.Start, core.End = min(core.Start, len(text)), min(core.End, len(text))
	w := widen(text, core)
	return w.render(matches)
}

// bestCluster returns the span of the cluster that most matchers have a part in, of equals the one with more matches, of
// those the first.
func bestCluster(matches []Range) (best Range) {
	most := -1
	for i, first := range matches {
		seen, score, end := uint64(0), 0, first.Start
		for _, m := range matches[i:] {
			if m.End-first.Start > clusterBytes && m.Start > first.Start {
				break
			}
			bit := uint64(1) << (m.Of & 63)
			if seen&bit == 0 {
				score += 8
			}
			seen |= bit
			score, end = score+1, max(end, m.End)
		}
		if score > most {
			most, best = score, Range{Start: first.Start, End: end}
		}
	}
	return best
}

// window is a piece of a text that is to be shown.
type window struct {
	text     string
	from, to int
}

// room is what is left of a snippet.
type room struct{ bytes, columns, raw int }

// take takes a character from the room and reports whether it had enough.
func (r *room) take(c char) bool {
	if c.size > r.raw || c.bytes > r.bytes || c.columns > r.columns {
		return false
	}
	r.raw, r.bytes, r.columns = r.raw-c.size, r.bytes-c.bytes, r.columns-c.columns
	return true
}

// share returns a third of the room and leaves the rest.
func (r *room) share() room {
	s := room{r.bytes / 3, r.columns / 3, r.raw / 3}
	r.bytes, r.columns, r.raw = r.bytes-s.bytes, r.columns-s.columns, r.raw-s.raw
	return s
}

func (r *room) add(s room) {
	r.bytes, r.columns, r.raw = r.bytes+s.bytes, r.columns+s.columns, r.raw+s.raw
}

// widen makes a window of the core and as much around it as there is room, a third of it before.
func widen(text string, core Range) window {
	left := room{SnippetBytes, SnippetColumns, rawBytes}
	w := window{text, core.Start, core.Start}
	w.forward(core.End, &left)
	if w.to < core.End {
		return w // the match alone is more than a snippet holds
	}
	before := left.share()
	w.backward(&before)
	left.add(before)
	w.forward(len(text), &left)
	w.backward(&left)
	w.toWords(core)
	return w
}

func (w *window) forward(end int, r *room) {
	for w.to < end {
		c := charAt(w.text, w.to)
		if !r.take(c) {
			return
		}
		w.to += c.size
	}
}

func (w *window) backward(r *room) {
	for w.from > 0 {
		c := charBefore(w.text, w.from)
		if !r.take(c) {
			return
		}
		w.from -= c.size
	}
}

// toWords moves the ends of the window to borders of words if there are any near, and off the middle of a character that
// has accents.
func (w *window) toWords(core Range) {
	if w.from > 0 && !charBefore(w.text, w.from).space {
		for i := w.from; i < min(core.Start, w.from+wordSearch); {
			c := charAt(w.text, i)
			if i += c.size; c.space {
				w.from = i
				break
			}
		}
	}
	for w.from < core.Start && kindAt(w.text, w.from) == ignorable {
		w.from += charAt(w.text, w.from).size
	}
	if w.to < len(w.text) && !charAt(w.text, w.to).space {
		for i := w.to; i > max(core.End, w.to-wordSearch); {
			c := charBefore(w.text, i)
			if i -= c.size; c.space {
				w.to = i
				break
			}
		}
	}
	for w.to > core.End && w.to < len(w.text) && kindAt(w.text, w.to) == ignorable {
		w.to -= charBefore(w.text, w.to).size
	}
}

// render folds the white space of the window and carries the matches over.
func (w window) render(matches []Range) (string, []Range) {
	var b strings.Builder
	place := make([]int, w.to-w.from+1) // where each byte of the window stands in the snippet
	space := false
	for i := w.from; i < w.to; {
		c := charAt(w.text, i)
		if !c.space && space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		for j := range c.size {
			place[i-w.from+j] = b.Len()
		}
		if space = c.space; !space {
			b.WriteString(w.text[i : i+c.size])
		}
		i += c.size
	}
	place[w.to-w.from] = b.Len()
	var ranges []Range
	for _, m := range matches {
		if m.End <= w.from || m.Start >= w.to {
			continue
		}
		r := Range{place[max(m.Start, w.from)-w.from], place[min(m.End, w.to)-w.from], m.Of}
		switch n := len(ranges); {
		case r.End <= r.Start:
		case n > 0 && r.Start < ranges[n-1].End:
			ranges[n-1].End = max(ranges[n-1].End, r.End)
		default:
			ranges = append(ranges, r)
		}
	}
	return b.String(), ranges
}

// char is one character of a text: how many bytes it has, and what it takes of a snippet.
type char struct {
	size, bytes, columns int
	space                bool // white space that is folded
}

func charAt(text string, i int) char {
	r, n := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && n == 1 {
		n = max(1, surrogateAt(text, i))
	}
	return measure(text, i, r, n)
}

func charBefore(text string, i int) char {
	r, n := utf8.DecodeLastRuneInString(text[:i])
	if r == utf8.RuneError && n == 1 && i >= 3 && surrogateAt(text, i-3) > 0 {
		n = 3
	}
	return measure(text, i-n, r, n)
}

// measure tells what the character r of n bytes at i takes. Of a run of white space the first takes one column and the
// others nothing.
func measure(text string, i int, r rune, n int) char {
	switch {
	case isFoldedSpace(text, i, r):
		c := char{size: n, space: true}
		if i == 0 || !isFoldedSpaceByte(text[i-1]) {
			c.bytes, c.columns = 1, 1
		}
		return c
	case r < utf8.RuneSelf:
		return char{size: n, bytes: n, columns: 1}
	}
	return char{size: n, bytes: n, columns: columns(r)}
}

func isFoldedSpaceByte(c byte) bool { return c == ' ' || c >= '\t' && c <= '\f' }

// isFoldedSpace reports whether r at i is folded into a space. A carriage return that ends no line is a control
// character like any other.
func isFoldedSpace(text string, i int, r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	case '\r':
		return i+1 < len(text) && text[i+1] == '\n'
	}
	return false
}

// columns returns how many columns of a terminal a character takes.
func columns(r rune) int {
	switch f := foldOf(r); {
	case f.kind == ignorable:
		return 0
	case r >= 0x1100 && f.kind == spaceless && !(r >= 0xff61 && r <= 0xffdc), f.kind == picture && r >= 0x1f000,
		r >= 0x3000 && r <= 0x303e, r >= 0xff01 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6:
		return 2
	}
	return 1
}
