package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) markCommand() *cobra.Command {
	var req service.MarkRequest
	cmd := &cobra.Command{
		Use:     "mark ID",
		Short:   "Star, tag or annotate a conversation or message",
		GroupID: find,
		Long: `Puts a star, tags and notes on a conversation or a message, or takes them off, and prints what is on it then. Marks stay
where they are when the conversation grows, is imported again or gets another id. Find them with is:starred, is:marked,
tag:WORD and has:note.`,
		Example: `  lore mark 3k9vq7h2 --star --tag todo
  lore mark 3k9vq7h2 --note "the fix that held"
  lore mark 3k9vq7h2 --unstar --untag todo
  lore mark 3k9vq7h2 --remove`,
		Args: oneArg("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			req.ID = args[0]
			res, err := svc.Mark(cmd.Context(), req)
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.marked(res)
			return pg.err
		},
	}
	set := cmd.Flags()
	set.BoolVar(&req.Star, "star", false, "put a star on it")
	set.BoolVar(&req.Unstar, "unstar", false, "take the star off")
	set.StringArrayVar(&req.Tags, "tag", nil, "put this `word` on it")
	set.StringArrayVar(&req.Untags, "untag", nil, "take this `word` off")
	set.StringArrayVar(&req.Notes, "note", nil, "add a note with this `text`; notes before it stay")
	set.BoolVar(&req.Remove, "remove", false, "take off what --star, --tag and --note name; alone: everything")
	return cmd
}

// marked prints what is on a conversation or message.
func (pg *page) marked(res *service.MarkResult) {
	title := res.Conversation.Title
	if title == "" {
		title = "(no title)"
	}
	pg.wrapped("", say(bold, title))
	if len(res.Marks) == 0 {
		pg.line(say(dim, "no marks"))
	}
	for _, m := range res.Marks {
		pg.mark(m, "")
	}
	pg.line(say(quiet, res.ShortID))
}

// marks prints the marks of a conversation, those on its messages with their places.
func (r *reader) marks(h *service.Header) {
	for _, m := range h.Marks {
		on := ""
		if m.On != h.ID {
			on = "on " + m.On.Short()
		}
		r.mark(m, on)
	}
}

func (pg *page) mark(m service.Mark, on string) {
	on = prefixed("  ", on)
	switch m.Kind {
	case "star":
		pg.line(say(lit, "★ starred"), say(dim, on))
	case "tag":
		pg.line(say(quiet, "#"+m.Value), say(dim, on))
	default:
		pg.wrapped("", say(quiet, m.Kind+": "), say(plain, m.Value), say(dim, on))
	}
}

// signs are what stands before a title: a star where something is starred, and the tags, each once.
func signs(marks []service.Mark) string {
	var signs []string
	for _, m := range marks {
		sign := ""
		switch m.Kind {
		case "star":
			sign = "★"
		case "tag":
			sign = "#" + m.Value
		}
		if sign != "" && !slices.Contains(signs, sign) {
			signs = append(signs, sign)
		}
	}
	if len(signs) == 0 {
		return ""
	}
	return strings.Join(signs, " ") + " "
}
