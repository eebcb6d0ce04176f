package service

import (
	"fmt"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// grepLine is a line of a part that a grep tells of.
type grepLine struct {
	no    int // from 1
	text  string
	found [][]int // nil for a line of context
}

// forms returns the texts that a part is searched in, in turn: where the first has no match, the second counts. The input
// of a call is searched as it was written and then in the texts that its JSON stands for, one a line.
func forms(p *lore.Part, invert bool) []func() string {
	all := []func() string{func() string { return p.Text }}
	if p.Kind == lore.Call && !invert {
		all = append(all, func() string {
			var doc kit.Doc
			v, err := doc.Parse([]byte(p.Text))
			if err != nil {
				return ""
			}
			var b strings.Builder
			decoded(v, &b)
			return b.String()
		})
	}
	return all
}

// decoded writes the texts of a JSON value, one a line, with the key in front.
func decoded(v kit.Value, b *strings.Builder) {
	switch v.Kind() {
	case kit.String:
		fmt.Fprintln(b, v.String())
	case kit.Array:
		for item := range v.Items() {
			decoded(item, b)
		}
	case kit.Object:
		for key, item := range v.Fields() {
			b.WriteString(key + ": ")
			decoded(item, b)
		}
	case kit.Absent:
	default:
		b.Write(v.Raw())
		b.WriteByte('\n')
	}
}

// lines calls f for each line of a text that matches (that does not, for an inverted grep), until f returns false. It
// reports whether there was one. A text that ends with a line end has no empty line behind it.
func (p *pattern) lines(text string, invert bool, f func(grepLine) bool) (matched bool) {
	if p.text.Any() {
		no := 0
		for line := range strings.Lines(text) {
			no++
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			found := p.find(line)
			if (len(found) > 0) == invert {
				continue
			}
			matched = true
			if !f(grepLine{no, line, found}) {
				break
			}
		}
		return matched
	}
	in, no, counted := p.text.In(text), 1, 0
	for pos := 0; pos < len(text); {
		at := in.From(pos)
		if at < 0 {
			break
		}
		start := strings.LastIndexByte(text[:at], '\n') + 1
		no, counted = no+strings.Count(text[counted:start], "\n"), start
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := strings.TrimSuffix(text[start:end], "\r")
		if found := p.find(line); len(found) > 0 {
			matched = true
			if !f(grepLine{no, line, found}) {
				break
			}
		}
		pos = end + 1
	}
	return matched
}

// part returns the lines of a part that match, and those around them, in order. most bounds the matching ones, and is not 0;
// below it is no bound.
func (g *grepping) part(p *lore.Part, most int) (lines []grepLine) {
	for _, form := range forms(p, g.req.Invert) {
		text, n := form(), 0
		g.pattern.lines(text, g.req.Invert, func(l grepLine) bool {
			if l.found == nil {
				l.found = [][]int{} // the line does not match, and that is what was asked for
			}
			n++
			lines = append(lines, l)
			return n != most
		})
		if len(lines) > 0 {
			return withContext(text, lines, g.req.Before, g.req.After)
		}
	}
	return nil
}

// withContext puts the lines before and behind the ones that were found between them.
func withContext(text string, lines []grepLine, before, after int) []grepLine {
	if before == 0 && after == 0 || len(lines) == 0 {
		return lines
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var out []grepLine
	last := 0 // number of the line that was taken last
	context := func(from, to int) {
		for no := max(from, last+1); no < min(to, len(all)+1); no++ {
			out, last = append(out, grepLine{no: no, text: strings.TrimSuffix(all[no-1], "\r")}), no
		}
	}
	for i, l := range lines {
		context(l.no-before, l.no)
		out, last = append(out, l), l.no
		next := len(all) + 1
		if i+1 < len(lines) {
			next = lines[i+1].no
		}
		context(l.no+1, min(l.no+1+after, next))
	}
	return out
}
