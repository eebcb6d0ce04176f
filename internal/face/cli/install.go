package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) installCommand() *cobra.Command {
	var req service.InstallRequest
	cmd := &cobra.Command{
		Use:     "install [AGENT...]",
		Short:   "Wire lore into agents: MCP server, skill, hooks",
		GroupID: keep,
		Long: `Puts an MCP server and a skill into the configuration of each agent that is found here, or of those that are named:
claude-code, codex, cursor, gemini, copilot, opencode. It prints what changes in each file before it writes, keeps all
else in the file as it stands, and does nothing where lore is there already. docs/AGENTS.md tells the files.`,
		Example: `  lore install --dry-run
  lore install claude-code codex
  lore install all --hooks`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Agents = args
			return p.install(cmd, req)
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "print what would change, and write nothing")
	cmd.Flags().BoolVar(&req.Hooks, "hooks", false, "also add what is recalled to new sessions and to prompts, where it is relevant")
	return cmd
}

func (p *Program) uninstallCommand() *cobra.Command {
	req := service.InstallRequest{Remove: true}
	cmd := &cobra.Command{
		Use:     "uninstall [AGENT...]",
		Short:   "Take lore out of agents again",
		GroupID: keep,
		Long: `Takes out of the configuration of agents what ` + "`lore install`" + ` has put in. A file that nobody has changed since is then
as it was, byte for byte; of one that was changed only lore's entry goes.`,
		Example: `  lore uninstall --dry-run
  lore uninstall codex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Agents = args
			return p.install(cmd, req)
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "print what would change, and write nothing")
	return cmd
}

func (p *Program) install(cmd *cobra.Command, req service.InstallRequest) error {
	svc, err := p.service()
	if err != nil {
		return err
	}
	if svc.Home == "" {
		return usage("no home folder: set HOME, or give one with --home")
	}
	req.Command = ownCommand()
	for _, f := range []struct{ flag, value string }{{"--dir", p.flags.dir}, {"--home", p.flags.home}} {
		if f.value != "" {
			abs, err := filepath.Abs(f.value)
			if err != nil {
				return usage("%s %q is no folder: %v", f.flag, f.value, err)
			}
			req.Args = append(req.Args, f.flag, abs)
		}
	}
	if p.flags.dir == "" && p.Getenv("LORE_DIR") != "" { // an agent may start lore without it
		req.Args = append(req.Args, "--dir", svc.Dir)
	}
	if !p.flags.json && !p.flags.ndjson {
		req.Show = p.printInstall
	}
	res, err := svc.Install(cmd.Context(), req)
	if err != nil {
		return err
	}
	if req.Show == nil {
		return p.stdout.json(res)
	}
	if req.DryRun {
		p.remark("nothing was written: run it without --dry-run")
	}
	return nil
}

// ownCommand returns how this program is started: by its name where the shell finds it so, else by its path.
func ownCommand() string {
	self, err := os.Executable()
	if err != nil {
		return "lore"
	}
	if found, err := exec.LookPath("lore"); err == nil && sameFile(found, self) {
		return "lore"
	}
	return self
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// printInstall prints what becomes of each file, with the lines that come and go.
func (p *Program) printInstall(res *service.InstallResult) error {
	pg := p.newPage()
	done := map[string]string{"create": "creates", "change": "changes", "remove": "removes", "unchanged": "has it already:", "left": "leaves"}
	for i := range res.Files {
		f := &res.Files[i]
		word := done[f.Action]
		if f.Action == "unchanged" && res.Remove {
			word = "has nothing of lore:"
		}
		line := []span{say(bold, f.Agent), say(plain, " "+word+" "), say(quiet, f.Path)}
		if f.Note != "" {
			line = append(line, say(dim, ": "+f.Note))
		}
		pg.line(line...)
		if f.Action == "change" || f.Action == "create" && !strings.HasSuffix(f.Path, "SKILL.md") {
			pg.fileDifference(f.Before, f.After)
		}
	}
	if len(res.Files) == 0 {
		pg.line(say(plain, "nothing of lore is in any agent"))
	}
	if pg.err != nil {
		return pg.err
	}
	return p.stdout.flush()
}

// fileDifference prints the lines that differ, with two before and behind. All that lore changes in one file at one place
// stands together.
func (pg *page) fileDifference(before, after string) {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	const near = 2
	for _, l := range a[max(0, head-near):head] {
		pg.line(say(dim, "    "+l))
	}
	for _, l := range a[head : len(a)-tail] {
		pg.line(say(danger, "  - "+l))
	}
	for _, l := range b[head : len(b)-tail] {
		pg.line(say(green, "  + "+l))
	}
	for _, l := range a[len(a)-tail : min(len(a), len(a)-tail+near)] {
		pg.line(say(dim, "    "+l))
	}
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}
