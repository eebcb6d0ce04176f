package cli

import (
	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) forgetCommand() *cobra.Command {
	var req service.ForgetRequest
	cmd := &cobra.Command{
		Use:     "forget [ID...]",
		Short:   "Remove conversations from archive and index for good",
		GroupID: keep,
		Long: `Removes conversations, and those of the sub-agents that they started, from the archive, the index and the marks. A tombstone
keeps the next import from bringing them back, also where the agent still has them. Without --yes it says what would go and
changes nothing. What was removed is overwritten; lore compact gives the space back.

A file that speaks of nothing else goes whole. Of a file of lines that speaks of others too, only the lines in question go. The
bytes of any other shared file stay in the archive, and nothing shows them any more: the list says which files these are.`,
		Example: "  lore forget 3k9vq7h2\n  lore forget 3k9vq7h2 --yes\n  lore forget --query project:secret --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if req.IDs = args; len(args) == 0 && req.Query == "" {
				return usage("`lore forget` takes ids, or --query: try `lore forget --help`")
			}
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Forget(cmd.Context(), req)
			if err != nil {
				return err
			}
			if err := p.printForget(res); err != nil || len(res.Conversations) > 0 {
				return err
			}
			return outcome(exitNothing)
		},
	}
	cmd.Flags().StringVar(&req.Query, "query", "", "every conversation that `lore list` with this query has")
	cmd.Flags().BoolVar(&req.Yes, "yes", false, "do it; without this nothing is changed")
	return cmd
}

func (p *Program) printForget(res *service.ForgetResult) error {
	switch {
	case p.flags.json:
		return p.stdout.json(res)
	case p.flags.ndjson:
		for i := range res.Conversations {
			if err := p.stdout.json(&res.Conversations[i]); err != nil {
				return err
			}
		}
		return nil
	}
	pg := p.newPage()
	pg.forgotten(res)
	return pg.err
}

// forgotten lists what goes, and what becomes of each file.
func (pg *page) forgotten(res *service.ForgetResult) {
	if len(res.Conversations) == 0 {
		return
	}
	head := span{"would forget " + count(len(res.Conversations), "conversation"), bold}
	if res.Done {
		head = span{"forgot " + count(len(res.Conversations), "conversation"), bold}
	}
	pg.line(head)
	var t table
	for _, c := range res.Conversations {
		why := ""
		if c.Because == "subagent" {
			why = "sub-agent"
		}
		t.add(say(quiet, "  "+c.ShortID), say(plain, c.Source), span{count(c.Messages, "message"), dim}, say(plain, c.Title), say(dim, why))
	}
	pg.table(t)
	var files table
	for _, e := range res.Evidences {
		switch what := size(e.Bytes); e.Fate {
		case "removed":
			files.add(span{"  removed", plain}, say(plain, e.File), say(dim, what))
		case "blanked":
			files.add(span{"  blanked", plain}, say(plain, e.File), say(dim, "its lines only; "+count(e.Others, "other conversation")+" in it"))
		default:
			files.add(span{"  stays", alert}, say(plain, e.File), say(dim, "shared with "+count(e.Others, "other conversation")+"; nothing shows it any more"))
		}
	}
	pg.table(files)
	for _, x := range res.AlsoIn {
		pg.wrapped("", say(alert, "copies of its messages stay in "), say(quiet, x.ShortID), say(plain, " "+x.Title))
	}
	if res.Done {
		pg.line(say(dim, "`lore compact` gives the space back"))
	} else {
		pg.line(say(dim, "nothing was changed; with --yes it is done, and cannot be undone"))
	}
}
