package kit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestDatabaseValuesOfEveryKind(t *testing.T) {
	dir, name := build(t, kv,
		`INSERT INTO cursorDiskKV VALUES
			('a', 'text'), ('b', NULL), ('c', 12), ('d', 1.5), ('e', x'00ff'), ('f', ''), ('g', x''),
			('h', 'null'), ('i', CAST(x'6eff6e' AS TEXT)), ('j', 'a' || char(0) || 'b'), (NULL, 'no key'), (x'7a', 'blob key')`)
	db := openTest(t, os.DirFS(dir), name)
	want := []string{
		`null value=text("no key")`,
		`text("a") value=text("text")`, `text("b") value=null`, `text("c") value=integer("12")`,
		`text("d") value=real("1.5")`, `text("e") value=blob("\x00\xff")`, `text("f") value=text("")`,
		`text("g") value=blob("")`, `text("h") value=text("null")`, `text("i") value=text("n\xffn")`,
		`text("j") value=text("a\x00b")`, `blob("z") value=text("blob key")`,
	}
	if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
		t.Error(d)
	}
	absent := ""
	for row := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
		if row.Cells[0].IsAbsent() {
			absent += row.Key.Text()
		}
	}
	if absent != "bfgh" {
		t.Errorf("absent values: %q", absent)
	}
}

// A declared type of DATETIME must not turn what the source wrote into a time.
func TestDatabaseTypesAreTheValues(t *testing.T) {
	dir, name := build(t,
		`CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, at DATETIME, ok BOOLEAN, n VARCHAR(3))`,
		`INSERT INTO messages VALUES (7, '2026-01-02 03:04:05', 1, 'long'), (8, 1767225600, 'yes', 2)`)
	db := openTest(t, os.DirFS(dir), name)
	want := []string{
		`integer("7") at=text("2026-01-02 03:04:05") ok=integer("1") n=text("long")`,
		`integer("8") at=integer("1767225600") ok=text("yes") n=text("2")`,
	}
	if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "messages"}))); d != "" {
		t.Error(d)
	}
}

func TestDatabaseRanges(t *testing.T) {
	dir, name := build(t, kv,
		`INSERT INTO cursorDiskKV(key) VALUES ('a:'), ('a:1'), ('a:2'), ('a;'), ('b'), ('A:1'), ('ä'), ('a:1x')`,
		`CREATE TABLE n(id INTEGER PRIMARY KEY, s TEXT, v)`, `CREATE INDEX ns ON n(s)`,
		`INSERT INTO n VALUES (-5, 'x', 1), (2, 'y', 2), (10, 'x', 3), (30, 'X', 4)`,
		`CREATE TABLE plain(v)`, `INSERT INTO plain VALUES ('one'), ('two'), ('three')`)
	db := openTest(t, os.DirFS(dir), name)
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Table: "cursorDiskKV", From: "a:", To: "a;"}, "a: a:1 a:1x a:2"},
		{Query{Table: "cursorDiskKV", From: "a:1"}, "a:1"},
		{Query{Table: "cursorDiskKV", From: "none"}, ""},
		{Query{Table: "cursorDiskKV", To: "a:1"}, "A:1 a:"},
		{Query{Table: "cursorDiskKV"}, "A:1 a: a:1 a:1x a:2 a; b ä"},
		{Query{Table: "n", From: "2", To: "30"}, "2 10"},
		{Query{Table: "n", From: "10"}, "10"},
		{Query{Table: "n", From: "ten"}, ""},
		{Query{Table: "n", From: "3", To: "~"}, "10 30"},
		{Query{Table: "n", KeyColumn: "s", From: "x"}, "-5 10"},
		{Query{Table: "n", KeyColumn: "s", From: "x", To: "z"}, "-5 2 10"},
		{Query{Table: "plain", From: "2", To: "~"}, "2 3"},
	} {
		var keys []string
		c.q.Columns = []string{}
		for row, err := range db.Rows(t.Context(), c.q) {
			if err != nil {
				t.Errorf("%+v: %v", c.q, err)
			}
			keys = append(keys, row.Key.Text())
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
}

// Ranges must be cut out of an index: a query that looks at every row of a table of gigabytes is a fault.
func TestDatabaseRangesUseAnIndex(t *testing.T) {
	dir, name := build(t, kv, `CREATE TABLE n(id INTEGER PRIMARY KEY, s TEXT, v)`, `CREATE INDEX ns ON n(s)`)
	db := openTest(t, os.DirFS(dir), name)
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Table: "cursorDiskKV", From: "a", To: "b"}, "SEARCH cursorDiskKV USING INDEX sqlite_autoindex_cursorDiskKV_1 (key>? AND key<?)"},
		{Query{Table: "cursorDiskKV", From: "a"}, "SEARCH cursorDiskKV USING INDEX sqlite_autoindex_cursorDiskKV_1 (key=?)"},
		{Query{Table: "n", From: "1", To: "2"}, "SEARCH n USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{Query{Table: "n", From: "1"}, "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)"},
		{Query{Table: "n", KeyColumn: "s", From: "1"}, "SEARCH n USING INDEX ns (s=?)"},
	} {
		s, err := db.plan(c.q)
		if err != nil {
			t.Fatal(err)
		}
		where, args := s.where()
		sql := "EXPLAIN QUERY PLAN " + s.selectValues() + where
		if s.sorted {
			sql += " ORDER BY " + quote(s.t.key)
		}
		var plan []string
		err = db.each(sql, args, func(row []driver.Value) error {
			plan = append(plan, row[3].(string))
			return nil
		})
		if d := cmp.Diff([]string{c.want}, plan); d != "" || err != nil {
			t.Errorf("%+v: %s %v", c.q, d, err)
		}
	}
}

func TestDatabaseColumnsAndKeys(t *testing.T) {
	dir, name := build(t, kv,
		`CREATE TABLE a(id INTEGER PRIMARY KEY, v, "od""d" TEXT, doubled AS (v * 2))`,
		`CREATE TABLE b(id TEXT PRIMARY KEY, data BLOB)`,
		`CREATE TABLE c(x, y, PRIMARY KEY(x, y)) WITHOUT ROWID`,
		`CREATE TABLE d(id TEXT PRIMARY KEY COLLATE NOCASE)`,
		`CREATE TABLE e(rowid TEXT, _rowid_ TEXT)`,
		`CREATE VIEW f AS SELECT * FROM a`,
		`CREATE VIRTUAL TABLE g USING fts5(x)`,
		`INSERT INTO e VALUES ('x', 'y')`,
		`INSERT INTO c VALUES ('p', 2), ('o', 3), ('p', 1)`)
	db := openTest(t, os.DirFS(dir), name)
	var got []string
	for _, table := range db.Tables() {
		if strings.HasPrefix(table, "g_") { // the virtual table's own
			continue
		}
		key, err := db.KeyColumn(table)
		columns, err2 := db.Columns(table)
		got = append(got, fmt.Sprintf("%s by %s %v %v %v", table, key, columns, err, err2))
	}
	want := []string{
		`a by id [{id INTEGER} {v } {od"d TEXT}] <nil> <nil>`,
		`b by id [{id TEXT} {data BLOB}] <nil> <nil>`,
		`c by x [{x } {y }] <nil> <nil>`,
		`cursorDiskKV by key [{key TEXT} {value BLOB}] <nil> <nil>`,
		`d by rowid [{id TEXT}] <nil> <nil>`,
		`e by oid [{rowid TEXT} {_rowid_ TEXT}] <nil> <nil>`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`integer("1") rowid=text("x") _rowid_=text("y")`}, tell(db.Rows(t.Context(), Query{Table: "e"}))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`text("o") y=integer("3")`, `text("p") y=integer("1")`, `text("p") y=integer("2")`}, tell(db.Rows(t.Context(), Query{Table: "c"}))); d != "" {
		t.Error(d)
	}
	for _, table := range []string{"f", "g", "none", "sqlite_schema"} {
		if _, err := db.Columns(table); !errors.Is(err, ErrNoTable) {
			t.Errorf("%s: %v", table, err)
		}
	}
	// Columns come and go with migrations.
	if d := cmp.Diff([]string{`text("p") y=integer("1") z=-`, `text("p") y=integer("2") z=-`}, tell(db.Rows(t.Context(), Query{Table: "c", From: "p", Columns: []string{"y", "z"}}))); d != "" {
		t.Error(d)
	}
}

func TestDatabaseUTF16(t *testing.T) {
	for _, encoding := range []string{"UTF-16le", "UTF-16be"} {
		dir, name := build(t, `PRAGMA encoding = "`+encoding+`"`, kv,
			`INSERT INTO cursorDiskKV VALUES
				('bubbleId:1', 'grün ☃ 😀'), ('bubbleId:2', x'3dd8'), ('bubbleIdĺ', 'not in the range'), ('ä', ''),
				('secret://x', 'hidden'), ('z', '12345678')`,
			`UPDATE cursorDiskKV SET value = CAST(x'6100d83d6200' AS TEXT) WHERE key = 'bubbleId:2'`)
		db := openTest(t, os.DirFS(dir), name)
		lone := `a\xed\xa0\xbdb`
		if encoding == "UTF-16le" {
			lone = `a㷘b`
		} else {
			lone = `愀\xed\xa0\xbd戀`
		}
		want := []string{`text("bubbleId:1") value=text("grün ☃ 😀")`, `text("bubbleId:2") value=text("` + lone + `")`}
		if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV", From: "bubbleId:", To: "bubbleId;"}))); d != "" {
			t.Error(encoding, d)
		}
		want = []string{`text("bubbleId:1") value=text("grün ☃ 😀") nth 0`}
		if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV", From: "bubbleId:1", Order: true}))); d != "" {
			t.Error(encoding, d)
		}
		want = []string{`text("z") value=text(16 bytes)`, `text("ä") value=text("")`}
		if d := cmp.Diff(want, tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV", From: "c", To: "\xff", MaxValue: 15}))); d != "" {
			t.Error(encoding, d)
		}
	}
}

func TestDecodeUTF16(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"a\x00", "a"}, {"=\xd8\x00\xde", "😀"}, {"=\xd8", "\xed\xa0\xbd"}, {"=\xd8a\x00", "\xed\xa0\xbda"},
		{"\x00\xde=\xd8", "\xed\xb8\x80\xed\xa0\xbd"}, {"a\x00b", "a\uFFFD"}, {"\x00\x00", "\x00"},
	} {
		if got := string(decodeUTF16([]byte(c.in), false)); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

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
	for range 300 {
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

// word reads a big-endian number, as SQLite's files have them.
func word(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
