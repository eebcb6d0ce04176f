package cli

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

// demoHome is a home folder with invented histories of two agents.
//
//go:embed all:demo/home
var demoHome embed.FS

func (p *Program) demoCommand() *cobra.Command {
	var kept bool
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "See it work on sample histories, in a temporary folder",
		GroupID: know,
		Long: `Imports invented histories of two agents into a temporary folder, lists them, searches them and shows what was found. Nothing
of yours is read or changed.`,
		Example: "  lore demo\n  lore demo --keep",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.flags.json || p.flags.ndjson {
				return usage("`lore demo` is for people: take `lore list --json` on a folder that `lore demo --keep` leaves")
			}
			return p.demo(cmd, kept)
		},
	}
	cmd.Flags().BoolVar(&kept, "keep", false, "leave the folder, to try more commands on it")
	return cmd
}

func (p *Program) demo(cmd *cobra.Command, kept bool) error {
	dir, err := os.MkdirTemp("", "lore-demo-")
	if err != nil {
		return fmt.Errorf("no temporary folder for the demo: %w: set TMPDIR to a folder that can be written to", err)
	}
	if !kept {
		defer os.RemoveAll(dir)
	}
	home, data := filepath.Join(dir, "home"), filepath.Join(dir, "lore")
	samples, err := fs.Sub(demoHome, "demo/home")
	if err != nil {
		return err
	}
	if err := os.CopyFS(home, samples); err != nil {
		return fmt.Errorf("the samples could not be written to %q: %w", home, err)
	}
	pg := p.newPage()
	pg.wrapped("", span{"Sample histories of two agents in a temporary folder. Nothing of yours is read.", plain})
	// The best hit of the search is what is shown last, so its id is asked for here.
	step := demoStep{p: p, cmd: cmd, pg: pg, where: []string{"--home", home, "--dir", data}}
	step.run("import")
	step.run("list")
	step.run("search", "debounce", "window")
	step.run("grep", "-F", "too many clients")
	if id := step.bestHit("debounce window"); id != "" {
		step.run("show", id, "--context", "1")
	}
	if step.err != nil {
		return step.err
	}
	pg.blank()
	if kept {
		pg.line(span{"Go on with: ", plain}, say(quiet, "lore "+strings.Join(step.where, " ")+" list"))
	} else {
		pg.line(span{"Now your own: ", plain}, span{"lore import", quiet}, span{" and then ", plain}, span{"lore search WORDS", quiet})
	}
	return pg.err
}

// demoStep runs one command after the other on the samples, as if each had been typed.
type demoStep struct {
	p     *Program
	cmd   *cobra.Command
	pg    *page
	where []string
	err   error
}

func (d *demoStep) run(args ...string) {
	if d.err != nil {
		return
	}
	d.pg.blank()
	d.pg.line(span{"$ lore " + shellWords(args), quiet})
	if d.err = d.p.stdout.flush(); d.err != nil {
		return
	}
	inner := &Program{Args: append(append([]string{"--color", d.p.flags.color}, d.where...), args...),
		Stdout: d.p.Stdout, Stderr: d.p.Stderr, Getenv: d.p.Getenv, GOOS: d.p.GOOS, Service: d.p.Service}
	if code := Run(d.cmd.Context(), inner); code != exitDone {
		d.err = outcome(code)
	}
}

// bestHit returns the short id of the message that a search finds first.
func (d *demoStep) bestHit(query string) string {
	if d.err != nil {
		return ""
	}
	svc := d.p.Service
	svc.Home, svc.OwnHome, svc.Dir = d.where[1], true, d.where[3]
	res, err := svc.Search(d.cmd.Context(), service.SearchRequest{Query: query, Limit: 1})
	if err != nil || len(res.Hits) == 0 {
		d.err = err
		return ""
	}
	return res.Hits[0].ShortID
}

// shellWords writes arguments as they would be typed.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if strings.ContainsAny(a, " '\"") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words[i] = a
	}
	return strings.Join(words, " ")
}
