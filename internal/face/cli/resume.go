package cli

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) resumeCommand() *cobra.Command {
	var run bool
	cmd := &cobra.Command{
		Use:     "resume ID",
		Aliases: []string{"open"},
		Short:   "Print, or run, the command by which the agent resumes a conversation",
		GroupID: find,
		Long: `Prints the command line by which the agent that held a conversation takes it up again, in the folder of its project. With
--run it is run. Agents that have no such command are told.`,
		Example: `  lore resume 3k9vq7h2
  lore resume 3k9vq7h2 --run`,
		Args: oneArg("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Resume(cmd.Context(), service.ResumeRequest{ID: args[0]})
			if err != nil {
				return err
			}
			if run {
				return p.runResume(cmd, res)
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.line(say(plain, commandLine(p.GOOS, res)))
			p.remark(resumeRemark(res))
			return pg.err
		},
	}
	cmd.Flags().BoolVar(&run, "run", false, "run it")
	return cmd
}

// resumeRemark says what may keep the agent from finding the conversation; empty when nothing does.
func resumeRemark(res *service.ResumeResult) string {
	switch {
	case !res.InSource && res.CanPut:
		return "the agent has deleted this conversation: `lore restore " + res.ShortID + " --in-place` puts it back"
	case !res.InSource:
		return "the agent has deleted this conversation and will not find it"
	case res.Dir != "" && !res.DirFound:
		return "the folder of the project is not there any more: " + res.Dir
	}
	return ""
}

// commandLine is the command as it is typed: in the folder of the project where there is one.
func commandLine(goos string, res *service.ResumeResult) string {
	words := make([]string, 0, len(res.Command))
	for _, w := range res.Command {
		words = append(words, shellWord(goos, w))
	}
	line := strings.Join(words, " ")
	switch {
	case res.Dir == "":
		return line
	case goos == "windows":
		return "cd /d " + shellWord(goos, res.Dir) + " && " + line
	}
	return "cd -- " + shellWord(goos, res.Dir) + " && " + line
}

// shellWord quotes a word where a shell would read more out of it.
func shellWord(goos, w string) string {
	if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@") == "" {
		return w
	}
	if goos == "windows" {
		return `"` + strings.NewReplacer(`"`, "", "%", "").Replace(w) + `"`
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// runResume runs the agent on the terminal of this command and ends as it ends.
func (p *Program) runResume(cmd *cobra.Command, res *service.ResumeResult) error {
	if !res.InSource {
		return &service.Failure{Kind: service.NotFound, Message: resumeRemark(res)}
	}
	if res.Dir != "" && !res.DirFound {
		return &service.Failure{Kind: service.NotFound, Message: resumeRemark(res)}
	}
	program, err := exec.LookPath(res.Command[0])
	if err != nil {
		return &service.Failure{Kind: service.NotFound, Message: "the program " + res.Command[0] + " is not installed on this machine, or not in PATH", Err: err}
	}
	if err := p.stdout.flush(); err != nil {
		return err
	}
	agent := exec.CommandContext(cmd.Context(), program, res.Command[1:]...)
	agent.Dir, agent.Stdin, agent.Stdout, agent.Stderr = res.Dir, os.Stdin, p.Stdout, p.Stderr
	err = agent.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return outcome(max(exit.ExitCode(), 1))
	}
	return err
}
