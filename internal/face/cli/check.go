package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) checkCommand() *cobra.Command {
	var req service.CheckRequest
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Verify archive, records and index against each other",
		GroupID: know,
		Long: `Verifies that the archive is whole and that the index fits it, and says what to do about a fault. The quick check walks all
rows and lists. With --full every byte is read: pages, blocks and segments are compared with their checksums, and every
record is computed anew from the archive and compared with what the index has. Ends with 6 when something is wrong.`,
		Example: "  lore check\n  lore check --full\n  lore check --full --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Check(cmd.Context(), req)
			if err != nil {
				return err
			}
			if err := p.printCheck(res); err != nil || res.Sound {
				return err
			}
			return outcome(exitDamaged)
		},
	}
	cmd.Flags().BoolVar(&req.Full, "full", false, "read every byte and compute every record anew")
	return cmd
}

func (p *Program) printCheck(res *service.CheckResult) error {
	switch {
	case p.flags.json:
		return p.stdout.json(res)
	case p.flags.ndjson:
		for i := range res.Faults {
			if err := p.stdout.json(&res.Faults[i]); err != nil {
				return err
			}
		}
		return nil
	}
	pg := p.newPage()
	pg.checked(res)
	return pg.err
}

// checked says what was looked at, then what is wrong.
func (pg *page) checked(res *service.CheckResult) {
	a, x := res.Archive, res.Index
	pg.facts("", plain, []string{"archive: " + count(a.Files, "file"), count(a.Snapshots, "snapshot"), count(a.Blocks, "block"), size(a.Bytes)})
	pg.facts("", plain, []string{"index: " + count(x.Conversations, "conversation"), count(x.Messages, "message"), count(x.Segments, "segment")})
	if r := res.Records; res.Full {
		pg.facts("", plain, []string{"read again: " + count(r.Read, "evidence"), count(r.Conversations, "record"), count(r.Messages, "message")})
	}
	for _, n := range res.Notes {
		pg.wrapped("", say(dim, n))
	}
	if res.Sound {
		pg.line(span{"sound", green})
		return
	}
	pg.blank()
	for i := range res.Faults {
		pg.fault(&res.Faults[i])
	}
}

// faultFiles is how many of the evidences that suffer are named.
const faultFiles = 5

func (pg *page) fault(f *service.CheckFault) {
	what := f.Where + ": " + f.What
	if f.ID != 0 {
		what += fmt.Sprintf(" %d", f.ID)
	}
	if f.Name != "" {
		what += " " + f.Name
	}
	if f.Conversation != nil {
		what += " " + f.Conversation.Short()
	}
	pg.wrapped("", say(danger, what+": "), say(plain, f.Detail))
	for i, name := range f.Files {
		if i == faultFiles {
			pg.line(say(dim, "  and "+count(len(f.Files)-i, "more file")))
			break
		}
		pg.line(say(dim, "  "+name))
	}
	pg.wrapped("  ", say(quiet, f.Fix))
}
