package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tamper runs SQL on a closed archive, as no program of this version does.
func tamper(t testing.TB, dir, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", dataSource(filepath.Join(dir, fileName), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, sumsName)) // what is wrong has to be seen without it
}

// everyByte is what is in a folder: names and contents.
func everyByte(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func TestOpenRefuses(t *testing.T) {
	archiveFile := func(query string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			w := newWriter(t, dir)
			keep(t, w, File{Source: "s", Path: "~/a"}, []byte("x"), true)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, dir, query)
		}
	}
	file := func(content string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, fileName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	old := func(t *testing.T, dir string) {
		b, err := os.ReadFile("testdata/v1.db")
		if err != nil {
			t.Fatal(err)
		}
		file(string(b))(t, dir)
	}
	for name, tt := range map[string]struct {
		make            func(t *testing.T, dir string)
		reading, writer error // nil: opens
	}{
		"nothing":            {func(*testing.T, string) {}, ErrNone, nil},
		"an empty file":      {file(""), ErrNone, nil},
		"a text":             {file("hello"), ErrDamaged, ErrDamaged},
		"a longer text":      {file(fmt.Sprintf("%0200d", 1)), ErrDamaged, ErrDamaged},
		"a newer archive":    {archiveFile("PRAGMA user_version=99"), ErrNewer, ErrNewer},
		"another program's":  {archiveFile("PRAGMA application_id=7"), ErrDamaged, ErrDamaged},
		"half of a database": {file("SQLite format 3\x00"), ErrDamaged, ErrDamaged},
		"a made-up database": {file("SQLite format 3\x00" + fmt.Sprintf("%0200d", 1)), ErrDamaged, ErrDamaged},
		"an older archive":   {old, ErrOlder, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(t, dir)
			before := everyByte(t, dir)
			a, err := Open(dir, Options{})
			if !errors.Is(err, tt.reading) {
				t.Errorf("Open: %v, want %v", err, tt.reading)
			}
			if err == nil {
				a.Close()
				return
			}
			if tt.writer != nil {
				if _, err := OpenWriter(dir, Options{}); !errors.Is(err, tt.writer) {
					t.Errorf("OpenWriter: %v, want %v", err, tt.writer)
				}
			}
			after := everyByte(t, dir)
			delete(after, fileName+"-shm") // SQLite makes both to read, with nothing in them
			if after[fileName+"-wal"] == "" {
				delete(after, fileName+"-wal")
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the folder was touched (-before +after):\n%.500s", diff)
			}
			if tt.writer == nil {
				w := newWriter(t, dir)
				keep(t, w, File{Source: "s", Path: "~/a"}, []byte("x"), true)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	db, err := sql.Open("sqlite", dataSource(filepath.Join(t.TempDir(), "x.db"), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(background)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := func(query string) func(context.Context, *sql.Tx) error {
		return func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, query)
			return err
		}
	}
	steps := []func(context.Context, *sql.Tx) error{run("CREATE TABLE a (x)"), run("CREATE TABLE b (x); INSERT INTO a VALUES (1); SYNTAX ERROR")}
	if err := migrate(background, c, steps); err == nil {
		t.Fatal("no error of the second step")
	}
	version := func() (n int64) {
		n, err := pragma(background, c, "user_version")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if v := version(); v != 1 {
		t.Errorf("version %d after the second step failed, want 1", v)
	}
	steps[1] = run("CREATE TABLE b (x); INSERT INTO a VALUES (1)")
	for range 2 {
		if err := migrate(background, c, steps); err != nil {
			t.Fatal(err)
		}
	}
	var rows int
	if err := c.QueryRowContext(background, "SELECT count(*) FROM a").Scan(&rows); err != nil || rows != 1 || version() != 2 {
		t.Errorf("%d rows, %v, version %d; want each step done once", rows, err, version())
	}
}

// TestReadsArchivesOfEveryVersion opens the archives that older versions wrote. To add the present version's:
// LORE_ARCHIVE_KEEP=1 go test -run EveryVersion.
func TestReadsArchivesOfEveryVersion(t *testing.T) {
	content := lineBytes(1, 30_000)
	if os.Getenv("LORE_ARCHIVE_KEEP") != "" {
		dir := t.TempDir()
		w, err := OpenWriter(dir, Options{Now: func() time.Time { return time.Unix(1_750_000_000, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		f := keep(t, w, File{Source: "claude-code", Store: "projects", Path: "~/a", Stat: Stat{MTime: 5}}, content[:20_000], true).File
		keep(t, w, f, content, true)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, fileName))
		if err == nil {
			err = os.WriteFile(fmt.Sprintf("testdata/v%d.db", schemaVersion), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for v := 1; v <= schemaVersion; v++ {
		b, err := os.ReadFile(fmt.Sprintf("testdata/v%d.db", v))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), b, 0o600); err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, dir)
		files, err := w.Files()
		if err != nil {
			t.Fatal(err)
		}
		want := []File{{ID: 1, Source: "claude-code", Store: "projects", Path: "~/a", Stat: Stat{Size: 30_000, MTime: 5}, Snapshot: 2, InSource: true}}
		want[0].Stat.Size = int64(len(content))
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", v, diff)
		}
		wantContent(t, w.Archive, 1, content[:20_000])
		wantContent(t, w.Archive, 2, content)
		wantSound(t, w.Archive)
	}
}

// TestReadersAndTheWriterDoNotWait: a reader sees the last commit while a transaction is open, and its long read does not
// hold up a commit.
func TestReadersAndTheWriterDoNotWait(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	first := keep(t, w, File{Source: "s", Path: "~/a"}, []byte("one\n"), true)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	keep(t, w, File{Source: "s", Path: "~/b"}, []byte("two\n"), true) // not committed
	a := openArchive(t, dir)
	files, err := a.Files()
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v, want the committed one", len(files), err)
	}
	err = a.view("read long", func(c *sql.Conn) error {
		if _, err := listFiles(c); err != nil {
			return err
		}
		return w.Commit()
	})
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, a, first.Snapshot.ID, []byte("one\n"))
	if files, err := a.Files(); err != nil || len(files) != 2 {
		t.Errorf("%d files, %v, want both", len(files), err)
	}
}

func TestPathsWithSpecialBytes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%41é&mode=memory")
	w := newWriter(t, dir)
	k := keep(t, w, File{Source: "s", Path: "~/a"}, []byte("x"), true)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
	wantContent(t, openArchive(t, dir), k.Snapshot.ID, []byte("x"))
}
