package opencode

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"database": dbHome(t, rowsOfAll...)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

// The tables as they are after some migrations, with the columns that are read and some that are not.
var tables = []string{
	`CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL, vcs TEXT)`,
	`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT, directory TEXT, title TEXT, version TEXT,
	  share_url TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER)`,
	`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
	`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
	`CREATE INDEX message_session_idx ON message (session_id)`,
	`CREATE INDEX part_message_idx ON part (message_id)`,
	`CREATE TABLE account (id TEXT PRIMARY KEY, token TEXT)`,
	`INSERT INTO account VALUES ('me', 'never read')`,
}

var rowsOfAll = []string{
	`INSERT INTO project VALUES ('p1', '/proj/tide', 'git')`,
	`INSERT INTO session (id, project_id, directory, title, revert, time_created, time_updated) VALUES
	  ('ses_1', 'p1', '/proj/lantern', 'Oil', '{"messageID":"msg_3"}', 1772442000000, 1772442009000),
	  ('ses_2', 'p1', NULL, 'New session - 2026-03-02T09:00:00.000Z', NULL, 1772442000000, 1772442000000),
	  ('ses_3', 'p1', NULL, 'Nothing said', NULL, 1772442000000, 1772442000000)`,
	`INSERT INTO message VALUES
	  ('msg_1', 'ses_1', 1772442001000, 1, '{"role":"user","time":{"created":1772442001000}}'),
	  ('msg_2', 'ses_1', 1772442002000, 1, '{"role":"assistant","parentID":"msg_1","modelID":"lamp-1","time":{"created":1772442002000},"tokens":{"input":5,"output":3,"reasoning":0,"cache":{"read":0,"write":0}}}'),
	  ('msg_3', 'ses_1', 1772442003000, 1, '{"role":"user","time":{"created":1772442003000}}'),
	  ('msg_4', 'ses_1', 1772442004000, 1, '{"role":"assist'),
	  ('msg_5', 'ses_2', 1772442005000, 1, '{"role":"user"}'),
	  ('msg_6', 'ses_x', 1772442006000, 1, '{"role":"user","time":{"created":1772442006000}}'),
	  ('msg_7', NULL, 1772442006000, 1, '{"role":"user"}')`,
	`INSERT INTO part VALUES
	  ('prt_1', 'msg_1', 'ses_1', 1772442001000, 1, '{"type":"text","text":"is there oil"}'),
	  ('prt_2', 'msg_2', 'ses_1', 1772442002500, 1, '{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"oil","time":{"start":1772442002100,"end":1772442002200},"attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,aGk="}]}}'),
	  ('prt_3', 'msg_2', 'ses_1', 1772442002600, 1, '{"type":"text","text":"there is"}'),
	  ('prt_4', 'msg_3', 'ses_1', 1772442003000, 1, '{"type":"text","text":"pour it"}'),
	  ('prt_5', 'msg_4', 'ses_1', 1772442004000, 1, '{"type":"reasoning","text":"how much"}'),
	  ('prt_6', 'msg_5', 'ses_2', 1772442005000, 1, '{"type":"text","text":"when is high tide"}'),
	  ('prt_7', 'msg_6', 'ses_x', 1772442006000, 1, '{"type":"text","text":"whose session is this"}'),
	  ('prt_8', 'msg_y', 'ses_2', 1772442007000, 1, '{"type":"text","text":"whose message is this"}'),
	  ('prt_9', 'msg_5', 'ses_2', 1772442007000, 1, NULL)`,
}

// dbHome makes a home with a database of the given rows.
func dbHome(t *testing.T, statements ...string) string {
	t.Helper()
	home := t.TempDir()
	writeDB(t, filepath.Join(home, ".local/share/opencode/opencode.db"), statements...)
	return home
}

func writeDB(t *testing.T, name string, statements ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append(tables[:len(tables):len(tables)], statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
