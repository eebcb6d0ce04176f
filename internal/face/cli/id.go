package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) idCommand() *cobra.Command {
	var req service.IDRequest
	var role string
	var explain bool
	cmd := &cobra.Command{
		Use:     "id ID|REF|TEXT...",
		Short:   "Say what an id stands for and what it is made of",
		GroupID: know,
		Long: `Says what an id, the beginning of one, or a ref stands for, and with --explain from which canonical bytes each of its ids
comes: an id is the SHA-256 digest of these bytes, in base32hex. Words have the content ids that a message with these words
would have. docs/IDENTITY.md tells the recipe.`,
		Example: `  lore id 3k9vq7h2
  lore id 3k9vq7h2 --explain
  lore id --words --source codex "go on"
  lore id --archive`,
		Args: func(_ *cobra.Command, args []string) error {
			if req.Archive && len(args) > 0 {
				return usage("--archive takes no id: `lore id --archive`")
			}
			if len(args) == 0 && !req.Archive {
				return usage("say which id: `lore id ID`, or words: `lore id --words TEXT...`")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			req.Text, req.Role = strings.Join(args, " "), lore.Role(role)
			res, err := svc.Identify(cmd.Context(), req)
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.identity(res, explain)
			return pg.err
		},
	}
	set := cmd.Flags()
	set.BoolVar(&explain, "explain", false, "print the canonical bytes too")
	set.BoolVar(&req.Archive, "archive", false, "print the content hash of the whole archive: equal where two hold the same")
	set.BoolVar(&req.Words, "words", false, "read it as what somebody said")
	set.StringVarP(&req.Source, "source", "s", "", "said to this `agent`; without it to each of the archive")
	set.StringVarP(&role, "role", "r", "user", "said by this `role`: user, assistant, tool or system")
	set.StringVar(&req.Model, "model", "", "said by this `model`, of an assistant")
	complete(cmd, "role", "user", "assistant", "tool", "system")
	return cmd
}

// identity prints what an id stands for.
func (pg *page) identity(res *service.IDResult, explain bool) {
	if c := res.Conversation; c != nil {
		title := c.Title
		if title == "" {
			title = "(no title)"
		}
		pg.wrapped("", say(bold, title))
		facts := []string{res.Kind, c.Source}
		if res.Role != "" {
			facts = append(facts, string(res.Role))
		}
		if age := pg.ago(res.At); age != "" {
			facts = append(facts, age)
		}
		if res.Moved {
			facts = append(facts, "asked for by an earlier id")
		}
		pg.facts("", dim, facts)
		for _, m := range res.Marks {
			pg.mark(m, "")
		}
		t := table{}
		t.add(span{"id", dim}, say(quiet, res.ID.String()))
		t.add(span{"ref", dim}, say(quiet, res.Ref))
		t.add(span{"uuid", dim}, say(quiet, res.UUID))
		pg.table(t)
	}
	if res.Kind == "archive" {
		pg.line(say(quiet, res.ID.String()))
		pg.line(say(dim, "archive "+res.Machine))
	}
	for _, x := range res.MadeOf {
		if !explain && res.Conversation != nil {
			continue
		}
		if res.Conversation != nil {
			pg.blank()
		}
		pg.line(say(bold, strings.ReplaceAll(x.Name, "_", " ")), say(dim, ", by its "+x.By), span{"  ", plain}, say(quiet, x.ID.String()))
		if explain {
			pg.line(say(plain, x.Canonical))
		}
	}
}
