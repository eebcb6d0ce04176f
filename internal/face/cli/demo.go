package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "See it work on sample histories, in a temporary folder",
		GroupID: know,
		Long: `Imports invented histories into a temporary folder, lists them, searches them and shows what was found. Nothing of yours is
read or changed, and the folder is removed at the end.`,
		Example: "  lore demo",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := p.Service.Demo(cmd.Context())
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.demo(res)
			return pg.err
		},
	}
}

// demo prints what each command would have printed, below the command.
func (pg *page) demo(res *service.DemoResult) {
	pg.wrapped("", span{"Sample histories in a temporary folder; nothing of yours is read.", plain})
	pg.typed("import")
	pg.importReport(res.Import)
	pg.typed("list")
	pg.conversations(res.List.Conversations)
	pg.typed("search", strings.Fields(res.Query)...)
	pg.hits(res.Search)
	pg.line(say(dim, searchSummary(res.Search)))
	if m := res.Show.Message; m != nil {
		pg.typed("show", m.Message.ShortID(), "--context", "1")
		(&reader{page: pg}).message(m)
	}
	pg.blank()
	pg.line(span{"Now your own: ", plain}, span{"lore import", quiet}, span{", then ", plain}, span{"lore search WORDS", quiet})
}

// typed prints a command as it would be typed.
func (pg *page) typed(command string, args ...string) {
	pg.blank()
	pg.line(span{"$ ", dim}, say(quiet, strings.Join(append([]string{"lore", command}, args...), " ")))
}
