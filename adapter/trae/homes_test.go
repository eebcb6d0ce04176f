package trae

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// item is a row of a database that a test makes; a nil value is NULL.
type item struct {
	key   string
	value any
}

func stateDB(t testing.TB, name string, items []item) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(statement string, args ...any) {
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	for _, i := range items {
		run("INSERT INTO ItemTable VALUES (?, ?)", i.key, i.value)
	}
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	root      = ".config/Trae"
	workspace = "User/workspaceStorage/8b8b"
)

// workspaceHome holds a database of a workspace, with all forms of a chat.
func workspaceHome(t testing.TB) string {
	home := t.TempDir()
	dir := filepath.Join(home, root, workspace)
	stateDB(t, filepath.Join(dir, stateFile), []item{
		{keyAgent, `{"list":[
		  {"sessionId":"s1","createdAt":1772442000,"updatedAt":1772445600000,"model":"bright-1","messages":[
		    {"role":"user","content":"Trim the wick","turnId":"t1","turnIndex":0,"timestamp":1772442000000},
		    {"role":"assistant","content":"","turnId":"t1","turnIndex":0,"timestamp":"2026-03-02T09:00:05.000Z","agentTaskContent":{
		      "proposalReasoningContent":"It is long.","proposal":"I will trim it.","guideline":{"planItems":[
		        {"toolName":"run_command","thought":"Scissors.","reasoningContent":"Sharp ones.","command":"trim --wick","args":{"by":2}},
		        {"toolName":"finish","thought":"It is trimmed."}]}}},
		    {"role":"user","content":"And the oil?","turnId":"t2","turnIndex":1},
		    {"role":"assistant","content":"Filled.","agentMessageId":"m4","turnId":"t2","turnIndex":1,"modelInfo":{"name":"bright-2"}}]},
		  {"sessionId":"s2","messages":[]}],"currentSessionId":"s1"}`},
		{keyChats + "2", `{"data":{"list":[{"sessionId":"s1","messages":[{"role":"user","content":"Trim the wick","turnId":"t1"}]},
		  {"sessionId":"s3","messages":[{"role":"user","content":"An older chat"},{"role":"oracle","content":"?"}]}]}}`},
		{keyPrompts, `[{"inputText":"Trim the wick","parsedQuery":["Trim the wick"]},{"inputText":"A lone prompt","parsedQuery":"expanded"},{"multiMedia":[]}]`},
		{keyIndex, `{"version":1,"entries":{"s1":{"sessionId":"s1","title":"Wick"}}}`},
		{"icube.auth.token", "never read"},
		{"workbench.view", `{"never":"read"}`},
	})
	write(t, filepath.Join(dir, workspaceFile), `{"folder":"file:///proj/my%20lantern"}`)
	return home
}

// encryptedHome holds what newer versions leave.
func encryptedHome(t testing.TB) string {
	home := t.TempDir()
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*i>>3 + i*7)
	}
	dir := filepath.Join(home, root)
	write(t, filepath.Join(dir, encryptedFile), string(noise))
	write(t, filepath.Join(dir, snapshotDir, "e1/v1/file.txt"), "a snapshot")
	write(t, filepath.Join(dir, snapshotDir, "e2/v1/file.txt"), "a snapshot")
	stateDB(t, filepath.Join(dir, "User/globalStorage", stateFile), nil)
	return home
}
