package service

import (
	"sync"

	"lore/internal/ingest"
)

// Warm returns a service that keeps the archive and the index open from one operation to the next, for a face that asks
// often; when something new was imported the next operation opens them anew. Marks are those of when they were opened.
// It may be used by several goroutines; Close ends it.
func (s *Service) Warm() *Service {
	w := *s
	w.warm = &warm{}
	return &w
}

// Close releases what a warm service keeps open. No operation may run. Of another service it does nothing.
func (s *Service) Close() {
	if s.warm != nil {
		s.warm.drop()
	}
}

// warm is a library that is kept open.
type warm struct {
	mu   sync.Mutex
	kept *library // nil: none
}

// take returns the library that is kept, if nothing was imported since; else nil.
func (w *warm) take(dir string) *library {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.kept
	if l == nil {
		return nil
	}
	if at, err := ingest.IndexDir(dir); err != nil || at != l.at || !l.index.Current() {
		w.dropLocked()
		return nil
	}
	l.users++
	return l
}

// keep takes over a library that was just opened, with its opener as its first user.
func (w *warm) keep(l *library) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l.warm = w
	l.users = 1
	if w.kept == nil {
		w.kept = l
	}
}

// release is what close does to a library that is kept: the last user of one that is not any more closes it.
func (w *warm) release(l *library) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.users--; l.users == 0 && w.kept != l {
		l.shut()
	}
}

func (w *warm) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropLocked()
}

func (w *warm) dropLocked() {
	if l := w.kept; l != nil {
		if w.kept = nil; l.users == 0 {
			l.shut()
		}
	}
}
