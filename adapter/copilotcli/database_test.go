package copilotcli

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
)

// databaseHome makes a home with the database, as the tool makes it.
func databaseHome(t *testing.T, statements ...string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".copilot"), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(home, ".copilot", databaseName))
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

var databaseRows = []string{
	`CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, repository TEXT, branch TEXT, summary TEXT, created_at TEXT, updated_at TEXT)`,
	`CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn_index INTEGER NOT NULL, user_message TEXT,
	  assistant_response TEXT, timestamp TEXT, UNIQUE(session_id, turn_index))`,
	`CREATE TABLE dynamic_context_items (repository TEXT, content TEXT)`,
	`INSERT INTO sessions VALUES ('s1', '/proj/lantern', 'example/lantern', 'main', 'Trim the wick', '2026-03-02 09:00:00', '2026-03-02 09:10:00')`,
	`INSERT INTO sessions VALUES ('s2', '/proj/tidemap', NULL, NULL, NULL, '2026-03-03T09:00:00.000Z', '2026-03-03T09:00:00.000Z')`,
	`INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp) VALUES ('s1', 1, 'again', NULL, '2026-03-02 09:05:00')`,
	`INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp) VALUES ('s1', 0, 'trim it', 'trimmed', '2026-03-02 09:01:00')`,
	`INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp) VALUES ('s3', 0, 'orphan words', '', NULL)`,
	`INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp) VALUES ('s3', 1, NULL, NULL, NULL)`,
}

// TestDatabaseOfOtherShapes: another database is not mine; one without rows is empty.
func TestDatabaseOfOtherShapes(t *testing.T) {
	read := func(statements ...string) ([]*lore.Conversation, error) {
		fsys := os.DirFS(filepath.Join(databaseHome(t, statements...), ".copilot"))
		return drain(adapter.Input{Source: adapter.Source{Product: source, Store: storeDatabase, Path: databaseName}, FS: fsys, Place: "~/.copilot"})
	}
	list, err := read(databaseRows[:2]...)
	if err != nil || len(list) != 1 || lost(list[0])[0] != "empty@0" {
		t.Errorf("%d records, %v", len(list), err)
	}
	if list, err = read(`CREATE TABLE other (id TEXT)`); !isNotMine(err) || len(list) > 0 {
		t.Errorf("%d records, %v", len(list), err)
	}
	list, err = read(`CREATE TABLE sessions (id TEXT PRIMARY KEY)`, `CREATE TABLE turns (id INTEGER PRIMARY KEY, session_id TEXT, user_message TEXT)`,
		`INSERT INTO turns VALUES (1, 's', 'hi')`, `INSERT INTO turns VALUES (2, NULL, 'whose?')`)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	equal(t, []string{"user: hi"}, render(list[0]))
	equal(t, [6]int{1, 0, 0, 1}, counts(list[1]))
}
