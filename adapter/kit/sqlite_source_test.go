package kit

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A value above the bound is told by its size: SQLite is asked for its length first, and the value stays on the disk.
func TestDatabaseValueOf200MBIsNotRead(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 65536`, `PRAGMA journal_mode = OFF`, `PRAGMA synchronous = OFF`, kv,
		`INSERT INTO cursorDiskKV VALUES ('a', 'before'), ('b', zeroblob(200 << 20)), ('c', 'after')`)
	fsys := &countingFS{FS: os.DirFS(dir)}
	db := openTest(t, fsys, name)
	var set bytes.Buffer
	if _, err := KeepRows(t.Context(), db, []Query{{Table: "cursorDiskKV"}}, &set); err != nil {
		t.Fatal(err)
	}
	want := []string{`text("a") value=text("before")`, `text("b") value=blob(209715200 bytes)`, `text("c") value=text("after")`}
	if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
		t.Error(d)
	}
	kept, err := OpenRowSet(bytes.NewReader(set.Bytes()), int64(set.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, tell(kept.Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
		t.Error(d)
	}
	if fsys.bytes > 1<<20 {
		t.Errorf("%d bytes were read", fsys.bytes)
	}
}

// countingFS counts the bytes that are read from its files.
type countingFS struct {
	fs.FS
	bytes int64
}

type countingFile struct {
	fs.File
	fsys *countingFS
}

func (c *countingFS) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return countingFile{f, c}, nil
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.(io.ReaderAt).ReadAt(p, off)
	f.fsys.bytes += int64(n)
	return n, err
}

// Paths are never part of a data source name, so no name is special.
func TestDatabasePathsOfEveryKind(t *testing.T) {
	names := []string{"a b.db", "q?mode=rwc.db", "h#x.db", "p%20.db", "file:x.db", ":memory:", "ünï.db", "n\xff\xfe.db", "'q\".db"}
	for _, name := range names {
		dir := filepath.Join(t.TempDir(), "dir #1 %41?")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		from, file := build(t, `PRAGMA journal_mode = WAL`, kv, `INSERT INTO cursorDiskKV VALUES ('a', 'x')`)
		if err := os.Rename(filepath.Join(from, file), filepath.Join(dir, name)); err != nil {
			t.Logf("%q: this system has no such names: %v", name, err)
			continue
		}
		before := tree(t, dir)
		// Not os.DirFS: fs.ValidPath refuses names that are not UTF-8, which the disk does not.
		db := openTest(t, diskFS(dir), name)
		if d := cmp.Diff([]string{`text("a") value=text("x")`}, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
			t.Errorf("%q: %s", name, d)
		}
		if d := cmp.Diff(before, tree(t, dir)); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

// diskFS opens any name below a folder.
type diskFS string

func (d diskFS) Open(name string) (fs.File, error) { return os.Open(filepath.Join(string(d), name)) }

// A header that says WAL, without side files, in a folder that cannot be written.
func TestCU12ReadOnlyFolder(t *testing.T) {
	dir, name := build(t, `PRAGMA journal_mode = WAL`, kv, `INSERT INTO cursorDiskKV VALUES ('a', 'x')`)
	if err := errors.Join(os.Chmod(filepath.Join(dir, name), 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	before := tree(t, dir)
	db := openTest(t, os.DirFS(dir), name)
	integrity(t, db)
	if d := cmp.Diff([]string{`text("a") value=text("x")`}, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Error(d)
	}
}

// The connection itself refuses to write, whatever it is told.
func TestDatabaseCannotBeWritten(t *testing.T) {
	dir, name := build(t, kv)
	before := tree(t, dir)
	db := openTest(t, os.DirFS(dir), name)
	for _, s := range []string{
		`INSERT INTO cursorDiskKV VALUES ('a', 'x')`, `CREATE TABLE x(y)`, `PRAGMA journal_mode = WAL`, `VACUUM`,
		`CREATE TEMP TABLE x(y)`, `PRAGMA user_version = 3`,
	} {
		err := db.each(s, nil, func([]driver.Value) error { return nil })
		if err == nil && !strings.HasPrefix(s, "PRAGMA") {
			t.Errorf("%s: no error", s)
		}
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestDatabaseContextEnds(t *testing.T) {
	dir, name := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('a', 1), ('b', 2)`)
	db := openTest(t, os.DirFS(dir), name)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	for row, err := range db.Rows(ctx, Query{Table: "cursorDiskKV"}) {
		got = append(got, fmt.Sprint(row.Key.Text(), err))
		cancel()
	}
	if d := cmp.Diff([]string{"a<nil>", `table "cursorDiskKV": context canceled`}, got); d != "" {
		t.Error(d)
	}
	if _, err := OpenDatabase(ctx, os.DirFS(dir), name); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
}

// Rows within rows, ended early, and a database closed under a loop.
func TestDatabaseLoopsWithinLoops(t *testing.T) {
	dir, name := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('a', 1), ('b', 2), ('c', 3)`)
	db := openTest(t, os.DirFS(dir), name)
	q := Query{Table: "cursorDiskKV"}
	n := 0
	for row, err := range db.Rows(t.Context(), q) {
		for inner, err2 := range db.Rows(t.Context(), q) {
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if n++; inner.Key.Text() >= row.Key.Text() {
				break
			}
		}
	}
	if n != 1+2+3 {
		t.Errorf("%d rows", n)
	}
	for range db.Rows(t.Context(), q) {
		db.Close()
	}
	for _, err := range db.Rows(t.Context(), q) {
		if err == nil {
			t.Error("a row of a closed database")
		}
	}
}
