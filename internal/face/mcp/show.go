package mcp

import (
	"context"
	"fmt"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// ShowIn asks for a conversation or a message.
type ShowIn struct {
	ID      string `json:"id" jsonschema:"id of a conversation or message, or the beginning of one"`
	Context *int   `json:"context,omitempty" jsonschema:"neighbours on each side of a message, default 2, at most 20"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens of a page, default 800"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

// ShowOut is a page of it.
type ShowOut struct {
	Conversation Listed  `json:"conversation"`
	Of           string  `json:"of,omitempty" jsonschema:"which messages of an outline this page has"`
	Messages     []Shown `json:"messages"`
	noted
	Next string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Shown is one message, or the head of it.
type Shown struct {
	ID     string       `json:"id" jsonschema:"id of the message"`
	Role   string       `json:"role"`
	Quote  frame.Quoted `json:"quote" jsonschema:"what it says, in its frame"`
	Tokens int          `json:"tokens,omitempty" jsonschema:"of the whole message, where only its head is here"`
	State  string       `json:"state,omitempty" jsonschema:"inactive: rewound or superseded; queued, compaction, ..."`
}

// Neighbours of a message.
const (
	usualContext = 2
	mostContext  = 20
)

func show(ctx context.Context, c *call, in ShowIn) (*ShowOut, error) {
	if err := bounded("id", in.ID, mostID); err != nil {
		return nil, err
	}
	if err := bounded("cursor", in.Cursor, mostID); err != nil {
		return nil, err
	}
	near := usualContext
	if in.Context != nil {
		near = *in.Context
	}
	if near < 0 || near > mostContext {
		return nil, fmt.Errorf("context is 0 to %d, not %d", mostContext, near)
	}
	res, err := ask(ctx, c.face, c.svc.Read, service.ReadRequest{ID: bareID(in.ID),
		Context: near, Budget: in.Budget, Cursor: in.Cursor, Reveal: c.opts.Reveal})
	if err != nil {
		return nil, err
	}
	return c.shown(res), nil
}

// shown returns a page as it is told.
func (c *call) shown(res *service.ReadResult) *ShowOut {
	out := &ShowOut{Conversation: c.listed(&res.Conversation), Messages: []Shown{}, Next: next(res.Next)}
	if res.Message == "" {
		out.Of = fmt.Sprintf("%d-%d of %d", res.From, res.From+len(res.Turns)-1, res.Total)
	}
	for i := range res.Turns {
		t := &res.Turns[i]
		m := Shown{ID: t.ShortID, Role: string(t.Role), Quote: t.Text, State: t.Subtype}
		if t.Cut {
			m.Tokens = t.Tokens
			m.Quote = strings.TrimRight(m.Quote, " \n") + " …"
		}
		if !t.Active {
			m.State = strings.TrimSpace("inactive " + t.Subtype)
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

func (o *ShowOut) quotes() []*frame.Quoted {
	all := []*frame.Quoted{&o.Conversation.Quote}
	for i := range o.Messages {
		all = append(all, &o.Messages[i].Quote)
	}
	return all
}

func (o *ShowOut) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "conversation %s %s %s\n%s", o.Conversation.ID, o.Conversation.From, o.Conversation.Quote, o.line())
	if o.Of != "" {
		b.WriteString("messages " + o.Of + "\n")
	}
	for i := range o.Messages {
		m := &o.Messages[i]
		b.WriteString(m.ID + " " + m.Role)
		if m.State != "" {
			b.WriteString(" " + m.State)
		}
		if m.Tokens > 0 {
			fmt.Fprintf(&b, " (head of %d tokens)", m.Tokens)
		}
		b.WriteString(": " + m.Quote + "\n")
	}
	return b.String() + moreLine(o.Next)
}
