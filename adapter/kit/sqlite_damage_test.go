package kit

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestDatabaseErrors(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 1024`, kv,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
			INSERT INTO cursorDiskKV SELECT 'k' || i, hex(zeroblob(200)) FROM n`)
	good, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	patch := func(off int, b ...byte) []byte {
		p := bytes.Clone(good)
		copy(p[off:], b)
		return p
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"zero bytes", []byte{}, ErrEmptyDatabase},
		{"text", []byte("hello, this is no database"), ErrNotDatabase},
		{"encrypted", bytes.Repeat([]byte{0x9b, 0x01, 0x77}, 4096), ErrNotDatabase},
		{"NUL bytes", make([]byte, 8192), ErrNotDatabase},
		{"a part of the magic", []byte("SQLite"), ErrCorrupt},
		{"the header alone", good[:60], ErrCorrupt},
		{"the first page cut", good[:700], ErrCorrupt},
		{"half copied", good[:len(good)/2], ErrCorrupt},
		{"a later file format", patch(19, 3), ErrNewerFormat},
		{"a later schema format", patch(44, 0, 0, 0, 9), ErrNewerFormat},
		{"a page size that is none", patch(16, 0x12, 0x34), ErrCorrupt},
		{"the schema overwritten", patch(100, bytes.Repeat([]byte{0xee}, 900)...), ErrCorrupt},
		{"a page overwritten", patch(1024, bytes.Repeat([]byte{0xee}, 4096)...), ErrCorrupt},
	} {
		path := filepath.Join(dir, "damaged.db")
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		err := ReadDatabase(t.Context(), os.DirFS(dir), "damaged.db", func(db *Database) error {
			for _, err := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := OpenDatabase(t.Context(), os.DirFS(dir), "none.db"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenDatabase(t.Context(), os.DirFS(filepath.Dir(dir)), filepath.Base(dir)); err == nil {
		t.Error("a folder: no error")
	}
}

// A file that cannot be read is not a damaged database.
func TestDatabaseFileErrors(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 512`, kv, `INSERT INTO cursorDiskKV SELECT 'k' || value, hex(zeroblob(200)) FROM `+numbers(50))
	for _, c := range []struct {
		what failingFS
		want error
	}{
		{failingFS{open: syscall.EBUSY}, ErrLocked},
		{failingFS{open: fs.ErrPermission}, fs.ErrPermission},
		{failingFS{read: syscall.EIO}, syscall.EIO},
		{failingFS{read: syscall.EIO, after: 12}, syscall.EIO},
		{failingFS{read: syscall.EAGAIN, after: 12}, ErrLocked},
	} {
		if runtime.GOOS == "windows" && errors.Is(c.want, ErrLocked) {
			continue // other numbers mean it there
		}
		c.what.FS = os.DirFS(dir)
		err := ReadDatabase(t.Context(), &c.what, name, func(db *Database) error {
			for _, err := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, c.want) || errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %v", c.what, err, c.want)
		}
	}
}

// failingFS fails to open, or to read after a number of reads.
type failingFS struct {
	fs.FS
	open, read error
	after      int
}

type failingFile struct {
	fs.File
	fsys *failingFS
}

func (f *failingFS) Open(name string) (fs.File, error) {
	if f.open != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: f.open}
	}
	file, err := f.FS.Open(name)
	return failingFile{file, f}, err
}

func (f failingFile) ReadAt(p []byte, off int64) (int, error) {
	if f.fsys.after--; f.fsys.after < 0 && f.fsys.read != nil {
		return 0, f.fsys.read
	}
	return f.File.(io.ReaderAt).ReadAt(p, off)
}

// A read that the database moved under begins anew, and not for ever.
func TestDatabaseReadsAgain(t *testing.T) {
	dir, name := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('a', 0)`)
	w := connect(t, filepath.Join(dir, name))
	for _, moves := range []int{0, 1, 3, 1000} {
		calls, got := 0, ""
		err := ReadDatabase(t.Context(), os.DirFS(dir), name, func(db *Database) error {
			if calls++; calls <= moves {
				run(t, w, `UPDATE cursorDiskKV SET value = value + 1`)
			}
			got = sizes(t, db)
			return db.view.moved
		})
		if moves < 1000 && (err != nil || calls != moves+1 || !strings.HasPrefix(got, "a")) {
			t.Errorf("%d moves: %d calls, %q, %v", moves, calls, got, err)
		}
		if moves == 1000 && (!errors.Is(err, ErrMoving) || calls != 12) {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
}

// What comes before the damage can be read.
func TestDatabaseHalfCopiedGivesItsFirstRows(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 1024`, `CREATE TABLE m(id INTEGER PRIMARY KEY, v)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
			INSERT INTO m SELECT i, hex(zeroblob(200)) FROM n`)
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()/2); err != nil {
		t.Fatal(err)
	}
	db := openTest(t, os.DirFS(dir), name)
	rows := tell(db.Rows(t.Context(), Query{Table: "m", Columns: []string{}}))
	if len(rows) < 50 || !strings.Contains(rows[len(rows)-1], "lies beyond the end of the file") {
		t.Errorf("%d rows, the last %q", len(rows), rows[len(rows)-1])
	}
}

// Any byte may be wrong. That ends in rows or in an error, never in anything else.
func TestDatabaseFlippedBytes(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 512`, kv,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
			INSERT INTO cursorDiskKV SELECT 'k' || i, hex(zeroblob(40 + i * 20)) FROM n`)
	good, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	for range 150 {
		bad := bytes.Clone(good)
		for range 1 + seed%7 {
			seed = seed*6364136223846793005 + 1442695040888963407
			bad[(seed>>20)%uint64(len(bad))] = byte(seed >> 56)
		}
		if err := os.WriteFile(filepath.Join(dir, name), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		ReadDatabase(t.Context(), os.DirFS(dir), name, func(db *Database) error {
			tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV", Order: true}))
			_, err := KeepRows(t.Context(), db, []Query{{Table: "cursorDiskKV"}}, io.Discard)
			return err
		})
	}
}
