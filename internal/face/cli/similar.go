package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

// similarInput is how much of the standard input is looked at.
const similarInput = 1 << 20

func (p *Program) similarCommand() *cobra.Command {
	var limit int
	var isText bool
	cmd := &cobra.Command{
		Use:     "similar ID|TEXT|-",
		Short:   "Find copies, near copies and related conversations",
		GroupID: find,
		Long: `Finds what is like a message, a conversation or a text: the same message in other conversations, messages that say nearly
the same or hold it, and conversations that have rare words, errors and files in common with it. One word that is an id, or the
beginning of one, is taken as that; everything else is a text. - reads a text from the standard input.
Exit codes: 0 something is like it, 1 nothing is.`,
		Example: `  lore similar 3k9v
  lore similar "panic: send on closed channel"
  lore similar --json - < error.log`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("say what others are to be like: `lore similar ID`, `lore similar TEXT`, or - for the standard input")
			case limit < 0:
				return usage("--limit is 0 (all) or more, not %d", limit)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			req := service.SimilarRequest{Text: strings.Join(args, " "), Limit: limit}
			switch {
			case len(args) == 1 && args[0] == "-":
				if p.Stdin == nil {
					return usage("there is no standard input to read: give an id or a text")
				}
				b, err := io.ReadAll(io.LimitReader(p.Stdin, similarInput))
				if err != nil {
					return fmt.Errorf("cannot read the standard input: %w", err)
				}
				req.Text = string(b)
			case len(args) == 1 && !isText && looksLikeID(args[0]):
				res, err := svc.Similar(cmd.Context(), service.SimilarRequest{ID: args[0], Limit: limit})
				var e *service.Failure
				if !errors.As(err, &e) || e.Kind != service.NotFound || len(args[0]) > 16 {
					if err != nil {
						return err
					}
					return p.printSimilar(res)
				}
				p.remark("no id begins with " + strconv.Quote(args[0]) + ": it was taken as a text")
			}
			res, err := svc.Similar(cmd.Context(), req)
			if err != nil {
				return err
			}
			return p.printSimilar(res)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "print at most this `number` of each list; 0 is all")
	cmd.Flags().BoolVar(&isText, "text", false, "the argument is a text, whatever it looks like")
	return cmd
}

// looksLikeID reports whether a word can be an id, a source's own id, or the beginning of one.
func looksLikeID(s string) bool {
	return len(s) >= 4 && !strings.ContainsAny(s, " \t\n\"'(){}<>")
}

func (p *Program) printSimilar(res *service.SimilarResult) error {
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Messages {
			if err := p.stdout.json(&res.Messages[i]); err != nil {
				return err
			}
		}
		for i := range res.Related {
			if err := p.stdout.json(&res.Related[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		pg.similar(res)
		if pg.err != nil {
			return pg.err
		}
	}
	if len(res.Messages)+len(res.Related) == 0 {
		p.remark("nothing is like it")
		return outcome(exitNothing)
	}
	return nil
}

func (pg *page) similar(res *service.SimilarResult) {
	percent := func(x float64) string { return strconv.Itoa(int(x*100+0.5)) + " %" }
	for i := range res.Messages {
		m := &res.Messages[i]
		how := map[string]string{"copy": "copy", "same": "same words", "near": percent(m.Likeness) + " alike", "holds": "holds " + percent(m.Held)}[m.How]
		pg.wrapped("", say(bold, how), say(plain, "  "+title(&m.Conversation)))
		facts := []string{m.Conversation.Source}
		if name := projectName(m.Conversation.Project); name != "" {
			facts = append(facts, name)
		}
		if age := pg.ago(m.At); age != "" {
			facts = append(facts, age)
		}
		pg.facts("  ", dim, append(facts, speaker(m.Role, m.Kind)))
		pg.wrapped("  ", say(plain, m.Snippet))
		pg.line(span{"  ", plain}, say(quiet, "lore show "+m.ShortID))
		pg.blank()
	}
	if len(res.Related) > 0 {
		pg.line(say(dim, "Related conversations:"))
		pg.blank()
	}
	for i := range res.Related {
		c := &res.Related[i]
		pg.wrapped("", say(bold, percent(c.Score)), say(plain, "  "+title(&c.Conversation)))
		var shared []string
		if c.Copies > 0 {
			shared = append(shared, count(c.Copies, "equal message"))
		}
		for _, r := range c.Shared {
			shared = append(shared, r.Value)
		}
		pg.wrapped("  ", say(dim, strings.Join(shared, ", ")))
		pg.line(span{"  ", plain}, say(quiet, "lore show "+c.Conversation.ShortID))
		pg.blank()
	}
}

func title(c *service.HitOf) string {
	if c.Title == "" {
		return "(no title)"
	}
	return c.Title
}
