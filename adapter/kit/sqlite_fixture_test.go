package kit

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// build makes a database in a folder of the test's own and runs statements in it.
func build(t testing.TB, statements ...string) (dir, name string) {
	t.Helper()
	dir, name = t.TempDir(), "state.vscdb"
	run(t, connect(t, filepath.Join(dir, name)), statements...).Close()
	return dir, name
}

// connect opens a database for writing, as its program would.
func connect(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) *sql.DB {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// openTest opens a database for the length of the test.
func openTest(t testing.TB, fsys fs.FS, name string) *Database {
	t.Helper()
	db, err := OpenDatabase(context.Background(), fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// tell writes rows down, one a line: the key, then each column with its kind, and an error as the last line.
func tell(rows iter.Seq2[Row, error]) []string {
	var lines []string
	for row, err := range rows {
		if err != nil {
			return append(lines, "error: "+err.Error())
		}
		line := tellCell(row.Key)
		for _, c := range row.Cells {
			line += " " + c.Column + "=" + tellCell(c)
		}
		if row.Nth >= 0 {
			line += fmt.Sprintf(" nth %d", row.Nth)
		}
		lines = append(lines, line)
	}
	return lines
}

func tellCell(c Cell) string {
	switch {
	case c.Kind == NoCell:
		return "-"
	case c.Left:
		return fmt.Sprintf("%s(%d bytes)", cellKinds[c.Kind], c.Size)
	case c.Kind == NullCell:
		return "null"
	}
	return fmt.Sprintf("%s(%q)", cellKinds[c.Kind], c.Text())
}

// integrity runs SQLite's own check over a view.
func integrity(t testing.TB, db *Database) {
	t.Helper()
	err := db.each("PRAGMA integrity_check", nil, func(row []driver.Value) error {
		if row[0] != "ok" {
			return fmt.Errorf("integrity check: %v", row[0])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tree says what a folder holds: names, modes, sizes, times and bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = fmt.Sprintf("%x", sha256.Sum256(b))
		}
		files[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime(), sum)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const kv = `CREATE TABLE cursorDiskKV(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`

// word reads a big-endian number, as SQLite's files have them.
func word(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
