package cli

import (
	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) sourcesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "sources",
		Short:   "Say which agents' histories are on this machine",
		GroupID: know,
		Long:    `Says what was looked for, where, what was found, and what cannot be read and why.`,
		Example: "  lore sources\n  lore sources --home ~/backup/home --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Sources(cmd.Context())
			if err != nil {
				return err
			}
			return p.printSources(res)
		},
	}
}

func (p *Program) printSources(res *service.SourcesResult) error {
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Sources {
			if err := p.stdout.json(&res.Sources[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		pg.sources(res)
		if pg.err != nil {
			return pg.err
		}
	}
	for _, s := range res.Sources {
		for _, pl := range s.Places {
			if pl.State != "absent" {
				return nil
			}
		}
	}
	return outcome(exitNothing)
}

// sources prints what is there first, and then the names of what is not.
func (pg *page) sources(res *service.SourcesResult) {
	var absent []string
	for i := range res.Sources {
		s := &res.Sources[i]
		here := s.Conversations > 0
		for _, pl := range s.Places {
			here = here || pl.State != "absent"
		}
		if !here {
			absent = append(absent, s.Title)
			continue
		}
		pg.source(s)
		pg.blank()
	}
	for i, name := range absent {
		if i == 0 {
			pg.line(span{"Not on this machine:", dim})
		}
		pg.line(say(plain, "  "+name))
	}
}

func (pg *page) source(s *service.SourceStatus) {
	pg.line(say(bold, s.Title), say(dim, "  "+s.Source))
	if s.Conversations > 0 {
		facts := count(s.Conversations, "conversation") + ", " + count(s.Messages, "message")
		if !s.Oldest.IsZero() {
			facts += ", from " + pg.day(s.Oldest)
		}
		if !s.Newest.IsZero() {
			facts += ", newest " + pg.ago(s.Newest)
		}
		pg.line(say(plain, "  archived: "+facts))
	} else {
		pg.line(span{"  nothing archived yet: `lore import` reads it", alert})
	}
	var t table
	for _, pl := range s.Places {
		st := map[string]style{"found": green, "unreadable": danger}[pl.State]
		figures := ""
		if pl.State == "found" {
			figures = count(pl.Files, "file") + ", " + size(pl.Bytes)
		}
		t.add(say(st, "  "+pl.State), say(plain, pl.Path), say(dim, figures))
	}
	pg.table(t)
	for _, pl := range s.Places {
		for _, f := range pl.Failures {
			pg.wrapped("  ", say(danger, "cannot read "), say(plain, f.File+": "+f.Error))
		}
	}
	for _, n := range s.Notes {
		pg.wrapped("  ", say(dim, n))
	}
}
