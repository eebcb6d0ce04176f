package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) grepCommand() *cobra.Command {
	var req service.GrepRequest
	var only filters
	var context int
	cmd := &cobra.Command{
		Use:     "grep PATTERN...",
		Short:   "Print every match of a pattern in everything archived",
		GroupID: find,
		Long: `Prints every line that matches a regular expression (Go's syntax), over everything that was archived, without any index.
Several words are one pattern with a blank between them. Exit codes are those of grep: 0 found, 1 not, 2 wrong usage.`,
		Example: `  lore grep 'panic: .*nil pointer'
  lore grep -F 'go test ./...' --source codex
  lore grep -i -C 2 deadlock
  lore grep --json -- --no-verify`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("say what to look for: `lore grep PATTERN`; -F takes it literally")
			case req.IgnoreCase && req.SmartCase:
				return usage("-i and -S exclude each other: take one")
			case req.MaxCount < 0 || req.Before < 0 || req.After < 0 || context < 0:
				return usage("-m, -A, -B and -C take 0 or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			req.Pattern = strings.Join(args, " ")
			req.Query = only.query(nil)
			req.Before, req.After = max(req.Before, context), max(req.After, context)
			return p.runGrep(cmd, svc, req)
		},
	}
	set := cmd.Flags()
	set.BoolVarP(&req.Literal, "fixed-strings", "F", false, "take the pattern literally")
	set.BoolVarP(&req.IgnoreCase, "ignore-case", "i", false, "letters match in any case")
	set.BoolVarP(&req.SmartCase, "smart-case", "S", false, "in any case, unless the pattern has an upper-case letter")
	set.BoolVarP(&req.Word, "word-regexp", "w", false, "match whole words only")
	set.BoolVarP(&req.Invert, "invert-match", "v", false, "print the lines that do not match")
	set.IntVarP(&req.MaxCount, "max-count", "m", 0, "at most this `number` of lines of one conversation")
	set.IntVarP(&req.Before, "before-context", "B", 0, "this `number` of lines before a match")
	set.IntVarP(&req.After, "after-context", "A", 0, "this `number` of lines after a match")
	set.IntVarP(&context, "context", "C", 0, "this `number` of lines before and after")
	only.register(cmd)
	return cmd
}

func (p *Program) runGrep(cmd *cobra.Command, svc *service.Service, req service.GrepRequest) error {
	matches := 0
	pg := p.newPage()
	show := lines{page: pg}
	err := svc.Grep(cmd.Context(), req, func(e service.GrepEvent) error {
		if s, ok := e.Data.(service.GrepSummary); ok {
			matches = s.Matches
		}
		if p.flags.json || p.flags.ndjson {
			return p.stdout.json(e)
		}
		show.event(e)
		return pg.err
	})
	if err != nil {
		return err
	}
	if matches == 0 {
		return outcome(exitNothing)
	}
	return nil
}

// lines prints the events of a grep: on a terminal below a heading for each conversation, else each line with its ids,
// so that it can be cut and sorted.
type lines struct {
	*page
	id   string // short id of the conversation
	last string // message of the line before
	some bool
}

func (l *lines) event(e service.GrepEvent) {
	switch d := e.Data.(type) {
	case service.GrepBegin:
		l.id, l.last = d.Conversation.ShortID, ""
		if l.person {
			l.heading(d.Conversation)
		}
	case service.GrepMatch:
		l.match(d, e.Type == "context")
	}
}

func (l *lines) heading(c service.HitOf) {
	if l.some {
		l.blank()
	}
	l.some = true
	title := c.Title
	if title == "" {
		title = "(no title)"
	}
	facts := " · " + c.Source
	if name := projectName(c.Project); name != "" {
		facts += " · " + name
	}
	l.line(say(bold, cutTo(oneLine(title), 60)), say(dim, facts), say(quiet, "  "+c.ShortID))
}

func (l *lines) match(m service.GrepMatch, context bool) {
	mark := ":"
	if context {
		mark = "-"
	}
	ranges := make([][2]int, 0, len(m.Submatches))
	for _, s := range m.Submatches {
		ranges = append(ranges, [2]int{s.Start, s.End})
	}
	line := m.Line
	if l.person {
		line, ranges = window(line, ranges, 2*l.width)
	}
	spans := []span{say(quiet, m.ShortID), say(dim, mark+string(m.Role)+mark), say(green, strconv.Itoa(m.LineNumber)), {mark, dim}}
	if !l.person {
		spans = append([]span{say(quiet, l.id), {mark, dim}}, spans...)
	}
	l.line(append(spans, snippetSpans(line, ranges)...)...)
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
