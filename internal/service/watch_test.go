package service_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/adapter/codex"
	"lore/adapter/crush"
	"lore/internal/service"
)

// late is far longer than a message takes to be found: a test that waits for it has failed.
const late = 60 * time.Second

// watcher is a watch that runs beside a test.
type watcher struct {
	*machine
	events chan service.WatchEvent
	done   chan error
	stop   context.CancelFunc
}

func (m *machine) watch(req service.WatchRequest) *watcher {
	ctx, stop := context.WithCancel(context.Background())
	w := &watcher{machine: m, events: make(chan service.WatchEvent, 64), done: make(chan error, 1), stop: stop}
	req.Tell = func(e *service.WatchEvent) error {
		w.events <- *e
		return nil
	}
	go func() { w.done <- m.svc.Watch(ctx, req) }()
	m.t.Cleanup(stop)
	return w
}

// until waits for an event.
func (w *watcher) until(what string, is func(service.WatchEvent) bool) service.WatchEvent {
	w.t.Helper()
	deadline := time.After(late)
	for {
		select {
		case e := <-w.events:
			if is(e) {
				return e
			}
		case err := <-w.done:
			w.t.Fatalf("%s: the watch has ended: %v", what, err)
		case <-deadline:
			w.t.Fatalf("%s: nothing happened", what)
		}
	}
}

func imported(e service.WatchEvent) bool { return e.Event == "imported" }

// found reports how many messages hold a word.
func (m *machine) found(word string) int {
	m.t.Helper()
	res, err := m.svc.Search(context.Background(), service.SearchRequest{Query: word})
	if err != nil {
		m.t.Fatal(err)
	}
	return res.Total
}

func prompt(session string, n int, words string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"type":"user","message":{"role":"user","content":%q},"uuid":"%s-u%d","timestamp":"2026-03-01T10:00:%02d.000Z"}`+"\n",
		session, words, session, n, n)
}

func TestWatchFindsWhatIsWritten(t *testing.T) {
	for name, req := range map[string]service.WatchRequest{"notices": {}, "polled": {Poll: 100 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			const session = "aaaaaaaa-0000-4000-8000-000000000001"
			path := ".claude/projects/-proj-lantern/" + session + ".jsonl"
			m.write(path, prompt(session, 1, "the kestrel"))
			w := m.watch(req)
			w.until("first import", imported)
			m.append(path, prompt(session, 2, "a heron"))
			w.until("append", imported)
			if n := m.found("heron"); n != 1 {
				t.Errorf("%d messages say what was appended", n)
			}
			// A folder, and a product, that were not there before.
			m.write(".claude/projects/-proj-other/bbbbbbbb-0000-4000-8000-000000000002.jsonl", prompt("bbbbbbbb-0000-4000-8000-000000000002", 1, "a plover"))
			w.until("new folder", func(service.WatchEvent) bool { return m.found("plover") == 1 })
			m.write(".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-cccccccc-0000-4000-8000-000000000003.jsonl",
				`{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"cccccccc-0000-4000-8000-000000000003","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/proj/lantern"}}`+"\n"+
					`{"timestamp":"2026-03-01T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"a dunlin"}}`+"\n")
			w.until("new product", func(service.WatchEvent) bool { return m.found("dunlin") == 1 })
			w.stop()
			w.until("end", func(e service.WatchEvent) bool { return e.Event == "stopped" })
			if err := <-w.done; err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestWatchSeesAnOpenDatabase: a program that keeps its database open writes to the log beside it.
func TestWatchSeesAnOpenDatabase(t *testing.T) {
	m := newMachine(t)
	m.svc.Adapters = []adapter.Adapter{claudecode.New(), codex.New(), crush.New()}
	db := m.crush(t)
	say := func(id, words string) {
		t.Helper()
		if _, err := db.Exec(`INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, 's1', 'user', ?, 1772359200, 1772359200)`,
			id, fmt.Sprintf(`[{"type":"text","data":{"text":%q}}]`, words)); err != nil {
			t.Fatal(err)
		}
	}
	say("m1", "the kestrel")
	w := m.watch(service.WatchRequest{})
	w.until("first import", imported)
	say("m2", "a curlew")
	w.until("a row", func(service.WatchEvent) bool { return m.found("curlew") == 1 })
}

func TestWatchOnce(t *testing.T) {
	m := newMachine(t)
	w := m.watch(service.WatchRequest{Once: true})
	w.until("watching", func(e service.WatchEvent) bool { return e.Event == "watching" })
	m.write(".claude/projects/-p/dddddddd-0000-4000-8000-000000000004.jsonl", prompt("dddddddd-0000-4000-8000-000000000004", 1, "a godwit"))
	select {
	case err := <-w.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(late):
		t.Fatal("it does not end")
	}
	if m.found("godwit") != 1 {
		t.Error("what was written is not found")
	}
}

func (m *machine) append(name, text string) {
	m.t.Helper()
	f, err := os.OpenFile(filepath.Join(m.home, filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		m.t.Fatal(err)
	}
}

// crush makes a database of Crush, open as the program has it.
func (m *machine) crush(t *testing.T) *sql.DB {
	t.Helper()
	m.write(".local/share/crush/.keep", "")
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(m.home, ".local/share/crush/crush.db"))+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, q := range []string{
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER, prompt_tokens INTEGER,
			completion_tokens INTEGER, updated_at INTEGER, created_at INTEGER, summary_message_id TEXT)`,
		`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER, updated_at INTEGER,
			finished_at INTEGER, provider TEXT, is_summary_message INTEGER)`,
		`CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT)`,
		`INSERT INTO sessions (id, title, created_at, updated_at) VALUES ('s1', 'Birds', 1772359200, 1772359200)`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return db
}
