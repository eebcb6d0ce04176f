package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) queryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "query explain QUERY...",
		Short:   "Say how a query is understood",
		GroupID: know,
		Long: `Shows how lore reads a query: as a tree, with the terms of the index that each tier of the search takes for its
words, and which tier answers. docs/QUERY.md tells the language.`,
		Example: "  lore query explain 'lamp OR light -role:tool'",
		Args: func(cmd *cobra.Command, args []string) error {
			return usage("say what to do with the query: `lore query explain QUERY...`")
		},
		RunE: func(cmd *cobra.Command, args []string) error { return nil },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "explain QUERY...",
		Short: "Print the tree of a query and what each tier asks for",
		Example: `  lore query explain 'lamp OR light -role:tool'
  lore query explain "what did we decide about retries last week?"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("say which query: `lore query explain QUERY...`")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Explain(cmd.Context(), service.ExplainRequest{Query: strings.Join(args, " ")})
			if err != nil {
				return err
			}
			for _, w := range res.Warnings {
				p.remark(warningLine(w))
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.explained(res)
			return pg.err
		},
	})
	return cmd
}

// explained prints a tree with what its parts stand for, and the tiers.
func (pg *page) explained(res *service.ExplainResult) {
	if res.Tree == nil {
		pg.line(say(plain, "asks for nothing, which means everything"))
		return
	}
	pg.line(say(dim, "read as "), say(bold, res.Query.Parsed))
	pg.blank()
	pg.queryNode(res.Tree, "  ")
	for _, t := range res.Tiers {
		pg.blank()
		head := tierName(t.Tier)
		if t.Total > 0 {
			head += ": " + count(t.Total, "hit")
		}
		pg.line(say(bold, head))
		for _, w := range t.Words {
			terms := strings.Join(w.Terms, " ")
			if terms == "" {
				terms = "(no term of the index)"
			}
			pg.wrapped("  ", say(plain, w.Word), say(dim, " → "+terms))
		}
	}
}

func tierName(tier string) string {
	switch tier {
	case "exact":
		return "exact: as it stands"
	case "forms":
		return "forms: with other forms of the words"
	case "spelling":
		return "spelling: with words that are spelled alike"
	}
	return "any: with some of the words"
}

func (pg *page) queryNode(n *service.QueryNode, indent string) {
	s := n.Is
	switch {
	case n.Is == "any":
		s = n.Field + " is there"
	case n.Field != "":
		s = n.Field + " " + n.Value
	case n.Is == "time":
		if s = ""; n.From != "" {
			s = "from " + n.From
		}
		if n.To != "" {
			s = strings.TrimSpace(s + " before " + n.To)
		}
	case n.Text != "":
		s += " " + strconv.Quote(n.Text)
	}
	pg.line(span{indent, plain}, say(plain, s))
	for i := range n.Of {
		pg.queryNode(&n.Of[i], indent+"  ")
	}
}
