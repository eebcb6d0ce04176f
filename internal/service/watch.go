package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
	"lore/internal/watch"
)

// WatchRequest asks to keep the archive current.
type WatchRequest struct {
	// Poll, where it is set, has every folder looked at that often; else the system says when something has changed, and
	// only where it cannot the clock does.
	Poll time.Duration

	// Once ends the watching after the first import that finds something new.
	Once bool

	// Tell is called with each event, by one goroutine at a time. Its error ends the watching.
	Tell func(*WatchEvent) error
}

// WatchEvent is something that happened while the archive was kept current.
type WatchEvent struct {
	Schema string    `json:"schema"` // "lore.watch.v1"
	Event  string    `json:"event"`  // watching, imported, waiting, stopped
	At     time.Time `json:"at"`

	// Of watching: how many folders of the disk are watched, the places that the clock looks at, those that do not exist.
	Folders int      `json:"folders,omitempty"`
	Polled  []string `json:"polled,omitempty"`
	Absent  []string `json:"absent,omitempty"`

	// Of imported: the places that were looked at, all of them where Places is empty.
	Places        []string      `json:"places,omitempty"`
	ElapsedMS     int64         `json:"elapsed_ms,omitempty"`
	BytesRead     int64         `json:"bytes_read,omitempty"`
	Conversations *ImportCounts `json:"conversations,omitempty"`
	Failures      []Fault       `json:"failures,omitempty"` // that were not told before

	Reason string `json:"reason,omitempty"` // of waiting: what holds it up
}

// How often everything is looked at, in case a notice was lost, and how much of its time an import may take of one core:
// after one that took a while, the next waits a multiple of that, but never so long that a message is found late.
const (
	lookAgain   = 10 * time.Minute
	restFor     = 4 // times as long as the import took
	restAtMost  = time.Second
	retryBusy   = 500 * time.Millisecond
	pollAtLeast = 100 * time.Millisecond
)

// Watch imports, and then again whenever something changes, until the context ends, which is no error.
func (s *Service) Watch(ctx context.Context, req WatchRequest) error {
	w := &watching{svc: s, req: req, told: map[Fault]bool{}}
	err := w.run(ctx)
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		return w.tell(&WatchEvent{Event: "stopped"})
	}
	return err
}

// watching is one Watch on its way.
type watching struct {
	svc  *Service
	req  WatchRequest
	told map[Fault]bool
}

func (w *watching) tell(e *WatchEvent) error {
	e.Schema, e.At = "lore.watch.v1", w.svc.Now().UTC().Truncate(time.Millisecond)
	if w.req.Tell == nil {
		return nil
	}
	return w.req.Tell(e)
}

func (w *watching) run(ctx context.Context) error {
	watcher := w.open(ctx)
	defer watcher.Close()
	n, polled, absent := watcher.State()
	if err := w.tell(&WatchEvent{Event: "watching", Folders: n, Polled: polled, Absent: absent}); err != nil {
		return err
	}
	if did, err := w.look(ctx, nil); err != nil || did && w.req.Once {
		return err
	}
	all := w.svc.Now()
	for {
		changes, err := next(ctx, watcher, lookAgain)
		if err != nil {
			return err
		}
		if w.svc.Now().Sub(all) >= lookAgain {
			changes, all = nil, w.svc.Now()
		}
		did, err := w.look(ctx, changes)
		if err != nil || did && w.req.Once {
			return err
		}
	}
}

// open begins to watch the places of every source, before they are looked at: so no change is missed between the two.
func (w *watching) open(ctx context.Context) *watch.Watcher {
	o := watch.Options{}
	if w.req.Poll > 0 {
		o.Limit, o.Poll = -1, max(w.req.Poll, pollAtLeast)
	}
	for _, spot := range ingest.Spots(ctx, w.svc.machine(), w.svc.Adapters) {
		o.Folders = append(o.Folders, watch.Folder{Name: spot.Name, Dir: spot.Dir, Below: spot.Below})
	}
	return watch.New(o)
}

// next returns what has changed; nothing after a while without a change.
func next(ctx context.Context, w *watch.Watcher, most time.Duration) (watch.Changes, error) {
	short, stop := context.WithTimeout(ctx, most)
	defer stop()
	changes, err := w.Next(short)
	if err != nil && ctx.Err() == nil {
		return nil, nil
	}
	return changes, err
}

// look imports what has changed, or everything where changes is nil, and rests. It reports whether there was anything new.
func (w *watching) look(ctx context.Context, changes watch.Changes) (did bool, err error) {
	began := time.Now()
	var report *ingest.Report
	for waiting := false; ; waiting = true {
		var o ingest.Options
		if o, err = w.svc.importOptions(ImportRequest{}); err != nil {
			return false, err
		}
		o.Changed = changes
		report, err = ingest.Run(ctx, o)
		if !errors.Is(err, archive.ErrBusy) && !errors.Is(err, index.ErrBusy) {
			break
		}
		if !waiting {
			if err := w.tell(&WatchEvent{Event: "waiting", Reason: err.Error()}); err != nil {
				return false, err
			}
		}
		if err := pause(ctx, retryBusy); err != nil {
			return false, err
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, w.svc.failure(err)
	}
	took := time.Since(began)
	res := importResult(report, took)
	fresh := w.fresh(res.Failures)
	did = res.Conversations.New+res.Conversations.Changed > 0
	if did || len(fresh) > 0 {
		e := &WatchEvent{Event: "imported", Places: names(changes), ElapsedMS: took.Milliseconds(), BytesRead: res.BytesRead,
			Conversations: &res.Conversations, Failures: fresh}
		if err := w.tell(e); err != nil {
			return did, err
		}
	}
	if did && w.req.Once {
		return true, nil
	}
	return did, pause(ctx, min(restFor*took, restAtMost))
}

// fresh returns the failures that were not told before: one file that cannot be read is said once.
func (w *watching) fresh(all []Fault) []Fault {
	var fresh []Fault
	for _, f := range all {
		if !w.told[f] {
			w.told[f] = true
			fresh = append(fresh, f)
		}
	}
	return fresh
}

func names(c watch.Changes) []string {
	var list []string
	for name := range c {
		list = append(list, name)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
