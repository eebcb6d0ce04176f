package pages

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"errors"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"
)

func open(t *testing.T, name, more string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=journal_mode(wal)"+more)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, c *sql.Conn, query string, args ...any) {
	t.Helper()
	if _, err := c.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// TestLogKeepsUp does what a writer does, in a random order, and holds the sums that follow the log against those of all
// pages: rows that come and go, transactions that spill and are undone, checkpoints, a vacuum.
func TestLogKeepsUp(t *testing.T) {
	ctx := context.Background()
	name := filepath.Join(t.TempDir(), "a.db")
	db := open(t, name, "&_pragma=cache_size(20)&_pragma=wal_autocheckpoint(60)&_pragma=secure_delete(fast)")
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	exec(t, c, "CREATE TABLE x (id INTEGER PRIMARY KEY, b BLOB)")
	reading := open(t, name, "")
	s, err := Of(ctx, reading)
	if err != nil {
		t.Fatal(err)
	}
	log, err := Follow(name, s)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for step := range 120 {
		exec(t, c, "BEGIN IMMEDIATE")
		for range r.IntN(40) {
			if r.IntN(3) > 0 {
				exec(t, c, "INSERT INTO x (b) VALUES (zeroblob(?) || ?)", r.IntN(20_000), fmt.Sprint(r.Uint64()))
			} else {
				exec(t, c, "DELETE FROM x WHERE id IN (SELECT id FROM x ORDER BY id * ? % 97 LIMIT 3)", r.IntN(1000))
			}
		}
		if r.IntN(4) == 0 {
			exec(t, c, "ROLLBACK")
			continue
		}
		exec(t, c, "COMMIT")
		if err := log.Committed(); err != nil {
			t.Fatal(err)
		}
		switch r.IntN(12) {
		case 0:
			exec(t, c, "PRAGMA wal_checkpoint(TRUNCATE)")
		case 1:
			exec(t, c, "VACUUM")
			if err := log.Committed(); err != nil {
				t.Fatal(err)
			}
		}
		fresh := open(t, name, "")
		want, err := Of(ctx, fresh)
		if err != nil {
			t.Fatal(err)
		}
		fresh.Close()
		if d := cmp.Diff(want, log.Sums); d != "" {
			t.Fatalf("step %d (-pages +log):\n%s", step, d)
		}
	}
}

// TestEveryFlippedByteIsFound flips a byte in each page of a database.
func TestEveryFlippedByteIsFound(t *testing.T) {
	ctx := context.Background()
	name := filepath.Join(t.TempDir(), "a.db")
	db := open(t, name, "")
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, c, "CREATE TABLE x (id INTEGER PRIMARY KEY, b TEXT)")
	for i := range 60 {
		exec(t, c, "INSERT INTO x (b) VALUES (?)", fmt.Sprintf("%0800d", i))
	}
	exec(t, c, "DELETE FROM x WHERE id > 40")
	c.Close()
	s, err := Of(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for page := range len(s.Pages) {
		bad := append([]byte(nil), good...)
		at := page*s.PageSize + 100 + 317*page%(s.PageSize-100)
		bad[at] ^= 0x10
		flipped := filepath.Join(t.TempDir(), "b.db")
		if err := os.WriteFile(flipped, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", "file:"+flipped+"?mode=ro")
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Compare(ctx, db)
		db.Close()
		if d := cmp.Diff([]uint32{uint32(page + 1)}, got); err == nil && d != "" {
			t.Errorf("byte %d (-want +got):\n%s", at, d)
		}
	}
}

func TestSumsAreStored(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.sums")
	if _, err := Load(name); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	want := &Sums{Stamp: 7, PageSize: 4096, Pages: []uint32{1, 2, 1 << 31}}
	if err := want.Store(name); err != nil {
		t.Fatal(err)
	}
	got, err := Load(name)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Fatal(err, d)
	}
	b, _ := os.ReadFile(name)
	for at := range b {
		bad := append([]byte(nil), b...)
		bad[at] ^= 1
		os.WriteFile(name, bad, 0o600)
		if _, err := Load(name); !errors.Is(err, ErrUnreadable) {
			t.Fatalf("byte %d flipped: %v", at, err)
		}
	}
}
