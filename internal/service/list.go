package service

import (
	"context"

	"lore"
	"lore/internal/index"
)

// List returns conversations, newest first.
func (s *Service) List(ctx context.Context, req ListRequest) (*ListResult, error) {
	q, warnings, err := s.parse(req.Query)
	if err != nil {
		return nil, err
	}
	bound := append([]string{"list", req.Query}, req.Except...)
	offset, err := offsetOf(req.Cursor, bound...)
	if err != nil {
		return nil, err
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if q, err = l.except(q, req.Except); err != nil {
		return nil, s.failure(err)
	}
	page, err := l.index.List(ctx, q, index.ListOptions{Limit: req.Limit, Offset: offset, Marks: l.markedSo})
	if err != nil {
		return nil, s.failure(err)
	}
	res := &ListResult{Schema: "lore.list.v1", Total: page.Total, Conversations: make([]Listed, 0, len(page.Entries)), Warnings: warnings}
	if err := l.listed(page.Entries, res); err != nil {
		return nil, s.failure(err)
	}
	res.Next = nextCursor(offset, len(page.Entries), page.Total, bound...)
	return res, nil
}

// listed turns catalogue entries into what surfaces show of them.
func (l *library) listed(entries []index.Entry, res *ListResult) error {
	ids := make([]lore.ID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	short := l.short(ids)
	for i := range entries {
		e := &entries[i]
		c, err := e.Conversation()
		if err != nil {
			return err
		}
		header := headerOf(c, short[i], e.InSource)
		if header.Marks, err = l.marksOf(c.ID); err != nil {
			return err
		}
		gone, err := l.withoutOrigin(c)
		if err != nil {
			return err
		}
		res.Conversations = append(res.Conversations, Listed{Header: header, Messages: c.MessageCount, Losses: e.Losses + len(gone)})
	}
	return nil
}
