package service

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// library is the archive and the index, open for reading.
type library struct {
	archive   *archive.Archive
	index     *index.Reader
	assembler *ingest.Assembler

	mu      sync.Mutex
	readers map[int64]*archive.SnapshotReader // by file: what the index has read of evidences
	letters int                               // of an id that are shown at least
	marks   func() ([]archive.Mark, error)    // all there are, read when they are first asked for

	at    string // folder of the index
	warm  *warm  // that keeps it open; nil: its opener closes it
	users int    // operations that use it, while it is kept
}

// open opens what was imported. Where nothing was, it imports first; where the index has to be made again, it does so.
func (s *Service) open(ctx context.Context) (*library, error) {
	if s.warm == nil {
		return s.openAnew(ctx)
	}
	if l := s.warm.take(s.Dir); l != nil {
		return l, nil
	}
	l, err := s.openAnew(ctx)
	if err == nil {
		s.warm.keep(l)
	}
	return l, err
}

func (s *Service) openAnew(ctx context.Context) (*library, error) {
	l, err := s.tryOpen(ctx)
	req := ImportRequest{Progress: s.Progress}
	switch {
	case errors.Is(err, archive.ErrNone):
	case errors.Is(err, index.ErrNone), errors.Is(err, index.ErrRebuild):
		req.Reindex = true
	default:
		return l, s.failure(err)
	}
	_, err = s.Import(ctx, req)
	if s.Progress != nil {
		s.Progress(Progress{Stage: "done"})
	}
	if err != nil {
		return nil, err
	}
	l, err = s.tryOpen(ctx)
	return l, s.failure(err)
}

// openTries is how often a reader looks again when a rebuild has just put another index in place.
const openTries = 3

func (s *Service) tryOpen(ctx context.Context) (*library, error) {
	l := &library{readers: map[int64]*archive.SnapshotReader{}, letters: cmp.Or(s.Letters, shortLetters)}
	// Both at once: half of what a cold search costs before its first term is the opening of these two.
	var opening sync.WaitGroup
	var failed error
	opening.Go(func() { l.archive, failed = s.openArchive(ctx) })
	err := l.openIndex(s.Dir)
	opening.Wait()
	if failed != nil {
		if err == nil {
			l.index.Close()
		}
		return nil, failed
	}
	if err != nil {
		l.archive.Close()
		return nil, err
	}
	l.assembler = ingest.NewAssembler(l.archive, l.index, s.Adapters)
	l.marks = sync.OnceValues(l.archive.Marks)
	return l, nil
}

// openArchive opens the archive for reading. One that an older version wrote is brought up first: its rows are changed, what
// was kept is not touched.
func (s *Service) openArchive(ctx context.Context) (*archive.Archive, error) {
	a, err := archive.Open(s.Dir, archive.Options{Now: s.Now})
	if !errors.Is(err, archive.ErrOlder) {
		return a, err
	}
	if err := s.write(ctx, func(*archive.Writer) error { return nil }); err != nil {
		return nil, err
	}
	return archive.Open(s.Dir, archive.Options{Now: s.Now})
}

// openIndex opens the index that counts. One that goes away while it is opened, because a rebuild has put another in its
// place, looks like a damaged one: then it looks again.
func (l *library) openIndex(dir string) error {
	at, err := ingest.IndexDir(dir)
	for range openTries {
		if err != nil {
			return err
		}
		l.at = at
		if l.index, err = index.Open(at, index.ReaderOptions{Raw: l.raw}); err == nil {
			return nil
		}
		now, gone := ingest.IndexDir(dir)
		if gone == nil && now == at {
			return err
		}
		at, err = now, gone
	}
	return err
}

// close ends an operation's use of the library.
func (l *library) close() {
	if l.warm != nil {
		l.warm.release(l)
		return
	}
	l.shut()
}

func (l *library) shut() {
	l.index.Close()
	l.archive.Close()
}

// raw returns bytes of what the index has read of an evidence, decoded where it is compressed.
func (l *library) raw(evidence, offset, length int64) ([]byte, error) {
	r, err := l.reader(evidence)
	if err != nil {
		return nil, err
	}
	b := make([]byte, length)
	n, err := r.ReadAt(b, offset)
	if int64(n) == length {
		err = nil
	}
	return b[:n], err
}

func (l *library) reader(evidence int64) (*archive.SnapshotReader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.readers[evidence]; r != nil {
		return r, nil
	}
	snapshot, err := l.index.SnapshotOf(evidence)
	if err != nil {
		return nil, err
	}
	r, err := l.archive.OpenPlain(snapshot)
	if err != nil { // what was forgotten has been taken out of it, or the index is behind
		f, err := l.archive.File(evidence)
		if err != nil {
			return nil, err
		}
		if r, err = l.archive.OpenPlain(f.Snapshot); err != nil {
			return nil, err
		}
	}
	l.readers[evidence] = r
	return r, nil
}
