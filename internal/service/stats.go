package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"lore"
	"lore/internal/index"
	"lore/internal/query"
)

// StatsRequest asks for counts.
type StatsRequest struct {
	Query string // filters and words of the query language; empty: everything
}

// StatsResult counts the messages that answer a query, and their conversations. Days and hours are those of Zone. Tokens
// are of whole conversations: agents do not count them by the message.
type StatsResult struct {
	Schema        string       `json:"schema"` // "lore.stats.v1"
	Query         QueryEcho    `json:"query"`
	ElapsedMS     int64        `json:"elapsed_ms"`
	Zone          string       `json:"zone"`
	Conversations int          `json:"conversations"`
	Messages      int          `json:"messages"`
	Exact         bool         `json:"exact"` // false: some texts were not read, there may be more
	First         lore.Time    `json:"first"` // message with a time
	Last          lore.Time    `json:"last"`
	Tokens        *lore.Usage  `json:"tokens"` // null where no agent counted any
	Sources       []Spent      `json:"sources"`
	Projects      []Spent      `json:"projects"`
	Roles         []FacetShare `json:"roles"`
	Models        []FacetShare `json:"models"`
	Tools         []FacetShare `json:"tools"`
	Days          []FacetShare `json:"days"`  // with messages, in order
	Hours         [7][24]int   `json:"hours"` // messages by weekday, Monday first, and hour
	Warnings      []Warning    `json:"warnings,omitempty"`
}

// Spent is a source or project with the tokens of its conversations; null where none were counted.
type Spent struct {
	FacetShare
	Tokens *lore.Usage `json:"tokens"`
}

// Stats counts what was imported.
func (s *Service) Stats(ctx context.Context, req StatsRequest) (*StatsResult, error) {
	began := s.Now()
	q, warnings, err := s.parse(req.Query)
	if err != nil {
		return nil, err
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	t, err := l.index.Tally(ctx, q, index.Options{Zone: s.zone(), Now: s.Now(), Marks: l.markedSo}, index.Facets...)
	if err != nil {
		return nil, s.failure(err)
	}
	res := &StatsResult{Schema: "lore.stats.v1", Query: QueryEcho{Text: req.Query, Parsed: query.Print(q.Root)}, Zone: s.zone().String(),
		Conversations: t.Conversations, Messages: t.Messages, Exact: t.Exact, First: stamp(t.First), Last: stamp(t.Last),
		Roles: shares(t, index.ByRole), Models: shares(t, index.ByModel), Tools: shares(t, index.ByTool), Days: shares(t, index.ByDay),
		Hours: t.Hours, Warnings: warnings}
	if err := res.spend(l, t); err != nil {
		return nil, s.failure(err)
	}
	res.ElapsedMS = s.Now().Sub(began).Milliseconds()
	return res, nil
}

// stamp is a time of the index as records have it.
func stamp(t time.Time) lore.Time {
	if t.IsZero() {
		return lore.Time{}
	}
	return lore.NewTime(t.UnixNano(), 3, false)
}

// spend sums up the tokens of the conversations in a tally.
func (res *StatsResult) spend(l *library, t *index.Tally) error {
	bySource, byProject := map[string]*lore.Usage{}, map[string]*lore.Usage{}
	err := l.index.Each(func(e index.Entry) error {
		if !t.Has(e.Row) {
			return nil
		}
		var c struct {
			Usage   *lore.Usage  `json:"usage"`
			Project lore.Project `json:"project"`
		}
		if err := json.Unmarshal(e.Header, &c); err != nil {
			return fmt.Errorf("facts of conversation %s: %w: %w", e.ID.Short(), index.ErrRebuild, err)
		}
		if c.Usage == nil {
			return nil
		}
		res.Tokens = plus(res.Tokens, c.Usage)
		bySource[e.Source] = plus(bySource[e.Source], c.Usage)
		project := projectOf(c.Project)
		byProject[project] = plus(byProject[project], c.Usage)
		return nil
	})
	res.Sources, res.Projects = spent(shares(t, index.BySource), bySource), spent(shares(t, index.ByProject), byProject)
	return err
}

// projectOf is what the index counts a project by.
func projectOf(p lore.Project) string {
	for _, s := range []string{p.Name, p.Dir} {
		if s != "" {
			return s
		}
	}
	return p.Remote
}

// plus adds tokens to a sum; nil is a sum of none.
func plus(sum, u *lore.Usage) *lore.Usage {
	if sum == nil {
		sum = &lore.Usage{}
	}
	sum.Input += u.Input
	sum.Output += u.Output
	sum.CacheRead += u.CacheRead
	sum.CacheWrite += u.CacheWrite
	return sum
}

func spent(all []FacetShare, tokens map[string]*lore.Usage) []Spent {
	out := make([]Spent, 0, len(all))
	for _, x := range all {
		out = append(out, Spent{x, tokens[x.Value]})
	}
	return out
}
