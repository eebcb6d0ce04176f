package kit

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const journalRows = 40

// interrupted copies database and journal in the middle of a transaction that has overwritten part of the database.
func interrupted(t testing.TB, pragmas ...string) (file, journal []byte) {
	t.Helper()
	dir, name := t.TempDir(), "a.db"
	w := run(t, connect(t, filepath.Join(dir, name)), append([]string{`PRAGMA page_size = 1024`}, pragmas...)...)
	run(t, w, kv, `INSERT INTO cursorDiskKV SELECT 'k' || value, 'old' || hex(zeroblob(300)) FROM `+numbers(journalRows),
		`PRAGMA cache_size = 2`, `BEGIN`, `UPDATE cursorDiskKV SET value = 'new' || value`,
		`INSERT INTO cursorDiskKV SELECT 'n' || value, hex(zeroblob(900)) FROM `+numbers(60))
	file, journal = readFile(t, dir, name), readFile(t, dir, name+"-journal")
	if !bytes.Contains(file, []byte("newold")) || len(journal) < 10_000 {
		t.Fatalf("nothing was spilled: journal of %d bytes", len(journal))
	}
	run(t, w, `ROLLBACK`)
	return file, journal
}

// oldRows checks that a database is as it was before the transaction.
func oldRows(t testing.TB, db *Database) {
	t.Helper()
	integrity(t, db)
	n := 0
	for row, err := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
		if err != nil || !bytes.HasPrefix(row.Cells[0].Bytes, []byte("old")) {
			t.Fatalf("%q: %.20q %v", row.Key.Text(), row.Cells[0].Text(), err)
		}
		n++
	}
	if n != journalRows {
		t.Errorf("%d rows, want %d", n, journalRows)
	}
}

func TestJournalIsUndone(t *testing.T) {
	for _, pragma := range []string{`PRAGMA journal_mode = DELETE`, `PRAGMA journal_mode = TRUNCATE`, `PRAGMA journal_mode = PERSIST`, `PRAGMA synchronous = OFF`} {
		file, journal := interrupted(t, pragma)
		oldRows(t, openTest(t, files("a.db", file, nil, journal), "a.db"))
	}
}

// With its program still in the transaction: nothing is waited for, nothing is touched.
func TestJournalOfALiveTransaction(t *testing.T) {
	dir, name := build(t, `PRAGMA page_size = 1024`, kv,
		`INSERT INTO cursorDiskKV SELECT 'k' || value, 'old' || hex(zeroblob(300)) FROM `+numbers(journalRows))
	w := run(t, connect(t, filepath.Join(dir, name)), `PRAGMA cache_size = 2`, `BEGIN EXCLUSIVE`, `UPDATE cursorDiskKV SET value = 'new' || value`)
	before := tree(t, dir)
	db := openTest(t, os.DirFS(dir), name)
	oldRows(t, db)
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Error(d)
	}
	run(t, w, `COMMIT`)
	if err := db.each(`SELECT count(*) FROM cursorDiskKV WHERE value <> ''`, nil, func([]driver.Value) error { return nil }); err != nil && !errors.Is(err, ErrMoving) {
		t.Error(err)
	}
	if got := sizes(t, openTest(t, os.DirFS(dir), name)); !bytes.HasPrefix([]byte(got), []byte("k1606 ")) {
		t.Error(got)
	}
}

// SQLite itself is the measure: with a journal that is cut or damaged, a database is what SQLite makes of it.
func TestJournalIsWhatSQLiteUndoes(t *testing.T) {
	file, journal := interrupted(t)
	journals := [][]byte{journal}
	for cut := len(journal) - 1; cut > 0; cut -= 1 + len(journal)/17 {
		journals = append(journals, journal[:cut])
	}
	for _, at := range []int{0, 9, 14, 18, 22, 26, 600, 5000, len(journal) - 300} {
		b := bytes.Clone(journal)
		b[at] ^= 0x41
		journals = append(journals, b)
	}
	for i, j := range journals {
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "a.db"), file, 0o600), os.WriteFile(filepath.Join(dir, "a.db-journal"), j, 0o600)); err != nil {
			t.Fatal(err)
		}
		got := journalOutcome(t, dir)
		w := connect(t, filepath.Join(dir, "a.db"))
		w.Exec(`PRAGMA user_version`) // rolls back
		w.Exec(`SELECT * FROM sqlite_schema`)
		w.Close()
		if err := os.RemoveAll(filepath.Join(dir, "a.db-journal")); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(journalOutcome(t, dir), got); d != "" {
			t.Errorf("journal %d of %d bytes: %s", i, len(j), d)
		}
	}
}

// journalOutcome tells the rows of a database, or that it cannot be read.
func journalOutcome(t *testing.T, dir string) []string {
	db, err := OpenDatabase(t.Context(), os.DirFS(dir), "a.db")
	if err != nil {
		return []string{"unreadable"}
	}
	defer db.Close()
	var keys []string
	for row, err := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
		if err != nil {
			return append(keys, "unreadable")
		}
		keys = append(keys, fmt.Sprintf("%s %.10s", row.Key.Text(), row.Cells[0].Text()))
	}
	return keys
}

// A journal that is shared with another database counts as long as the file that binds them is there.
func TestJournalOfSeveralDatabases(t *testing.T) {
	file, journal := interrupted(t)
	const name = "/home/somebody/a.db-mj12AB34CD0"
	tail := binary.BigEndian.AppendUint32(nil, uint32(pendingByte/1024)+1)
	tail = append(tail, name...)
	tail = binary.BigEndian.AppendUint32(tail, uint32(len(name)))
	sum := uint32(0)
	for _, c := range []byte(name) {
		sum += uint32(c)
	}
	tail = append(binary.BigEndian.AppendUint32(tail, sum), journalMagic...)
	fsys := files("a.db", file, nil, append(bytes.Clone(journal), tail...))
	db, err := OpenDatabase(t.Context(), fsys, "a.db")
	if err == nil {
		if got := sizes(t, db); bytes.HasPrefix([]byte(got), []byte("k1603 ")) {
			t.Errorf("the shared journal is gone, and was undone all the same: %s", got)
		}
		db.Close()
	}
	fsys[filepath.Base(name)] = fsys["a.db-journal"]
	oldRows(t, openTest(t, fsys, "a.db"))
}

// Journals that undo nothing.
func TestJournalThatIsCold(t *testing.T) {
	dir, name := build(t, `PRAGMA journal_mode = PERSIST`, kv, `INSERT INTO cursorDiskKV VALUES ('a', 'x')`)
	persisted := readFile(t, dir, name+"-journal")
	file := readFile(t, dir, name)
	_, hot := interrupted(t)
	for i, j := range [][]byte{nil, {}, persisted, hot[:20], make([]byte, 5000), bytes.Repeat([]byte("x"), 600)} {
		db := openTest(t, files(name, file, nil, j), name)
		if got := sizes(t, db); got != "a1 " {
			t.Errorf("%d: %s", i, got)
		}
	}
	if _, err := OpenDatabase(t.Context(), files(name, nil, nil, hot), name); !errors.Is(err, ErrEmptyDatabase) {
		t.Errorf("a journal beside an empty file: %v", err)
	}
}

// What happens between two reads of one view of a database that keeps a rollback journal.
func TestJournalMoves(t *testing.T) {
	for _, c := range []struct {
		name  string
		then  []string
		moved bool
	}{
		{"nothing", nil, false},
		{"a transaction that has written nothing yet", []string{`BEGIN IMMEDIATE`, `UPDATE m SET v = 'new'`}, false},
		{"a transaction that has overwritten pages", []string{`PRAGMA cache_size = 1`, `BEGIN`, `UPDATE m SET v = 'new' || v`, `UPDATE m SET v = 'x' || v`}, true},
		{"a commit", []string{`UPDATE m SET v = 'new' WHERE id = 1`}, true},
		{"a vacuum", []string{`VACUUM`}, true},
		{"a log", []string{`PRAGMA journal_mode = WAL`, `UPDATE m SET v = 'new'`}, true},
	} {
		dir, name := build(t, `PRAGMA page_size = 512`, `CREATE TABLE m(id INTEGER PRIMARY KEY, v, pad)`,
			`INSERT INTO m SELECT value, 'old', hex(zeroblob(150)) FROM `+numbers(100))
		w := connect(t, filepath.Join(dir, name))
		db := openTest(t, os.DirFS(dir), name)
		got, err := "", error(nil)
		for row, e := range db.Rows(t.Context(), Query{Table: "m", Columns: []string{"v"}}) {
			if err = e; err == nil && row.Key.Int == 2 {
				run(t, w, c.then...)
			}
			if e == nil && row.Key.Int > 90 {
				got += row.Cells[0].Text() + " "
			}
		}
		switch {
		case c.moved && (!errors.Is(err, ErrMoving) || got != ""):
			t.Errorf("%s: %q, %v, want ErrMoving", c.name, got, err)
		case !c.moved && (err != nil || got != "old old old old old old old old old old "):
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	_, journal := interrupted(f)
	f.Add(journal)
	f.Add(journal[:len(journal)/2])
	f.Add(journal[:journalHeaderSize])
	f.Add([]byte{})
	f.Fuzz(checkJournal)
}

func TestJournalMutated(t *testing.T) {
	_, journal := interrupted(t)
	mutate(journal, 1000, func(b []byte) { checkJournal(t, b) })
}

// checkJournal checks what has to be so of any bytes.
func checkJournal(t *testing.T, b []byte) {
	j, err := readJournal(bytes.NewReader(b), int64(len(b)), 4096)
	if err != nil || j == nil {
		return
	}
	for i, u := range j.undo {
		at, ok := j.find(u.page)
		if u.page == 0 || u.page > j.pages || !ok || at+int64(j.page) > int64(len(b)) || i > 0 && j.undo[i-1].page >= u.page {
			t.Fatalf("page %d of %d at %d", u.page, j.pages, at)
		}
	}
	if same, err := j.same(); !same || err != nil {
		t.Fatal("it is not the same as itself", err)
	}
}
