package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Merged is what Merge has added.
type Merged struct {
	Files     int   // that were not known
	Snapshots int   // that were not there
	Bytes     int64 // of content that no block held
	Marks     int   // things done to marks
	Renames   int
	Forgotten int
	Imports   int
}

// Merge adds to the archive what a bundle holds and the archive does not. Nothing that is there is written over: of a file
// that both have, the archive has the snapshots of both afterwards, in the order of their times. The order in which
// bundles are merged, and how often, makes no difference to ContentHash.
func (w *Writer) Merge(ctx context.Context, b *Bundle) (Merged, error) {
	machine, err := w.Machine()
	if err != nil {
		return Merged{}, err
	}
	m := &merging{ctx: ctx, w: w, b: b, machine: machine, known: map[string]*File{}, mains: map[int64][]string{}}
	files, err := w.Files()
	if err != nil {
		return m.done, err
	}
	for i := range files {
		m.known[m.keyOf(&files[i])] = &files[i]
	}
	if err := b.eachFile(m.file); err != nil {
		return m.done, err
	}
	for _, step := range []func() error{m.companions, m.marks, m.renames, m.graves, m.imports, w.Commit} {
		if err := errors.Join(step(), ctx.Err()); err != nil {
			return m.done, err
		}
	}
	return m.done, nil
}

// merging is one Merge on its way.
type merging struct {
	ctx     context.Context
	w       *Writer
	b       *Bundle
	machine string
	known   map[string]*File   // by key
	mains   map[int64][]string // keys of the evidences that a file is a companion of
	done    Merged
}

func (m *merging) keyOf(f *File) string {
	name, path := OtherMachine(f.Path)
	return fileKeyOf(cmp.Or(name, m.machine), f.Source, f.Store, path)
}

// local returns a path as this archive writes it.
func (m *merging) local(machine, path string) string {
	if machine == m.machine || path == "" {
		return path
	}
	return qualified(machine, path)
}

// file adds the snapshots of a file that are not there, the oldest first.
func (m *merging) file(f *bundledFile) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	file := m.known[f.key()]
	var have []Snapshot
	if file == nil {
		file = &File{Source: f.Source, Store: f.Store, Path: m.local(f.Machine, f.Path), Place: m.local(f.Machine, f.Place)}
		m.known[f.key()] = file
		m.done.Files++
		if err := m.w.do(func(k *clerk) error { return (&keeping{w: m.w, req: KeepRequest{File: *file}}).claim(k, file) }); err != nil {
			return err
		}
	} else {
		var err error
		if have, err = m.w.Snapshots(file.ID); err != nil {
			return err
		}
		slices.Reverse(have)
	}
	for i := range f.Snapshots {
		at := slices.IndexFunc(have, func(s Snapshot) bool { return factsOf(s) == f.Snapshots[i] })
		if at >= 0 {
			continue
		}
		s, err := m.snapshot(file, f, i, have)
		if err != nil {
			return fmt.Errorf("%q: %w", f.Path, err)
		}
		have = append(have, s)
		slices.SortStableFunc(have, compareSnapshots)
		m.done.Snapshots++
	}
	m.mains[file.ID] = f.Mains
	return m.facts(file, f, have)
}

// compareSnapshots orders the snapshots of a file, the oldest first.
func compareSnapshots(a, b Snapshot) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.ID, b.ID))
}

// snapshot keeps the content of one snapshot as it is, with its own time.
func (m *merging) snapshot(file *File, f *bundledFile, i int, have []Snapshot) (Snapshot, error) {
	w, s := m.w, f.Snapshots[i]
	w.keeping.RLock()
	defer w.keeping.RUnlock()
	content := m.b.content(f.Chains[f.Where[i].Chain], s.Size)
	t := &keeping{w: w, at: time.Unix(0, s.At), req: KeepRequest{File: *file, Content: content, Lines: s.Lines, Zstd: s.Zstd}}
	t.req.File.Stat = Stat{Size: s.Size, MTime: s.MTime}
	t.raw.w, t.plain.w = w, w
	grew, err := t.follow(have, f, i)
	if err != nil {
		return Snapshot{}, err
	}
	defer t.raw.free()
	defer t.plain.free()
	if s.Zstd {
		err = t.keepZstd(m.ctx)
	} else {
		t.raw.lines, t.raw.filtered = s.Lines, true
		err = t.raw.run(m.ctx, t.content(), t.prev.Sum, s.Lines && grew)
	}
	if err == nil && t.raw.window.sum != s.Sum {
		err = broken("snapshot %d has another sum than its line says", i+1)
	}
	if err != nil {
		return Snapshot{}, errors.Join(err, w.do(t.abandon))
	}
	m.done.Bytes += t.raw.fresh + t.plain.fresh
	var kept Snapshot
	err = w.do(func(k *clerk) (err error) {
		if kept, err = t.snapshot(k, file.ID); err != nil {
			return err
		}
		if n := len(have); n > 0 && compareSnapshots(have[n-1], kept) > 0 {
			return nil
		}
		_, err = k.exec("merge a file", "UPDATE file SET snapshot = ? WHERE id = ?", kept.ID, file.ID)
		return err
	})
	return kept, err
}

// follow lets a snapshot go on from the newest one that is older, where that is the end of its chain: content that both
// have is then not looked at twice. It reports whether the bundle says that the one grew out of the other.
func (t *keeping) follow(have []Snapshot, f *bundledFile, i int) (grew bool, err error) {
	at := -1
	for n, s := range have {
		if factsOf(s).before(f.Snapshots[i]) {
			at = n
		}
	}
	if at < 0 {
		return false, nil
	}
	prev := have[at]
	if prev.Plain != PlainNone != f.Snapshots[i].Zstd {
		return false, nil
	}
	raw, err := t.w.endsAt(prev.chain, prev.Size)
	if err != nil || !raw {
		return false, err
	}
	if prev.Plain != PlainNone {
		if plain, err := t.w.endsAt(prev.plainChain, prev.PlainSize); err != nil || !plain {
			return false, err
		}
	}
	t.req.File.Snapshot = prev.ID
	grew = i > 0 && f.Where[i].Extends && factsOf(prev) == f.Snapshots[i-1]
	return grew, t.load()
}

// endsAt reports whether a chain ends where a snapshot of it does.
func (w *Writer) endsAt(chain, size int64) (bool, error) {
	r, err := w.openChain(chain, size)
	if err != nil {
		return false, err
	}
	return r.list.Load().size() == size && size > 0, nil
}

func (a snapshotFacts) before(b snapshotFacts) bool {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Sum, b.Sum)) < 0
}

// facts takes of what is said of a file at its source the later word.
func (m *merging) facts(file *File, f *bundledFile, have []Snapshot) error {
	if n := len(have); n > 0 {
		file.Snapshot = have[n-1].ID
	}
	return m.w.do(func(k *clerk) error {
		const doing = "merge a file"
		var mine fileFacts
		err := k.get(doing, "SELECT size, mtime, ctime, inode, in_source, seen FROM file WHERE id = ?", []any{file.ID},
			&mine.Size, &mine.MTime, &mine.CTime, &mine.Inode, &mine.InSource, &mine.Seen)
		if err != nil {
			return err
		}
		if compareFacts(&mine, &f.fileFacts) >= 0 {
			return nil
		}
		_, err = k.exec(doing, "UPDATE file SET place = ?, size = ?, mtime = ?, ctime = ?, inode = ?, in_source = ?, seen = ? WHERE id = ?",
			len(file.Place), f.Size, f.MTime, f.CTime, f.Inode, f.InSource, f.Seen, file.ID)
		return err
	})
}

// compareFacts says which of two words on a file is the later one. Two of one moment are told apart all the same, so that
// every archive takes the same.
func compareFacts(a, b *fileFacts) int {
	flag := map[bool]int{true: 1}
	return cmp.Or(cmp.Compare(a.Seen, b.Seen), cmp.Compare(flag[a.InSource], flag[b.InSource]), cmp.Compare(a.MTime, b.MTime),
		cmp.Compare(a.Size, b.Size), cmp.Compare(a.CTime, b.CTime), cmp.Compare(a.Inode, b.Inode))
}

// companions notes which files are read together, when all of them are there.
func (m *merging) companions() error {
	return m.w.do(func(k *clerk) error {
		const doing = "merge companions"
		for file, mains := range m.mains {
			for _, key := range mains {
				main := m.known[key]
				if main == nil {
					continue // a part of an archive: the other evidence is not in it
				}
				if _, err := k.exec(doing, "INSERT OR IGNORE INTO companion (main, file) VALUES (?, ?)", main.ID, file); err != nil {
					return err
				}
				if _, err := k.exec(doing, "UPDATE file SET main = ? WHERE id = ? AND main = 0", main.ID, file); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (m *merging) marks() error {
	return m.insert(&m.done.Marks, len(m.b.marks), func(i int) (string, []any) {
		x := &m.b.marks[i]
		return "INSERT OR IGNORE INTO mark (target, conversation, kind, value, at, gone) VALUES (?, ?, ?, ?, ?, ?)",
			[]any{x.On[:], x.Conversation[:], x.Kind, x.Value, x.At, x.Gone}
	})
}

// renames takes of two words on one old name the later one.
func (m *merging) renames() error {
	return m.insert(&m.done.Renames, len(m.b.renames), func(i int) (string, []any) {
		x := &m.b.renames[i]
		return `INSERT INTO rename (old, new, at) VALUES (?, ?, ?) ON CONFLICT (old) DO UPDATE SET new = excluded.new, at = excluded.at
			WHERE excluded.at > at OR excluded.at = at AND excluded.new > new`, []any{x.Old[:], x.New[:], x.At}
	})
}

// graves keeps the first word on what was forgotten.
func (m *merging) graves() error {
	return m.insert(&m.done.Forgotten, len(m.b.graves), func(i int) (string, []any) {
		x := &m.b.graves[i]
		return `INSERT INTO tombstone (target, at, note) VALUES (?, ?, ?) ON CONFLICT (target) DO UPDATE SET at = excluded.at, note = excluded.note
			WHERE excluded.at < at OR excluded.at = at AND excluded.note < note`, []any{x.Target[:], x.At, x.Note}
	})
}

func (m *merging) imports() error {
	return m.insert(&m.done.Imports, len(m.b.imports), func(i int) (string, []any) {
		x := m.b.imports[i]
		x.Machine = strings.TrimPrefix(x.Machine, m.machine) // this archive's own have no name
		return `INSERT INTO import (machine, start, stop, program, report) SELECT ?1, ?2, ?3, ?4, ?5
			WHERE NOT EXISTS (SELECT 1 FROM import WHERE machine = ?1 AND start = ?2 AND stop = ?3 AND program = ?4 AND report = ?5)`,
			[]any{x.Machine, x.Start, x.Stop, x.Program, x.Report}
	})
}

// insert runs a statement for each of n lines and counts those that changed something.
func (m *merging) insert(count *int, n int, statement func(i int) (string, []any)) error {
	return m.w.do(func(k *clerk) error {
		for i := range n {
			query, args := statement(i)
			r, err := k.exec("merge", query, args...)
			if err != nil {
				return err
			}
			if changed, err := r.RowsAffected(); err == nil && changed > 0 {
				*count++
			}
		}
		return nil
	})
}
