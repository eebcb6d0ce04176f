package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"lore"
	"lore/internal/index"
	"lore/internal/query"
)

// staleAfter is the age of the last import from which on a search says how old it is.
const staleAfter = 10 * time.Minute

// Search answers a query from what was imported.
func (s *Service) Search(ctx context.Context, req SearchRequest) (*SearchResult, error) {
	began := s.Now()
	q, warnings, err := s.parse(req.Query)
	if err != nil {
		return nil, err
	}
	if q.Root == nil {
		return nil, failf(Usage, nil, "the query %q asks for nothing; give a word, or `lore list` for all conversations", req.Query)
	}
	sort, err := sortOf(req.Sort)
	if err != nil {
		return nil, err
	}
	facets, err := facetsOf(req.Facets)
	if err != nil {
		return nil, err
	}
	bound := append([]string{"search", req.Query, req.Sort, strconv.FormatBool(req.All)}, req.Except...)
	offset, err := offsetOf(req.Cursor, bound...)
	if err != nil {
		return nil, err
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	asked := q.Root
	if q, err = l.except(q, req.Except); err != nil {
		return nil, s.failure(err)
	}
	found, err := l.index.Search(ctx, q, index.Options{Limit: req.Limit, Offset: offset, All: req.All, Sort: sort, Now: s.Now(), Zone: s.Zone, Marks: l.markedSo, Facets: facets, Explain: req.Explain})
	if err != nil {
		return nil, s.failure(err)
	}
	res := &SearchResult{Schema: "lore.search.v1", Query: QueryEcho{Text: req.Query, Parsed: query.Print(asked)},
		Total: found.Total, TotalIsExact: found.TotalIsExact, Warnings: warnings, Hits: []Hit{}, Facets: facetCounts(found.Tally),
		Coverage: coverage(found.Coverage), Stale: s.Now().Sub(found.Coverage.AsOf) > staleAfter}
	if res.Hits, err = l.hits(found.Hits); err != nil {
		return nil, s.failure(err)
	}
	if found.Weak {
		res.Warnings = append(res.Warnings, Warning{Code: "weak", Message: "even the best hit is unlikely to answer the query"})
	}
	if w, ok := wordless(asked); ok {
		res.Warnings = append(res.Warnings, w)
	}
	if found.More {
		next := cursorFor(offset+len(res.Hits), bound...)
		res.Next = &next
	}
	res.ElapsedMS = s.Now().Sub(began).Milliseconds()
	return res, nil
}

// wordless warns of a query for text without a letter or a digit, which is looked for in a bounded number of messages.
func wordless(root query.Node) (Warning, bool) {
	words, none := 0, ""
	query.Walk(root, func(leaf query.Node, asked bool) {
		text := ""
		switch n := leaf.(type) {
		case query.Word:
			text = n.Text
		case query.Literal:
			text = n.Text
		case query.Phrase:
			text = n.Text
		case query.Prefix:
			text = n.Text
		default:
			return
		}
		switch {
		case !asked:
		case strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r > unicode.MaxLatin1 }) >= 0:
			words++
		case none == "":
			none = text
		}
	})
	return Warning{Code: "no_words", Message: fmt.Sprintf("%q has no letter or digit, and the index has only words: `lore grep -F` finds it everywhere, or put a word beside it", none)},
		none != "" && words == 0
}

func sortOf(name string) (index.Sort, error) {
	switch name {
	case "", "relevance":
		return index.ByRelevance, nil
	case "newest":
		return index.NewestFirst, nil
	case "oldest":
		return index.OldestFirst, nil
	}
	return index.ByRelevance, failf(Usage, nil, "unknown order %q; use relevance, newest or oldest", name)
}

// parse reads a query in the user's zone.
func (s *Service) parse(text string) (query.Query, []Warning, error) {
	q, found, err := query.Parse(text, query.Env{Now: s.Now(), Zone: s.Zone, Sources: s.sourceNames(), Home: s.Home})
	var e *query.Error
	if errors.As(err, &e) {
		return q, nil, failf(Usage, err, "%s", e.Message)
	}
	if err != nil {
		return q, nil, s.failure(err)
	}
	warnings := []Warning{}
	for _, w := range found {
		warnings = append(warnings, Warning{Code: w.Code, Message: w.Message, DidYouMean: w.DidYouMean})
	}
	return q, warnings, nil
}

// sourceNames are the values that source: may have.
func (s *Service) sourceNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, a := range s.Adapters {
		for _, store := range a.Info().Stores {
			if !seen[store.Source] {
				seen[store.Source] = true
				names = append(names, store.Source)
			}
		}
	}
	return names
}

func coverage(c index.Coverage) Coverage {
	out := Coverage{Conversations: c.Conversations, Searched: c.Conversations, State: "complete"}
	if !c.AsOf.IsZero() {
		out.AsOf = lore.NewTime(c.AsOf.UnixNano(), 3, false)
	}
	return out
}

func whyOf(w *index.Why) *Why {
	if w == nil {
		return nil
	}
	out := &Why{Parts: []ScorePart{}, Words: []ScoreWord{}}
	for _, p := range w.Parts {
		out.Parts = append(out.Parts, ScorePart{p.Name, p.Value})
	}
	for _, x := range w.Words {
		out.Words = append(out.Words, ScoreWord(x))
	}
	return out
}

// hits turns what the index found into what surfaces show.
func (l *library) hits(found []index.Hit) ([]Hit, error) {
	var ids []lore.ID
	for i := range found {
		ids = append(ids, found[i].Message, found[i].Conversation.ID)
	}
	short := l.short(ids)
	hits := make([]Hit, 0, len(found))
	for i := range found {
		f := &found[i]
		c, err := f.Conversation.Conversation()
		if err != nil {
			return nil, err
		}
		h := Hit{ID: f.Message, ShortID: short[2*i], ContentID: f.Content, Role: f.Role, At: f.At, Active: f.Active, Kind: f.Kind,
			Score: f.Score, Tier: string(f.Tier), Snippet: f.Snippet, Ranges: f.Ranges, AlsoIn: []Copy{},
			MoreInConversation: f.More, Why: whyOf(f.Why), Origin: f.Origin,
			Conversation: HitOf{ID: c.ID, ShortID: short[2*i+1], NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}}
		if h.Marks, err = l.marksAt(f.Message, c.ID); err != nil {
			return nil, err
		}
		if h.Ranges == nil {
			h.Ranges = [][2]int{}
		}
		for _, x := range f.AlsoIn {
			h.AlsoIn = append(h.AlsoIn, Copy(x))
		}
		hits = append(hits, h)
	}
	return hits, nil
}
