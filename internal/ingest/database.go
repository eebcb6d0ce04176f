package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"lore/adapter"
	"lore/adapter/kit"
	"lore/internal/archive"
	"lore/internal/index"
)

// partMark stands between the path of a database and the name of a part of its rows, in the archive and in locators. It
// occurs in no path of a file.
const partMark = "//"

// besides are what a database has beside it while a program has it open: a change to one is a change to the database.
var besides = []string{"-wal", "-journal"}

// databaseStat is the stat facts of a database together with its log: that a program has written to the log alone
// changes it.
func databaseStat(fsys fs.FS, path string, info fs.FileInfo) archive.Stat {
	st := archive.StatOf(info)
	for _, suffix := range besides {
		if b, err := fs.Stat(fsys, path+suffix); err == nil {
			log := archive.StatOf(b)
			st.Size += log.Size
			st.MTime = max(st.MTime, log.MTime)
			st.CTime = max(st.CTime, log.CTime)
		}
	}
	return st
}

// statOf returns the stat facts of a source that was found.
func statOf(p *place, s adapter.Source) archive.Stat {
	if len(s.Ranges) > 0 {
		return databaseStat(p.FS, s.Path, s.Info)
	}
	return archive.StatOf(s.Info)
}

// keepDatabase keeps the rows of a database that is one evidence.
func (r *run) keepDatabase(ctx context.Context, j *job) (*kept, error) {
	var k archive.Kept
	err := kit.ReadDatabase(ctx, j.place.FS, j.source.Path, func(db *kit.Database) (err error) {
		k, err = r.keepRows(ctx, j, db, j.source.Path, 0, j.source.Ranges, &j.file)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := view{}
	if err := r.hold(v, j.source.Path, k.Snapshot); err != nil {
		return nil, err
	}
	out := &kept{file: k.File, change: k.Change, size: k.Snapshot.Size}
	if err := r.keepCompanions(ctx, j, k.File.ID, v, out); err != nil {
		return nil, err
	}
	out.input = j.input(v)
	return out, nil
}

// keepRows keeps some rows of a database as one file of the archive.
func (r *run) keepRows(ctx context.Context, j *job, db *kit.Database, name string, of int64, ranges []adapter.Range, known *archive.File) (archive.Kept, error) {
	req := archive.KeepRequest{File: archive.File{Source: j.source.Product, Store: j.source.Store, Path: joinName(j.name, name),
		Place: j.name, Of: of, Stat: statOf(j.place, j.source)}}
	if known != nil && known.ID != 0 {
		req.File.ID, req.File.Snapshot, req.File.Store = known.ID, known.Snapshot, known.Store
	}
	queries := make([]kit.Query, len(ranges))
	for i, x := range ranges {
		queries[i] = kit.RangeQuery(x)
		queries[i].Order = true
	}
	read, write := io.Pipe()
	go func() {
		_, err := kit.KeepRows(ctx, db, queries, write)
		write.CloseWithError(err)
	}()
	req.Content = read
	k, err := r.archive.Keep(ctx, req)
	read.CloseWithError(errors.New("the archive does not take more rows"))
	return k, err
}

// keepCompanions keeps the companions of an evidence whose main file is kept.
func (r *run) keepCompanions(ctx context.Context, j *job, main int64, v view, to *kept) error {
	inSource := map[string]bool{}
	for _, c := range j.source.Companions {
		inSource[joinName(j.name, c)] = true
		k, err := r.keepCompanion(ctx, j, c, main, v)
		if err != nil {
			if final(err) {
				return err
			}
			r.companionLost(j, c, err)
			if f := r.fileKnown(j, joinName(j.name, c), main); f != nil {
				to.companions = append(to.companions, *f)
			}
			continue
		}
		to.companions = append(to.companions, k.File)
		to.beside = to.beside || k.Change != archive.Unchanged && k.Change != archive.Created
		if k.Change != archive.Unchanged && to.change == archive.Unchanged {
			to.change = archive.Appended
		}
	}
	return r.keepGoneCompanions(j, main, inSource, v, to)
}

// parted is a database whose rows are kept in parts, while it is read.
type parted struct {
	*worker
	job   *job
	known map[string]*archive.File // by part
	marks map[string]kit.Mark      // by table, of the last import
	next  map[string]kit.Mark
	asked map[string]bool // parts that were compared with the database
	left  bool            // a part was left out
	read  bool            // a part has changed
	bytes int64           // of the parts that have
}

// database keeps and reads the parts of a database that have changed since the last import.
func (w *worker) database(ctx context.Context, j *job) error {
	p := &parted{worker: w, job: j, known: w.run.parts(j), next: map[string]kit.Mark{},
		asked: map[string]bool{}}
	if err := p.loadMarks(); err != nil {
		return err
	}
	err := kit.ReadDatabase(ctx, j.place.FS, j.source.Path, func(db *kit.Database) error { return p.parts(ctx, db) })
	if err != nil {
		if final(err) || ctx.Err() != nil {
			return err
		}
		w.run.tally.fail(j.source.Product, j.path(), cause(err))
		return p.unasked(ctx)
	}
	if err := p.unasked(ctx); err != nil {
		return err
	}
	if err := p.done(ctx); err != nil {
		return err
	}
	if p.read {
		w.run.tally.read(j.source.Product, p.bytes)
	} else {
		w.run.tally.count(j.source.Product, func(s *SourceReport) { s.Unchanged++ })
	}
	return nil
}

// unasked reads from the archive the parts that the database did not show to have changed, or does not have any more, and
// that the index lacks: after a rebuild, or when the reading rules have changed.
func (p *parted) unasked(ctx context.Context) error {
	for _, part := range slices.Sorted(maps.Keys(p.known)) {
		f := p.known[part]
		if p.asked[part] || f.Snapshot == 0 || p.run.indexed(f, p.job.adapter) {
			continue
		}
		j := p.run.fromArchive(f, p.job.adapter)
		k, err := p.run.reopen(j)
		if err != nil {
			return err
		}
		if err := p.readKept(ctx, j, k); err != nil {
			return err
		}
		p.read, p.bytes = true, p.bytes+k.size
	}
	return nil
}

// parts returns the parts of a database that the archive holds.
func (r *run) parts(j *job) map[string]*archive.File {
	all := map[string]*archive.File{}
	for i := range r.known.all {
		f := &r.known.all[i]
		if part, ok := strings.CutPrefix(f.Path, j.path()+partMark); ok && f.Source == j.source.Product && f.Of == 0 {
			all[part] = f
		}
	}
	return all
}

func (p *parted) loadMarks() error {
	p.marks = map[string]kit.Mark{}
	if p.job.file.ID == 0 || !p.job.file.InSource || p.run.o.Verify {
		return nil
	}
	facts, err := p.run.index.FactsOf(p.job.file.ID)
	if err != nil {
		return err
	}
	for _, f := range facts {
		if f.Kind == "mark" {
			if err := json.Unmarshal(f.Data, &p.marks); err != nil {
				return fmt.Errorf("marks of %q: %w", p.job.path(), err)
			}
		}
	}
	return nil
}

// parts keeps every part that may have changed, and reads those that have.
func (p *parted) parts(ctx context.Context, db *kit.Database) error {
	changed, err := p.changed(ctx, db)
	if err != nil {
		return err
	}
	return p.readAside(ctx, max(1, min(runtime.GOMAXPROCS(0)-1, len(changed))), func(read func(*keptPart)) error {
		for _, part := range changed {
			k, err := p.keep(ctx, db, part)
			if err != nil {
				return err
			}
			if k != nil {
				read(k)
			}
		}
		return nil
	})
}

// keptPart is a part of a database that has to be read.
type keptPart struct {
	job  job
	kept kept
}

// readAside reads parts on n goroutines while produce, on this one, keeps them one after the other: the database is one
// evidence, but all cores shall have work. The first error ends all.
func (p *parted) readAside(ctx context.Context, n int, produce func(read func(*keptPart)) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *keptPart)
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			w := p.run.worker()
			defer p.run.rest(w)
			for k := range queue {
				if ctx.Err() != nil {
					continue
				}
				if err := w.readKept(ctx, &k.job, &k.kept); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := produce(func(k *keptPart) { queue <- k })
	close(queue)
	wait.Wait()
	if failed := context.Cause(ctx); failed != nil {
		return failed
	}
	return err
}

// changed returns the parts with rows that may have been written since the last import; all of them when that cannot be
// told.
func (p *parted) changed(ctx context.Context, db *kit.Database) ([]string, error) {
	parts := map[string]bool{}
	done := map[string]bool{}
	for _, x := range p.job.source.Ranges {
		if done[x.Table] || !slices.Contains(db.Tables(), x.Table) {
			continue
		}
		mark, err := db.Mark(ctx, x.Table)
		if err != nil {
			return nil, err
		}
		p.next[x.Table] = mark
		since, ok := p.marks[x.Table]
		if !ok {
			continue
		}
		rows, known, err := db.Changed(ctx, x.Table, since)
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		done[x.Table] = true
		for row, err := range rows {
			if err != nil {
				return nil, err
			}
			if row.Rowid > since.Rowid {
				p.add(parts, x.Table, row.Key.Text())
			}
		}
	}
	for _, x := range p.job.source.Ranges {
		if done[x.Table] || !slices.Contains(db.Tables(), x.Table) {
			continue
		}
		q := kit.RangeQuery(x)
		q.Columns = []string{}
		for row, err := range db.Rows(ctx, q) {
			if err != nil {
				return nil, err
			}
			p.add(parts, x.Table, row.Key.Text())
		}
	}
	if err := p.members(ctx, db, parts); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(parts))
	for part := range parts {
		names = append(names, part)
	}
	slices.Sort(names)
	return names, nil
}

// members adds the parts that only their members name. Which of them have changed cannot be told.
func (p *parted) members(ctx context.Context, db *kit.Database, parts map[string]bool) error {
	for _, c := range p.job.source.Split.Members {
		if !slices.Contains(db.Tables(), c.Table) {
			continue
		}
		for part, err := range db.Values(ctx, c.Table, c.Name) {
			if err != nil {
				return err
			}
			parts[part] = true
		}
	}
	return nil
}

func (p *parted) add(parts map[string]bool, table, key string) {
	if part := p.job.source.Split.Of(table, key); part != "" {
		parts[part] = true
	}
}

// keep keeps one part, and returns it when it has to be read.
func (p *parted) keep(ctx context.Context, db *kit.Database, part string) (*keptPart, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := p.run
	j := *p.job
	j.source.Part, j.source.Companions = part, nil
	j.source.Path += partMark + part
	known := p.known[part]
	p.asked[part] = true
	if known == nil && r.buried.has(j.source.Product, j.path()) {
		return nil, nil // forgotten: a part is one conversation
	}
	if known != nil {
		j.file = *known
	} else {
		j.file = archive.File{}
	}
	if out, err := p.excludedPart(ctx, db, part); out || err != nil {
		p.left = p.left || out
		return nil, err
	}
	base := *p.job
	k, err := r.keepRows(ctx, &base, db, j.source.Path, 0, p.job.source.Split.Ranges(part), known)
	if err != nil {
		return nil, err
	}
	if k.Change == archive.Unchanged && r.indexed(&k.File, j.adapter) && (known == nil || known.InSource) {
		return nil, nil
	}
	v := view{}
	if err := r.hold(v, j.source.Path, k.Snapshot); err != nil {
		return nil, err
	}
	r.paths.Store(fileKey(j.source.Product, j.path()), k.File.ID)
	p.read, p.bytes = true, p.bytes+k.Snapshot.Size
	return &keptPart{j, kept{file: k.File, change: k.Change, size: k.Snapshot.Size, input: j.input(v)}}, nil
}

// done notes, on the row of the database itself, its stat facts and how far its tables were read. It has no content of
// its own.
func (p *parted) done(ctx context.Context) error {
	r, j := p.run, p.job
	if p.left {
		p.next = map[string]kit.Mark{} // what is left out now may be wanted at the next import: it looks at all again
	}
	req := archive.KeepRequest{File: archive.File{ID: j.file.ID, Snapshot: j.file.Snapshot, Source: j.source.Product, Store: j.source.Store,
		Path: j.path(), Place: j.name, Stat: statOf(j.place, j.source)}, Content: bytes.NewReader(nil)}
	if p.left {
		req.File.Stat = archive.Stat{}
		r.tally.count(j.source.Product, func(s *SourceReport) { s.Excluded++ })
	}
	k, err := r.archive.Keep(ctx, req)
	if err != nil {
		return err
	}
	data, err := json.Marshal(p.next)
	if err != nil {
		return fmt.Errorf("marks of %q: %w", j.path(), err)
	}
	mark := index.Fact{Evidence: k.File.ID, Kind: "mark", Source: j.source.Product, Data: data}
	if err := r.index.PutFacts(k.File.ID, []index.Fact{mark}); err != nil {
		return err
	}
	version := j.adapter.Info().Version
	if err := r.archive.SetReader(k.File.ID, version, j.source.Store); err != nil {
		return err
	}
	return r.index.PutEvidence(index.Evidence{ID: k.File.ID, Source: j.source.Product, Store: j.source.Store, Path: j.path(),
		Snapshot: k.File.Snapshot, Reader: version, RestsOn: restsOn(&k.File, nil)})
}
