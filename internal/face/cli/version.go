package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, its files and its adapters",
		GroupID: know,
		Example: "  lore version\n  lore version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := p.Service.Version()
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(v)
			}
			pg := p.newPage()
			pg.version(v)
			return pg.err
		},
	}
}

func (pg *page) version(v *service.VersionResult) {
	pg.line(say(bold, "lore "+v.Version), span{" (" + v.Go + ")", dim})
	pg.line(span{"archive " + strconv.Itoa(v.Archive) + ", index " + strconv.Itoa(v.Index) + ", identity " + strconv.Itoa(v.Identity), plain})
	for _, a := range v.Adapters {
		pg.line(span{"adapter " + a.Name + " " + strconv.Itoa(a.Version), plain})
	}
}
