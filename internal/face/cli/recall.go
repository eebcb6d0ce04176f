package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) recallCommand() *cobra.Command {
	var only filters
	var budget int
	var cursor string
	var except []string
	cmd := &cobra.Command{
		Use:     "recall TASK...",
		Short:   "Print the few passages that help with a task, within a budget of tokens",
		GroupID: find,
		Long: `Looks for what was said before about a task and prints a few short passages, each with the id it is from. It says so
when nothing relevant is known. This is what agents ask over MCP; no word of the task counts as syntax.`,
		Example: `  lore recall why does the nightly job time out
  lore recall --budget 1000 --project atlas connection pool limits
  lore recall --json how was the lamp debounced`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("say what the task is: `lore recall TASK...`")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Recall(cmd.Context(), service.RecallRequest{Task: strings.Join(args, " "), Query: only.query(nil),
				Budget: budget, Cursor: cursor, Except: except})
			if err != nil {
				return err
			}
			return p.printRecall(res)
		},
	}
	only.register(cmd)
	cmd.Flags().IntVar(&budget, "budget", service.RecallBudget, "this `number` of tokens at most")
	cmd.Flags().StringVar(&cursor, "cursor", "", "go on after an answer: the `cursor` that its JSON gives as next")
	cmd.Flags().StringArrayVar(&except, "except", nil, "leave out this `conversation`: an id, a source's own id, or the path of a transcript")
	return cmd
}

func (p *Program) printRecall(res *service.RecallResult) error {
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Passages {
			if err := p.stdout.json(&res.Passages[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		if !res.Relevant && len(res.Passages) > 0 {
			pg.line(span{"Nothing answers this; the nearest:", dim})
			pg.blank()
		}
		for i := range res.Passages {
			pg.passage(&res.Passages[i])
		}
		if pg.err != nil {
			return pg.err
		}
	}
	if len(res.Passages) == 0 {
		p.remark("nothing relevant in " + count(res.Coverage.Searched, "conversation"))
		return outcome(exitNothing)
	}
	return nil
}

// passage prints one passage: where it is from, who said what, and how to see more.
func (pg *page) passage(x *service.Passage) {
	facts := []string{x.Conversation.Source}
	if name := projectName(x.Conversation.Project); name != "" {
		facts = append(facts, name)
	}
	if age := pg.ago(x.At); age != "" {
		facts = append(facts, age)
	}
	pg.facts("", dim, facts)
	for i := range x.Said {
		for k, line := range strings.Split(x.Said[i].Text, "\n") {
			if k == 0 {
				line = string(x.Said[i].Role) + ": " + line
			}
			pg.wrapped("  ", say(plain, line))
		}
	}
	pg.line(span{"  ", plain}, say(quiet, "lore show "+x.ShortID))
	pg.blank()
}
