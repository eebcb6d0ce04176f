package mcp

import (
	"context"
	"fmt"
	"strings"

	"lore/internal/frame"
	"lore/internal/service"
)

// SearchIn asks for messages.
type SearchIn struct {
	Query   string `json:"query" jsonschema:"words, and fields that narrow"`
	Limit   int    `json:"limit,omitempty" jsonschema:"hits of a page, default 10, at most 50"`
	All     bool   `json:"all,omitempty" jsonschema:"every hit of a conversation, not only its best"`
	Sort    string `json:"sort,omitempty" jsonschema:"relevance (default), newest or oldest"`
	Session string `json:"session,omitempty" jsonschema:"your own session id or transcript path: left out"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

// SearchOut is a page of hits, the best first.
type SearchOut struct {
	Total int         `json:"total" jsonschema:"hits on all pages"`
	Hits  []SearchHit `json:"hits"`
	noted
	Next string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// SearchHit is one message that was found.
type SearchHit struct {
	ID           string       `json:"id" jsonschema:"id of the message"`
	Conversation string       `json:"conversation" jsonschema:"id of its conversation"`
	From         string       `json:"from" jsonschema:"agent and day"`
	Quote        frame.Quoted `json:"quote" jsonschema:"(project) role: snippet, in its frame"`
	More         int          `json:"more,omitempty" jsonschema:"further hits in that conversation"`
}

// The number of things on a page.
const (
	usualLimit = 10
	mostLimit  = 50
)

// limitOf returns the size of a page.
func limitOf(n int) (int, error) {
	switch {
	case n == 0:
		return usualLimit, nil
	case n < 0 || n > mostLimit:
		return 0, fmt.Errorf("limit is 1 to %d, not %d; next leads to further pages", mostLimit, n)
	}
	return n, nil
}

func search(ctx context.Context, c *call, in SearchIn) (*SearchOut, error) {
	limit, err := limitOf(in.Limit)
	for _, e := range []error{err, bounded("query", in.Query, mostQuery), bounded("cursor", in.Cursor, mostID), bounded("session", in.Session, mostID)} {
		if e != nil {
			return nil, e
		}
	}
	res, err := ask(ctx, c.face, c.svc.Search, service.SearchRequest{Query: in.Query, Limit: limit, Cursor: in.Cursor, All: in.All, Sort: in.Sort,
		Except: c.own(in.Session)})
	if err != nil {
		return nil, err
	}
	c.keepFresh(ctx, res.Coverage)
	out := &SearchOut{Total: res.Total, Hits: []SearchHit{}, Next: next(res.Next)}
	for _, w := range res.Warnings {
		out.note(warning(w))
	}
	for i := range res.Hits {
		h := &res.Hits[i]
		snippet := h.Snippet
		if !c.opts.Reveal {
			snippet = frame.CredentialEdge(snippet)
		}
		out.Hits = append(out.Hits, SearchHit{ID: h.ShortID, Conversation: h.Conversation.ShortID, From: from(h.Conversation.Source, h.At),
			Quote: named(h.Conversation.Project, string(h.Role)+": "+snippet), More: h.MoreInConversation})
	}
	if len(out.Hits) > 0 && res.Hits[0].Tier != "exact" {
		out.note("no exact match: " + tiers[res.Hits[0].Tier])
	}
	return out, nil
}

// tiers says what the hits of a looser tier have.
var tiers = map[string]string{"forms": "other forms of the words", "spelling": "words that are spelled alike", "any": "some of the words only"}

// warning tells in one line what about a query may not be what was meant.
func warning(w service.Warning) string {
	s := oneLine(w.Message, 200)
	if w.DidYouMean != "" && !strings.Contains(s, w.DidYouMean) {
		s += fmt.Sprintf(": did you mean %q?", oneLine(w.DidYouMean, 80))
	}
	return s
}

func (o *SearchOut) quotes() (all []*frame.Quoted) {
	for i := range o.Hits {
		all = append(all, &o.Hits[i].Quote)
	}
	return all
}

func (o *SearchOut) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d found\n%s", o.Total, o.line())
	for i := range o.Hits {
		h := &o.Hits[i]
		fmt.Fprintf(&b, "%s in %s %s", h.ID, h.Conversation, h.From)
		if h.More > 0 {
			fmt.Fprintf(&b, " +%d", h.More)
		}
		b.WriteString("\n" + h.Quote + "\n")
	}
	return b.String() + moreLine(o.Next)
}

// keepFresh imports what is new in the background where an answer is from an old import.
func (f *face) keepFresh(ctx context.Context, c service.Coverage) {
	const old = 10 * 60 * 1e9
	if f.opts.Refresh && !c.AsOf.IsZero() && f.svc.Now().UnixNano()-c.AsOf.UnixNano() > old {
		f.refresh(context.WithoutCancel(ctx))
	}
}
