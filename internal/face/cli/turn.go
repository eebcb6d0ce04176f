package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore"
)

// How many lines of a text a terminal gets before it is cut.
const (
	wordsLines    = 40 // what people and models say
	thinkingLines = 6
	callLines     = 6
	resultLines   = 8
)

// turn prints one message: who and when, then its parts. The one that was asked for is marked.
func (r *reader) turn(m *lore.Message, asked bool) {
	who := []span{roleSpan(m)}
	if asked {
		who = []span{{"▶ ", lit}, who[0]}
	}
	if m.Model != "" {
		who = append(who, say(dim, " "+m.Model))
	}
	if !m.At.IsZero() {
		when := r.clock(m.At)
		if day := r.day(m.At); day != r.last {
			when, r.last = day+" "+when, day
		}
		who = append(who, say(dim, "  "+when))
	}
	if m.Subtype != "" {
		who = append(who, say(dim, "  "+m.Subtype))
	}
	if !m.Active {
		who = append(who, span{"  not active", alert})
	}
	who = append(who, say(quiet, "  "+m.ShortID()))
	r.line(who...)
	for i := range m.Parts {
		r.part(&m.Parts[i], m.Active)
	}
}

func roleSpan(m *lore.Message) span {
	st := map[lore.Role]style{lore.User: "1;32", lore.Assistant: "1;34", lore.Tool: dim, lore.System: dim}[m.Role]
	return say(st, string(m.Role))
}

// part prints one part, each kind in its way.
func (r *reader) part(p *lore.Part, active bool) {
	st := plain
	if !active {
		st = dim
	}
	switch p.Kind {
	case lore.Text:
		r.text("  ", st, p.Text, wordsLines)
	case lore.Thinking:
		if p.Unreadable {
			r.line(span{"  thinking that the source holds encrypted", dim})
			return
		}
		r.line(span{"  thinking", dim})
		r.text("    ", dim, p.Text, thinkingLines)
	case lore.Call:
		r.call(p)
	case lore.Result:
		head := span{"  ← result", dim}
		if p.IsError {
			head = span{"  ← failed", danger}
		}
		r.line(head, say(dim, prefixed(" ", p.Name)))
		r.text("    ", st, p.Text, resultLines)
	default:
		r.line(say(dim, "  "+string(p.Kind)+prefixed(" ", p.Name)+prefixed(" ", p.MediaType)+prefixed(" ", bytesOf(p))))
		if p.Kind == lore.Unknown {
			r.text("    ", dim, p.Text, callLines)
		}
	}
	if p.Cut {
		r.line(span{"    the record holds only the head of this text; the archive has all of it", alert})
	}
}

// call prints a tool's name and its input: on one line where it is short, else a line for each field.
func (r *reader) call(p *lore.Part) {
	head := []span{{"  → ", dim}, say(quiet, p.Name)}
	var input map[string]any
	if json.Unmarshal([]byte(p.Text), &input) != nil {
		r.line(head...)
		r.text("    ", plain, p.Text, callLines)
		return
	}
	keys := slices.Sorted(maps.Keys(input))
	short := make([]string, 0, len(keys))
	for _, k := range keys {
		s := k + ": " + inputText(input[k])
		if len(keys) == 1 {
			s = inputText(input[k])
		}
		short = append(short, s)
	}
	if s := strings.Join(short, "  "); !strings.Contains(s, "\n") && columns(p.Name+s)+6 <= r.width {
		r.line(append(head, say(plain, "  "+s))...)
		return
	}
	r.line(head...)
	for _, k := range keys {
		s := inputText(input[k])
		if !strings.Contains(s, "\n") {
			r.lines("    ", []string{k + ": " + s}, plain, callLines)
			continue
		}
		r.line(say(plain, "    "+k+":"))
		r.text("      ", plain, s, callLines)
	}
}

// inputText is a field of a call's input: a string as it is, anything else as JSON.
func inputText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(lore.AppendJSON(nil, v))
}

// text prints a text line by line, long lines broken; a terminal gets at most so many lines of it.
func (r *reader) text(indent string, st style, s string, most int) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.TrimRight(s, " \t\n")
	if s == "" {
		return
	}
	r.lines(indent, strings.Split(s, "\n"), st, most)
}

func (r *reader) lines(indent string, lines []string, st style, most int) {
	printed := 0
	for i, l := range lines {
		broken := [][]span{{say(st, strings.ReplaceAll(l, "\t", "    "))}}
		if r.person {
			broken = wrap(broken[0], r.width-len(indent))
		}
		for _, b := range broken {
			if printed == most && !r.full {
				r.cut = true
				left := ""
				if n := len(lines) - i; n > 1 || len(broken) == 1 {
					left = " " + count(n, "more line")
				}
				r.line(span{indent + "…" + left, dim})
				return
			}
			r.line(append([]span{{indent, plain}}, b...)...)
			printed++
		}
	}
}

// prefixed is s with a prefix; empty when s is.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func bytesOf(p *lore.Part) string {
	if p.Bytes == 0 {
		return ""
	}
	return fmt.Sprintf("(%s)", size(p.Bytes))
}
