package cli

import (
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"lore/internal/text"
)

// page is where text for a person is written: it knows the width, whether colours are wanted, and what time it is. All
// that comes from a conversation passes through span, so that no control byte of one reaches a terminal.
type page struct {
	w      io.Writer
	width  int // columns
	color  bool
	person bool // a terminal, not a file or a pipe: long texts may be cut
	now    time.Time
	zone   *time.Location
	err    error

	take func([]span) // is given the lines instead of w; nil: they are written
}

// style is how a span looks. Plain is the terminal's own.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	lit    style = "1;33" // the words that were found
	quiet  style = "36"   // ids and commands: what can be copied
	green  style = "32"
	alert  style = "33"
	danger style = "31"
)

// span is a piece of a line in one style.
type span struct {
	text  string
	style style
}

// say makes a span of a text from anywhere: white space other than a blank becomes one, control bytes become visible.
func say(st style, s string) span {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
	return span{text.Visible(s), st}
}

// newPage makes the page of this run.
func (p *Program) newPage() *page {
	pg := &page{w: p.stdout, now: p.Service.Now(), zone: p.Service.Zone}
	if pg.zone == nil {
		pg.zone = time.UTC
	}
	_, terminal := terminalWidth(p.Stdout)
	pg.person, pg.width = terminal, p.columns()
	switch p.flags.color {
	case "always":
		pg.color = true
	case "auto":
		pg.color = terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb" && enableColor(p.Stdout)
	}
	return pg
}

// columns returns how wide a page is: as the terminal, or as COLUMNS says, within bounds.
func (p *Program) columns() int {
	width, terminal := terminalWidth(p.Stdout)
	if !terminal {
		width = 100
	}
	if n, err := strconv.Atoi(p.Getenv("COLUMNS")); err == nil && n > 0 {
		width = n
	}
	return min(max(width, 40), 200)
}

// terminalWidth returns the columns of a terminal; false for a file, a pipe or a buffer.
func terminalWidth(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// line prints spans as one line. On a terminal one that is too wide is broken at blanks, and what is left of it stands a
// little further in.
func (pg *page) line(spans ...span) {
	width := 0
	for _, s := range spans {
		width += columns(s.text)
	}
	if !pg.person || width <= pg.width || pg.width < 24 {
		pg.whole(spans...)
		return
	}
	in := 2
	if len(spans) > 0 {
		in += len(spans[0].text) - len(strings.TrimLeft(spans[0].text, " "))
	}
	in = min(in, pg.width/3)
	for i, l := range wrap(spans, pg.width-in) {
		if i > 0 {
			l = append([]span{{strings.Repeat(" ", in), plain}}, l...)
		}
		pg.whole(l...)
	}
}

// whole prints spans as one line, however wide it is.
func (pg *page) whole(spans ...span) {
	if pg.take != nil {
		pg.take(spans)
		return
	}
	var b strings.Builder
	for _, s := range spans {
		pg.paint(&b, s)
	}
	pg.write(strings.TrimRight(b.String(), " ") + "\n")
}

// blank prints an empty line.
func (pg *page) blank() { pg.line() }

func (pg *page) write(s string) {
	if pg.err == nil {
		_, pg.err = io.WriteString(pg.w, s)
	}
}

func (pg *page) paint(b *strings.Builder, s span) {
	if !pg.color || s.style == plain || s.text == "" {
		b.WriteString(s.text)
		return
	}
	b.WriteString("\x1b[" + string(s.style) + "m" + s.text + "\x1b[0m")
}

// wrapped prints spans as a paragraph: broken at blanks, each line indented.
func (pg *page) wrapped(indent string, spans ...span) {
	for _, line := range wrap(spans, pg.width-columns(indent)) {
		pg.line(append([]span{{indent, plain}}, line...)...)
	}
}

// facts prints a list with " · " between, in one style, broken between two of them where the line is full.
func (pg *page) facts(indent string, st style, list []string) {
	line, used := indent, 0
	for i, f := range list {
		f = oneLine(f)
		if i+1 < len(list) {
			f += " ·"
		}
		if used > 0 && columns(line)+1+columns(f) > pg.width {
			pg.line(span{line, st})
			line, used = indent, 0
		}
		if used > 0 {
			line += " "
		}
		line += f
		used++
	}
	pg.line(span{line, st})
}
