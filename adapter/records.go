package adapter

import (
	"context"
	"fmt"
	"iter"

	"lore"
)

// Records finds and reads everything that an adapter knows below a place, and yields it as a stream of sealed records in
// the order in which it is found: for a program that wants the histories themselves, without an archive or an index.
//
// A conversation above the piece bound comes in consecutive pieces, each but the last with More set; the facts of the
// last one count, and it alone has the content hash and the counts. A record with Partial set only tells something about
// another conversation and has no ids. What the evidences of one conversation say is not joined: two files that speak of
// it are two records with one id.
//
// An error is of one folder or one evidence, named in it, and does not end the stream: the caller goes on or breaks off.
// A thing that was passed by on purpose is an error that is a lore.Loss. When ctx ends, its error is the last thing that
// is yielded.
func Records(ctx context.Context, a Adapter, at Place) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		for src, err := range a.Find(ctx, at) {
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				if !yield(nil, fmt.Errorf("%q: %w", Input{Place: at.Name}.Name(src.Path), err)) {
					return
				}
				continue
			}
			if !sealed(a.Read(ctx, Input{Source: src, FS: at.FS, Place: at.Name}), yield) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// sealed gives the records of one evidence their ids. It returns false when the caller wants no more.
func sealed(records iter.Seq2[*lore.Conversation, error], yield func(*lore.Conversation, error) bool) bool {
	var s *lore.Sealer
	for c, err := range records {
		if err == nil && !c.Partial {
			if s == nil {
				s = lore.NewSealer()
			}
			s.Piece(c)
			if !c.More {
				s.Finish(c)
				s = nil
			}
		}
		if !yield(c, err) {
			return false
		}
	}
	return true
}
