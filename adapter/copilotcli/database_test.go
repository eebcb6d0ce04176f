package copilotcli

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
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
