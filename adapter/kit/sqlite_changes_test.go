package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDatabaseChanged(t *testing.T) {
	setup := []string{kv, `INSERT INTO cursorDiskKV VALUES ('a', 1), ('b', 2), ('c', 3), ('secret://s', 4)`}
	for _, c := range []struct {
		name string
		then []string
		want string // keys, or "unknown"
	}{
		{"nothing", nil, "c3"},
		{"a new row", []string{`INSERT INTO cursorDiskKV VALUES ('d', 4)`}, "c3 d5"},
		{"a row written again", []string{`INSERT INTO cursorDiskKV VALUES ('a', 4)`}, "c3 a5"},
		{"the marked row written again", []string{`INSERT INTO cursorDiskKV VALUES ('c', 4), ('c', 5)`}, "c6"},
		{"an older row deleted", []string{`DELETE FROM cursorDiskKV WHERE key = 'a'`}, "c3"},
		{"the marked row deleted", []string{`DELETE FROM cursorDiskKV WHERE key IN ('c', 'secret://s')`}, "unknown"},
		{"its rowid given to another", []string{`DELETE FROM cursorDiskKV WHERE rowid > 2`, `INSERT INTO cursorDiskKV VALUES ('x', 4), ('y', 5), ('c', 6)`}, "x3 y4 c5"},
		{"vacuumed", []string{`DELETE FROM cursorDiskKV WHERE key = 'a'`, `VACUUM`}, "unknown"},
		{"another column", []string{`ALTER TABLE cursorDiskKV ADD COLUMN x`}, "unknown"},
		{"another secret", []string{`INSERT INTO cursorDiskKV VALUES ('cursorAuth/x', 4)`}, "c3"},
	} {
		dir, name := build(t, setup...)
		mark, err := openTest(t, os.DirFS(dir), name).Mark(t.Context(), "cursorDiskKV")
		if err != nil || mark.Rowid != 3 || mark.Key != "c" {
			t.Fatalf("mark %+v, %v", mark, err)
		}
		run(t, connect(t, filepath.Join(dir, name)), c.then...).Close()
		if got := changed(t, openTest(t, os.DirFS(dir), name), "cursorDiskKV", mark); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func changed(t testing.TB, db *Database, table string, since Mark) string {
	t.Helper()
	rows, known, err := db.Changed(t.Context(), table, since)
	if err != nil {
		t.Fatal(err)
	}
	if !known {
		return "unknown"
	}
	s := ""
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		s += fmt.Sprintf(" %s%d", row.Key.Text(), row.Rowid)
	}
	return s[min(1, len(s)):]
}

// Only where a row that is written again gets a new rowid can rowids tell what changed.
func TestDatabaseChangedNeedsReplace(t *testing.T) {
	dir, name := build(t,
		`CREATE TABLE plain(key TEXT PRIMARY KEY, value)`, `CREATE TABLE numbered(id INTEGER PRIMARY KEY, v UNIQUE ON CONFLICT REPLACE)`,
		`CREATE TABLE none(key TEXT UNIQUE ON CONFLICT REPLACE, value)`, `CREATE TABLE wr(key TEXT PRIMARY KEY) WITHOUT ROWID`,
		`INSERT INTO plain VALUES ('a', 1)`, `INSERT INTO numbered VALUES (5, 1)`, `INSERT INTO wr VALUES ('a')`)
	db := openTest(t, os.DirFS(dir), name)
	got := map[string]string{}
	for _, table := range db.Tables() {
		mark, err := db.Mark(t.Context(), table)
		if err != nil {
			t.Error(err)
		}
		got[table] = fmt.Sprint(mark.Rowid, " ", changed(t, db, table, mark))
	}
	want := map[string]string{"plain": "1 unknown", "numbered": "5 unknown", "none": "0 ", "wr": "0 unknown"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// One new row in a large database: kilobytes are read, not the database.
func TestDatabaseChangedReadsLittle(t *testing.T) {
	dir, name := build(t, `PRAGMA journal_mode = WAL`, `PRAGMA synchronous = OFF`, kv,
		`INSERT INTO cursorDiskKV SELECT 'bubbleId:' || hex(randomblob(16)), hex(zeroblob(1000)) FROM `+numbers(10000))
	mark, err := openTest(t, os.DirFS(dir), name).Mark(t.Context(), "cursorDiskKV")
	if err != nil {
		t.Fatal(err)
	}
	run(t, connect(t, filepath.Join(dir, name)), `INSERT INTO cursorDiskKV VALUES ('bubbleId:new', 'x')`)
	fsys := &countingFS{FS: os.DirFS(dir)}
	db := openTest(t, fsys, name)
	rows, known, err := db.Changed(t.Context(), "cursorDiskKV", mark)
	n := 0
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		n += len(tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV", From: row.Key.Text()})))
	}
	if !known || err != nil || n != 2 {
		t.Errorf("known %v, %v, %d rows", known, err, n)
	}
	if fsys.bytes > 300<<10 {
		t.Errorf("%d bytes were read", fsys.bytes)
	}
}
