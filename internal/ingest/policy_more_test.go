package ingest_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/ingest"
)

// raised is an adapter whose reading rules have a higher version.
type raised struct{ adapter.Adapter }

func (r raised) Info() adapter.Info {
	info := r.Adapter.Info()
	info.Version++
	return info
}

func raise(o *ingest.Options) {
	for i, a := range o.Adapters {
		o.Adapters[i] = raised{a}
	}
}

// TestRaisedVersionReadsAlsoWhatIsGone: new reading rules are applied to what the archive holds, in the source or not, and
// change no id.
func TestRaisedVersionReadsAlsoWhatIsGone(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.write(sessionPath(sessionB), session(sessionB, 3, say("heron")))
	m.imports()
	if err := os.Remove(filepath.Join(m.home, sessionPath(sessionB))); err != nil {
		t.Fatal(err)
	}
	m.want("one deleted", counts{Unchanged: 1, Total: 2, Kept: 1})
	before := m.tell("kestrel", "heron")
	m.want("raised", counts{Read: 2, Total: 2, Kept: 1}, raise)
	if d := cmp.Diff(before, m.tell("kestrel", "heron")); d != "" {
		t.Errorf("reading again changed something (-before +after):\n%s", d)
	}
	m.want("again", counts{Unchanged: 1, Total: 2, Kept: 1}, raise)
}

// TestSameIDInTwoSources: an id means nothing outside of its source.
func TestSameIDInTwoSources(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.write(".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-"+sessionA+".jsonl",
		fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-03-01T10:00:00.000Z","cwd":"/proj/lantern"}}`+"\n"+
			`{"timestamp":"2026-03-01T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"kestrel number a"}}`+"\n", sessionA))
	m.want("both", counts{Read: 2, New: 2, Total: 2})
	if n := len(m.tell().Conversations); n != 2 {
		t.Errorf("%d conversations", n)
	}
}

// TestFileSystemWithoutCTime: where the change time is not known, size and time of modification decide, and --verify looks
// at the bytes.
func TestFileSystemWithoutCTime(t *testing.T) {
	with := archive.Stat{Size: 5, MTime: 7, CTime: 9, Inode: 3}
	without := archive.Stat{Size: 5, MTime: 7}
	later := archive.Stat{Size: 5, MTime: 8}
	if !with.Same(without) || !without.Same(with) || without.Same(later) || with.Same(later) {
		t.Error("a fact that one side lacks counts, or a time does not")
	}
	m := newMachine(t)
	path := filepath.Join(m.home, sessionPath(sessionA))
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.imports()
	m.forgetCTime()
	m.want("without", counts{Unchanged: 1, Total: 1})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m.write(sessionPath(sessionA), strings.ReplaceAll(session(sessionA, 2, say("kestrel")), "kestrel", "buzzard"))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	m.forgetCTime()
	m.want("other bytes unseen", counts{Unchanged: 1, Total: 1})
	m.want("verified", counts{Read: 1, Changed: 1, Total: 1}, func(o *ingest.Options) { o.Verify = true })
	if !strings.Contains(m.tell("buzzard").Found["buzzard"], "exact") {
		t.Error("the new words are not found")
	}
}

// forgetCTime makes the archive one of a file system without change times.
func (m *machine) forgetCTime() {
	m.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(m.dir, "archive.db"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE file SET ctime = 0, inode = 0"); err != nil {
		m.t.Fatal(err)
	}
}

// titles is Codex's database of threads, which is evidence without a conversation of its own.
func (m *machine) titles(change string, args ...any) {
	m.t.Helper()
	m.write(".codex/.keep", "")
	db, err := sql.Open("sqlite", filepath.Join(m.home, ".codex", "state_5.sqlite"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(change, args...); err != nil {
		m.t.Fatal(err)
	}
}

// TestDatabasePolicy is the change policy on a database: nothing changed, touched, other bytes with the size and time that
// it had, deleted.
func TestDatabasePolicy(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.home, ".codex", "state_5.sqlite")
	m.write(".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-"+sessionA+".jsonl",
		fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-03-01T10:00:00.000Z","cwd":"/proj/lantern"}}`+"\n"+
			`{"timestamp":"2026-03-01T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"where is the kestrel"}}`+"\n", sessionA))
	m.titles("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, cwd TEXT, rollout_path TEXT, created_at INTEGER, updated_at INTEGER)")
	m.titles("INSERT INTO threads VALUES (?, 'First name', '/proj/lantern', '', 1772359200, 1772359200)", sessionA)
	m.want("first", counts{Read: 2, New: 1, Total: 1})
	if !strings.Contains(m.titled(), "First name") {
		t.Fatalf("the title is not taken: %s", m.titled())
	}
	m.want("nothing changed", counts{Unchanged: 2, Total: 1})
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	m.want("touched", counts{Unchanged: 2, Total: 1})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m.titles("UPDATE threads SET title = 'Other name'")
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(path); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		t.Fatalf("size or time has changed: %v", err)
	}
	m.imports()
	if !strings.Contains(m.titled(), "Other name") {
		t.Errorf("other bytes with the same size and time are not read: %s", m.titled())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.imports()
	if !strings.Contains(m.titled(), "Other name") {
		t.Errorf("the title went with the database: %s", m.titled())
	}
}

// titled returns what the only conversation says, title first.
func (m *machine) titled() string {
	for _, c := range m.tell().Conversations {
		return c
	}
	return ""
}
