package cli

import (
	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) listCommand() *cobra.Command {
	var page paging
	var only filters
	var marked bool
	cmd := &cobra.Command{
		Use:     "list [QUERY...]",
		Short:   "List conversations, newest first",
		GroupID: find,
		Long:    `Lists conversations, newest first. The filters of a search narrow the list.`,
		Example: `  lore list
  lore list --source codex --since 7d
  lore list project:lantern type:main -n 0
  lore list --marked
  lore list tag:todo
  lore list --json --all`,
		Args: func(*cobra.Command, []string) error { return page.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			limit := page.limit
			if page.all {
				limit = 0
			}
			if marked {
				args = append(args[:len(args):len(args)], "is:marked")
			}
			res, err := svc.List(cmd.Context(), service.ListRequest{Query: only.query(args), Limit: limit, Cursor: page.cursor})
			if err != nil {
				return err
			}
			return p.printList(res)
		},
	}
	page.register(cmd.Flags(), 50, "all conversations: --limit 0")
	only.register(cmd)
	cmd.Flags().BoolVar(&marked, "marked", false, "only conversations with a star, a tag or a note, on them or in them")
	return cmd
}

func (p *Program) printList(res *service.ListResult) error {
	for _, w := range res.Warnings {
		p.remark(warningLine(w))
	}
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Conversations {
			if err := p.stdout.json(&res.Conversations[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		pg.conversations(res.Conversations)
		if pg.err != nil {
			return pg.err
		}
		if n := len(res.Conversations); res.Next != nil || n < res.Total {
			p.remark(number(int64(n)) + " of " + count(res.Total, "conversation") + ": --all lists every one")
		}
	}
	if len(res.Conversations) == 0 {
		if !p.flags.json && !p.flags.ndjson {
			p.remark("no conversation: `lore import` reads what is there, `lore sources` says where it is looked for")
		}
		return outcome(exitNothing)
	}
	return nil
}

// narrowList is the width below which a list has no room for projects and numbers of messages beside the titles.
const narrowList = 72

// conversations prints the table of a list.
func (pg *page) conversations(list []service.Listed) {
	if len(list) == 0 {
		return
	}
	t := table{head: true, cut: true}
	narrow := pg.width < narrowList
	add := func(id, when, source, project, messages, title span) {
		if narrow {
			t.add(id, when, source, title)
			return
		}
		t.add(id, when, source, project, messages, title)
	}
	add(span{"ID", dim}, span{"WHEN", dim}, span{"SOURCE", dim}, span{"PROJECT", dim}, span{"MSGS", dim}, span{"TITLE", dim})
	for i := range list {
		c := &list[i]
		add(say(quiet, c.ShortID), say(dim, pg.ago(c.EndedAt)), say(plain, c.Source), say(plain, cutTo(oneLine(projectName(c.Project)), 20)),
			span{number(int64(c.Messages)), plain}, titleSpan(&c.Header))
	}
	pg.table(t)
}

// titleSpan is a title with what sets the conversation apart before it.
func titleSpan(h *service.Header) span {
	title, st := h.Title, bold
	if title == "" {
		title, st = "(no title)", dim
	}
	if h.Kind != "" && h.Kind != "main" {
		title = string(h.Kind) + ": " + title
		st = plain
	}
	if !h.InSource {
		title = "† " + title // only the archive has it now
	}
	return say(st, signs(h.Marks)+title)
}
