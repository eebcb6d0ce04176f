package mcp

import (
	"context"
	"fmt"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// SourcesIn asks for nothing in particular.
type SourcesIn struct{}

// SourcesOut says what is archived of each agent.
type SourcesOut struct {
	Sources []Source `json:"sources"`
	Absent  []string `json:"absent" jsonschema:"agents that lore reads and that have no history here"`
	noted
}

// Source is one agent's history.
type Source struct {
	Source        string         `json:"source" jsonschema:"the value of source: in a query"`
	Conversations int            `json:"conversations"`
	Messages      int            `json:"messages"`
	Newest        string         `json:"newest,omitempty" jsonschema:"day of the newest conversation"`
	Faults        []frame.Quoted `json:"faults,omitempty" jsonschema:"what cannot be read and why, in its frame"`
}

func sources(ctx context.Context, c *call, _ SourcesIn) (*SourcesOut, error) {
	res, err := ask(ctx, c.face, func(ctx context.Context, _ struct{}) (*service.SourcesResult, error) { return c.svc.Sources(ctx) }, struct{}{})
	if err != nil {
		return nil, err
	}
	out := &SourcesOut{Sources: []Source{}, Absent: []string{}}
	for i := range res.Sources {
		x := &res.Sources[i]
		s := Source{Source: x.Source, Conversations: x.Conversations, Messages: x.Messages}
		if !x.Newest.IsZero() {
			s.Newest = from("", x.Newest)[1:]
		}
		found := x.Conversations > 0
		for _, p := range x.Places {
			found = found || p.State != "absent"
			for _, f := range p.Failures {
				s.Faults = append(s.Faults, oneLine(f.File+": "+f.Error, 300))
			}
		}
		if found {
			out.Sources = append(out.Sources, s)
		} else if len(x.Places) > 0 {
			out.Absent = append(out.Absent, s.Source)
		}
	}
	return out, nil
}

func (o *SourcesOut) quotes() (all []*frame.Quoted) {
	for i := range o.Sources {
		for k := range o.Sources[i].Faults {
			all = append(all, &o.Sources[i].Faults[k])
		}
	}
	return all
}

func (o *SourcesOut) words() string {
	var b strings.Builder
	b.WriteString(o.line())
	for i := range o.Sources {
		s := &o.Sources[i]
		fmt.Fprintf(&b, "%s: %d conversations, %d messages", s.Source, s.Conversations, s.Messages)
		if s.Newest != "" {
			b.WriteString(", newest " + s.Newest)
		}
		b.WriteByte('\n')
		for _, f := range s.Faults {
			b.WriteString("cannot read " + f + "\n")
		}
	}
	if len(o.Absent) > 0 {
		b.WriteString("none of: " + strings.Join(o.Absent, ", ") + "\n")
	}
	return b.String()
}
