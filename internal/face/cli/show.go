package cli

import (
	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) showCommand() *cobra.Command {
	var neighbours int
	var full bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Read one conversation, or one message with its neighbours",
		GroupID: find,
		Long: `Prints a conversation, or a message with its neighbours. An id may be shortened to any four or more of its first
characters that no other id begins with. On a terminal long texts are cut; --full prints them whole.`,
		Example: `  lore show 3k9vq7h2
  lore show 3k9vq7h2 --full | less
  lore show 3k9vq7h2 --context 5
  lore show 3k9vq7h2 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if neighbours < 0 {
				return usage("--context is 0 or more, not %d", neighbours)
			}
			return oneArg("ID")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Show(cmd.Context(), service.ShowRequest{ID: args[0], Context: neighbours})
			if err != nil {
				return err
			}
			return p.printShow(res, full)
		},
	}
	cmd.Flags().IntVar(&neighbours, "context", 3, "this `number` of messages on each side of a message")
	cmd.Flags().BoolVar(&full, "full", false, "print long texts whole")
	return cmd
}

func (p *Program) printShow(res *service.ShowResult, full bool) error {
	if p.flags.json || p.flags.ndjson {
		if res.Conversation != nil {
			if p.flags.ndjson {
				return p.printMessages(res.Conversation.Messages)
			}
			return p.stdout.json(res.Conversation)
		}
		return p.stdout.json(res.Message)
	}
	pg := p.newPage()
	r := reader{page: pg, full: full || !pg.person}
	switch {
	case res.Conversation != nil:
		r.conversation(res.Conversation)
	case res.Message != nil:
		r.message(res.Message)
	}
	if pg.err == nil && r.cut {
		p.remark("long texts are cut: --full prints them whole")
	}
	return pg.err
}

func (p *Program) printMessages(list []lore.Message) error {
	for i := range list {
		if err := p.stdout.json(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// reader prints messages as a conversation that can be read.
type reader struct {
	*page
	full bool
	cut  bool   // a text was cut
	last string // the date that was printed last
}

func (r *reader) conversation(c *service.Shown) {
	r.header(&c.Header, len(c.Messages))
	for i := range c.Messages {
		r.blank()
		r.turn(&c.Messages[i], false)
	}
	if len(c.Losses) > 0 {
		r.blank()
		r.lossReport(c.Losses)
	}
}

func (r *reader) message(m *service.MessageShown) {
	r.header(&m.Conversation.Header, m.Conversation.Messages)
	for i := range m.Before {
		r.blank()
		r.turn(&m.Before[i], false)
	}
	r.blank()
	r.turn(&m.Message, true)
	for i := range m.After {
		r.blank()
		r.turn(&m.After[i], false)
	}
	r.blank()
	r.line(span{"the whole conversation: ", dim}, say(quiet, "lore show "+m.Conversation.ShortID))
}

// header prints what a conversation is.
func (r *reader) header(h *service.Header, messages int) {
	title := h.Title
	if title == "" {
		title = "(no title)"
	}
	r.wrapped("", say(bold, title))
	facts := []string{h.Source}
	if dir := h.Project.Dir; dir != "" {
		facts = append(facts, dir)
	} else if name := projectName(h.Project); name != "" {
		facts = append(facts, name)
	}
	if h.Project.Branch != "" {
		facts = append(facts, "branch "+h.Project.Branch)
	}
	if !h.StartedAt.IsZero() {
		facts = append(facts, r.day(h.StartedAt))
	}
	facts = append(facts, count(messages, "message"))
	facts = append(facts, h.Models...)
	if u := h.Usage; u != nil {
		facts = append(facts, count(int(u.Input+u.Output+u.CacheRead+u.CacheWrite), "token"))
	}
	r.facts("", dim, facts)
	r.relations(h)
	r.marks(h)
	r.line(say(quiet, h.ShortID))
}

// relations says where the conversation comes from and what has become of it.
func (r *reader) relations(h *service.Header) {
	if h.Kind != "" && h.Kind != lore.Main {
		by := ""
		if h.Parent != nil && !h.Parent.ID.IsZero() {
			by = " of " + h.Parent.ID.Short()
		}
		r.line(say(dim, string(h.Kind)+by))
	}
	if l := h.Lineage; l != nil {
		r.line(say(dim, string(l.Kind)+" of "+l.Of.Short()+", "+count(l.Shared, "message")+" shared"))
	}
	if !h.InSource {
		r.line(span{"the agent has deleted it: this is the archive's", alert})
	}
	if h.Archived {
		r.line(span{"archived by the agent", dim})
	}
}
