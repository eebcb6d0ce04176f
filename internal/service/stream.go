package service

import (
	"context"
	"iter"
)

// ImportEvent is one thing that happens in an import: how far it is, or, as the last event, what it did.
type ImportEvent struct {
	Progress Progress
	Report   *ImportResult // of the last event; nil before
}

// ImportEvents imports and yields what happens: progress, at most some times a second and never waiting for a slow
// reader, then the report. An error ends the stream and is the last thing in it. Breaking off ends the import cleanly:
// what was finished is kept.
func (s *Service) ImportEvents(ctx context.Context, req ImportRequest) iter.Seq2[ImportEvent, error] {
	return func(yield func(ImportEvent, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		type end struct {
			res *ImportResult
			err error
		}
		told, done := make(chan Progress, 1), make(chan end, 1)
		req.Progress = func(p Progress) {
			select {
			case told <- p:
			default: // the reader has not taken the one before: the next one says more
			}
		}
		go func() {
			res, err := s.Import(ctx, req)
			done <- end{res, err}
		}()
		for {
			select {
			case p := <-told:
				if !yield(ImportEvent{Progress: p}, nil) {
					stop()
					<-done // no import goes on behind the back of who broke it off
					return
				}
			case e := <-done:
				yield(ImportEvent{Report: e.res}, e.err)
				return
			}
		}
	}
}

// SearchHits yields the hits of a search, best first, page by page: a reader that breaks off early has asked for no more
// than it took, up to a page. Limit is the size of a page (0: 20). An error ends the stream.
func (s *Service) SearchHits(ctx context.Context, req SearchRequest) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		if req.Limit == 0 {
			req.Limit = 20
		}
		for {
			res, err := s.Search(ctx, req)
			if err != nil {
				yield(Hit{}, err)
				return
			}
			for _, h := range res.Hits {
				if !yield(h, nil) {
					return
				}
			}
			if res.Next == nil {
				return
			}
			req.Cursor = *res.Next
		}
	}
}
