package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) importCommand() *cobra.Command {
	var verify, reindex, dry bool
	var memory string
	cmd := &cobra.Command{
		Use:     "import [PATH...]",
		Short:   "Read what is new in every agent's history",
		GroupID: keep,
		Long: `Finds every agent's history on this machine, or reads the files, folders and export zips that are named, archives what is
new and indexes it. What an agent has deleted since stays in the archive. No file of an agent is written to.

A bundle that lore export --format bundle has made is checked to its last byte and then put together with the archive that
is here: nothing is written over, in whatever order bundles come.`,
		Example: `  lore import
  lore import ~/backup/.claude
  lore import laptop.lore
  lore import --verify
  lore import --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if memory != "" {
				if svc.Memory, err = parseSize(memory); err != nil {
					return err
				}
				if svc.Memory < service.LeastMemory {
					return usage("--memory %s is too little for an import: 64MiB is the least", memory)
				}
			}
			if dry {
				if reindex {
					return usage("--dry-run and --reindex exclude each other: a rebuild reads nothing at its source")
				}
				res, err := svc.PlanImport(cmd.Context(), service.ImportRequest{Paths: args, Verify: verify})
				if err != nil {
					return err
				}
				return p.printPlan(res)
			}
			res, err := p.runImport(cmd, svc, service.ImportRequest{Paths: args, Verify: verify, Reindex: reindex})
			if err != nil {
				return err
			}
			return p.printImport(res)
		},
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "read and hash also what seems unchanged")
	cmd.Flags().BoolVar(&reindex, "reindex", false, "build the index anew from the archive")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be read, and write nothing")
	cmd.Flags().StringVar(&memory, "memory", "", "take about this `size` of memory, 64MiB or more (default 256MiB); a line of 32 MB takes 160MiB in any case")
	return cmd
}

// runImport imports with a progress line on a terminal.
func (p *Program) runImport(cmd *cobra.Command, svc *service.Service, req service.ImportRequest) (*service.ImportResult, error) {
	line := p.progress()
	req.Progress = line.show
	res, err := svc.Import(cmd.Context(), req)
	line.done()
	return res, err
}

// refresh imports before another command; what could not be read is a remark there, no failure.
func (p *Program) refresh(cmd *cobra.Command, svc *service.Service) error {
	res, err := p.runImport(cmd, svc, service.ImportRequest{})
	if err != nil {
		return err
	}
	if n := len(res.Failures); n > 0 {
		p.remark(count(n, "file") + " could not be read: `lore import` names them")
	}
	return nil
}

func (p *Program) printImport(res *service.ImportResult) error {
	if p.flags.json || p.flags.ndjson {
		if err := p.stdout.json(res); err != nil {
			return err
		}
	} else if !p.flags.quiet {
		pg := p.newPage()
		pg.importReport(res)
		if pg.err != nil {
			return pg.err
		}
	}
	switch {
	case len(res.Failures) > 0:
		return outcome(exitPartial)
	case !res.Found:
		return outcome(exitNothing)
	}
	return nil
}

// importReport tells a person what an import did.
func (pg *page) importReport(res *service.ImportResult) {
	c := res.Conversations
	found, read := 0, 0
	for _, s := range res.Sources {
		found += s.Found
		read += s.Read
	}
	if !res.Found && len(res.Failures) == 0 {
		pg.line(span{"No agent's history was found. `lore sources` says where it was looked for.", plain})
		return
	}
	news := fmt.Sprintf(": %s new, %s changed", number(int64(c.New)), number(int64(c.Changed)))
	if c.New == 0 && c.Changed == 0 {
		news = ": nothing new"
	}
	pg.line(span{count(c.Total, "conversation"), bold}, span{news, plain})
	if len(res.Sources) > 0 || len(res.Bundles) == 0 {
		pg.line(span{fmt.Sprintf("read %s of %s (%s) in %s", number(int64(read)), count(found, "file"), size(res.BytesRead), lapse(time.Duration(res.ElapsedMS)*time.Millisecond)), dim})
	}
	if c.Kept > 0 {
		pg.line(span{count(c.Kept, "conversation") + " kept that the agents have deleted", plain})
	}
	t := table{}
	for _, s := range res.Sources {
		if s.Found == 0 && s.Failed == 0 && s.Excluded == 0 {
			continue
		}
		failed, what, out := "", "", ""
		if s.Excluded > 0 {
			out = number(int64(s.Excluded)) + " excluded"
		}
		if s.Read > 0 {
			what = count(s.Messages, "message") + " in " + count(s.Conversations, "conversation")
		}
		if s.Failed > 0 {
			failed = number(int64(s.Failed)) + " failed"
		}
		t.add(say(plain, "  "+s.Source), span{count(s.Found, "file"), dim}, span{number(int64(s.Read)) + " read", plain},
			span{number(int64(s.Unchanged)) + " unchanged", dim}, span{failed, danger}, span{out, dim}, span{what, dim})
	}
	pg.table(t)
	for _, b := range res.Bundles {
		pg.bundle(b)
	}
	pg.lossReport(res.Losses)
	for _, f := range res.Failures {
		pg.wrapped("", say(danger, "could not read "), say(plain, f.File+": "+f.Error))
	}
}

// lossReport names what matters and counts the rest.
func (pg *page) lossReport(losses []lore.Loss) {
	const most = 10
	shown, infos := 0, 0
	for _, l := range losses {
		if l.Severity == lore.Info {
			infos++
			continue
		}
		if shown++; shown <= most {
			pg.loss(l)
		}
	}
	if shown > most {
		pg.line(span{fmt.Sprintf("and %s more", number(int64(shown-most))), dim})
	}
	if infos > 0 {
		pg.line(span{count(infos, "remark") + " of no harm: `lore inspect FILE` or `lore import --json` tells them", dim})
	}
}

// loss prints one loss and what its code means.
func (pg *page) loss(l lore.Loss) {
	st := map[lore.Severity]style{lore.Warning: alert, lore.Error: danger}[l.Severity]
	where := l.File
	if l.Line > 0 {
		where += ":" + strconv.Itoa(l.Line)
	}
	if l.Row != "" {
		where += " " + l.Row
	}
	what := l.What
	if what == "" {
		what = lore.Codes[l.Code]
	}
	pg.wrapped("", say(st, string(l.Severity)), say(plain, " "+string(l.Code)+" "), say(quiet, where), say(dim, "  "+what))
}

// parseSize reads a size of memory: a number with a unit of bytes, binary (MiB) or decimal (MB).
func parseSize(s string) (int64, error) {
	digits := strings.TrimRightFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	unit := strings.ToLower(strings.TrimSpace(s[len(digits):]))
	n, err := strconv.ParseFloat(digits, 64)
	factor, ok := map[string]float64{"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "kb": 1e3, "m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9}[unit]
	if err != nil || !ok || strings.ContainsFunc(digits, func(r rune) bool { return r > '9' || r < '.' }) || n <= 0 || n*factor >= math.MaxInt64 {
		return 0, usage("%q is no size: write it as 256MiB", s)
	}
	return int64(n * factor), nil
}
