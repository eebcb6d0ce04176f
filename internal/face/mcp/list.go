package mcp

import (
	"context"
	"fmt"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// ListIn asks for conversations.
type ListIn struct {
	Query   string `json:"query,omitempty" jsonschema:"fields of search, e.g. project:api since:7d; none: all"`
	Limit   int    `json:"limit,omitempty" jsonschema:"conversations of a page, default 10, at most 50"`
	Session string `json:"session,omitempty" jsonschema:"your own session id or transcript path: left out"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

// ListOut is a page of conversations, newest first.
type ListOut struct {
	Total         int      `json:"total" jsonschema:"conversations on all pages"`
	Conversations []Listed `json:"conversations"`
	noted
	Next string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Listed is one conversation.
type Listed struct {
	ID       string       `json:"id" jsonschema:"id of the conversation"`
	From     string       `json:"from" jsonschema:"agent and day"`
	Messages int          `json:"messages"`
	Quote    frame.Quoted `json:"quote" jsonschema:"(project) title, in its frame"`
}

// titleChars is how much of a title is shown.
const titleChars = 120

func list(ctx context.Context, c *call, in ListIn) (*ListOut, error) {
	limit, err := limitOf(in.Limit)
	for _, e := range []error{err, bounded("query", in.Query, mostQuery), bounded("cursor", in.Cursor, mostID), bounded("session", in.Session, mostID)} {
		if e != nil {
			return nil, e
		}
	}
	res, err := ask(ctx, c.face, c.svc.List, service.ListRequest{Query: in.Query, Limit: limit, Cursor: in.Cursor, Except: c.own(in.Session)})
	if err != nil {
		return nil, err
	}
	out := &ListOut{Total: res.Total, Conversations: []Listed{}, Next: next(res.Next)}
	for _, w := range res.Warnings {
		out.note(warning(w))
	}
	for i := range res.Conversations {
		out.Conversations = append(out.Conversations, c.listed(&res.Conversations[i]))
	}
	return out, nil
}

// listed returns what is told of a conversation.
func (c *call) listed(x *service.Listed) Listed {
	title := x.Title
	if !c.opts.Reveal {
		title = withoutCredentials(title)
	}
	return Listed{ID: x.ShortID, From: from(x.Source, x.EndedAt), Messages: x.Messages, Quote: named(x.Project, oneLine(title, titleChars))}
}

func (o *ListOut) quotes() (all []*frame.Quoted) {
	for i := range o.Conversations {
		all = append(all, &o.Conversations[i].Quote)
	}
	return all
}

func (o *ListOut) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d conversations\n%s", o.Total, o.line())
	for i := range o.Conversations {
		c := &o.Conversations[i]
		fmt.Fprintf(&b, "%s %s %d messages %s\n", c.ID, c.From, c.Messages, c.Quote)
	}
	return b.String() + moreLine(o.Next)
}
