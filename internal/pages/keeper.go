package pages

import (
	"context"
	"errors"
	"io/fs"
)

// Keeper keeps the file of sums beside a database up with what its one writer does. Sums are a help for a check, and
// never a reason for a writer to fail: where they cannot be had they are unknown.
type Keeper struct {
	name string
	log  *Log // nil: the sums are not known
}

// Keep begins to keep the sums of a database in the file of that name. They are known from the start when the file's
// stamp is that of the database now; all is the way to compute them at once, for a database that is small or new, nil to
// leave that to Close.
func Keep(database, name string, stamp int64, all func() (*Sums, error)) *Keeper {
	k := &Keeper{name: name}
	s, err := Load(name)
	if err != nil || s.Stamp != stamp {
		if all == nil {
			return k
		}
		if s, err = all(); err != nil {
			return k
		}
	}
	if k.log, err = Follow(database, s); err != nil {
		k.log = nil
	}
	return k
}

// Committed is called after every commit.
func (k *Keeper) Committed() {
	if k.log != nil && k.log.Committed() != nil {
		k.log = nil
	}
}

// Forget says that the pages were changed in a way that the log does not show.
func (k *Keeper) Forget() { k.log = nil }

// Close writes the file of sums, under the stamp that the database has now; q is a connection that has not written, and
// is read from only when the sums are not known.
func (k *Keeper) Close(ctx context.Context, q Querier, stamp int64) error {
	var s *Sums
	if k.log != nil {
		s = k.log.Sums
	}
	if s == nil {
		var err error
		if s, err = Of(ctx, q); err != nil {
			return err
		}
	}
	s.Stamp = stamp
	return s.Store(k.name)
}

// Verdict is what a comparison of a database with its file of sums says.
type Verdict struct {
	Known bool // false: there are no sums of this state, because a writer was killed or none has made them yet
	Pages int
	Bad   []uint32 // numbers of the pages that are not as they were written
}

// Check compares the state that a connection sees, whose stamp is given, with a file of sums. The error is ErrUnreadable
// when the file is damaged.
func Check(ctx context.Context, q Querier, name string, stamp int64) (Verdict, error) {
	s, err := Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Verdict{}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	bad, err := s.Compare(ctx, q)
	if err != nil {
		return Verdict{}, err
	}
	// A writer that changes the stamp writes the first page too. When one page alone differs, no writer did it.
	if s.Stamp != stamp && len(bad) != 1 {
		return Verdict{}, nil
	}
	return Verdict{Known: true, Pages: len(s.Pages), Bad: bad}, nil
}
