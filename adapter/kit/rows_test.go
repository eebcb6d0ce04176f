package kit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

// keep writes the row set of queries.
func keep(t testing.TB, dir, name string, queries ...Query) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := KeepRows(t.Context(), openTest(t, os.DirFS(dir), name), queries, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openSet(t testing.TB, b []byte) *RowSet {
	t.Helper()
	s, err := OpenRowSet(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const everyKind = `INSERT INTO cursorDiskKV VALUES
	('text', '{"text":"two` + "\n" + `lines"}'), ('null', NULL), ('integer', -12), ('real', 1e300), ('tiny', 4.9e-324), ('whole', 3.0), ('blob', x'00ff0a'),
	('empty', ''), ('no bytes', x''), ('bad', CAST(x'6eff' AS TEXT)), ('"quoted\', 'a' || char(0)), ('tab	in', ' '), (x'ff00', 'blob key'),
	(CAST(x'80' AS TEXT), 'bad key'), (NULL, 'null key'), ('infinite', 9e999), ('largest', 9223372036854775807)`

func TestRowsFormat(t *testing.T) {
	dir, name := build(t, kv, everyKind, `CREATE TABLE b(id INTEGER PRIMARY KEY, role TEXT, extra, data)`,
		`INSERT INTO b VALUES (10, 'user', NULL, 'x'), (-2, 'assistant', 1, 'y')`)
	got := keep(t, dir, name, Query{Table: "cursorDiskKV", MaxValue: 16}, Query{Table: "b", Order: true}, Query{Table: "gone"})
	want := readFile(t, "testdata", "rows.txt")
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Error(d)
	}
}

// Every value comes back from a row set as it was in the database, by whatever query.
func TestRowsAreAlikeLiveAndKept(t *testing.T) {
	dir, name := build(t, kv, everyKind, `CREATE TABLE m(id INTEGER PRIMARY KEY, s TEXT, v)`, `CREATE INDEX ms ON m(s)`)
	w := run(t, connect(t, filepath.Join(dir, name)), `BEGIN`)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		key := fmt.Sprintf("bubbleId:%x:%x", r.IntN(6), r.IntN(1000))
		value := strings.Repeat(string(rune('a'+i%26)), r.IntN(3000))
		if _, err := w.Exec(`INSERT INTO cursorDiskKV VALUES (?, ?)`, key, value); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Exec(`INSERT OR REPLACE INTO m VALUES (?, ?, ?)`, r.IntN(1000)-200, "s"+strconv.Itoa(r.IntN(5)), value); err != nil {
			t.Fatal(err)
		}
	}
	run(t, w, `COMMIT`).Close()
	db := openTest(t, os.DirFS(dir), name)
	set := keep(t, dir, name, Query{Table: "cursorDiskKV"}, Query{Table: "m"})
	whole := openSet(t, set)
	bound := func() string {
		return []string{"", "", "bubbleId:", "bubbleId;", "bubbleId:3:", "bubbleId:3;", "bubbleId:2:1f4", "text", "t", "z", "-100", "7", "500", "\xff", "blob"}[r.IntN(15)]
	}
	for i := range 200 {
		q := Query{Table: []string{"cursorDiskKV", "m"}[r.IntN(2)], From: bound(), To: bound(), MaxValue: int64(r.IntN(5000))}
		if r.IntN(4) == 0 {
			q.Columns = [][]string{{}, {"value"}, {"v", "id"}, {"none", "s"}}[r.IntN(4)]
		}
		if q.Table == "m" && r.IntN(2) == 0 {
			q.KeyColumn, q.From = "s", "s"+strconv.Itoa(r.IntN(6))
			q.To = []string{"", "s4", ""}[r.IntN(3)]
		}
		s := whole
		if i%3 == 0 {
			s = openSet(t, set) // one that has no index yet
		}
		if d := cmp.Diff(tell(db.Rows(t.Context(), q)), tell(s.Rows(t.Context(), q))); d != "" {
			t.Fatalf("%+v: %s", q, d)
		}
	}
}

// Equal content is equal bytes: a row that is written again as it was, VACUUM, another order of writing, other rows in
// the table.
func TestRowsEqualContentIsEqualBytes(t *testing.T) {
	a, name := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('p:1', 'x'), ('p:2', 'y'), ('q', 'z')`)
	b, _ := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('p:2', 'y'), ('other', 1), ('p:1', 'old')`,
		`INSERT INTO cursorDiskKV VALUES ('p:1', 'x'), ('q', 'z')`, `DELETE FROM cursorDiskKV WHERE key = 'other'`, `VACUUM`)
	query := Query{Table: "cursorDiskKV", From: "p:", To: "p;"}
	first := keep(t, a, name, query)
	if d := cmp.Diff(first, keep(t, b, name, query)); d != "" {
		t.Error(d)
	}
	run(t, connect(t, filepath.Join(a, name)), `INSERT INTO cursorDiskKV VALUES ('p:1', 'x')`, `VACUUM`).Close()
	if d := cmp.Diff(first, keep(t, a, name, query)); d != "" {
		t.Error(d)
	}
	// The order of writing is in a row set only where it was asked for.
	query.Order = true
	want := []string{`text("p:1") value=text("x") nth 1`, `text("p:2") value=text("y") nth 0`}
	for _, dir := range []string{a, b} {
		if d := cmp.Diff(want, tell(openSet(t, keep(t, dir, name, query)).Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
			t.Error(d)
		}
	}
}

func TestRowsQueriesAreMerged(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      []Query
		numbers bool
		want    string
	}{
		{"apart", []Query{{From: "c", To: "d"}, {From: "a", To: "b"}}, false, "a-b c-d"},
		{"overlapping", []Query{{From: "a", To: "c"}, {From: "b", To: "d"}}, false, "a-d"},
		{"within", []Query{{From: "a", To: "z"}, {From: "b", To: "d"}}, false, "a-z"},
		{"touching", []Query{{From: "a", To: "b"}, {From: "b", To: "c"}}, false, "a-b b-c"},
		{"a key within", []Query{{From: "b"}, {From: "a", To: "c"}}, false, "a-c"},
		{"a key at the beginning", []Query{{From: "a"}, {From: "a", To: "c"}}, false, "a-c"},
		{"a key at the end", []Query{{From: "c"}, {From: "a", To: "c"}}, false, "a-c c="},
		{"a key twice", []Query{{From: "a"}, {From: "a"}}, false, "a="},
		{"everything", []Query{{From: "a"}, {}, {To: "b"}, {From: "c", To: "d"}}, false, "all"},
		{"from the first on", []Query{{From: "a", To: "c"}, {To: "b"}}, false, "-c"},
		{"numbers", []Query{{From: "9", To: "20"}, {From: "10", To: "100"}}, true, "9-100"},
		{"digits", []Query{{From: "9", To: "95"}, {From: "10", To: "100"}}, false, "10-100 9-95"},
	} {
		var got []string
		for _, q := range mergeQueries(c.in, func(string) bool { return c.numbers }) {
			switch {
			case q.whole():
				got = append(got, "all")
			case q.To == "":
				got = append(got, q.From+"=")
			default:
				got = append(got, q.From+"-"+q.To)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	dir, name := build(t, kv, `INSERT INTO cursorDiskKV VALUES ('a', 1), ('b', 2), ('c', 3)`)
	want := []string{`text("a") value=integer("1")`, `text("b") value=integer("2")`, `text("c") value=integer("3")`}
	set := keep(t, dir, name, Query{Table: "cursorDiskKV", From: "b"}, Query{Table: "cursorDiskKV", From: "b", To: "d"}, Query{Table: "cursorDiskKV", From: "a"}, Query{Table: "cursorDiskKV", From: "a", To: "c"})
	if d := cmp.Diff(want, tell(openSet(t, set).Rows(t.Context(), Query{Table: "cursorDiskKV"}))); d != "" {
		t.Error(d)
	}
}

// A part of a database may be the rows that name one conversation in a column, each table by its own way.
func TestRowsByAColumn(t *testing.T) {
	dir, name := build(t, `CREATE TABLE message (id TEXT PRIMARY KEY, session TEXT, words TEXT)`, `CREATE INDEX m ON message (session)`,
		`CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT)`,
		`INSERT INTO message VALUES ('m3', 's1', 'three'), ('m1', 's1', 'one'), ('m2', 's2', 'two')`, `INSERT INTO session VALUES ('s1', 'First'), ('s2', 'Second')`)
	queries := []Query{RangeQuery(adapter.Range{Table: "session", From: "s1"}), RangeQuery(adapter.Range{Table: "message", Column: "session", From: "s1"})}
	queries[1].Order = true
	set := openSet(t, keep(t, dir, name, queries...))
	want := []string{`text("m1") session=text("s1") words=text("one") nth 1`, `text("m3") session=text("s1") words=text("three") nth 0`}
	if d := cmp.Diff(want, tell(set.Rows(t.Context(), Query{Table: "message"}))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`text("s1") title=text("First")`}, tell(set.Rows(t.Context(), Query{Table: "session"}))); d != "" {
		t.Error(d)
	}
	db := openTest(t, os.DirFS(dir), name)
	for _, bad := range [][]Query{
		{{Table: "message", KeyColumn: "session"}},
		{{Table: "message", KeyColumn: "session", From: "s1", To: "s2"}},
		{{Table: "message", KeyColumn: "session", From: "s1"}, {Table: "message", From: "m2"}},
		{{Table: "message", From: "m2", Columns: []string{"words"}}},
	} {
		if _, err := KeepRows(t.Context(), db, bad, io.Discard); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// Adapters read Rows, and locators lead to the bytes.
func TestRowsOfAnInput(t *testing.T) {
	dir, name := build(t, `PRAGMA journal_mode = WAL`, kv, `INSERT INTO cursorDiskKV VALUES ('b:1', 'one'), ('b:2', 22)`)
	set := keep(t, dir, name, RangeQuery(adapter.Range{Table: "cursorDiskKV", From: "b:", To: "b;"}))
	live := adapter.Input{FS: os.DirFS(dir), Place: "~/User"}
	kept := adapter.Input{FS: fstest.MapFS{name: {Data: set}}, Place: "~/User"}
	var locators []lore.Locator
	for _, in := range []adapter.Input{live, kept} {
		rows, err := OpenRows(t.Context(), in, name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"cursorDiskKV"}, rows.Tables()); d != "" {
			t.Error(d)
		}
		for row, err := range rows.Read(t.Context(), Query{Table: "cursorDiskKV", From: "b:", To: "b;"}) {
			if err != nil {
				t.Fatal(err)
			}
			locators = append(locators, rows.Locator(row, "value"), rows.Locator(row, ""))
		}
		for _, err := range rows.Read(t.Context(), Query{Table: "none"}) {
			if in.FS == live.FS && !errors.Is(err, ErrNoTable) || in.FS != live.FS {
				t.Error(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
	var got []string
	for _, l := range locators {
		got = append(got, fmt.Sprintf("%s %s %q", l.File, l.Row, set[l.Offset:l.Offset+l.Length]))
	}
	want := []string{
		`~/User/state.vscdb cursorDiskKV/b:1 ""`, `~/User/state.vscdb cursorDiskKV/b:1 ""`,
		`~/User/state.vscdb cursorDiskKV/b:2 ""`, `~/User/state.vscdb cursorDiskKV/b:2 ""`,
		`~/User/state.vscdb cursorDiskKV/b:1 "one"`,
		`~/User/state.vscdb cursorDiskKV/b:1 "{\"table\":\"cursorDiskKV\",\"by\":\"key\",\"key\":\"b:1\",\"values\":[[\"value\",\"text\",3]]}\none\n"`,
		`~/User/state.vscdb cursorDiskKV/b:2 "22"`,
		`~/User/state.vscdb cursorDiskKV/b:2 "{\"table\":\"cursorDiskKV\",\"by\":\"key\",\"key\":\"b:2\",\"values\":[[\"value\",\"integer\",2]]}\n22\n"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRowsOpenErrors(t *testing.T) {
	in := adapter.Input{FS: fstest.MapFS{
		"empty": {}, "text": {Data: []byte("hello")}, "begun": {Data: []byte(rowsBegin)}, "cut": {Data: []byte(rowsBegin + `{"table":`)},
	}}
	for path, want := range map[string]error{"empty": ErrEmptyDatabase, "text": ErrNotDatabase, "begun": ErrRowSet, "cut": ErrRowSet, "none": os.ErrNotExist} {
		if _, err := OpenRows(t.Context(), in, path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

// However a row set is cut or damaged, reading it ends, with an error where rows are missing.
func TestRowsDamaged(t *testing.T) {
	dir, name := build(t, kv, everyKind)
	set := keep(t, dir, name, Query{Table: "cursorDiskKV"})
	all := func(b []byte) error {
		s, err := OpenRowSet(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		for _, err := range s.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := all(set); err != nil {
		t.Fatal(err)
	}
	for n := range len(set) {
		if err := all(set[:n]); !errors.Is(err, ErrRowSet) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	for i := range set {
		b := bytes.Clone(set)
		b[i] ^= 0x15
		if err := all(b); err != nil && !errors.Is(err, ErrRowSet) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	// A file that is shorter than it was said to be.
	s, err := OpenRowSet(io.NewSectionReader(bytes.NewReader(set), 0, int64(len(set))), int64(len(set)))
	if err != nil {
		t.Fatal(err)
	}
	s.r = bytes.NewReader(set[:len(set)/2])
	for _, err = range s.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
	}
	if !errors.Is(err, ErrRowSet) {
		t.Errorf("half: %v", err)
	}
}

func TestRowsHaveToBeSorted(t *testing.T) {
	key := func(s string) Cell { return Cell{Column: "key", Kind: TextCell, Bytes: []byte(s)} }
	w := NewRowWriter(io.Discard)
	if err := errors.Join(w.Write(Row{Table: "a", Key: key("2"), Nth: -1}), w.Write(Row{Table: "b", Key: key("1"), Nth: -1})); err != nil {
		t.Fatal(err)
	}
	for _, row := range []Row{{Table: "b", Key: key("0")}, {Table: "a", Key: key("3")}, {Table: "b", Key: Cell{Kind: IntegerCell, Int: 5}}} {
		if w.Write(row) == nil {
			t.Errorf("%q was written after b/1", row.Name())
		}
	}
}

// Many rows, and values larger than the window.
func TestRowsLarge(t *testing.T) {
	var b bytes.Buffer
	w := NewRowWriter(&b)
	size := func(i int) int { return i * 7919 % 500 * (1 + i%97/96*400) }
	const n = 3000
	for i := range n {
		value := bytes.Repeat([]byte{byte(i)}, size(i))
		err := w.Write(Row{Table: "t", Key: Cell{Column: "key", Kind: TextCell, Bytes: fmt.Appendf(nil, "k%05d", i)}, Nth: -1,
			Cells: []Cell{{Column: "a", Kind: BlobCell, Bytes: value}, {Column: "b", Kind: IntegerCell, Int: int64(i % 10)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows, err := w.Close(); rows != n || err != nil {
		t.Fatal(rows, err)
	}
	s := openSet(t, b.Bytes())
	check := func(q Query, from, step, count int) {
		t.Helper()
		at := from
		for row, err := range s.Rows(t.Context(), q) {
			if err != nil || row.Key.Text() != fmt.Sprintf("k%05d", at) || !bytes.Equal(row.Cells[0].Bytes, bytes.Repeat([]byte{byte(at)}, size(at))) {
				t.Fatalf("%+v: row %q, want %d: %v", q, row.Name(), at, err)
			}
			at, count = at+step, count-1
		}
		if count != 0 {
			t.Fatalf("%+v: %d rows too few", q, count)
		}
	}
	check(Query{Table: "t", From: "k02000", To: "k02100"}, 2000, 1, 100)
	check(Query{Table: "t", From: "k00005"}, 5, 1, 1)
	check(Query{Table: "t", KeyColumn: "b", From: "3"}, 3, 10, 300)
	check(Query{Table: "t"}, 0, 1, n)
	check(Query{Table: "t", From: "k02999"}, 2999, 1, 1)
	if len(s.marks) > n/rowsAMark+b.Len()/bytesAMark+1 {
		t.Errorf("%d marks", len(s.marks))
	}
}

func FuzzRows(f *testing.F) {
	dir, name := build(f, kv, everyKind)
	f.Add(keep(f, dir, name, Query{Table: "cursorDiskKV", Order: true}))
	f.Add(keep(f, dir, name, Query{Table: "cursorDiskKV", MaxValue: 4}))
	f.Add([]byte(rowsBegin + "{\"end\":0}\n"))
	f.Add([]byte(rowsBegin + `{"table":"a\u0001","by":"id","key":-7,"values":[["r","real",3],["n","null"]]}` + "\n1.5\n{\"end\":1}\n"))
	f.Fuzz(checkRows)
}

func TestRowsMutated(t *testing.T) {
	dir, name := build(t, kv, everyKind)
	mutate(keep(t, dir, name, Query{Table: "cursorDiskKV", Order: true}), 3000, func(b []byte) { checkRows(t, b) })
}

// checkRows checks that what can be read can be written, and is then read the same.
func checkRows(t *testing.T, b []byte) {
	s, err := OpenRowSet(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	var again bytes.Buffer
	w := NewRowWriter(&again)
	bad := false
	for _, table := range s.Tables() {
		for row, err := range s.Rows(t.Context(), Query{Table: table}) {
			if err != nil || w.Write(row) != nil {
				bad = true
				break
			}
		}
	}
	if w.Close(); bad {
		return
	}
	first, second := openSet(t, again.Bytes()), openSet(t, again.Bytes())
	for _, table := range s.Tables() {
		want := tell(s.Rows(t.Context(), Query{Table: table}))
		if d := cmp.Diff(want, tell(first.Rows(t.Context(), Query{Table: table}))); d != "" {
			t.Fatal(d)
		}
		for row := range s.Rows(t.Context(), Query{Table: table}) {
			if row.Key.Kind == TextCell {
				tell(second.Rows(t.Context(), Query{Table: table, From: row.Key.Text()}))
			}
		}
	}
}
