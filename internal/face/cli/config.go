package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config [set|add|remove KEY VALUE...]",
		Short:   "Show or change what is left out of imports",
		GroupID: know,
		Long: `Shows the configuration file and what it says. set makes the values of a key those that are given, add and remove change
one; comments and all else in the file stay.

  exclude.sources   agents that are not imported: cursor, copilot*
  exclude.projects  projects that are not imported: a name, or a folder with all below it
  exclude.folders   folders of histories that are not looked at, with all below, or files

In a pattern * stands for anything but a slash and ** for anything. What was imported before stays; what is not excluded any
more comes with the next import, typed prompts of a project with lore import --reindex.`,
		Example: `  lore config
  lore config add exclude.sources cursor
  lore config add exclude.projects ~/work/secret 'draft-*'
  lore config remove exclude.sources cursor`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.configure(cmd, service.ConfigRequest{}) },
	}
	for _, change := range []struct{ name, short string }{
		{"set", "Make the values of a key those that are given"},
		{"add", "Add values to a key"},
		{"remove", "Take values away from a key"},
	} {
		cmd.AddCommand(&cobra.Command{
			Use:     change.name + " KEY VALUE...",
			Short:   change.short,
			Example: "  lore config " + change.name + " exclude.sources cursor",
			Args: func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 || len(args) == 1 && cmd.Name() != "set" {
					return usage("`%s` takes a KEY and a VALUE: `lore config` lists the keys", cmd.CommandPath())
				}
				return nil
			},
			RunE: func(cmd *cobra.Command, args []string) error {
				return p.configure(cmd, service.ConfigRequest{Change: cmd.Name(), Key: args[0], Values: args[1:]})
			},
		})
	}
	return cmd
}

func (p *Program) configure(cmd *cobra.Command, req service.ConfigRequest) error {
	svc, err := p.service()
	if err != nil {
		return err
	}
	res, err := svc.Configure(cmd.Context(), req)
	if err != nil {
		return err
	}
	if p.flags.json || p.flags.ndjson {
		return p.stdout.json(res)
	}
	pg := p.newPage()
	name := say(bold, res.File)
	if !res.Exists {
		pg.line(name, span{"  (not there: nothing is set)", dim})
	} else {
		pg.line(name)
	}
	for _, k := range res.Keys {
		pg.line(say(quiet, k.Key), say(dim, "  "+k.What))
		for _, v := range k.Values {
			pg.line(say(plain, "  "+v))
		}
	}
	return pg.err
}

// configFile returns the configuration file: LORE_CONFIG, else the usual place; empty when the environment does not say.
func (p *Program) configFile() string {
	if name := p.Getenv("LORE_CONFIG"); name != "" {
		if abs, err := filepath.Abs(name); err == nil {
			return abs
		}
	}
	base := p.Getenv("XDG_CONFIG_HOME")
	if base == "" || !filepath.IsAbs(base) { // a relative one is to be ignored, says its specification
		if p.Service.Home == "" {
			return ""
		}
		base = filepath.Join(p.Service.Home, ".config")
	}
	return filepath.Join(base, "lore", "config.toml")
}
