package goose

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
	"lore/adapter/kit"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"database": dbHome(t, rowsOfAll...)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

const root = ".local/share/goose/sessions"

// The tables of schema 15, but for columns that are not read.
var tables = []string{
	`CREATE TABLE schema_version (version INTEGER PRIMARY KEY)`,
	`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT, working_dir TEXT,
	  created_at TIMESTAMP, updated_at TIMESTAMP, extension_data TEXT, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER,
	  model_config_json TEXT, archived_at TEXT, parent_session_id TEXT)`,
	`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT NOT NULL, content_json TEXT,
	  created_timestamp INTEGER, timestamp TIMESTAMP, tokens TEXT, metadata_json TEXT)`,
	`CREATE INDEX idx_messages_session ON messages (session_id)`,
}

var rowsOfAll = []string{
	`INSERT INTO sessions (id, name, description, user_set_name, session_type, working_dir, created_at, updated_at, accumulated_input_tokens, accumulated_output_tokens, model_config_json, archived_at, parent_session_id) VALUES
	  ('20260302_1', 'Given name', 'other', 1, 'user', '/proj/lantern', '2026-03-02 09:00:00', '2026-03-02 09:10:00', 90, 30, '{"model_name":"lamp-1"}', NULL, NULL),
	  ('20260302_2', 'CLI Session', '', 0, 'sub_agent', '/proj/lantern', '2026-03-02 09:00:00', '2026-03-02 09:10:00', NULL, NULL, NULL, '2026-03-03 00:00:00', '20260302_1'),
	  ('20260302_3', 'nothing', 'Said nothing', 0, 'scheduled', '/proj/tide', '2026-03-02 09:00:00', '2026-03-02 09:10:00', NULL, NULL, NULL, NULL, NULL),
	  ('20260302_4', 'nightly', '', 0, 'scheduled', '/proj/tide', '2026-03-02 09:00:00', '2026-03-02 09:10:00', NULL, NULL, NULL, NULL, NULL)`,
	`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, timestamp, tokens, metadata_json) VALUES
	  ('a', '20260302_1', 'user', '[{"type":"text","text":"is there oil"}]', 1772442001, '2026-03-02 09:00:01', '{"input":8}', '{"userVisible":true,"agentVisible":true}'),
	  ('b', '20260302_1', 'assistant', '[{"type":"thinking","thinking":"look"},{"type":"toolRequest","toolCall":{"id":"c1","name":"shell","arguments":{"cmd":"ls"}}}]', 1772442002, NULL, '{"output":12}', '{"model":"lamp-2"}'),
	  ('c', '20260302_1', 'tool', '[{"type":"toolResponse","toolCallId":"c1","toolResult":{"content":[{"type":"text","text":"oil"}]}}]', 1772442003, NULL, NULL, '{}'),
	  ('d', '20260302_1', 'assistant', '[]', 1772442004, NULL, 7, NULL),
	  (NULL, '20260302_1', 'user', '[{"type":"text","text":"what was said so far"}]', 1772442005, NULL, NULL, '{"userVisible":false,"agentVisible":true}'),
	  ('f', '20260302_1', 'user', '[{"type":"te', 1772442006, NULL, NULL, NULL),
	  ('g', '20260302_1', 'user', NULL, 1772442006, NULL, NULL, NULL),
	  ('h', '20260302_1', 'user', '[{"type":"text","text":"go"}]', 0, NULL, NULL, '{"userVisible":false,"agentVisible":false}'),
	  ('i', '20260302_1', 'user', '[{"type":"text","text":"go"}]', NULL, '2026-03-02 09:00:09', NULL, NULL),
	  ('j', '20260302_2', 'user', '{"text":"no list"}', 1772442007, NULL, NULL, NULL),
	  ('k', '20260302_9', 'user', '[{"type":"text","text":"whose session is this"}]', 1772442008, NULL, NULL, NULL),
	  ('l', NULL, 'user', '[]', 1772442008, NULL, NULL, NULL),
	  ('m', '20260302_4', 'user', '[{"type":"text","text":"count the tides"}]', 1772442009, NULL, NULL, NULL)`,
}

// dbHome makes a home with a database of the given rows.
func dbHome(t *testing.T, statements ...string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, root), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(home, root, database))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append(tables[:len(tables):len(tables)], statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return home
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func drain(in adapter.Input) (list []*lore.Conversation, err error) {
	for c, e := range New().Read(context.Background(), in) {
		if e != nil {
			return list, e
		}
		list = append(list, c)
	}
	return list, nil
}

// TestPartsReadAlike: the rows that are kept of a session give the record that the database gives.
func TestPartsReadAlike(t *testing.T) {
	fsys := os.DirFS(filepath.Join(dbHome(t, rowsOfAll...), root))
	live, err := drain(adapter.Input{Source: adapter.Source{Store: storeDB, Path: database, Ranges: ranges}, FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"20260302_1", "20260302_2", "20260302_4", "20260302_9"} {
		var rows bytes.Buffer
		err := kit.ReadDatabase(context.Background(), fsys, database, func(db *kit.Database) error {
			var queries []kit.Query
			for _, r := range split.Ranges(id) {
				queries = append(queries, kit.RangeQuery(r))
			}
			rows.Reset()
			_, err := kit.KeepRows(context.Background(), db, queries, &rows)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := drain(adapter.Input{Source: adapter.Source{Store: storeDB, Path: "rows", Part: id}, FS: fstest.MapFS{"rows": {Data: rows.Bytes()}}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, adaptertest.Outline(live[i]), adaptertest.Outline(kept[0]))
		same(t, live[i].Ledger, kept[0].Ledger)
	}
}

// TestNamedDatabase: a database that a user names is told by its tables and columns.
func TestNamedDatabase(t *testing.T) {
	fsys := os.DirFS(filepath.Join(dbHome(t, rowsOfAll...), root))
	list, err := drain(adapter.Input{Source: adapter.Source{Path: database}, FS: fsys, Place: "/backup"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "db 20260302_1", list[0].Store+" "+list[0].Native)
	foreign := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(foreign, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{`CREATE TABLE schema_version (v)`, `CREATE TABLE sessions (id TEXT PRIMARY KEY)`, `CREATE TABLE messages (id TEXT PRIMARY KEY, parts TEXT)`, `INSERT INTO messages VALUES ('a', '[]')`} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := drain(adapter.Input{Source: adapter.Source{Path: "x.db"}, FS: os.DirFS(foreign)}); !errors.Is(err, adapter.ErrNotMine) {
		t.Errorf("got %v, want ErrNotMine", err)
	}
}

// TestNamedFolder: in a folder that a user names only what is named as a session is taken for one.
func TestNamedFolder(t *testing.T) {
	fsys := fstest.MapFS{"20250724_1.jsonl": {}, "20250724_101500.jsonl": {}, "notes.jsonl": {}, "sessions/sessions.db": {}, "sessions/x.jsonl": {}}
	var names []string
	for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source}, FS: fsys}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, src.Store+" "+src.Path)
	}
	same(t, []string{"jsonl 20250724_1.jsonl", "jsonl 20250724_101500.jsonl", "db sessions/sessions.db"}, names)
}
