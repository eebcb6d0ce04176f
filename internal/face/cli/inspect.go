package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) inspectCommand() *cobra.Command {
	var diff bool
	cmd := &cobra.Command{
		Use:     "inspect PATH|ID",
		Short:   "Account for every unit of a file or a conversation",
		GroupID: know,
		Long: `Tells what became of every unit (a line, a row) of a file, or of the files that a conversation comes from: kept, merged with
another, skipped, unknown or damaged, and why. Where the archive holds several versions of a file it lists them and what was different
each time; --diff shows the messages.`,
		Example: "  lore inspect ~/.claude/projects/-proj-lantern/0bd34928.jsonl\n  lore inspect 3k9vq7h2\n  lore inspect 3k9vq7h2 --diff",
		Args:    oneArg("PATH or ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Inspect(cmd.Context(), service.InspectRequest{Target: args[0], Diff: diff})
			if err != nil {
				return err
			}
			if p.flags.json {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			for i := range res.Evidences {
				if p.flags.ndjson {
					if err := p.stdout.json(&res.Evidences[i]); err != nil {
						return err
					}
					continue
				}
				if i > 0 {
					pg.blank()
				}
				pg.evidence(&res.Evidences[i])
			}
			return pg.err
		},
	}
	cmd.Flags().BoolVar(&diff, "diff", false, "show the messages that differ between the versions of a file")
	return cmd
}

// evidence explains one file: what it is, its ledger, its losses, its conversations.
func (pg *page) evidence(e *service.InspectedEvidence) {
	pg.wrapped("", say(bold, e.File))
	facts := []string{e.Source, e.Store, size(e.Bytes)}
	if e.Snapshots > 0 {
		facts = append(facts, "archived in "+count(e.Snapshots, "version"))
	} else {
		facts = append(facts, "not archived")
	}
	if !e.InSource {
		facts = append(facts, "the agent has deleted it")
	}
	pg.facts("", dim, facts)
	for _, c := range e.Companions {
		pg.line(say(dim, "with "+c))
	}
	if e.Failure != "" {
		pg.wrapped("", say(danger, "could not be read: "), say(plain, e.Failure))
	}
	pg.blank()
	pg.ledger(e.Ledger)
	if len(e.Losses) > 0 {
		pg.blank()
		for _, l := range e.Losses {
			pg.explainLoss(l)
		}
	}
	if len(e.Conversations) > 0 {
		pg.blank()
		pg.contributions(e.Conversations)
	}
	if len(e.Versions) > 1 {
		pg.blank()
		pg.versions(e.Versions)
	}
}

// ledger prints the sum and where each unit went.
func (pg *page) ledger(l lore.Ledger) {
	pg.line(span{count(l.Units, "unit"), bold})
	var t table
	row := func(n int, st style, what, why string) {
		if n > 0 {
			t.add(span{"  " + number(int64(n)), st}, span{what, st}, say(dim, why))
		}
	}
	row(l.Kept, plain, "kept", "say something that is in the record")
	row(l.Merged, plain, "merged", "say again what another unit says")
	row(l.Skipped, dim, "skipped", "known, and no conversation"+kinds(l.Types, "skipped:"))
	row(l.Unknown, alert, "unknown", "of a type that this version does not know, kept raw"+kinds(l.Types, "unknown:"))
	row(l.Damaged, danger, "damaged", "could not be decoded; the archive has their bytes")
	pg.table(t)
	if !l.Balanced() {
		pg.line(span{"this does not add up: please report it", danger})
	}
}

// kinds lists how many units of which type there are, the most frequent first.
func kinds(types map[string]int, prefix string) string {
	var names []string
	for _, k := range slices.Sorted(maps.Keys(types)) {
		if strings.HasPrefix(k, prefix) {
			names = append(names, k)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return types[b] - types[a] })
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %s", number(int64(types[n])), strings.TrimPrefix(n, prefix)))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ", ")
}

// explainLoss prints a loss and the sentence that says what its code means.
func (pg *page) explainLoss(l lore.Loss) {
	pg.loss(l)
	if why := lore.Codes[l.Code]; why != "" && why != l.What && l.What != "" {
		pg.wrapped("    ", span{why, dim})
	}
}

func (pg *page) contributions(list []service.InspectedPart) {
	var t table
	for _, c := range list {
		what := count(c.Messages, "message")
		if c.Partial {
			what = "facts only"
		}
		title := c.Title
		if title == "" {
			title = "(no title)"
		}
		t.add(say(quiet, "  "+c.ShortID), span{what, plain}, span{count(c.Ledger.Units, "unit"), dim}, say(plain, title))
	}
	pg.table(t)
}
