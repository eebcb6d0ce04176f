package cli

import (
	"strings"
)

// itemLines is how many lines of the screen an item has.
const itemLines = 2

// besideFrom is the width from which on the preview stands beside the list, not below it.
const besideFrom = 100

// screenful is a screen: its lines, none wider than the screen, and where the cursor stands.
type screenful struct {
	lines [][]span
	x, y  int
}

func (p *picker) beside() bool { return p.width >= besideFrom }

// bodyHeight is what the input, the status and the last line leave.
func (p *picker) bodyHeight() int { return max(p.height-3, 1) }

func (p *picker) listHeight() int {
	if p.beside() {
		return p.bodyHeight()
	}
	return max(p.bodyHeight()/2/itemLines, 1) * itemLines
}

func (p *picker) previewHeight() int {
	if p.beside() {
		return p.bodyHeight()
	}
	return max(p.bodyHeight()-p.listHeight()-1, 0)
}

func (p *picker) listWidth() int {
	if p.beside() {
		return p.width * 2 / 5
	}
	return p.width
}

func (p *picker) previewWidth() int {
	if p.beside() {
		return p.width - p.listWidth() - 3
	}
	return p.width
}

// view draws the screen.
func (p *picker) view() screenful {
	vertical, horizontal := "│", "─"
	if p.ascii {
		vertical, horizontal = "|", "-"
	}
	input, x := p.inputLine()
	f := screenful{lines: [][]span{input, p.statusLine()}, x: x}
	list, preview := p.list(), p.previewLines()
	if p.beside() {
		for i := range p.bodyHeight() {
			line := padSpans(list[i], p.listWidth())
			line = append(line, span{" " + vertical + " ", dim})
			f.lines = append(f.lines, append(line, preview[i]...))
		}
	} else {
		f.lines = append(f.lines, list...)
		if len(f.lines) < p.height-1 {
			f.lines = append(f.lines, []span{{strings.Repeat(horizontal, p.width), dim}})
		}
		f.lines = append(f.lines, preview...)
	}
	f.lines = f.lines[:min(len(f.lines), max(p.height-1, 0))]
	f.lines = append(f.lines, p.helpLine())
	for i := range f.lines {
		f.lines[i] = cutSpans(f.lines[i], p.width)
	}
	return f
}

// inputLine is the question; a long one is moved so that the cursor is seen.
func (p *picker) inputLine() ([]span, int) {
	from := 0
	for columns(string(p.input[from:p.at])) > max(p.width-4, 1) {
		from++
	}
	return []span{{"> ", green}, say(bold, string(p.input[from:]))}, 2 + columns(say(plain, string(p.input[from:p.at])).text)
}

func (p *picker) statusLine() []span {
	st := dim
	if p.bad {
		st = alert
	}
	s := p.status
	if p.asked > p.shown {
		s = strings.TrimPrefix(s+" …", " ")
	}
	return []span{say(st, "  "+oneLine(s))}
}

func (p *picker) helpLine() []span {
	if p.note != "" {
		return []span{say(quiet, p.note)}
	}
	help := "enter shows · ctrl-y copies id · pgdn scrolls · esc leaves"
	if p.ascii {
		help = strings.ReplaceAll(help, "·", "-")
	}
	return []span{{help, dim}}
}

// list draws the items.
func (p *picker) list() [][]span {
	var lines [][]span
	for i := p.top; i < len(p.items) && len(lines)+itemLines <= p.listHeight(); i++ {
		it := &p.items[i]
		mark, st := "  ", plain
		if i == p.chosen {
			mark, st = "> ", bold
		}
		title := say(st, it.title)
		title.text = cutTo(title.text, max(p.listWidth()-2-columns(it.facts)-2, p.listWidth()/2))
		lines = append(lines, cutSpans([]span{{mark, green}, title, say(dim, "  "+it.facts)}, p.listWidth()))
		text, ranges := window(it.snippet, it.ranges, max(p.listWidth()-4, 8))
		lines = append(lines, cutSpans(append([]span{{"  ", plain}}, snippetSpans(text, ranges)...), p.listWidth()))
	}
	for len(lines) < p.listHeight() {
		lines = append(lines, nil)
	}
	return lines
}

func (p *picker) previewLines() [][]span {
	var lines [][]span
	for i := p.scroll; i < len(p.preview) && len(lines) < p.previewHeight(); i++ {
		lines = append(lines, cutSpans(p.preview[i], p.previewWidth()))
	}
	for len(lines) < p.previewHeight() {
		lines = append(lines, nil)
	}
	return lines
}

// cutSpans cuts a line to n columns.
func cutSpans(line []span, n int) []span {
	var out []span
	for _, s := range line {
		if n <= 0 {
			break
		}
		s.text = cutTo(s.text, n)
		n -= columns(s.text)
		out = append(out, s)
	}
	return out
}

// padSpans makes a line n columns wide.
func padSpans(line []span, n int) []span {
	used := 0
	for _, s := range line {
		used += columns(s.text)
	}
	return append(line[:len(line):len(line)], span{strings.Repeat(" ", max(n-used, 0)), plain})
}
