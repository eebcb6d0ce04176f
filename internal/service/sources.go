package service

import (
	"context"
	"errors"

	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// Sources says what was looked for, where, what was found, and what cannot be read.
func (s *Service) Sources(ctx context.Context) (*SourcesResult, error) {
	res := &SourcesResult{Schema: "lore.sources.v1", Sources: []SourceStatus{}}
	at := map[string]int{}
	status := func(source string) *SourceStatus {
		i, ok := at[source]
		if !ok {
			i = len(res.Sources)
			at[source] = i
			res.Sources = append(res.Sources, SourceStatus{Source: source, Title: source, Places: []PlaceStatus{}, Notes: []string{}})
		}
		return &res.Sources[i]
	}
	conf, err := s.configuration()
	if err != nil {
		return nil, err
	}
	infos := map[string]adapter.Info{}
	for _, a := range s.Adapters {
		info := a.Info()
		main := info.Stores[0].Source
		infos[main] = info
		for _, root := range info.Roots {
			status(root.Source)
		}
		own := status(main)
		own.Title, own.Notes = info.Title, append(own.Notes, info.Notes...)
	}
	for _, place := range ingest.Survey(ctx, s.machine(), s.Adapters, conf.Exclude) {
		st := status(place.Source)
		st.Places = append(st.Places, placeStatus(place))
		if note := s.retentionNote(infos[place.Source], place); note != "" {
			st.Notes = append(st.Notes, note)
		}
	}
	for i := range res.Sources {
		if st := &res.Sources[i]; conf.Exclude.Source(st.Source) {
			st.Excluded = true
			st.Notes = append(st.Notes, "left out of imports by the configuration: `lore config remove exclude.sources "+st.Source+"` takes it in again")
		}
	}
	return res, s.failure(s.countArchived(ctx, status))
}

func placeStatus(p ingest.Surveyed) PlaceStatus {
	out := PlaceStatus{Path: p.Name, State: "absent", Files: p.Files, Bytes: p.Bytes, Excluded: p.Excluded, Failures: []Fault{}}
	switch {
	case p.Found:
		out.State = "found"
	case p.Err != nil:
		out.State = "unreadable"
		out.Failures = append(out.Failures, Fault{Source: p.Source, File: p.Name, Error: p.Err.Error()})
	}
	for _, f := range p.Failures {
		out.Failures = append(out.Failures, Fault{Source: f.Source, File: f.File, Error: f.Err.Error()})
	}
	return out
}

// countArchived adds what the archive holds of each source. An archive that is not there holds nothing.
func (s *Service) countArchived(ctx context.Context, status func(string) *SourceStatus) error {
	l, err := s.tryOpen(ctx)
	if errors.Is(err, archive.ErrNone) || errors.Is(err, index.ErrNone) || errors.Is(err, index.ErrRebuild) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.close()
	return l.index.Each(func(e index.Entry) error {
		c, err := e.Conversation()
		if err != nil {
			return err
		}
		st := status(e.Source)
		st.Conversations++
		st.Messages += c.MessageCount
		if !c.EndedAt.IsZero() && st.Newest.Before(c.EndedAt) {
			st.Newest = c.EndedAt
		}
		if !c.StartedAt.IsZero() && (st.Oldest.IsZero() || c.StartedAt.Before(st.Oldest)) {
			st.Oldest = c.StartedAt
		}
		return nil
	})
}
