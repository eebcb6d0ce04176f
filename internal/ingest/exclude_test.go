package ingest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/internal/config"
	"lore/internal/ingest"
)

// cursorHome writes a home in which an editor's database holds one chat in each of two projects. To which project a chat
// belongs, only the databases of the two workspaces say.
func (m *machine) cursorHome() {
	const user = ".config/Cursor/User/"
	tables := []string{`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`}
	global := slices.Clone(tables)
	for _, c := range []struct{ id, project, word string }{
		{sessionA, "lantern", "kestrel"}, {sessionB, "secret", "harrier"},
	} {
		global = append(global, `INSERT INTO cursorDiskKV VALUES
			('composerData:`+c.id+`', '{"_v":3,"composerId":"`+c.id+`","createdAt":1772442000000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1}]}'),
			('bubbleId:`+c.id+`:b1', '{"_v":2,"bubbleId":"b1","type":1,"text":"the `+c.word+`"}')`)
		at := user + "workspaceStorage/" + strings.Repeat(c.id[:2], 16) + "/"
		m.write(at+"workspace.json", `{"folder":"file:///proj/`+c.project+`"}`)
		m.database(at+"state.vscdb", append(slices.Clone(tables),
			`INSERT INTO ItemTable VALUES ('composer.composerData', '{"allComposers":[{"type":"head","composerId":"`+c.id+`","name":"x"}]}')`)...)
	}
	m.database(user+"globalStorage/state.vscdb", global...)
}

// TestExcludedProjectInADatabase: the chats of an excluded project are not kept and not found, those beside them are; and
// they come when they are wanted again.
func TestExcludedProjectInADatabase(t *testing.T) {
	m := newMachine(t)
	m.cursorHome()
	without := func(o *ingest.Options) { o.Exclude = config.Exclude{Projects: []string{"secret"}} }
	for range 2 {
		r := m.imports(without)
		if r.Total != 1 || r.Sources[0].Excluded != 1 {
			t.Fatalf("%d conversations, %d excluded", r.Total, r.Sources[0].Excluded)
		}
		now := m.tell("kestrel", "harrier")
		if !strings.HasPrefix(now.Found["kestrel"], "1\n") || !strings.HasPrefix(now.Found["harrier"], "0\n") {
			t.Errorf("found: %q", now.Found)
		}
		for path, bytes := range now.Bytes {
			if strings.Contains(bytes, "harrier") {
				t.Errorf("%s was kept", path)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(m.dir, "part-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	m.imports()
	if now := m.tell("harrier"); !strings.HasPrefix(now.Found["harrier"], "1\n") {
		t.Errorf("what is wanted again is not found: %q", now.Found)
	}
}

// TestExcludedStays: what was imported before it was excluded stays as it was, also when its file grows or goes.
func TestExcludedStays(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.imports()
	before := m.tell("kestrel")
	without := func(o *ingest.Options) { o.Exclude = config.Exclude{Folders: []string{"~/.claude/projects"}} }
	m.write(sessionPath(sessionA), session(sessionA, 6, say("kestrel")))
	m.want("grown and excluded", counts{Total: 1}, without)
	if now := m.tell("kestrel"); now.Found["kestrel"] != before.Found["kestrel"] {
		t.Errorf("found %q, before %q", now.Found["kestrel"], before.Found["kestrel"])
	}
	m.want("wanted again", counts{Read: 1, Changed: 1, Total: 1})
}

// TestPrepareWritesNothing: a dry run says what an import would do, and leaves no trace.
func TestPrepareWritesNothing(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	states := func() string {
		t.Helper()
		p, err := ingest.Prepare(t.Context(), m.options())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range p.Files {
			all = append(all, f.State+" "+filepath.Base(f.File)[:2])
		}
		return strings.Join(all, ", ")
	}
	if got := states(); got != "new aa" {
		t.Errorf("at first: %s", got)
	}
	if _, err := os.Stat(m.dir); err == nil {
		t.Error("lore's folder was made")
	}
	m.imports()
	if got := states(); got != "" {
		t.Errorf("after an import: %s", got)
	}
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.write(sessionPath(sessionB), session(sessionB, 2, say("harrier")))
	if got := states(); got != "changed aa, new bb" {
		t.Errorf("after changes: %s", got)
	}
	if err := os.Remove(filepath.Join(m.home, sessionPath(sessionA))); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "gone aa, new bb" {
		t.Errorf("after a deletion: %s", got)
	}
	if now := m.tell("harrier"); !strings.HasPrefix(now.Found["harrier"], "0\n") {
		t.Error("a dry run has imported")
	}
}
