package ingest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// worker reads evidences, one after the other, on one goroutine.
type worker struct {
	run     *run
	session *index.Session
}

// worker returns one that is idle, or a new one. Each holds a builder of the index, so there are no more of them than
// goroutines that read at the same time.
func (r *run) worker() *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	return &worker{run: r, session: r.index.Session()}
}

// rest takes a worker back.
func (r *run) rest(w *worker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, w)
}

// do keeps and reads one evidence. The error is one of the archive or the index; what is wrong with the evidence goes
// into the report and does not end the import.
func (w *worker) do(ctx context.Context, j *job) error {
	r := w.run
	if j.keep && j.source.Split != nil {
		return w.database(ctx, j)
	}
	if j.keep && r.ofExcludedProject(ctx, j) {
		r.tally.count(j.source.Product, func(s *SourceReport) { s.Excluded++ })
		return nil
	}
	if j.keep {
		j.point = r.loadPoint(j)
		if keep, err := r.foresee(ctx, j); err != nil {
			return err
		} else if !keep {
			r.tally.count(j.source.Product, func(s *SourceReport) { s.Unchanged++ })
			return nil
		}
	}
	k, err := w.open(ctx, j)
	if err != nil {
		if final(err) || ctx.Err() != nil {
			return err
		}
		r.tally.fail(j.source.Product, j.path(), cause(err))
		return nil
	}
	back := j.file.ID != 0 && !j.file.InSource // it was deleted and is there again: its conversations say so
	if r.indexed(&k.file, j.adapter) && k.change == archive.Unchanged && !back {
		r.unchanged(&k.file) // touched only
		return nil
	}
	if err := w.readKept(ctx, j, k); err != nil {
		return err
	}
	r.tally.read(j.source.Product, k.size)
	return nil
}

// readKept reads an evidence that the archive holds: what was appended to it, or all of it.
func (w *worker) readKept(ctx context.Context, j *job, k *kept) error {
	if j.point.fits(k) {
		rd := w.reading(j, k)
		rd.from = j.point
		if err := rd.all(ctx); !errors.Is(err, errStale) {
			k.size = k.grew
			return err
		}
		rd.undo()
	}
	return w.reading(j, k).all(ctx)
}

func (w *worker) reading(j *job, k *kept) *reading {
	rd := &reading{worker: w, job: j, kept: k, evidence: index.Evidence{ID: k.file.ID, Source: j.source.Product,
		Store: j.source.Store, Path: j.path(), Snapshot: k.file.Snapshot, Reader: j.adapter.Info().Version,
		RestsOn: restsOn(&k.file, k.companions)}}
	if k.input.Source.Info != nil && w.run.canResume(j, k.size, k.input.Source.Info.ModTime()) {
		rd.save = true
	}
	return rd
}

func (w *worker) open(ctx context.Context, j *job) (*kept, error) {
	if j.keep {
		return w.run.keepSource(ctx, j)
	}
	return w.run.reopen(j)
}

// final reports whether an error ends the import: one of the archive itself.
func final(err error) bool {
	return errors.Is(err, archive.ErrFull) || errors.Is(err, archive.ErrDamaged) || errors.Is(err, context.Canceled)
}

// reading is one evidence while it is read.
type reading struct {
	*worker
	job      *job
	kept     *kept
	evidence index.Evidence
	ledger   lore.Ledger // of all records
	facts    []index.Fact
	speaks   map[lore.ID]bool // conversations that this evidence speaks of
	current  *putting

	from  *resumePoint  // goes on from here; nil: from the beginning
	save  bool          // the adapter is asked for places to go on from
	first func() []byte // the state before the first piece
	point *resumePoint  // the last place, and what makes the adapter's state there
	state func() []byte
}

// errReading marks an error of reading the evidence, as against one of the archive or the index.
type errReading struct{ error }

func (e errReading) Unwrap() error { return e.error }

// all reads the evidence to its end and stages what it says.
func (rd *reading) all(ctx context.Context) error {
	rd.speaks = map[lore.ID]bool{}
	if err := rd.run.index.PutEvidence(rd.evidence); err != nil { // so that messages need not name its path
		return err
	}
	err := rd.records(ctx)
	if errors.Is(err, errStale) || rd.from != nil && err != nil {
		return errors.Join(errStale, ctx.Err())
	}
	var reading errReading
	if err != nil && !errors.As(err, &reading) {
		return err
	}
	if rd.current != nil {
		rd.current.abort()
		rd.current = nil
	}
	if err != nil {
		rd.failed(reading.error)
	} else if err := nothingDecodes(rd.ledger); err != nil && rd.job.source.Part == "" {
		rd.failed(err) // one damaged row of a database is a loss, not a database that cannot be read
	}
	rd.run.tally.lose(rd.evidence.Losses...)
	if err := rd.older(ctx); err != nil {
		return err
	}
	if err := rd.stage(); err != nil {
		return err
	}
	if rd.evidence.Failure != "" {
		rd.point = nil
	}
	rd.savePoint()
	return nil
}

// undo takes back what a reading has begun that has to be made from the beginning.
func (rd *reading) undo() {
	if rd.current != nil {
		rd.current.abort()
		rd.current = nil
	}
	for id := range rd.speaks {
		rd.run.unspeak(id)
	}
}

// read has the adapter read the evidence, or go on with it.
func (rd *reading) read(ctx context.Context) iter.Seq2[*lore.Conversation, error] {
	in := rd.kept.input
	if rd.save {
		in.Save, in.Step = rd.mark, rd.run.o.step
	}
	if rd.from != nil {
		return placed(in, rd.job.adapter.(adapter.Resumer).Resume(ctx, in, rd.from.Adapter))
	}
	return placed(in, rd.job.adapter.Read(ctx, in))
}

// older leaves to the join what only older snapshots speak of, where the index does not know yet what they do: after a
// rebuild. Otherwise its links tell.
func (rd *reading) older(ctx context.Context) error {
	r, file := rd.run, rd.kept.file
	if rd.job.store.Prompts {
		r.prompts.register(file.ID)
		return nil
	}
	if _, known := r.known.states[file.ID]; known {
		return nil
	}
	older, err := r.olderThan(rd.kept)
	if err != nil {
		return err
	}
	for _, snap := range older {
		in, _, err := openArchived(r.archive.Archive, file, snap.ID, r.companionFiles(file.ID))
		if err != nil {
			return err
		}
		for c, err := range placed(in, rd.job.adapter.Read(ctx, in)) {
			if err != nil {
				break // its failure was reported when it was imported
			}
			if id := anchor(c); !c.Partial && !rd.speaks[id] {
				rd.speaks[id] = true
				r.speaksOnce(id, file.ID)
			}
		}
	}
	return ctx.Err()
}

// records passes every record to where it belongs. A fault of an adapter is one evidence's failure, not the import's.
func (rd *reading) records(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errReading{fmt.Errorf("the adapter failed: %v (please report this)%s", p, trace())}
		}
	}()
	for c, err := range rd.read(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return errReading{err}
		}
		if rd.evidence.Store == "" {
			rd.evidence.Store = c.Store
		}
		rd.ledger.Add(c.Ledger)
		if c.Partial {
			rd.partial(c)
			continue
		}
		if err := rd.piece(c); err != nil {
			return err
		}
	}
	return nil
}

func trace() string {
	if traceFaults {
		return "\n" + string(debug.Stack())
	}
	return ""
}

// traceFaults adds a stack to the failure of an adapter that panicked; for tests.
var traceFaults = false

// failed notes that the evidence, or the rest of it, cannot be read.
func (rd *reading) failed(err error) {
	if errors.Is(err, adapter.ErrNotMine) {
		rd.evidence.Losses = append(rd.evidence.Losses, lore.Loss{Code: lore.ForeignFile, Severity: lore.Info,
			Source: rd.job.source.Product, File: rd.job.path(), What: "kept as bytes, not read", Count: 1})
		return
	}
	rd.evidence.Failure = cause(err).Error()
	rd.run.tally.fail(rd.job.source.Product, rd.job.path(), cause(err))
}

// piece puts a piece of a conversation, begins one, or leaves it for the join.
func (rd *reading) piece(c *lore.Conversation) error {
	if rd.current == nil {
		p, err := rd.begin(c)
		rd.current = p
		if err != nil {
			return err
		}
	}
	p := rd.current
	if !c.More {
		rd.current = nil
	}
	return p.piece(c)
}

// begin decides what becomes of a conversation.
func (rd *reading) begin(c *lore.Conversation) (*putting, error) {
	id := anchor(c)
	p := &putting{reading: rd, id: id}
	if rd.run.buried.dead[id] {
		p.mode = drop
		return p, nil
	}
	rd.speaks[id] = true
	if rd.job.store.Prompts {
		p.mode = gather
		return p, nil
	}
	if c.Beside != nil {
		rd.listed(id, c)
		p.mode = drop
		return p, nil
	}
	joint, err := rd.run.speaks(id, rd.kept)
	if err != nil {
		return nil, err
	}
	if joint {
		p.mode = drop
		return p, nil
	}
	return p, p.start()
}

// speaks notes that an evidence speaks of a conversation and reports whether others do, so that it has to be joined.
func (r *run) speaks(id lore.ID, k *kept) (bool, error) {
	r.mu.Lock()
	before := r.spoken[id]
	again := len(before) > 0
	r.spoken[id] = append(before, k.file.ID)
	joint := again || r.joint[id]
	r.mu.Unlock()
	if !joint {
		var err error
		if joint, err = r.hasOthers(id, k); err != nil {
			return false, err
		}
	}
	if joint {
		r.mu.Lock()
		r.joint[id] = true
		r.mu.Unlock()
	}
	return joint, nil
}

// speaksOnce notes that an older snapshot of an evidence speaks of a conversation, which is joined in the end.
func (r *run) speaksOnce(id lore.ID, file int64) {
	if r.buried.dead[id] {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spoken[id] = append(r.spoken[id], file)
	r.joint[id] = true
}

// hasOthers reports whether evidences other than this file's newest snapshot speak of the conversation. Prompt stores do
// not count: their lists are in memory and are woven in.
func (r *run) hasOthers(id lore.ID, k *kept) (bool, error) {
	older, err := r.olderThan(k)
	if err != nil || len(older) > 0 {
		return true, err
	}
	links, err := r.index.Links(id)
	if err != nil {
		return false, err
	}
	for _, l := range links {
		if l.Partial || l.Evidence == k.file.ID {
			continue
		}
		if !r.prompts.holds(l.Evidence) {
			return true, nil
		}
	}
	return false, nil
}

// olderThan returns the older snapshots of a file that stand beside the one that was just kept, which need not be committed
// yet.
func (r *run) olderThan(k *kept) ([]archive.Snapshot, error) {
	if k.change == archive.Created {
		return nil, nil
	}
	all, err := r.archive.Snapshots(k.file.ID)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 && all[0].ID != k.file.Snapshot {
		newest := archive.Snapshot{ID: k.file.Snapshot}
		if k.change == archive.Appended {
			newest.Extends = all[0].ID
		}
		all = append([]archive.Snapshot{newest}, all...)
	}
	return standing(all)[min(1, len(all)):], nil
}

// stage puts what the whole evidence says into the index: its ledger, its facts, the conversations it no longer has.
func (rd *reading) stage() error {
	r := rd.run
	store := rd.evidence.Store
	if store == rd.kept.file.Store {
		store = "" // as it is
	}
	if err := r.archive.SetReader(rd.evidence.ID, rd.evidence.Reader, store); err != nil {
		return err
	}
	if err := r.vanished(rd.evidence.ID, rd.speaks); err != nil {
		return err
	}
	fresh, err := rd.freshFacts()
	if err != nil {
		return err
	}
	if err := r.index.PutFacts(rd.evidence.ID, rd.facts); err != nil {
		return err
	}
	if len(fresh) > 0 {
		r.mu.Lock()
		r.told[rd.evidence.ID] = fresh
		r.mu.Unlock()
	}
	return r.index.PutEvidence(rd.evidence)
}

// vanished leaves conversations that an evidence spoke of, and does not any more, to the join: an older snapshot of it
// still does.
func (r *run) vanished(file int64, speaks map[lore.ID]bool) error {
	linked, err := r.index.LinkedTo(file)
	if err != nil {
		return err
	}
	for _, l := range linked {
		if !l.Partial && !speaks[l.Conversation] {
			r.mu.Lock()
			r.joint[l.Conversation] = true
			r.mu.Unlock()
		}
	}
	return nil
}
