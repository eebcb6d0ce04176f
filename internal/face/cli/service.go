package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) serviceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "service COMMAND",
		Short:   "Have the system run `lore watch` for you",
		GroupID: keep,
		Long: `Writes, shows or removes the file by which the system runs ` + "`lore watch`" + ` while you are logged in: a user unit of systemd,
an agent of launchd, or a task of the Windows task scheduler. It starts and stops nothing: it prints the commands for that.`,
		Example: "  lore service install\n  lore service status\n  lore service remove",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("`lore service` is one of install, status and remove: try `lore service status`")
			}
			return usage("there is no `lore service %s`: it is one of install, status and remove", args[0])
		},
	}
	cmd.AddCommand(
		p.unitCommand("install", "Write the file, and print the command that starts it", (*service.Service).InstallUnit),
		p.unitCommand("status", "Tell whether the file is there", (*service.Service).UnitStatus),
		p.unitCommand("remove", "Remove the file, and print the command that stops it", (*service.Service).RemoveUnit),
	)
	return cmd
}

type unitOperation = func(*service.Service, context.Context, service.UnitRequest) (*service.UnitResult, error)

func (p *Program) unitCommand(name, short string, do unitOperation) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  lore service " + name + "\n  lore service " + name + " --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			program := p.Executable
			if program == "" {
				if program, err = os.Executable(); err != nil {
					return err
				}
			}
			res, err := do(svc, cmd.Context(), service.UnitRequest{GOOS: p.GOOS, Program: program})
			if err != nil {
				return err
			}
			if err := p.printUnit(name, res); err != nil {
				return err
			}
			if name == "status" && res.State == "absent" {
				return outcome(exitNothing)
			}
			return nil
		},
	}
}

func (p *Program) printUnit(name string, res *service.UnitResult) error {
	if p.flags.json || p.flags.ndjson {
		return p.stdout.json(res)
	}
	pg := p.newPage()
	commands := func(what string, list []string) {
		pg.line(span{what, plain})
		for _, c := range list {
			pg.line(span{"  " + c, bold})
		}
	}
	switch {
	case name == "install":
		if res.Changed {
			pg.line(span{"wrote " + res.File, plain})
		} else {
			pg.line(span{res.File + " is there as it should be", plain})
		}
		for line := range strings.Lines(res.Content) {
			pg.line(span{"  " + strings.TrimRight(line, "\n"), dim})
		}
		commands("Nothing was started. To start it, now and at each login:", res.Start)
	case name == "remove" && res.Changed:
		pg.line(span{"removed " + res.File, plain})
		commands("Nothing was stopped. If it runs, stop it:", res.Stop)
	case res.State == "absent":
		pg.line(span{"not installed: " + res.File + " is not there", plain})
		if name == "status" {
			commands("To install it:", []string{"lore service install"})
		}
	case res.State == "outdated":
		pg.line(span{res.File + " is there, and another lore, or other folders, wrote it", plain})
		commands("To bring it up to date:", []string{"lore service install"})
	default:
		pg.line(span{"installed: " + res.File, plain})
		commands("Whether it runs:", res.Show)
	}
	return pg.err
}
