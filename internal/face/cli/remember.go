package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) rememberCommand() *cobra.Command {
	var req service.RememberRequest
	cmd := &cobra.Command{
		Use:     "remember TEXT...",
		Short:   "Keep a note, found by search like any conversation",
		GroupID: keep,
		Long: `Keeps a note as evidence of its own, with author and time: search finds it, and no later note writes over it. A note on
something that is there already is better put on it with lore mark.`,
		Example: `  lore remember "The staging pool has 20 connections"
  lore remember --tag lantern --ref 3k9vq7h2 "This is the run that failed"
  lore remember --author codex "Tests need TZ=UTC"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("say what to remember: `lore remember TEXT...`")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			req.Text = strings.Join(args, " ")
			res, err := svc.Remember(cmd.Context(), req)
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.wrapped("", say(bold, res.Title), say(quiet, tags(res.Tags)))
			pg.line(say(quiet, "lore show "+res.ShortID))
			return pg.err
		},
	}
	set := cmd.Flags()
	set.StringVar(&req.Author, "author", "", "`name` of the agent that says it; without it a person does")
	set.StringArrayVar(&req.Refs, "ref", nil, "`id` of what it is about")
	set.StringArrayVar(&req.Tags, "tag", nil, "put this `word` on it")
	set.StringVar(&req.Project, "project", "", "`folder` of the project that it is about")
	return cmd
}

func tags(list []string) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(" #" + t)
	}
	return b.String()
}
