package kit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// logged makes a database with a log that nobody has checkpointed: three commits, the last of several pages.
func logged(t testing.TB) (dir, name string) {
	t.Helper()
	dir, name = t.TempDir(), "state.vscdb"
	run(t, connect(t, filepath.Join(dir, name)), `PRAGMA page_size = 512`, `PRAGMA journal_mode = WAL`, `PRAGMA wal_autocheckpoint = 0`, kv,
		`INSERT INTO cursorDiskKV VALUES ('a', 'first')`,
		`INSERT INTO cursorDiskKV VALUES ('a', 'second'), ('b', hex(zeroblob(900)))`)
	return dir, name
}

// numbers is a table of the numbers from 1 to n.
func numbers(n int) string {
	return fmt.Sprintf(`(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < %d) SELECT value FROM n)`, n)
}

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// files is a file system with a database and its side files.
func files(name string, db, wal, journal []byte) fstest.MapFS {
	m := fstest.MapFS{name: {Data: db}}
	if wal != nil {
		m[name+"-wal"] = &fstest.MapFile{Data: wal}
	}
	if journal != nil {
		m[name+"-journal"] = &fstest.MapFile{Data: journal}
	}
	return m
}

// sizes tells keys and lengths of values.
func sizes(t testing.TB, db *Database) string {
	t.Helper()
	s := ""
	for row, err := range db.Rows(t.Context(), Query{Table: "cursorDiskKV"}) {
		if err != nil {
			return s + "error: " + err.Error()
		}
		s += fmt.Sprint(row.Key.Text(), row.Cells[0].Size, " ")
	}
	return s
}

func TestWALIsRead(t *testing.T) {
	dir, name := logged(t)
	before := tree(t, dir)
	if len(before) != 4 {
		t.Fatalf("not folder, database, log and index: %v", before)
	}
	db := openTest(t, os.DirFS(dir), name)
	integrity(t, db)
	if got := sizes(t, db); got != "a6 b1800 " {
		t.Error(got)
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Error(d)
	}
}

// Whatever is wrong with the end of a log, the last commit before it is what is read.
func TestWALDamaged(t *testing.T) {
	dir, name := logged(t)
	file, wal := readFile(t, dir, name), readFile(t, dir, name+"-wal")
	const frame = walFrameSize + 512
	if (len(wal)-walHeaderSize)%frame != 0 {
		t.Fatalf("log of %d bytes", len(wal))
	}
	last := len(wal) - frame
	flip := func(at int) []byte {
		b := bytes.Clone(wal)
		b[at] ^= 1
		return b
	}
	// An uncommitted frame at the end: the last one without its mark of a commit, under a right checksum.
	uncommitted := bytes.Clone(wal)
	binary.BigEndian.PutUint32(uncommitted[last+4:], 0)
	resum(uncommitted, false)
	older := bytes.Clone(wal)
	copy(older[last+8:], "otherslt")
	for _, c := range []struct {
		name, want string
		wal        []byte
	}{
		{"whole", "a6 b1800 ", wal},
		{"torn last frame", "a5 ", wal[:len(wal)-1]},
		{"last frame without its page", "a5 ", wal[:last+walFrameSize]},
		{"last frame missing", "a5 ", wal[:last]},
		{"bytes after the last frame", "a6 b1800 ", append(bytes.Clone(wal), "more"...)},
		{"a bad checksum in the last frame", "a5 ", flip(len(wal) - 100)},
		{"a bad salt in the last frame", "a5 ", older},
		{"a bad checksum in the last transaction", "a5 ", flip(last - 100)},
		{"uncommitted", "a5 ", uncommitted},
		{"big-endian checksums", "a6 b1800 ", resum(bytes.Clone(wal), true)},
		{"frames of before a reset", "a5 ", append(bytes.Clone(wal[:last]), append(older[last:last+frame:last+frame], wal[last:]...)...)},
	} {
		db := openTest(t, files(name, file, c.wal, nil), name)
		integrity(t, db)
		if got := sizes(t, db); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// Without a log there is what was checkpointed: nothing. So it is with a log whose header does not hold.
	for i, w := range [][]byte{nil, {}, wal[:31], flip(3), flip(11), flip(17), flip(26), bytes.Repeat([]byte{7}, 5000)} {
		db, err := OpenDatabase(t.Context(), files(name, file, w, nil), name)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if got := db.Tables(); len(got) > 0 {
			t.Errorf("%d: %v", i, got)
		}
		db.Close()
	}
	later := bytes.Clone(wal)
	binary.BigEndian.PutUint32(later[4:], 3008000)
	if _, err := OpenDatabase(t.Context(), files(name, file, resum(later, false), nil), name); !errors.Is(err, ErrNewerFormat) {
		t.Errorf("a later version: %v", err)
	}
}

// resum writes the checksums of a log anew, little- or big-endian.
func resum(wal []byte, big bool) []byte {
	page := int(word(wal, 8))
	binary.BigEndian.PutUint32(wal, walMagic)
	if big {
		binary.BigEndian.PutUint32(wal, walMagic|1)
	}
	put := func(at int, s [2]uint32) {
		binary.BigEndian.PutUint32(wal[at:], s[0])
		binary.BigEndian.PutUint32(wal[at+4:], s[1])
	}
	s := walChecksum(big, [2]uint32{}, wal[:24])
	put(24, s)
	for at := walHeaderSize; at+walFrameSize+page <= len(wal); at += walFrameSize + page {
		s = walChecksum(big, s, wal[at:at+8])
		s = walChecksum(big, s, wal[at+walFrameSize:at+walFrameSize+page])
		put(at+16, s)
	}
	return wal
}

// SQLite itself is the measure: cut anywhere, a log is what SQLite recovers from it.
func TestWALIsWhatSQLiteRecovers(t *testing.T) {
	dir, name := t.TempDir(), "a.db"
	w := run(t, connect(t, filepath.Join(dir, name)), `PRAGMA page_size = 1024`, `PRAGMA journal_mode = WAL`, `PRAGMA wal_autocheckpoint = 0`, kv)
	for i := range 12 {
		run(t, w, fmt.Sprintf(`INSERT INTO cursorDiskKV SELECT 'k' || (%d * value), hex(zeroblob(value * %d)) FROM %s`, i+1, 10+i*7, numbers(9)))
		switch i {
		case 3:
			run(t, w, `PRAGMA wal_checkpoint(RESTART)`)
		case 5:
			run(t, w, `DELETE FROM cursorDiskKV WHERE key > 'k3'`)
		case 8:
			run(t, w, `VACUUM`)
		}
	}
	file, wal := readFile(t, dir, name), readFile(t, dir, name+"-wal")
	for cut := len(wal); cut > 0; cut -= 1 + len(wal)/23 {
		other := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(other, name), file, 0o600), os.WriteFile(filepath.Join(other, name+"-wal"), wal[:cut], 0o600)); err != nil {
			t.Fatal(err)
		}
		db := openTest(t, os.DirFS(other), name)
		integrity(t, db)
		got := tell(db.Rows(t.Context(), Query{Table: "cursorDiskKV"}))
		db.Close()
		run(t, connect(t, filepath.Join(other, name)), `PRAGMA wal_checkpoint(TRUNCATE)`)
		want := tell(openTest(t, os.DirFS(other), name).Rows(t.Context(), Query{Table: "cursorDiskKV"}))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("cut at %d: %s", cut, d)
		}
	}
}

// A writer whose page cache overflows writes frames before it commits them.
func TestWALTransactionUnderWay(t *testing.T) {
	dir, name := t.TempDir(), "a.db"
	w := run(t, connect(t, filepath.Join(dir, name)), `PRAGMA journal_mode = WAL`, kv,
		`INSERT INTO cursorDiskKV VALUES ('a', 'kept')`, `PRAGMA cache_size = 2`, `BEGIN`,
		`INSERT INTO cursorDiskKV SELECT 'b' || value, hex(zeroblob(4000)) FROM `+numbers(60))
	if n := len(readFile(t, dir, name+"-wal")); n < 100_000 {
		t.Fatalf("nothing was spilled: log of %d bytes", n)
	}
	db := openTest(t, os.DirFS(dir), name)
	integrity(t, db)
	if got := sizes(t, db); got != "a4 " {
		t.Error(got)
	}
	run(t, w, `COMMIT`)
	if got := sizes(t, db); got != "a4 " {
		t.Errorf("the view sees what came after it: %s", got)
	}
	if got := len(tell(openTest(t, os.DirFS(dir), name).Rows(t.Context(), Query{Table: "cursorDiskKV"}))); got != 61 {
		t.Errorf("%d rows after the commit", got)
	}
}

// What happens to the log between two reads of one view.
func TestWALMoves(t *testing.T) {
	const old = "old old old "
	for _, c := range []struct {
		name  string
		then  []string
		moved bool
	}{
		{"nothing", nil, false},
		{"commits", []string{`UPDATE m SET v = 'new'`, `UPDATE m SET v = 'newer'`}, false},
		{"a checkpoint of what the view has", []string{`PRAGMA wal_checkpoint(PASSIVE)`}, false},
		{"a checkpoint of what came after", []string{`UPDATE m SET v = 'new'`, `PRAGMA wal_checkpoint(PASSIVE)`}, true},
		{"a checkpoint of other pages that came after", []string{`UPDATE m SET v = 'new' WHERE id = 1`, `PRAGMA wal_checkpoint(PASSIVE)`}, false},
		{"a reset", []string{`PRAGMA wal_checkpoint(RESTART)`, `INSERT INTO other VALUES (2)`}, true},
		{"a cut log", []string{`PRAGMA wal_checkpoint(TRUNCATE)`}, true},
		{"a log that is gone", []string{`PRAGMA journal_mode = DELETE`}, true},
	} {
		dir, name := build(t, `PRAGMA journal_mode = WAL`, `CREATE TABLE other(x)`, `CREATE TABLE m(id INTEGER PRIMARY KEY, v, pad)`,
			`INSERT INTO m VALUES (1, 'old', zeroblob(3000)), (2, 'old', zeroblob(3000)), (3, 'old', zeroblob(3000))`)
		w := run(t, connect(t, filepath.Join(dir, name)), `PRAGMA wal_autocheckpoint = 0`, `INSERT INTO other VALUES (1)`)
		db := openTest(t, os.DirFS(dir), name)
		got := ""
		read := func(id string) error {
			for row, err := range db.Rows(t.Context(), Query{Table: "m", From: id, Columns: []string{"v"}}) {
				if err != nil {
					return err
				}
				got += row.Cells[0].Text() + " "
			}
			return nil
		}
		err := read("1")
		run(t, w, c.then...)
		err = errors.Join(err, read("2"), read("3"))
		switch {
		case c.moved && !errors.Is(err, ErrMoving):
			t.Errorf("%s: %q, %v, want ErrMoving", c.name, got, err)
		case !c.moved && (err != nil || got != old):
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// Without a live index of the log there is no telling how far a checkpoint has come: a page that was committed again is
// then not believed.
func TestWALMovesWithoutIndex(t *testing.T) {
	dir, name := build(t, `PRAGMA journal_mode = WAL`, `CREATE TABLE m(id INTEGER PRIMARY KEY, v)`, `INSERT INTO m VALUES (1, 'old')`)
	w := run(t, connect(t, filepath.Join(dir, name)), `PRAGMA locking_mode = EXCLUSIVE`, `PRAGMA wal_autocheckpoint = 0`, `CREATE TABLE other(x)`)
	if err := os.WriteFile(filepath.Join(dir, name+"-shm"), make([]byte, 32768), 0o600); err != nil {
		t.Fatal(err)
	}
	db := openTest(t, os.DirFS(dir), name)
	run(t, w, `UPDATE m SET v = 'new'`)
	got := tell(db.Rows(t.Context(), Query{Table: "m"}))
	if len(got) != 1 || !errors.Is(db.view.moved, ErrMoving) {
		t.Errorf("%q, %v", got, db.view.moved)
	}
	want := []string{`integer("1") v=text("new")`}
	if d := cmp.Diff(want, tell(openTest(t, os.DirFS(dir), name).Rows(t.Context(), Query{Table: "m"}))); d != "" {
		t.Error(d)
	}
}

func FuzzWAL(f *testing.F) {
	dir, name := logged(f)
	wal := readFile(f, dir, name+"-wal")
	f.Add(wal)
	f.Add(resum(bytes.Clone(wal), true))
	f.Add(wal[:len(wal)-5])
	f.Add(wal[:walHeaderSize])
	f.Add([]byte{})
	f.Fuzz(checkWAL)
}

func TestWALMutated(t *testing.T) {
	dir, name := logged(t)
	wal := readFile(t, dir, name+"-wal")
	mutate(wal, 2000, func(b []byte) {
		checkWAL(t, b)
		if page := word(b, 8); validPageSize(int(page)) {
			checkWAL(t, resum(b, false))
		}
	})
}

// mutate calls f with versions of b in which a few bytes are others, or that end early. (The fuzzing engine is slow where
// SQLite is linked in, because all of that is instrumented.)
func mutate(b []byte, n int, f func([]byte)) {
	r := rand.New(rand.NewPCG(7, 11))
	for range n {
		m := bytes.Clone(b)
		reach := len(m)
		if r.IntN(2) == 0 {
			reach = min(reach, 100)
		}
		for range r.IntN(6) {
			m[r.IntN(reach)] = byte(r.IntN(256))
		}
		if r.IntN(4) == 0 {
			m = m[:r.IntN(len(m))]
		}
		f(append(m, make([]byte, max(0, 100-len(m)))...))
	}
}

// checkWAL checks what has to be so of any bytes.
func checkWAL(t *testing.T, b []byte) {
	w, err := readWAL(bytes.NewReader(b))
	if err != nil || w == nil {
		return
	}
	if int64(w.frames) > int64(w.valid) || w.offset(w.valid) > int64(len(b)) || w.view != w.frames {
		t.Fatalf("%d frames, %d valid, in %d bytes", w.frames, w.valid, len(b))
	}
	for i, f := range w.newest {
		page := uint32(f >> 32)
		at, ok := w.find(page)
		if page == 0 || !ok || at+int64(w.page) > int64(len(b)) || i > 0 && uint32(w.newest[i-1]>>32) >= page {
			t.Fatalf("page %d at %d", page, at)
		}
	}
	if err := w.grew(func(page, _ uint32) { t.Fatalf("page %d was committed meanwhile", page) }); err != nil {
		t.Fatal(err)
	}
}
