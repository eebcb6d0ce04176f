package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"lore"
	"lore/internal/index"
)

// tally collects the report of one import from several goroutines.
type tally struct {
	mu       sync.Mutex
	sources  map[string]*SourceReport
	losses   map[lore.Loss]bool
	order    []lore.Loss
	failures []Failure
	bytes    int64
	new      int
	changed  int
	touched  map[lore.ID]bool // conversations counted as new or changed

	progress Progress
	tell     func(Progress)
}

func newTally(tell func(Progress)) *tally {
	return &tally{sources: map[string]*SourceReport{}, losses: map[lore.Loss]bool{}, touched: map[lore.ID]bool{}, tell: tell}
}

func (t *tally) source(name string) *SourceReport {
	s := t.sources[name]
	if s == nil {
		s = &SourceReport{Source: name}
		t.sources[name] = s
	}
	return s
}

// count changes the counts of a source.
func (t *tally) count(source string, f func(*SourceReport)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.source(source))
}

// lose adds losses, each once.
func (t *tally) lose(losses ...lore.Loss) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range losses {
		if l.Count == 0 {
			l.Count = 1
		}
		if !t.losses[l] {
			t.losses[l] = true
			t.order = append(t.order, l)
		}
	}
}

// fail adds a failure.
func (t *tally) fail(source, file string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if source != "" {
		t.source(source).Failed++
	}
	t.failures = append(t.failures, Failure{Source: source, File: file, Err: err})
}

// put counts a conversation that was put.
func (t *tally) put(c *lore.Conversation, change index.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.source(c.Source)
	if first := !t.touched[c.ID]; first && change.Changed && c.MessageCount > 0 {
		t.touched[c.ID] = true
		s.Conversations++
		s.Messages += c.MessageCount
		if change.New {
			t.new++
		} else {
			t.changed++
		}
	}
	t.progress.Conversations = t.new + t.changed
}

// read counts an evidence that was read, and tells how far the import is.
func (t *tally) read(source string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.source(source).Read++
	t.bytes += bytes
	t.progress.Files++
	t.progress.Bytes += bytes
	if t.tell != nil {
		t.tell(t.progress)
	}
}

// report puts all together, in an order that does not depend on who was first.
func (t *tally) report() *Report {
	r := &Report{Losses: t.order, Failures: t.failures, BytesRead: t.bytes, New: t.new, Changed: t.changed}
	for _, s := range t.sources {
		r.Sources = append(r.Sources, *s)
	}
	slices.SortFunc(r.Sources, func(a, b SourceReport) int { return cmp.Compare(a.Source, b.Source) })
	slices.SortStableFunc(r.Losses, func(a, b lore.Loss) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.What, b.What))
	})
	slices.SortStableFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.File, b.File))
	})
	return r
}

// nothingDecodes says that an evidence holds damaged units and none that can be read.
func nothingDecodes(l lore.Ledger) error {
	if l.Damaged == 0 || l.Kept+l.Merged+l.Skipped+l.Unknown > 0 {
		return nil
	}
	return fmt.Errorf("none of its %d units can be decoded; its bytes are in the archive", l.Damaged)
}
