package kit

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// Values are each told once, whatever their type; none of a column that is not there or may hold a secret.
func TestDatabaseValues(t *testing.T) {
	dir, name := build(t, `CREATE TABLE m (id TEXT PRIMARY KEY, s, access_token TEXT)`, `CREATE INDEX m_s ON m (s)`,
		`INSERT INTO m VALUES ('1', 'b', 'x'), ('2', 'a', 'x'), ('3', 'b', 'x'), ('4', NULL, 'x'), ('5', '', 'x'), ('6', 7, 'x'),
			('7', printf('%.*c', 1048577, 'y'), 'x')`)
	db := openTest(t, os.DirFS(dir), name)
	values := func(table, column string) (list []string, err error) {
		for v, e := range db.Values(t.Context(), table, column) {
			if e != nil {
				return list, e
			}
			list = append(list, v)
		}
		return list, nil
	}
	for column, want := range map[string][]string{"s": {"7", "a", "b"}, "none": nil} {
		got, err := values("m", column)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Error(column, err, d)
		}
	}
	if got, err := values("m", "access_token"); len(got) > 0 {
		t.Errorf("a column of secrets: %q, %v", got, err)
	}
	if _, err := values("none", "s"); !errors.Is(err, ErrNoTable) {
		t.Errorf("a table that is not there: %v", err)
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
