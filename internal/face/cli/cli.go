// Package cli is the command: it turns words into a request, asks the service, and turns the result into JSON or into
// text for a person. It says how things look and which exit code they have. It must not know where anything is stored,
// how a format is read or how a search is ranked: only the service, the record and the analyser's Visible are in reach.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/internal/service"
)

// Program is one run of the command.
type Program struct {
	Args   []string  // without the program's name
	Stdin  io.Reader // what a hook is sent; nil: nothing
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	GOOS   string // runtime.GOOS, named so that a test can say another

	// Executable is the absolute path of this program; empty: the system is asked when it is needed.
	Executable string

	// Service is what the operations are methods of. Dir, Home and Memory are set by the flags of the run.
	Service service.Service

	// ServeMCP answers agents; nil: this build does not.
	ServeMCP ServeMCP

	flags  shared
	stdout *output
}

// Run does what the words ask for and returns the exit code. Every error is one line on Stderr.
func Run(ctx context.Context, p *Program) int {
	p.stdout = newOutput(p.Stdout)
	root := p.root()
	root.SetArgs(excluded(root, p.Args))
	root.SetOut(p.stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if flushed := p.stdout.flush(); err == nil {
		err = flushed
	}
	if ctx.Err() != nil && err != nil {
		err = ctx.Err()
	}
	code := exitCode(err)
	if line := errorLine(err); line != "" {
		fmt.Fprintln(p.Stderr, "lore: "+line)
	}
	return code
}

// excluded writes `-role:tool` among the words of a query as `NOT role:tool`, which means the same: a reader of flags takes
// it for -r and a role named "ole:tool".
func excluded(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || !slices.Contains([]string{"search", "list", "stats", "explain"}, cmd.Name()) {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if name, _, ok := strings.Cut(a, ":"); ok && strings.HasPrefix(name, "-") && service.IsField(name[1:]) {
			out[i] = "NOT " + a[1:]
		}
	}
	return out
}

// root is the command line: one constructor for each command.
func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lore COMMAND",
		Short: "Find again what you and your coding agents said",
		Long: `lore reads what coding agents leave on this machine, keeps it, and finds it again. Nothing leaves the machine and no
history of an agent is ever written to.`,
		Example: `  lore import                      read every agent's history that is here
  lore search race detector        find messages, best first
  lore show 3k9v                   read one conversation
  lore demo                        see it work on sample histories`,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,

		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.flags.check() },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .Runnable}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}", "\n  {{.UseLine}}", 1))
	p.flags.register(root.PersistentFlags())
	complete(root, "color", "auto", "always", "never")
	root.AddGroup(&cobra.Group{ID: find, Title: "Find"}, &cobra.Group{ID: keep, Title: "Keep"}, &cobra.Group{ID: know, Title: "Know"})
	root.SetHelpCommandGroupID(know)
	root.SetCompletionCommandGroupID(know)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddCommand(
		p.searchCommand(), p.recallCommand(), p.grepCommand(), p.listCommand(), p.showCommand(), p.markCommand(),
		p.importCommand(), p.rememberCommand(), p.sourcesCommand(), p.inspectCommand(),
		p.mcpCommand(),
		p.installCommand(), p.uninstallCommand(), p.hookCommand(),
		p.demoCommand(), p.statsCommand(), p.versionCommand(),
	)
	root.AddCommand(p.checkCommand(), p.forgetCommand(), p.compactCommand(), p.backupCommand())
	root.AddCommand(p.queryCommand(), p.similarCommand())
	root.AddCommand(p.watchCommand(), p.serviceCommand())
	root.AddCommand(p.exportCommand(), p.restoreCommand(), p.resumeCommand(), p.configCommand())
	root.AddCommand(p.idCommand())
	p.fitHelp(root)
	return root
}

// The groups of commands in the help.
const (
	find = "find"
	keep = "keep"
	know = "know"
)

// unknownCommand names the command that was probably meant.
func unknownCommand(root *cobra.Command, word string) error {
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(word); len(near) > 0 {
		return usage("there is no command %q: did you mean %q?", word, near[0])
	}
	return usage("there is no command %q: `lore help` lists them; to search for it, type `lore search %s`", word, word)
}

// flagError says what is wrong with a flag and where its help is.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		what, _ := pflag.UnquoteUsage(bad.GetFlag())
		return usage("--%s takes a %s, not %q: `%s --help` lists the flags", bad.GetFlag().Name, what, bad.GetValue(), cmd.CommandPath())
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if cmd.Name() == "search" || cmd.Name() == "grep" {
		return usage("%s: put -- before words that begin with a dash; `lore %s --help` lists the flags", text, cmd.Name())
	}
	return usage("%s: `%s --help` lists the flags", text, cmd.CommandPath())
}

// noArgs refuses words after a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("`%s` takes no %q: `%s --help` says what it takes", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// oneArg asks for exactly one word.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return usage("`%s` takes one %s, not %d: try `%s --help`", cmd.CommandPath(), what, len(args), cmd.CommandPath())
	}
}
