package mcp

import (
	"context"
	"fmt"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// SimilarIn asks what is like a message, a conversation or a text.
type SimilarIn struct {
	ID    string `json:"id,omitempty" jsonschema:"a message or conversation; or give text"`
	Text  string `json:"text,omitempty" jsonschema:"a text of your own, e.g. an error"`
	Limit int    `json:"limit,omitempty" jsonschema:"of each list, default 10, at most 50"`
}

// SimilarOut is what is like it.
type SimilarOut struct {
	Messages []Alike   `json:"messages" jsonschema:"copies first, then the more alike"`
	Related  []Related `json:"related" jsonschema:"conversations about the same, the most related first"`
	noted
}

// Alike is a message that says nearly the same.
type Alike struct {
	ID    string       `json:"id"`
	From  string       `json:"from" jsonschema:"agent, day and role"`
	How   string       `json:"how" jsonschema:"copy, same, near or holds"`
	Quote frame.Quoted `json:"quote" jsonschema:"(project) its words, in their frame"`
}

// Related is a conversation that has to do with the same.
type Related struct {
	ID     string       `json:"id"`
	From   string       `json:"from"`
	Score  float64      `json:"score" jsonschema:"share of what is telling that both have"`
	Quote  frame.Quoted `json:"quote" jsonschema:"(project) title, in its frame"`
	Shared frame.Quoted `json:"shared" jsonschema:"words, errors and files that both have, in their frame"`
}

// What is shown of a snippet, in characters, and how many of the things that two conversations share.
const (
	snippetChars = 240
	sharedMost   = 6
)

func similar(ctx context.Context, c *call, in SimilarIn) (*SimilarOut, error) {
	limit, err := limitOf(in.Limit)
	for _, e := range []error{err, bounded("id", in.ID, mostID), bounded("text", in.Text, mostTask)} {
		if e != nil {
			return nil, e
		}
	}
	res, err := ask(ctx, c.face, c.svc.Similar, service.SimilarRequest{ID: in.ID, Text: in.Text, Limit: limit})
	if err != nil {
		return nil, err
	}
	shown := func(s string) string {
		if c.opts.Reveal {
			return s
		}
		return withoutCredentials(s)
	}
	out := &SimilarOut{Messages: []Alike{}, Related: []Related{}}
	for i := range res.Messages {
		m := &res.Messages[i]
		out.Messages = append(out.Messages, Alike{ID: m.ShortID, From: from(m.Conversation.Source, m.At, string(m.Role)), How: m.How,
			Quote: named(m.Conversation.Project, oneLine(shown(m.Snippet), snippetChars))})
	}
	for i := range res.Related {
		r := &res.Related[i]
		var shared []string
		for _, s := range r.Shared[:min(sharedMost, len(r.Shared))] {
			shared = append(shared, s.Value)
		}
		out.Related = append(out.Related, Related{ID: r.Conversation.ShortID, From: r.Conversation.Source, Score: r.Score,
			Quote:  named(r.Conversation.Project, oneLine(shown(r.Conversation.Title), titleChars)),
			Shared: oneLine(shown(strings.Join(shared, ", ")), snippetChars)})
	}
	return out, nil
}

func (o *SimilarOut) quotes() (all []*frame.Quoted) {
	for i := range o.Messages {
		all = append(all, &o.Messages[i].Quote)
	}
	for i := range o.Related {
		all = append(all, &o.Related[i].Quote, &o.Related[i].Shared)
	}
	return all
}

func (o *SimilarOut) words() string {
	var b strings.Builder
	if len(o.Messages)+len(o.Related) == 0 {
		b.WriteString("nothing is like it\n")
	}
	b.WriteString(o.line())
	for i := range o.Messages {
		m := &o.Messages[i]
		fmt.Fprintf(&b, "%s %s %s %s\n", m.ID, m.From, m.How, m.Quote)
	}
	for i := range o.Related {
		r := &o.Related[i]
		fmt.Fprintf(&b, "%s %s related %.2f %s by %s\n", r.ID, r.From, r.Score, r.Quote, r.Shared)
	}
	return b.String()
}
