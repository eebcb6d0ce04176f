package cursor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// row is a row of a database that a test makes: a key and its value, nil for NULL.
type row struct {
	key   string
	value any
}

const userDir = ".config/Cursor/User"

// stateDB makes a database of the editor.
func stateDB(t testing.TB, name string, kv, items []row) {
	t.Helper()
	db := newDB(t, name)
	defer db.Close()
	for table, rows := range map[string][]row{tableKV: kv, tableItems: items} {
		run(t, db, "CREATE TABLE "+table+" (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
		for _, r := range rows {
			run(t, db, "INSERT INTO "+table+" VALUES (?, ?)", r.key, r.value)
		}
	}
}

func newDB(t testing.TB, name string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func run(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
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

// globalRows are chats of all generations, one with each oddity.
var globalRows = []row{
	{"composerData:c1", `{"_v":9,"composerId":"c1","name":"Wick and oil","createdAt":1772442000000,"lastUpdatedAt":1772445600000,
	  "workspaceIdentifier":{"uri":{"fsPath":"/proj/lantern"}},"gitWorktree":{"worktreePath":"/tree","branchName":"wick"},"modelConfig":{"modelName":"bright-1"},
	  "fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"gone","type":2},{"bubbleId":"b3","type":2},{"bubbleId":"b4","type":2},{"bubbleId":"b5","type":2},{"bubbleId":"b8","type":1}],
	  "subComposerIds":["c5"],"text":"a draft"}`},
	{"bubbleId:c1:b3", `{"_v":3,"type":2,"bubbleId":"b3","text":"","capabilityType":15,"toolFormerData":{"name":"run_terminal_cmd","toolCallId":"t1","status":"completed","rawArgs":"{\"command\":\"trim\"}","params":"{}","result":"{\"output\":\"trimmed\"}"}}`},
	{"bubbleId:c1:b1", `{"_v":3,"type":1,"bubbleId":"b1","text":"","richText":"{\"root\":{\"type\":\"root\",\"children\":[{\"type\":\"paragraph\",\"children\":[{\"type\":\"text\",\"text\":\"Trim the \"},{\"type\":\"mention\",\"text\":\"@wick\"},{\"type\":\"linebreak\"},{\"type\":\"text\",\"text\":\"please\"}]}]}}",
	  "context":{"fileSelections":[{"uri":{"fsPath":"/proj/lantern/wick.go"}},{"uri":{"fsPath":"/proj/lantern/open.go"},"isCurrentFile":true}],"selectedImages":[{"uuid":"i1","path":"/tmp/wick.png"}]}}`},
	{"bubbleId:c1:b2", `{"_v":3,"type":2,"bubbleId":"b2","text":"","thinking":{"text":"It is long.","signature":"s"},"timingInfo":{"clientStartTime":1234.5,"clientRpcSendTime":1772442060000}}`},
	{"bubbleId:c1:b4", `{"_v":3,"type":2,"bubbleId":"b4","text":"Look:\n~~~\ntrim()\n~~~","allThinkingBlocks":[{"thinking":"One."},{"text":"Two."}],"codeBlocks":[{"content":"trim()"},{"content":"burn()"}],"tokenCount":{"inputTokens":10,"outputTokens":5}}`},
	{"bubbleId:c1:b5", `{"_v":3,"type":2,"bubbleId":"b5","text":"","tokenCount":{"inputTokens":0,"outputTokens":0}}`},
	{"bubbleId:c1:b6", `{"_v":3,"type":2,"bubbleId":"b6","text":"An abandoned answer"}`},
	{"bubbleId:c1:b7", nil},
	{"bubbleId:c1:b8", `{"_v":3,"type":1,"bubbleId":"b8","text":"Thanks","createdAt":"2026-03-02T10:00:00.500Z"}`},
	{"composerData:c2", `{"_v":1,"composerId":"c2","name":"","createdAt":1772442000000,"lastUpdatedAt":1772445600000,"conversation":[{"bubbleId":"a1","type":1,"text":"inline"},{"type":1,"text":"inline"},{"bubbleId":"a2","type":2,"text":"old inline answer"}]}`},
	{"bubbleId:c2:a2", `{"type":2,"text":"inline answer"}`},
	{"composerData:c3", nil},
	{"composerData:c4", `{"composerId":`},
	{"bubbleId:c4:x", `{"type":1,"text":"orphan","createdAt":1772442120000}`},
	{"bubbleId:c4:y", `{"type":2,"text":"earlier orphan","createdAt":1772442060000}`},
	{"bubbleId:c4:z", `[]`},
	{"composerData:c5", `{"_v":99,"composerId":"c5","subagentInfo":{"parentComposerId":"c1"},"conversationMap":{"m2":{"type":2,"text":"map answer"},"m1":{"type":1,"text":"map"},"m3":{"type":7,"text":"who?"}},"fullConversationHeadersOnly":[{"bubbleId":"m1"},{"bubbleId":"m2"},{"bubbleId":"m3"}]}`},
	{"composerData:c6", `{"_v":9,"composerId":"c6","name":"Nothing yet","fullConversationHeadersOnly":[]}`},
	{"agentKv:blob:aa", `{"role":"system","content":"You are a lantern"}`},
	{"agentKv:blob:bb", `{"role":"user","content":[{"type":"text","text":"<user_query>\nThanks\n</user_query>"}]}`},
	{"agentKv:blob:cc", `{"role":"assistant","content":[{"type":"reasoning","text":"It is long."},{"type":"text","text":"only in a blob"},{"type":"tool-call","toolCallId":"t1","toolName":"run_terminal_cmd","args":{}}]}`},
	{"agentKv:blob:dd", []byte{0x0a, 0x02, 0xff, 0x00}},
	{"checkpointId:c1:k", `{"files":["never read"]}`},
	{"messageRequestContext:c1:b1", `{"never":"read"}`},
}

var globalItems = []row{
	{"cursorAuth/accessToken", "never read"},
	{"secret://x", "never read"},
	{itemHeads, `{"allComposers":[{"composerId":"c2","name":"Named in the list","workspaceIdentifier":{"uri":"file:///proj/b%20c"},"isArchived":true},{"composerId":"c9","name":"No body"},{"name":"nobody"}]}`},
}

func globalHome(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	stateDB(t, filepath.Join(home, userDir, globalDir, stateFile), globalRows, globalItems)
	return home
}

func workspaceHome(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, userDir, workspacesDir, "b2b2b2")
	stateDB(t, filepath.Join(dir, stateFile), nil, []row{
		{itemComposers, `{"allComposers":[{"composerId":"w1","name":"Only listed"},{"composerId":"w2","name":"Whole","createdAt":1720000000000,"conversation":[{"bubbleId":"q","type":1,"text":"old question"},{"bubbleId":"r","type":2,"text":"old answer"}]},5],"selectedComposerIds":["w1"]}`},
		{itemChats, `{"tabs":[{"tabId":"t1","chatTitle":"Old tab","lastSendTime":1720000000000,"bubbles":[{"type":"user","id":"u","text":"ancient question"},{"type":"ai","id":"a","modelType":"old-1","rawText":"ancient answer"}]},{"tabId":"t2","chatTitle":"Empty","bubbles":[]}]}`},
		{itemPrompts, `[{"text":"ancient question","commandType":4},{"text":"a lone prompt","commandType":4},{"text":"a lone prompt"},{"commandType":4}]`},
		{itemGenerations, `[{"unixMs":1720000000000,"textDescription":"ancient question"}]`},
		{"secret://y", "never read"},
	})
	write(t, filepath.Join(dir, workspaceFile), `{"folder":"file:///proj/my%20caf%C3%A9"}`)
	return home
}

// chatRows makes the blobs of a chat of cursor-agent: messages, then a root that lists those of some numbers.
func chatRows(messages []string, listed ...int) (blobs []row, root string) {
	var node bytes.Buffer
	ids := make([][32]byte, len(messages))
	for i, m := range messages {
		ids[i] = sha256.Sum256([]byte(m))
		blobs = append(blobs, row{hex.EncodeToString(ids[i][:]), []byte(m)})
	}
	for _, i := range listed {
		node.WriteString("\x0a\x20")
		node.Write(ids[i][:])
	}
	id := sha256.Sum256(node.Bytes())
	root = hex.EncodeToString(id[:])
	return append(blobs, row{root, node.Bytes()}), root
}

func chatDB(t testing.TB, name string, blobs []row, meta string) {
	t.Helper()
	db := newDB(t, name)
	defer db.Close()
	run(t, db, "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
	run(t, db, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
	for _, b := range blobs {
		run(t, db, "INSERT INTO blobs VALUES (?, ?)", b.key, b.value)
	}
	if meta != "" {
		run(t, db, "INSERT INTO meta VALUES ('0', ?)", hex.EncodeToString([]byte(meta)))
	}
}

func chatHome(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".cursor/chats/c3c3c3/44444444-0000-4000-8000-000000000001")
	blobs, root := chatRows([]string{
		`{"role":"system","content":"You are a lantern"}`,
		`{"role":"user","content":[{"type":"text","text":"<user_info>\nOS: linux\n</user_info>"},{"type":"text","text":"<user_query>\nStack barrels\n</user_query>"}]}`,
		`{"role":"assistant","id":"1","content":[{"type":"reasoning","text":"think"},{"type":"tool-call","toolCallId":"t","toolName":"Shell","args":{"command":"ls"}}]}`,
		`{"role":"tool","id":"t","content":[{"type":"tool-result","toolCallId":"t","toolName":"Shell","result":"ok"}]}`,
		`{"role":"assistant","id":"2","content":[{"type":"redacted-reasoning","data":"x"},{"type":"text","text":"Stacked"}]}`,
		`{"role":"assistant","content":"an answer that the root has dropped"}`,
		`{"role":"assistant","id":"3","content":[{"type":"redacted-reasoning","data":"y"},{"type":"text","text":"Stacked"}]}`,
	}, 0, 1, 2, 3, 4)
	turn := append([]byte{0x22, 0}, `{"role":"user","content":"in a field"}`...)
	turn[1] = byte(len(turn) - 2)
	blobs = append(blobs, row{"binary", []byte{0xff, 0xff}}, row{"absent", nil}, row{"turn", turn}, row{"cut", []byte(`{"role":`)})
	chatDB(t, filepath.Join(dir, chatFile), blobs,
		`{"agentId":"44444444-0000-4000-8000-000000000001","latestRootBlobId":"`+root+`","name":"Cellar chat","createdAt":1772442000000,"lastUsedModel":"bright-1"}`)
	write(t, filepath.Join(dir, metaFile), `{"schemaVersion":1,"cwd":"/proj/cellar","title":"Other","createdAtMs":1772442000000,"updatedAtMs":1772442600000}`)
	return home
}

// readHome reads all that is found in one root of a home, live.
func readHome(t testing.TB, home, root string) (list []*lore.Conversation) {
	t.Helper()
	fsys := os.DirFS(filepath.Join(home, root))
	for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source, Path: root}, FS: fsys, Name: "~/" + root}) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := drain(adapter.Input{Source: src, FS: fsys, Place: "~/" + root})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, got...)
	}
	return list
}

// keepPart keeps the rows of one part of a database as an archive does, and returns the input to read it from there.
func keepPart(t testing.TB, home, root string, src adapter.Source, part string) adapter.Input {
	t.Helper()
	var queries []kit.Query
	for _, r := range src.Split.Ranges(part) {
		q := kit.RangeQuery(r)
		q.Order = true
		queries = append(queries, q)
	}
	var kept bytes.Buffer
	err := kit.ReadDatabase(context.Background(), os.DirFS(filepath.Join(home, root)), src.Path, func(db *kit.Database) error {
		kept.Reset()
		_, err := kit.KeepRows(context.Background(), db, queries, &kept)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name := src.Path + partMark + part
	files := fstest.MapFS{"x": {Data: kept.Bytes()}}
	return adapter.Input{Source: adapter.Source{Product: source, Store: src.Store, Path: name, Part: part}, FS: renamed{files, name}, Place: "~/" + root}
}

// renamed is a file system of one file under a name that no file on a disk has.
type renamed struct {
	fs   fs.FS
	name string
}

func (r renamed) Open(name string) (fs.File, error) {
	if name != r.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return r.fs.Open("x")
}
