package ingest_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/internal/ingest"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"
)

// database makes, or changes, a database below the home.
func (m *machine) database(name string, statements ...string) {
	m.t.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			m.t.Fatalf("%s: %v", s, err)
		}
	}
}

// A workspace of Cursor keeps what was typed in it, the global database the chats: a prompt that both hold is one
// message. What only the list holds stays, until a chat with it comes.
func TestPromptsOfAWorkspaceAreToldOnce(t *testing.T) {
	const (
		global    = ".config/Cursor/User/globalStorage/state.vscdb"
		workspace = ".config/Cursor/User/workspaceStorage/0011/state.vscdb"
	)
	m := newMachine(t)
	chat := func(id, question string) string {
		return `INSERT OR REPLACE INTO cursorDiskKV VALUES
			('composerData:` + id + `', '{"_v":10,"composerId":"` + id + `","createdAt":1772442000000,"fullConversationHeadersOnly":[{"bubbleId":"q","type":1},{"bubbleId":"a","type":2}]}'),
			('bubbleId:` + id + `:q', '{"_v":3,"type":1,"bubbleId":"q","text":"` + question + `"}'),
			('bubbleId:` + id + `:a', '{"_v":3,"type":2,"bubbleId":"a","text":"An answer about ` + question + `"}')`
	}
	tables := []string{`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`}
	m.database(global, append(tables, chat("c1", "trim the wick"))...)
	m.database(workspace, append(tables,
		`INSERT INTO ItemTable VALUES ('composer.composerData', '{"allComposers":[{"composerId":"c1","name":"Wick"},{"composerId":"c2","name":"Oil"}]}'),
			('aiService.prompts', '[{"text":"trim the wick","commandType":4},{"text":"fill the oil","commandType":4}]')`)...)
	m.write(".config/Cursor/User/workspaceStorage/0011/workspace.json", `{"folder":"file:///proj/lantern"}`)
	said := func() (out []string) {
		for _, text := range m.tell().Conversations {
			for _, line := range strings.Split(text, "\n") {
				if _, words, is := strings.Cut(line, " user "); is {
					out = append(out, words[strings.LastIndex(words, `"`)+2:])
				}
			}
		}
		return out
	}
	once := func(step string) {
		t.Helper()
		m.imports()
		count := map[string]int{}
		for _, words := range said() {
			count[words]++
		}
		if diff := cmp.Diff(map[string]int{"[text trim the wick]": 1, "[text fill the oil]": 1}, count); diff != "" {
			t.Errorf("%s: what the user said, how often (-want +got):\n%s", step, diff)
		}
	}
	once("a chat and its list")
	if n := len(m.tell().Conversations); n != 2 {
		t.Errorf("%d conversations, want the chat and the rest of the list", n)
	}
	m.database(global, chat("c2", "fill the oil"))
	once("the other chat comes later")
	if r := m.imports(); r.New+r.Changed != 0 {
		t.Errorf("nothing has changed, but the import says %d new, %d changed", r.New, r.Changed)
	}
}

// A database that lies elsewhere than its program puts it is kept by its rows too: logins stand beside the chats.
func TestNamedDatabaseIsKeptByItsRows(t *testing.T) {
	m := newMachine(t)
	m.database("saved/copy of state.db", `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'never-keep-this')`,
		`INSERT INTO cursorDiskKV VALUES
			('composerData:c1', '{"_v":10,"composerId":"c1","fullConversationHeadersOnly":[{"bubbleId":"q","type":1}]}'),
			('bubbleId:c1:q', '{"_v":3,"type":1,"bubbleId":"q","text":"trim the wick"}')`)
	m.imports(func(o *ingest.Options) { o.Paths = []string{filepath.Join(m.home, "saved", "copy of state.db")} })
	got := m.tell()
	if len(got.Conversations) != 1 {
		t.Errorf("%d conversations, want one", len(got.Conversations))
	}
	for path, bytes := range got.Bytes {
		if strings.Contains(bytes, "never-keep-this") || strings.Contains(bytes, "SQLite format") {
			t.Errorf("%q holds more than the rows of the chat", path)
		}
	}
}
