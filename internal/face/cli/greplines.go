package cli

import (
	"strconv"

	"lore/internal/service"
)

// lines prints the events of a grep: on a terminal below a heading for each conversation, else each line with its ids,
// so that it can be cut and sorted.
type lines struct {
	*page
	flags   *grepFlags
	kind    service.GrepLines
	headed  bool // each conversation has a heading
	context bool // lines around the matches are printed
	of      service.HitOf
	last    service.GrepMatch // the line before, while there is context
	some    bool              // a line, or a heading, was printed
}

func newLines(pg *page, f *grepFlags, req service.GrepRequest) *lines {
	return &lines{page: pg, flags: f, kind: req.Lines, headed: (pg.person || f.heading) && !f.noHeading && !f.vimgrep,
		context: req.Before > 0 || req.After > 0}
}

func (l *lines) event(e service.GrepEvent) {
	switch d := e.Data.(type) {
	case service.GrepBegin:
		l.of = d.Conversation
		if l.last = (service.GrepMatch{}); l.kind == service.GrepAll && l.headed {
			l.heading()
		}
	case service.GrepMatch:
		l.match(&d, e.Type == "context")
	case service.GrepEnd:
		l.end(d)
	}
}

func (l *lines) heading() {
	if l.some {
		l.blank()
	}
	l.some = true
	l.line(append(l.title(l.width-2-columns(l.of.ShortID)), say(quiet, "  "+l.of.ShortID))...)
}

// title is what a conversation is called, and whose it is, in so many columns where that can be.
func (l *lines) title(width int) []span {
	title := l.of.Title
	if title == "" {
		title = "(no title)"
	}
	facts := " · " + l.of.Source
	if name := projectName(l.of.Project); name != "" {
		facts += " · " + name
	}
	width = min(max(width-columns(facts), 12), 60)
	return []span{say(bold, cutTo(oneLine(title), width)), say(dim, facts)}
}

// end prints what is said of a conversation as a whole, where that was asked for.
func (l *lines) end(d service.GrepEnd) {
	if l.kind == service.GrepAll {
		return
	}
	spans := []span{say(quiet, l.of.ShortID)}
	if l.kind == service.GrepCount {
		n := d.Lines
		if (l.flags.countMatches || l.flags.matching) && !l.flags.req.Invert {
			n = d.Matches
		}
		spans = append(spans, span{":", dim}, span{strconv.Itoa(n), green})
	}
	if l.person {
		used := 2
		for _, s := range spans {
			used += columns(s.text)
		}
		spans = append(append(spans, span{"  ", plain}), l.title(l.width-used)...)
	}
	l.line(spans...)
}

func (l *lines) match(m *service.GrepMatch, context bool) {
	if l.context && (l.last.LineNumber > 0 || l.some && !l.headed) &&
		(m.Message != l.last.Message || m.Part != l.last.Part || m.LineNumber != l.last.LineNumber+1) {
		l.line(span{"--", dim})
	}
	l.last, l.some = *m, true
	if (l.flags.matching || l.flags.vimgrep) && len(m.Submatches) > 0 {
		for _, s := range m.Submatches {
			text, ranges := s.Match, [][2]int{{0, len(s.Match)}}
			if l.flags.vimgrep && !l.flags.matching {
				text, ranges = m.Line, [][2]int{{s.Start, s.End}}
			}
			l.print(m, ":", s.Start+1, text, ranges)
		}
		return
	}
	mark, column := ":", 1
	if context {
		mark = "-"
	}
	ranges := make([][2]int, 0, len(m.Submatches))
	for i, s := range m.Submatches {
		if i == 0 {
			column = s.Start + 1
		}
		ranges = append(ranges, [2]int{s.Start, s.End})
	}
	l.print(m, mark, column, m.Line, ranges)
}

// print prints a line, or a piece of one, with what says where it stands.
func (l *lines) print(m *service.GrepMatch, mark string, column int, text string, ranges [][2]int) {
	if l.person && l.headed {
		text, ranges = window(text, ranges, 2*l.width)
	}
	var spans []span
	add := func(st style, s string) { spans = append(spans, say(st, s), span{mark, dim}) }
	if !l.headed && !l.flags.vimgrep {
		add(quiet, l.of.ShortID)
	}
	add(quiet, m.ShortID)
	if !l.flags.vimgrep {
		add(dim, string(m.Role))
	}
	add(green, strconv.Itoa(m.LineNumber))
	if l.flags.vimgrep || l.flags.column && mark == ":" {
		add(plain, strconv.Itoa(column))
	}
	l.whole(append(spans, snippetSpans(text, ranges)...)...)
}

// window cuts a long line to about n bytes around its first match. Lines of tool output may be megabytes.
func window(line string, ranges [][2]int, n int) (string, [][2]int) {
	if len(line) <= n {
		return line, ranges
	}
	from := 0
	if len(ranges) > 0 {
		from = max(0, min(ranges[0][0]-n/3, len(line)-n))
	}
	to := min(len(line), from+n)
	for from > 0 && line[from]&0xC0 == 0x80 {
		from--
	}
	for to < len(line) && line[to]&0xC0 == 0x80 {
		to++
	}
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(line) {
		tail = "…"
	}
	var moved [][2]int
	for _, r := range ranges {
		if r[0] < to {
			moved = append(moved, [2]int{r[0] - from + len(head), min(r[1], to) - from + len(head)})
		}
	}
	return head + line[from:to] + tail, moved
}
