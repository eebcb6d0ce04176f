package service

import (
	"context"
	"errors"
	"time"

	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/query"
)

// ExplainRequest asks how a query is understood.
type ExplainRequest struct{ Query string }

// ExplainResult says how it is.
type ExplainResult struct {
	Schema   string      `json:"schema"` // "lore.query.v1"
	Query    QueryEcho   `json:"query"`
	Tree     *QueryNode  `json:"tree"`  // nil: the query asks for nothing, which means everything
	Tiers    []QueryTier `json:"tiers"` // the strictest first; empty where nothing was imported yet
	Warnings []Warning   `json:"warnings"`
}

// QueryNode is a part of a query.
type QueryNode struct {
	Is      string      `json:"is"` // "and", "or", "not", "word", "literal", "phrase", "prefix", "field", "any" (of a field) or "time"
	Text    string      `json:"text,omitempty"`
	Field   string      `json:"field,omitempty"`
	Value   string      `json:"value,omitempty"`
	Pattern bool        `json:"pattern,omitempty"` // a * in the value stands for anything
	From    string      `json:"from,omitempty"`    // a time, included
	To      string      `json:"to,omitempty"`      // a time, not included
	At      [2]int      `json:"at"`                // bytes of the query's text
	Of      []QueryNode `json:"of,omitempty"`
}

// QueryTier is what one rung of the fallback ladder asks for.
type QueryTier struct {
	Tier  string      `json:"tier"`
	Words []QueryWord `json:"words"`
	Total int         `json:"total"` // hits; 0 in tiers behind the one that answers
}

// QueryWord is a word of the query with the terms of the index that stand for it, the most frequent first.
type QueryWord struct {
	Word  string   `json:"word"`
	Terms []string `json:"terms"`
}

// Explain says how a query is understood: its tree, the terms that each tier takes for its words, and what answers.
// Nothing is imported for it.
func (s *Service) Explain(ctx context.Context, req ExplainRequest) (*ExplainResult, error) {
	q, warnings, err := s.parse(req.Query)
	if err != nil {
		return nil, err
	}
	res := &ExplainResult{Schema: "lore.query.v1", Query: QueryEcho{Text: req.Query, Parsed: query.Print(q.Root)}, Tiers: []QueryTier{}, Warnings: warnings}
	if q.Root == nil {
		return res, nil
	}
	tree := queryNode(q.Root)
	res.Tree = &tree
	l, err := s.tryOpen(ctx)
	if errors.Is(err, archive.ErrNone) || errors.Is(err, index.ErrNone) || errors.Is(err, index.ErrRebuild) {
		return res, nil
	}
	if err != nil {
		return nil, s.failure(err)
	}
	defer l.close()
	rungs, err := l.index.Ladder(ctx, q, index.Options{Now: s.Now(), Zone: s.Zone, Marks: l.markedSo})
	if err != nil {
		return nil, s.failure(err)
	}
	for _, r := range rungs {
		t := QueryTier{Tier: string(r.Tier), Words: []QueryWord{}, Total: r.Total}
		for _, w := range r.Words {
			t.Words = append(t.Words, QueryWord(w))
		}
		res.Tiers = append(res.Tiers, t)
	}
	return res, nil
}

func queryNode(n query.Node) QueryNode {
	at := n.Where()
	out := QueryNode{At: [2]int{at.From, at.To}}
	several := func(is string, of ...query.Node) {
		out.Is = is
		for _, n := range of {
			out.Of = append(out.Of, queryNode(n))
		}
	}
	switch n := n.(type) {
	case query.And:
		several("and", n.Of...)
	case query.Or:
		several("or", n.Of...)
	case query.Not:
		several("not", n.Of)
	case query.Word:
		out.Is, out.Text = "word", n.Text
	case query.Literal:
		out.Is, out.Text = "literal", n.Text
	case query.Phrase:
		out.Is, out.Text = "phrase", n.Text
	case query.Prefix:
		out.Is, out.Text = "prefix", n.Text
	case query.Match:
		out.Is, out.Field, out.Value, out.Pattern = "field", string(n.Field), n.Value, n.Glob
	case query.Exists:
		out.Is, out.Field = "any", string(n.Field)
	case query.When:
		out.Is = "time"
		if !n.From.IsZero() {
			out.From = n.From.Format(time.RFC3339)
		}
		if !n.To.IsZero() {
			out.To = n.To.Format(time.RFC3339)
		}
	}
	return out
}

// IsField reports whether the search language has a field of that name.
func IsField(name string) bool { return query.IsField(name) }

// Quoted writes a text so that the search language reads it as it stands.
func Quoted(text string) string { return query.Quote(text) }
