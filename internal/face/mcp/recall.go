package mcp

import (
	"context"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// RecallIn asks for what helps with a task.
type RecallIn struct {
	Task    string `json:"task" jsonschema:"the task or question, in plain words"`
	Query   string `json:"query,omitempty" jsonschema:"fields of search that narrow it, e.g. project:api since:30d"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens of the answer, default 400"`
	Session string `json:"session,omitempty" jsonschema:"your own session id or transcript path: left out"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// RecallOut is the passages, the best first.
type RecallOut struct {
	Relevant bool      `json:"relevant" jsonschema:"false: nothing known answers it, the passages are only the nearest"`
	Passages []Passage `json:"passages"`
	noted
	Next string `json:"next,omitempty" jsonschema:"cursor for further passages"`
}

// Passage is a quote with what it is from.
type Passage struct {
	ID    string       `json:"id" jsonschema:"id of the message: cite it, or show it"`
	From  string       `json:"from" jsonschema:"agent and day"`
	Quote frame.Quoted `json:"quote" jsonschema:"transcript text in its frame; … marks what is left out"`
}

func recall(ctx context.Context, c *call, in RecallIn) (*RecallOut, error) {
	for _, err := range []error{bounded("task", in.Task, mostTask), bounded("query", in.Query, mostQuery),
		bounded("cursor", in.Cursor, mostID), bounded("session", in.Session, mostID)} {
		if err != nil {
			return nil, err
		}
	}
	res, err := ask(ctx, c.face, c.svc.Recall, service.RecallRequest{Task: in.Task, Query: in.Query, Budget: in.Budget, Cursor: in.Cursor,
		Reveal: c.opts.Reveal, Except: c.own(in.Session)})
	if err != nil {
		return nil, err
	}
	c.keepFresh(ctx, res.Coverage)
	out := &RecallOut{Relevant: res.Relevant, Passages: []Passage{}, Next: next(res.Next)}
	if !res.Relevant {
		out.note("nothing relevant is known")
		if len(res.Passages) > 0 {
			out.note("the passages are only the nearest")
		}
	}
	for i := range res.Passages {
		p := &res.Passages[i]
		out.Passages = append(out.Passages, Passage{ID: p.ShortID, From: from(p.Conversation.Source, p.At),
			Quote: named(p.Conversation.Project, said(p.Said))})
	}
	return out, nil
}

// said writes who said what, one after the other.
func said(list []service.Said) string {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(list[i].Role) + ": " + list[i].Text)
	}
	return b.String()
}

func (o *RecallOut) quotes() (all []*frame.Quoted) {
	for i := range o.Passages {
		all = append(all, &o.Passages[i].Quote)
	}
	return all
}

func (o *RecallOut) words() string {
	var b strings.Builder
	b.WriteString(o.line())
	for i := range o.Passages {
		b.WriteString(o.Passages[i].words())
	}
	return b.String() + moreLine(o.Next)
}

func (p *Passage) words() string { return p.ID + " " + p.From + "\n" + p.Quote + "\n" }
