package mcp

import (
	"context"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// MarkIn puts marks on a conversation or message, or takes them off.
type MarkIn struct {
	ID     string   `json:"id" jsonschema:"id of a conversation or message"`
	Star   bool     `json:"star,omitempty"`
	Unstar bool     `json:"unstar,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"words to put on it; search finds tag:word"`
	Untags []string `json:"untags,omitempty" jsonschema:"words to take off"`
	Note   string   `json:"note,omitempty" jsonschema:"one more note on it"`
}

// MarkOut is what it is marked with then.
type MarkOut struct {
	ID      string         `json:"id"`
	Changed bool           `json:"changed"`
	Starred bool           `json:"starred"`
	Tags    []string       `json:"tags"`
	Notes   []frame.Quoted `json:"notes" jsonschema:"in their frames"`
	noted
}

func mark(ctx context.Context, c *call, in MarkIn) (*MarkOut, error) {
	if err := bounded("id", in.ID, mostID); err != nil {
		return nil, err
	}
	req := service.MarkRequest{ID: bareID(in.ID), Star: in.Star, Unstar: in.Unstar, Tags: in.Tags, Untags: in.Untags}
	if in.Note != "" {
		req.Notes = []string{in.Note}
	}
	res, err := ask(ctx, c.face, c.svc.Mark, req)
	if err != nil {
		return nil, err
	}
	out := &MarkOut{ID: res.ShortID, Changed: res.Changed, Tags: []string{}, Notes: []frame.Quoted{}}
	for _, m := range res.Marks {
		switch m.Kind {
		case "star":
			out.Starred = true
		case "tag":
			out.Tags = append(out.Tags, m.Value)
		case "note":
			out.Notes = append(out.Notes, m.Value)
		}
	}
	return out, nil
}

func (o *MarkOut) quotes() (all []*frame.Quoted) {
	for i := range o.Tags {
		all = append(all, &o.Tags[i])
	}
	for i := range o.Notes {
		all = append(all, &o.Notes[i])
	}
	return all
}

func (o *MarkOut) words() string {
	var b strings.Builder
	b.WriteString(o.line() + o.ID)
	if o.Starred {
		b.WriteString(" starred")
	}
	for _, t := range o.Tags {
		b.WriteString(" #" + t)
	}
	b.WriteByte('\n')
	for _, n := range o.Notes {
		b.WriteString("note " + n + "\n")
	}
	return b.String()
}
