package codex

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
)

// stateHome makes a home with a state database as it is after some migrations.
func stateHome(t *testing.T, statements ...string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(home, ".codex", "state_5.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return home
}

var stateRows = []string{
	`CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER, updated_at INTEGER, updated_at_ms INTEGER, cwd TEXT,
	  title TEXT, first_user_message TEXT, archived INTEGER, git_branch TEXT, git_origin_url TEXT)`,
	`CREATE TABLE jobs (id TEXT PRIMARY KEY, secret TEXT)`,
	`INSERT INTO threads VALUES ('a', '/x', 1772442000, 1772442060, 1772442060123, '/proj/lantern', 'Given name', 'light it', 0, 'main', 'git@example.com:l.git')`,
	`INSERT INTO threads VALUES ('b', '/y', 1772442000, 1772442060, NULL, NULL, ' light it ', 'light it', 1, NULL, NULL)`,
	`INSERT INTO jobs VALUES ('j', 'never read')`,
}

func readStateOf(t *testing.T, home string) ([]*lore.Conversation, error) {
	t.Helper()
	fsys := os.DirFS(filepath.Join(home, ".codex"))
	for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: sourceCodex}, FS: fsys, Name: "~/.codex"}) {
		if err != nil {
			t.Fatal(err)
		}
		same(t, []adapter.Range{{Table: threads}}, src.Ranges)
		return drain(adapter.Input{Source: src, FS: fsys, Place: "~/.codex"})
	}
	t.Fatal("nothing found")
	return nil, nil
}

// TestState: a name that was given is a title, the first prompt in its place is none.
func TestState(t *testing.T) {
	list, err := readStateOf(t, stateHome(t, stateRows...))
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{
		`codex/state-db "a" partial titled "Given name" 2026-03-02T09:01:00.123Z [1 1 0 0 0 0] []`,
		`codex/state-db "b" partial [1 1 0 0 0 0] []`,
	}, facts(list))
	same(t, lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main", Remote: "git@example.com:l.git"}, list[0].Project)
	same(t, []bool{false, true}, []bool{list[0].Archived, list[1].Archived})
}

// TestStateOfOtherShapes: every column is optional; another database is not mine.
func TestStateOfOtherShapes(t *testing.T) {
	list, err := readStateOf(t, stateHome(t, `CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT)`, `INSERT INTO threads VALUES ('a', 'Name')`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{`codex/state-db "a" partial titled "Name"  [1 1 0 0 0 0] []`}, facts(list))
	list, err = readStateOf(t, stateHome(t, `CREATE TABLE threads (id TEXT PRIMARY KEY)`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{`codex/state-db "" partial [0 0 0 0 0 0] [empty@0]`}, facts(list))
	if list, err = readStateOf(t, stateHome(t, `CREATE TABLE other (id TEXT PRIMARY KEY)`)); !isNotMine(err) || len(list) > 0 {
		t.Errorf("%v, %v", facts(list), err)
	}
}
