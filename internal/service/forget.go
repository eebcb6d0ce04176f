package service

import (
	"context"
	"errors"
	"slices"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// ForgetRequest names conversations that are to go for good.
type ForgetRequest struct {
	IDs   []string // of conversations, as for Show
	Query string   // every conversation that a list with these filters has; empty: none
	Yes   bool     // false: say what would go, and change nothing
}

// ForgetResult is what went, or would go.
type ForgetResult struct {
	Schema        string            `json:"schema"` // "lore.forget.v1"
	Done          bool              `json:"done"`   // false: nothing was changed
	Conversations []ForgetThing     `json:"conversations"`
	Evidences     []ForgetEvidence  `json:"evidences"`
	AlsoIn        []ForgetElsewhere `json:"also_in"` // conversations that stay and hold copies of messages
}

// ForgetThing is a conversation that goes.
type ForgetThing struct {
	ID       lore.ID `json:"id"`
	ShortID  string  `json:"short_id"`
	Source   string  `json:"source"`
	Title    string  `json:"title"`
	Messages int     `json:"messages"`
	Because  string  `json:"because"` // "named", "query", or "subagent": one that goes has started it
}

// ForgetEvidence is an evidence of what goes.
type ForgetEvidence struct {
	File   string `json:"file"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"`
	Fate   string `json:"fate"`   // "removed", "blanked": only its lines of what goes; "stays": shared, and not made of lines
	Others int    `json:"others"` // conversations that it speaks of and that stay
}

// ForgetElsewhere is a conversation that shares messages with one that goes.
type ForgetElsewhere struct {
	ID      lore.ID `json:"id"`
	ShortID string  `json:"short_id"`
	Title   string  `json:"title"`
}

// Forget removes conversations from archive and index for good, and leaves tombstones so that no import brings them back.
func (s *Service) Forget(ctx context.Context, req ForgetRequest) (*ForgetResult, error) {
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	res, ids, err := s.toForget(ctx, l, req)
	l.close()
	if err != nil || len(ids) == 0 || !req.Yes {
		return res, s.failure(err)
	}
	options, err := s.importOptions(ImportRequest{Progress: s.Progress})
	if err != nil {
		return nil, err
	}
	var plan *ingest.ForgetPlan
	err = s.patiently(ctx, func() (err error) {
		plan, err = ingest.Forget(ctx, options, func(a *archive.Archive) (*ingest.ForgetPlan, error) {
			return s.planForget(a, ids)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Done, res.Evidences = true, []ForgetEvidence{}
	if plan != nil {
		res.evidences(plan)
	}
	return res, nil
}

// toForget finds what goes and what becomes of its evidences.
func (s *Service) toForget(ctx context.Context, l *library, req ForgetRequest) (*ForgetResult, []lore.ID, error) {
	res := &ForgetResult{Schema: "lore.forget.v1", Conversations: []ForgetThing{}, Evidences: []ForgetEvidence{}, AlsoIn: []ForgetElsewhere{}}
	ids, because, err := s.named(ctx, l, req)
	if err != nil {
		return nil, nil, err
	}
	if ids, err = l.withChildren(ids, because); err != nil {
		return nil, nil, err
	}
	short := l.short(ids)
	for i, id := range ids {
		e, err := l.index.Conversation(id)
		if err != nil {
			return nil, nil, err
		}
		c, err := e.Conversation()
		if err != nil {
			return nil, nil, err
		}
		res.Conversations = append(res.Conversations, ForgetThing{ID: id, ShortID: short[i], Source: e.Source, Title: c.Title,
			Messages: c.MessageCount, Because: because[id]})
		if err := l.elsewhere(res, ids, c); err != nil {
			return nil, nil, err
		}
	}
	plan, err := ingest.PlanForget(l.archive, l.index, s.Adapters, ids)
	if err != nil {
		return nil, nil, err
	}
	res.evidences(plan)
	return res, ids, nil
}

func (res *ForgetResult) evidences(plan *ingest.ForgetPlan) {
	for _, e := range plan.Evidences {
		res.Evidences = append(res.Evidences, ForgetEvidence{File: e.Path, Source: e.Source, Bytes: e.Bytes, Fate: string(e.Fate), Others: e.Others})
	}
}

// named returns the conversations that were asked for, each once.
func (s *Service) named(ctx context.Context, l *library, req ForgetRequest) (ids []lore.ID, because map[lore.ID]string, err error) {
	because = map[lore.ID]string{}
	add := func(id lore.ID, why string) {
		if because[id] == "" {
			because[id] = why
			ids = append(ids, id)
		}
	}
	for _, text := range req.IDs {
		m, err := l.resolve(text)
		if err != nil {
			return nil, nil, err
		}
		if m.IsMessage {
			return nil, nil, failf(Usage, nil, "%q is a message, and single messages cannot be forgotten; its conversation is %s", text, l.short([]lore.ID{m.Conversation})[0])
		}
		add(m.ID, "named")
	}
	if req.Query == "" {
		return ids, because, nil
	}
	q, _, err := s.parse(req.Query)
	if err != nil {
		return nil, nil, err
	}
	page, err := l.index.List(ctx, q, index.ListOptions{Marks: l.markedSo})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range page.Entries {
		add(e.ID, "query")
	}
	return ids, because, nil
}

// withChildren adds the conversations that those which go have started: what a sub-agent did is a part of them.
func (l *library) withChildren(ids []lore.ID, because map[lore.ID]string) ([]lore.ID, error) {
	for i := 0; i < len(ids); i++ {
		children, err := l.index.Children(ids[i])
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if because[c.ID] == "" {
				because[c.ID] = "subagent"
				ids = append(ids, c.ID)
			}
		}
	}
	return ids, nil
}

// elsewhere notes conversations that stay and share messages with one that goes.
func (l *library) elsewhere(res *ForgetResult, ids []lore.ID, c *lore.Conversation) error {
	near, err := l.index.Continuing(c.ID)
	if err != nil {
		return err
	}
	if c.Lineage != nil && c.Lineage.Shared > 0 {
		of, err := l.index.Conversation(c.Lineage.Of)
		if err == nil {
			near = append(near, *of)
		} else if !errors.Is(err, index.ErrNotFound) {
			return err
		}
	}
	for _, e := range near {
		if slices.Contains(ids, e.ID) || slices.ContainsFunc(res.AlsoIn, func(x ForgetElsewhere) bool { return x.ID == e.ID }) {
			continue
		}
		header, err := e.Conversation()
		if err != nil {
			return err
		}
		res.AlsoIn = append(res.AlsoIn, ForgetElsewhere{ID: e.ID, ShortID: l.short([]lore.ID{e.ID})[0], Title: header.Title})
	}
	return nil
}

// planForget makes the plan under the import lock: what an import has brought meanwhile is in it.
func (s *Service) planForget(a *archive.Archive, ids []lore.ID) (*ingest.ForgetPlan, error) {
	dir, err := ingest.IndexDir(s.Dir)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(dir, index.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	var still []lore.ID
	for _, id := range ids {
		if _, err := x.Conversation(id); err == nil {
			still = append(still, id)
		} else if !errors.Is(err, index.ErrNotFound) {
			return nil, err
		}
	}
	return ingest.PlanForget(a, x, s.Adapters, still)
}
