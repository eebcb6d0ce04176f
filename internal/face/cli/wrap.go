package cli

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columns returns how many columns of a terminal a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cutTo cuts a text to n columns, with "…" where something is missing.
func cutTo(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used+columnsOf(r) > n-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		used += columnsOf(r)
	}
	return s
}

// padTo makes a text exactly n columns wide.
func padTo(s string, n int) string {
	s = cutTo(s, n)
	return s + strings.Repeat(" ", max(0, n-columns(s)))
}

// cell is one character of a line that is being broken.
type cell struct {
	r     rune
	style style
}

// wrap breaks spans into lines of at most n columns: at blanks, and where there is none, inside a word.
func wrap(spans []span, n int) [][]span {
	n = max(n, 8)
	var cells []cell
	for _, s := range spans {
		for _, r := range s.text {
			cells = append(cells, cell{r, s.style})
		}
	}
	var lines [][]span
	for {
		end, next := breakAt(cells, n)
		lines = append(lines, spansOf(cells[:end]))
		if next >= len(cells) {
			return lines
		}
		cells = cells[next:]
	}
}

// breakAt returns where the first line ends and where the next begins.
func breakAt(cells []cell, n int) (end, next int) {
	used, blank := 0, -1
	for i, c := range cells {
		w := columnsOf(c.r)
		if used+w > n {
			switch {
			case c.r == ' ':
				end = i
			case blank > 0:
				end = blank
			default:
				return max(i, 1), max(i, 1)
			}
			for next = end; next < len(cells) && cells[next].r == ' '; next++ {
			}
			return end, next
		}
		if c.r == ' ' && used > 0 {
			blank = i
		}
		used += w
	}
	return len(cells), len(cells)
}

// spansOf joins neighbours of one style.
func spansOf(cells []cell) []span {
	var spans []span
	var b strings.Builder
	for i, c := range cells {
		b.WriteRune(c.r)
		if i+1 == len(cells) || cells[i+1].style != c.style {
			spans = append(spans, span{b.String(), c.style})
			b.Reset()
		}
	}
	return spans
}
