package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"
)

// KeepRequest asks to keep one file.
type KeepRequest struct {
	// File is the file as the archive knows it, or, with ID 0, one that Files does not list: Source, Store and Path are
	// its key. Of is taken over; Stat is what the file system said before Content was opened.
	File File

	// Content is read to its end. When it is an io.ReaderAt too (an *os.File, a *bytes.Reader), it is read by that from
	// offset 0, and a file that has grown is not read from the beginning.
	Content io.Reader

	// Lines says that the content is lines, and grows by lines: it is cut at line ends, and believed to have grown when
	// it is larger and its first block and the last ones before the old end are as they were. Whole compares all of it
	// all the same.
	Lines bool
	Whole bool

	// Zstd says that the content is zstd: its decoded content is kept beside it, as Lines or not.
	Zstd bool
}

// Change says what Keep found.
type Change uint8

// The file is as it was; it is new; it has grown; it holds other bytes.
const (
	Unchanged Change = iota
	Created
	Appended
	Rewritten
)

// String names the change.
func (c Change) String() string {
	return [...]string{"unchanged", "created", "appended", "rewritten"}[c&3]
}

// Kept is what Keep did.
type Kept struct {
	File     File     // with its id, the new stat facts, InSource set
	Snapshot Snapshot // the newest one now; the one before when nothing changed
	Change   Change
	New      int64 // bytes that were not in the archive before, uncompressed
}

// Keep puts the content of a file into the archive. The same content gives the snapshot that is there. An error of
// Content is returned as it is, and nothing of that file is kept. The error is ErrConflict when File is not the newest
// state of the file.
func (w *Writer) Keep(ctx context.Context, k KeepRequest) (Kept, error) {
	w.keeping.RLock()
	defer w.keeping.RUnlock()
	t := &keeping{w: w, req: k}
	if err := t.load(); err != nil {
		return Kept{}, err
	}
	defer t.raw.free()
	defer t.plain.free()
	var err error
	if k.Zstd {
		err = t.keepZstd(ctx)
	} else {
		t.raw.lines, t.raw.filtered = k.Lines, true
		err = t.raw.run(ctx, t.content(), t.prev.Sum, k.Lines && !k.Whole)
	}
	if err != nil {
		return Kept{}, errors.Join(err, w.do(t.abandon))
	}
	var kept Kept
	err = w.do(func(c *clerk) (err error) {
		kept, err = t.finish(c)
		return err
	})
	return kept, err
}

// keeping is one Keep on its way.
type keeping struct {
	w     *Writer
	req   KeepRequest
	prev  Snapshot // zero: none
	raw   build
	plain build     // of the decoded content
	state Plain     // of the decoded content
	at    time.Time // of a snapshot that another archive has made; zero: now
}

// load learns what the archive has of the file.
func (t *keeping) load() (err error) {
	t.raw.w, t.plain.w = t.w, t.w
	id := t.req.File.Snapshot
	if id == 0 {
		return nil
	}
	if t.prev, err = t.w.Snapshot(id); err != nil {
		return err
	}
	if t.prev.File != t.req.File.ID {
		return fmt.Errorf("archive: keep %q: snapshot %d is of another file: %w", t.req.File.Path, id, ErrConflict)
	}
	if err := t.raw.load(t.prev.chain, t.prev.Size); err != nil {
		return err
	}
	if t.prev.Plain != PlainNone {
		return t.plain.load(t.prev.plainChain, t.prev.PlainSize)
	}
	return nil
}

// load reads the block list of the chain that the newest snapshot reaches the end of.
func (b *build) load(chain, size int64) error {
	r, err := b.w.openChain(chain, size)
	if err != nil {
		return err
	}
	b.id, b.old = chain, r.list.Load()
	if b.old.size() != size {
		return fmt.Errorf("archive: chain %d has grown: %w; list the files again", chain, ErrConflict)
	}
	return nil
}

func (t *keeping) content() content {
	c := content{r: t.req.Content, size: -1}
	if t.req.File.Stat != (Stat{}) {
		c.size = t.req.File.Stat.Size
	}
	return c
}

// finish makes the snapshot. It runs on the clerk, behind the last block, and everything it writes becomes durable
// together.
func (t *keeping) finish(k *clerk) (Kept, error) {
	f := t.req.File
	if err := t.claim(k, &f); err != nil {
		return Kept{}, err
	}
	kept := Kept{File: f, Snapshot: t.prev, Change: t.raw.change, New: t.raw.fresh + t.plain.fresh}
	if t.raw.change != Unchanged {
		s, err := t.snapshot(k, f.ID)
		if err != nil {
			return Kept{}, err
		}
		kept.Snapshot, kept.File.Snapshot = s, s.ID
	}
	kept.File.InSource = true
	st := f.Stat
	_, err := k.exec("keep a file", `UPDATE file SET place = ?, main = CASE main WHEN 0 THEN ? ELSE main END, size = ?, mtime = ?, ctime = ?, inode = ?, snapshot = ?, in_source = 1, seen = ?
		WHERE id = ?`, len(f.Place), f.Of, st.Size, st.MTime, st.CTime, int64(st.Inode), kept.File.Snapshot, k.now().UnixNano(), f.ID)
	if err == nil && f.Of != 0 {
		_, err = k.exec("keep a file", "INSERT OR IGNORE INTO companion (main, file) VALUES (?, ?)", f.Of, f.ID)
	}
	return kept, err
}

// claim makes the row of a new file, or checks that the newest snapshot of an old one is still the one that the content
// was compared with.
func (t *keeping) claim(k *clerk, f *File) error {
	if f.ID != 0 {
		var newest int64
		err := k.get("keep a file", "SELECT snapshot FROM file WHERE id = ?", []any{f.ID}, &newest)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("archive: keep %q: file %d: %w", f.Path, f.ID, ErrUnknown)
		}
		if err == nil && newest != f.Snapshot {
			err = fmt.Errorf("archive: keep %q: %w; list the files again", f.Path, ErrConflict)
		}
		return err
	}
	store, err := k.storeID(f.Source, f.Store)
	if err != nil {
		return err
	}
	var other int64
	err = k.get("keep a file", "SELECT id FROM file WHERE path = ? AND store = ?", []any{f.Path, store}, &other)
	if err == nil {
		return fmt.Errorf("archive: keep %q: it is there as file %d: %w; list the files again", f.Path, other, ErrConflict)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	f.ID, err = k.add("keep a file", "INSERT INTO file (store, path) VALUES (?, ?)", store, f.Path)
	return err
}

// abandon undoes what a Keep that failed has left.
func (t *keeping) abandon(k *clerk) error {
	return errors.Join(t.raw.abandon(k), t.plain.abandon(k))
}

// snapshot writes the chains and the snapshot.
func (t *keeping) snapshot(k *clerk, file int64) (Snapshot, error) {
	s := Snapshot{
		File: file, At: time.Unix(0, t.w.now().UnixNano()), Lines: t.req.Lines, Sum: t.raw.window.sum, Plain: t.state,
	}
	if !t.at.IsZero() {
		s.At = t.at
	} else if !s.At.After(t.prev.At) { // snapshots are ordered by their times, also where a clock was set back
		s.At = t.prev.At.Add(1)
	}
	if m := t.req.File.Stat.MTime; m != 0 {
		s.ModTime = time.Unix(0, m)
	}
	if t.raw.change != Created && t.raw.change != Rewritten {
		s.Extends = t.prev.ID
	}
	var err error
	if s.chain, s.Size, err = t.raw.write(k, file); err != nil {
		return s, err
	}
	s.PlainSize = s.Size
	if s.Plain != PlainNone {
		if s.plainChain, s.PlainSize, err = t.plain.write(k, file); err != nil {
			return s, err
		}
	}
	s.ID, err = k.add("keep a snapshot", `INSERT INTO snapshot
		(file, at, mtime, lines, size, chain, sum, extends, plain, plain_size, plain_chain, plain_sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		file, s.At.UnixNano(), t.req.File.Stat.MTime, s.Lines, s.Size, s.chain, s.Sum, s.Extends,
		s.Plain, s.PlainSize, s.plainChain, t.plain.window.sum)
	return s, err
}
