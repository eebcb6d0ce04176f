package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/internal/service"
)

// grepFlags are the flags of a grep: what is looked for, and how it is printed.
type grepFlags struct {
	req     service.GrepRequest
	context int
	only    filters

	column, heading, noHeading, vimgrep, matching  bool // of the text
	count, countMatches, conversations, withoutHit bool // instead of lines
}

func (p *Program) grepCommand() *cobra.Command {
	f := &grepFlags{}
	cmd := &cobra.Command{
		Use:     "grep PATTERN...",
		Short:   "Print every match of a pattern in everything archived",
		GroupID: find,
		Long: `Prints every line that matches a regular expression (Go's syntax), over every message that was archived, whole, without
any index. Several words are one pattern with a blank between them; -e gives further patterns. The flags are those of
ripgrep where it has them, with conversations in the place of files. A line is printed as CONVERSATION:MESSAGE:ROLE:LINE:TEXT,
LINE counted within a part of the message; on a terminal each conversation has a heading. With --live the agents' own
files are searched as they are now: no archive is needed, and nothing is written.
Exit codes are those of grep: 0 found, 1 not, 2 wrong usage; and 3 where something could not be read.`,
		Example: `  lore grep 'panic: .*nil pointer'
  lore grep -F 'go test ./...' --source codex
  lore grep -i -C 2 deadlock
  lore grep -w -e TODO -e FIXME --role assistant --since 7d
  lore grep -l 'connection refused'
  lore grep --live -S 'out of memory'
  lore grep --json -- --no-verify`,
		Args: func(cmd *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			return p.runGrep(cmd, svc, f, f.request(args))
		},
	}
	f.register(cmd)
	return cmd
}

func (f *grepFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	req := &f.req
	set.StringArrayVarP(&req.Patterns, "regexp", "e", nil, "a `pattern`; a line matches where any of them does")
	set.BoolVarP(&req.Literal, "fixed-strings", "F", false, "take the patterns literally")
	// Of several the last one counts, so that an alias can be overruled.
	letters := func(ignore, smart bool) func(string) error {
		return func(string) error { req.IgnoreCase, req.SmartCase = ignore, smart; return nil }
	}
	set.BoolFuncP("ignore-case", "i", "letters match in any case", letters(true, false))
	set.BoolFuncP("smart-case", "S", "in any case, unless a pattern has an upper-case letter", letters(false, true))
	set.BoolFuncP("case-sensitive", "s", "letters match in their case: the default", letters(false, false))
	set.BoolVarP(&req.Word, "word-regexp", "w", false, "match whole words only")
	set.BoolVarP(&req.Line, "line-regexp", "x", false, "match whole lines only")
	set.BoolVarP(&req.Invert, "invert-match", "v", false, "print the lines that do not match")
	set.IntVarP(&req.MaxCount, "max-count", "m", 0, "at most this `number` of lines of one conversation; 0 is all")
	set.IntVarP(&req.Before, "before-context", "B", 0, "this `number` of lines before a match")
	set.IntVarP(&req.After, "after-context", "A", 0, "this `number` of lines after a match")
	set.IntVarP(&f.context, "context", "C", 0, "this `number` of lines before and after")
	set.BoolVarP(&f.matching, "only-matching", "o", false, "print what matches, not the line around it")
	set.BoolVarP(&f.count, "count", "c", false, "print how many lines match in each conversation")
	set.BoolVar(&f.countMatches, "count-matches", false, "print how many matches there are in each conversation")
	set.BoolVarP(&f.conversations, "files-with-matches", "l", false, "print the ids of the conversations with a match")
	set.BoolVar(&f.withoutHit, "files-without-match", false, "print the ids of the conversations without one")
	set.BoolVar(&f.column, "column", false, "print where in the line the first match begins, in bytes from 1")
	set.BoolVar(&f.vimgrep, "vimgrep", false, "print each match as MESSAGE:LINE:COLUMN:TEXT")
	set.BoolVar(&f.heading, "heading", false, "print a heading above each conversation: the default on a terminal")
	set.BoolVar(&f.noHeading, "no-heading", false, "print the ids before each line instead")
	set.BoolVar(&req.Live, "live", false, "search the agents' own files as they are now, without an archive")
	f.registerFilters(cmd)
}

// registerFilters adds the filters of a search, without the short names that mean something else to grep.
func (f *grepFlags) registerFilters(cmd *cobra.Command) {
	var other cobra.Command
	f.only.register(&other)
	other.Flags().VisitAll(func(flag *pflag.Flag) {
		if cmd.Flags().ShorthandLookup(flag.Shorthand) != nil {
			flag.Shorthand = ""
		}
		cmd.Flags().AddFlag(flag)
	})
}

// check refuses what cannot be meant.
func (f *grepFlags) check(args []string) error {
	kinds := 0
	for _, b := range []bool{f.count || f.countMatches, f.conversations, f.withoutHit} {
		if b {
			kinds++
		}
	}
	switch {
	case len(args) == 0 && len(f.req.Patterns) == 0:
		return usage("say what to look for: `lore grep PATTERN`; -F takes it literally")
	case len(args) > 0 && len(f.req.Patterns) > 0:
		return usage("with -e every pattern needs an -e: write -e %q", strings.Join(args, " "))
	case kinds > 1:
		return usage("-c, -l and --files-without-match exclude each other: take one")
	case f.heading && f.noHeading:
		return usage("--heading and --no-heading exclude each other: take one")
	case f.req.MaxCount < 0 || f.req.Before < 0 || f.req.After < 0 || f.context < 0:
		return usage("-m, -A, -B and -C take 0 or more")
	}
	return nil
}

// request is what the flags and words ask of the service.
func (f *grepFlags) request(args []string) service.GrepRequest {
	req := f.req
	req.Pattern = strings.Join(args, " ")
	req.Query = f.only.query(nil)
	req.Before, req.After = max(req.Before, f.context), max(req.After, f.context)
	switch {
	case f.withoutHit:
		req.Lines = service.GrepWithout
	case f.conversations:
		req.Lines = service.GrepFirst
	case f.count || f.countMatches:
		req.Lines = service.GrepCount
	}
	if f.matching || f.vimgrep {
		req.Before, req.After = 0, 0
	}
	return req
}

func (p *Program) runGrep(cmd *cobra.Command, svc *service.Service, f *grepFlags, req service.GrepRequest) error {
	var sum service.GrepSummary
	pg := p.newPage()
	show := newLines(pg, f, req)
	began := p.Service.Now()
	shown := began
	err := svc.Grep(cmd.Context(), req, func(e service.GrepEvent) error {
		if s, ok := e.Data.(service.GrepSummary); ok {
			sum = s
		}
		if p.flags.json || p.flags.ndjson {
			if err := p.stdout.json(e); err != nil {
				return err
			}
		} else if show.event(e); pg.err != nil {
			return pg.err
		}
		// What was found is seen at once, but many lines are not written one by one.
		if now := p.Service.Now(); now.Sub(shown) > flushEvery || e.Type == "end" && shown.Equal(began) {
			shown = now.Add(1)
			return p.stdout.flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, x := range sum.Failures {
		p.remark(fmt.Sprintf("cannot read %s: %s", x.File, x.Error))
	}
	switch {
	case len(sum.Failures) > 0:
		return outcome(exitPartial)
	case sum.Conversations == 0:
		return outcome(exitNothing)
	}
	return nil
}

// flushEvery is how long a match may wait to be written.
const flushEvery = 50 * time.Millisecond
