package ingest_test

import (
	"slices"
	"strings"
	"testing"

	"lore"

	"github.com/google/go-cmp/cmp"
)

// orphaned is a database of one source with a session, and a message of another session that has no row.
type orphaned struct {
	path   string
	rows   []string
	forget string // deletes the row of the session that has one
}

var orphans = map[string]orphaned{
	"crush": {".local/share/crush/crush.db", []string{
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, completion_tokens INTEGER, created_at INTEGER)`,
		`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER)`,
		`CREATE TABLE files (id TEXT PRIMARY KEY)`,
		`INSERT INTO sessions (id, title) VALUES ('s1', 'Oil')`,
		`INSERT INTO messages VALUES ('a', 's1', 'user', '[{"type":"text","data":{"text":"is there oil"}}]', 1772442001),
			('b', 'gone', 'user', '[{"type":"text","data":{"text":"whose session is this"}}]', 1772442002),
			('c', NULL, 'user', '[]', 1772442002)`}, `DELETE FROM sessions`},
	"goose": {".local/share/goose/sessions/sessions.db", []string{
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN, working_dir TEXT)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT)`,
		`CREATE INDEX idx_messages_session ON messages (session_id)`,
		`INSERT INTO sessions VALUES ('s1', 'Oil', '', 1, '/proj/lantern')`,
		`INSERT INTO messages (session_id, role, content_json) VALUES ('s1', 'user', '[{"type":"text","text":"is there oil"}]'),
			('gone', 'user', '[{"type":"text","text":"whose session is this"}]'), ('', 'user', '[]')`}, `DELETE FROM sessions`},
	"opencode": {".local/share/opencode/opencode.db", []string{
		`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, title TEXT)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)`,
		`INSERT INTO session VALUES ('s1', 'p', '/proj/lantern', 'Oil')`,
		`INSERT INTO message VALUES ('a', 's1', 1, '{"role":"user"}'), ('b', 'gone', 2, '{"role":"user"}')`,
		`INSERT INTO part VALUES ('pa', 'a', 's1', 1, '{"type":"text","text":"is there oil"}'), ('pb', 'b', 'gone', 2, '{"type":"text","text":"whose session is this"}')`}, `DELETE FROM session`},
}

// Messages whose session has no row are kept: they are a conversation of that session's id, with a loss that says so.
func TestMessagesOfASessionWithoutARow(t *testing.T) {
	for name, o := range orphans {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.database(o.path, o.rows...)
			r := m.imports()
			if d := cmp.Diff([]string{"is there oil", "whose session is this"}, said(m)); d != "" {
				t.Errorf("what is said (-want +got):\n%s", d)
			}
			missing := 0
			for _, l := range r.Losses {
				if l.Code == lore.MissingParent && strings.Contains(l.What, "session of these messages") {
					missing += l.Count
				}
			}
			if missing != 1 {
				t.Errorf("%d losses for the one session without a row: %+v", missing, r.Losses)
			}
			if r := m.imports(); r.New+r.Changed != 0 {
				t.Errorf("nothing has changed, but the import says %d new, %d changed", r.New, r.Changed)
			}
			// What was known of a session whose row goes later stands.
			m.database(o.path, o.forget)
			m.imports()
			if d := cmp.Diff([]string{"is there oil", "whose session is this"}, said(m)); d != "" {
				t.Errorf("after a session's row was deleted (-want +got):\n%s", d)
			}
			if all := strings.Join(conversations(m), "\n"); !strings.Contains(all, "Oil") {
				t.Errorf("the title is gone with the row:\n%s", all)
			}
		})
	}
}

func conversations(m *machine) (list []string) {
	for _, text := range m.tell().Conversations {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// said lists the words of all messages of a person.
func said(m *machine) (list []string) {
	for _, text := range conversations(m) {
		for line := range strings.SplitSeq(text, "\n") {
			if _, words, is := strings.Cut(line, "[text "); is {
				list = append(list, strings.TrimSuffix(words, "]"))
			}
		}
	}
	slices.Sort(list)
	return list
}
