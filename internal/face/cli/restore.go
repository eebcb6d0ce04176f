package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) restoreCommand() *cobra.Command {
	var req service.RestoreRequest
	cmd := &cobra.Command{
		Use:     "restore ID|PATH (--to DIR | --in-place)",
		Short:   "Write the original files of a conversation, also deleted ones",
		GroupID: keep,
		Long: `Writes the files that a conversation comes from, byte for byte and with the time that they had, together with the files
that belong to them. Of a database it writes the rows that were kept, as JSON lines. What is there already is never
overwritten.

With --in-place the files go back to where the agent finds them, so that it can resume a session that it has deleted; this
is possible for Claude Code and Codex. It is the only command that writes into an agent's folder.`,
		Example: `  lore restore 3k9vq7h2 --to ~/restored
  lore restore 3k9vq7h2 --in-place && lore resume 3k9vq7h2
  lore restore 3k9vq7h2 --to ~/restored --snapshot 2`,
		Args: oneArg("ID or PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("snapshot") && req.Version < 1 {
				return usage("--snapshot is a version, from 1 for the oldest, not %d: `lore inspect %s` lists them", req.Version, args[0])
			}
			req.Target = args[0]
			res, err := svc.Restore(cmd.Context(), req)
			if err != nil {
				return err
			}
			return p.printRestore(res)
		},
	}
	set := cmd.Flags()
	set.StringVar(&req.To, "to", "", "write below this `folder`")
	set.BoolVar(&req.InPlace, "in-place", false, "put the files back where the agent finds them")
	set.IntVar(&req.Version, "snapshot", 0, "the `version` as `lore inspect` numbers them, 1 for the oldest; without it the newest")
	return cmd
}

func (p *Program) printRestore(res *service.RestoreResult) error {
	kept := 0
	for i := range res.Files {
		if res.Files[i].State == "kept" {
			kept++
		}
	}
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Files {
			if err := p.stdout.json(&res.Files[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		var t table
		for _, f := range res.Files {
			st := map[string]style{"new": green, "same": dim, "kept": alert}[f.State]
			t.add(span{f.State, st}, span{size(f.Bytes), plain}, say(dim, fmt.Sprintf("version %d of %d", f.Version, f.Versions)), say(plain, f.File))
		}
		pg.table(t)
		if pg.err != nil {
			return pg.err
		}
	}
	if kept > 0 {
		p.remark(count(kept, "file") + " not restored: there is another one of that name, which stays as it is")
		return outcome(exitPartial)
	}
	return nil
}
