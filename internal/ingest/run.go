package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// run is one import.
type run struct {
	o        Options
	adapters readers
	archive  *archive.Writer
	index    *index.Writer
	indexDir string
	known    *known
	tally    *tally
	prompts  *prompts
	buried   *buried

	seen    map[string]bool // evidences that were found, by fileKey
	reading map[string]bool // those of them that are read at their source, and whether in parts
	looked  []lookedAt
	left    []PlannedFile // what the configuration leaves out by source or place

	heavy   sync.Mutex // held while an evidence is read that may take much memory
	mu      sync.Mutex
	idle    []*worker
	spoken  map[lore.ID][]int64 // evidences, read in this import, that speak of a conversation
	joint   map[lore.ID]bool    // conversations that have to be joined from several evidences
	fresh   []lore.ID           // conversations that the index did not have
	changed map[lore.ID]string  // conversations that were put otherwise than the index had them, with their project's folder
	told    map[int64][]index.Fact
	about   map[uint64]bool   // native ids, hashed, of messages that a fact of an earlier import is about
	met     map[string]string // native ids of such messages that were put, with their source
	said    said              // the index, when all that was read can be asked for
	beside  sync.Map          // besideKey → *companion, those kept in this import
	paths   sync.Map          // fileKey → id of the archive's file
}

// Run imports. The error is one of the archive or the index (archive.ErrBusy, ErrNewer, ErrFull, ...); what is wrong with
// a source is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	defer boundMemory(o.memory())()
	aw, err := archive.OpenWriter(o.Dir, o.archiveOptions())
	if err != nil {
		return nil, err
	}
	report, err := before(ctx, o, aw)
	if cerr := aw.Close(); err == nil {
		err = cerr
	}
	return report, err
}

// before does what the caller wants done first.
func before(ctx context.Context, o Options, aw *archive.Writer) (*Report, error) {
	if o.Before != nil {
		if err := o.Before(aw); err != nil {
			return nil, err
		}
		if err := aw.Commit(); err != nil {
			return nil, err
		}
	}
	return runLocked(ctx, o, aw)
}

func runLocked(ctx context.Context, o Options, aw *archive.Writer) (report *Report, err error) {
	began := o.Now()
	build, err := openIndex(o.Dir, o.Reindex, o.indexOptions())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, build.close()) }()

	r := &run{o: o, adapters: readersOf(o.Adapters), archive: aw, index: build.writer, indexDir: build.at, tally: newTally(o.Progress),
		seen: map[string]bool{}, reading: map[string]bool{}, spoken: map[lore.ID][]int64{}, joint: map[lore.ID]bool{}, changed: map[lore.ID]string{},
		told: map[int64][]index.Fact{}, about: map[uint64]bool{}, met: map[string]string{}}
	r.prompts = newPrompts(r)
	if r.known, err = loadKnown(aw, build.writer); err != nil {
		return nil, err
	}
	if r.buried, err = loadBuried(aw.Archive); err != nil {
		return nil, err
	}
	if err := r.finishForgetting(); err != nil {
		return nil, err
	}
	found, err := r.places()
	if err != nil {
		return nil, err
	}
	defer closePlaces(found)
	if err := r.importAll(ctx, found); err != nil {
		return nil, err
	}
	if err := r.purge(ctx); err != nil {
		return nil, err
	}
	report = r.tally.report()
	report.Looked = len(found) > 0 && (len(o.Paths) == 0 || metAny(report.Sources))
	if report.Total, report.Kept, err = r.count(); err != nil {
		return nil, err
	}
	if build.before > 0 { // a rebuild makes nothing new but what the old index did not have
		report.New, report.Changed = max(0, report.Total-build.before), 0
	}
	if err := build.publish(); err != nil {
		return nil, err
	}
	return report, r.log(began, report)
}

// places opens what is to be looked at.
func (r *run) places() ([]place, error) {
	if r.o.Within {
		return nil, nil
	}
	if len(r.o.Paths) == 0 {
		found, absent := places(r.o.Machine, r.o.Adapters)
		if r.o.Changed != nil {
			return narrow(found, r.o.Changed), nil
		}
		for _, m := range absent {
			if m.err != nil {
				r.tally.fail(m.source, m.name, cause(m.err))
			}
		}
		return found, nil
	}
	var all []place
	for _, p := range r.o.Paths {
		found, err := named(r.o.Machine, r.o.Adapters, p)
		all = append(all, found...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func closePlaces(all []place) {
	for _, p := range all {
		p.close()
	}
}

// importAll is the road: find, keep and read, join, settle what speaks of several conversations, commit.
func (r *run) importAll(ctx context.Context, found []place) error {
	jobs, err := r.find(ctx, found)
	if err != nil {
		return err
	}
	jobs = append(jobs, r.archived()...)
	gone := r.gone()
	if len(jobs) == 0 && len(gone) == 0 {
		return r.stamp(ctx)
	}
	if err := r.loadAbout(); err != nil {
		return err
	}
	if err := r.readAll(ctx, jobs); err != nil {
		return err
	}
	if err := r.markGone(gone); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.sweepPoints()
	return r.merge(ctx)
}

// readAll keeps and reads every job: prompt stores first, then all others on every core.
func (r *run) readAll(ctx context.Context, jobs []*job) error {
	inOrder(jobs)
	for _, j := range jobs {
		r.tally.progress.FilesTotal++
		if j.source.Info != nil {
			r.tally.progress.BytesTotal += j.source.Info.Size()
		}
	}
	prompts := 0
	for prompts < len(jobs) && jobs[prompts].store.Prompts {
		prompts++
	}
	w := r.worker()
	for _, j := range jobs[:prompts] {
		if err := w.do(ctx, j); err != nil {
			return err
		}
	}
	r.rest(w)
	if err := r.prompts.loadUnchanged(ctx, jobs); err != nil {
		return err
	}
	if err := r.prompts.loadOlder(ctx); err != nil {
		return err
	}
	jobs = jobs[prompts:]
	if len(r.o.Exclude.Projects) > 0 {
		// To which project the conversations of a large database belong, smaller ones beside it may tell.
		slices.SortStableFunc(jobs, func(a, b *job) int { return boolCompare(a.source.Split != nil, b.source.Split != nil) })
		first := slices.IndexFunc(jobs, func(j *job) bool { return j.source.Split != nil })
		if first > 0 {
			if err := r.parallel(ctx, jobs[:first]); err != nil {
				return err
			}
			jobs = jobs[first:]
		}
	}
	return r.parallel(ctx, jobs)
}

// parallel runs jobs on every core. The first error ends all.
func (r *run) parallel(ctx context.Context, jobs []*job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *job)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(1, len(jobs))) {
		wg.Go(func() {
			w := r.worker()
			defer r.rest(w)
			var later []*job
			do := func(j *job) {
				if ctx.Err() != nil {
					return
				}
				if err := w.do(ctx, j); err != nil {
					cancel(err)
				}
			}
			for j := range queue {
				switch {
				case !r.isHeavy(j):
					do(j)
				case r.heavy.TryLock():
					do(j)
					r.heavy.Unlock()
				default: // another worker has one
					later = append(later, j)
				}
			}
			for _, j := range later {
				r.heavy.Lock()
				do(j)
				r.heavy.Unlock()
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return nil
}

// markGone notes evidences that their source has deleted. What they hold stays; a conversation that no source has any
// more says so.
func (r *run) markGone(gone []*archive.File) error {
	for _, f := range gone {
		ids := []int64{f.ID}
		for _, c := range r.known.companions[f.ID] {
			ids = append(ids, c.ID)
		}
		if err := r.archive.Gone(ids...); err != nil {
			return err
		}
		away := *f
		away.InSource = false
		if err := r.index.SetRestsOn(f.ID, restsOn(&away, r.companionFiles(f.ID))); err != nil {
			return err
		}
		linked, err := r.index.LinkedTo(f.ID)
		if err != nil {
			return err
		}
		for _, l := range linked {
			if l.Partial {
				continue
			}
			several, err := r.several(l.Conversation, f.ID)
			if err != nil {
				return err
			}
			if _, again := r.spoken[l.Conversation]; again || several {
				r.joint[l.Conversation] = true // the file has moved, or another one speaks of it too
				continue
			}
			still, err := r.stillInSource(l.Conversation, f.ID)
			if err != nil {
				return err
			}
			if err := r.index.SetInSource(l.Conversation, still); err != nil {
				return err
			}
		}
	}
	return nil
}

// several reports whether other evidences than one contribute messages to a conversation.
func (r *run) several(conv lore.ID, file int64) (bool, error) {
	links, err := r.index.Links(conv)
	for _, l := range links {
		if !l.Partial && l.Evidence != file {
			return true, err
		}
	}
	return false, err
}

// stillInSource reports whether an evidence as rich as the one that is gone still holds the conversation at its source.
func (r *run) stillInSource(conv lore.ID, gone int64) (bool, error) {
	links, err := r.index.Links(conv)
	if err != nil {
		return false, err
	}
	best := -1
	for _, l := range links {
		if !l.Partial && (best < 0 || l.Rank < best) {
			best = l.Rank
		}
	}
	for _, l := range links {
		if l.Partial || l.Rank != best || l.Evidence == gone {
			continue
		}
		f, err := r.archive.File(l.Evidence)
		if err != nil {
			return false, err
		}
		if f.InSource {
			return true, nil
		}
	}
	return false, nil
}

// stamp commits that nothing has changed since. An import that looked at no source leaves the time of the last that did.
func (r *run) stamp(ctx context.Context) error {
	as := index.Stamp{AsOf: r.o.Now()}
	if r.o.Within {
		last, err := r.archive.Imports(1)
		if err != nil {
			return err
		}
		as.AsOf = time.Time{}
		if len(last) > 0 {
			as.AsOf = last[0].End
		}
	}
	return r.index.Commit(ctx, as)
}

// commit makes all that was put so far visible: first the truth, then what is computed from it.
func (r *run) commit(ctx context.Context) error {
	if err := r.archive.Commit(); err != nil {
		return err
	}
	return r.stamp(ctx)
}

// mergeBound is how many bytes of segments an import may merge before it ends.
const mergeBound = 16 << 20

func (r *run) merge(ctx context.Context) error {
	_, err := r.index.Merge(ctx, index.MergeOptions{Bytes: mergeBound})
	return err
}

// count returns how many conversations there are, and how many of them their source has deleted.
func (r *run) count() (total, kept int, err error) {
	if total, _, err = r.index.Counts(); err != nil {
		return 0, 0, err
	}
	kept, err = r.index.Departed()
	return total, kept, err
}

func (r *run) log(began time.Time, report *Report) error {
	if r.o.Within {
		return nil
	}
	text, err := json.Marshal(map[string]int{"new": report.New, "changed": report.Changed, "total": report.Total,
		"losses": len(report.Losses), "failures": len(report.Failures)})
	if err != nil {
		return fmt.Errorf("import log: %w", err)
	}
	_, err = r.archive.LogImport(archive.Import{Start: began, End: r.o.Now(), Program: r.o.Program, Report: text})
	return err
}
