package kit

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// build makes a database in a folder of the test's own and runs statements in it.
func build(t testing.TB, statements ...string) (dir, name string) {
	t.Helper()
	dir, name = t.TempDir(), "state.vscdb"
	exec(t, filepath.Join(dir, name), statements...)
	return dir, name
}

// exec runs statements in one connection to a database, and closes it.
func exec(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// open opens a database for the length of the test.
func open(t testing.TB, dir, name string) *Database {
	t.Helper()
	db, err := OpenDatabase(context.Background(), os.DirFS(dir), name)
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


func TestDatabaseSmoke(t *testing.T) {
	dir, name := build(t,
		`CREATE TABLE cursorDiskKV(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`INSERT INTO cursorDiskKV VALUES ('a','x'),('b',NULL),('c',1),('d',1.5),('e',x'0001'),('f','')`)
	db := open(t, dir, name)
	fmt.Println(db.Tables())
	for row, err := range db.Rows(context.Background(), Query{Table: "cursorDiskKV"}) {
		fmt.Printf("%+v %v\n", row, err)
	}
}
