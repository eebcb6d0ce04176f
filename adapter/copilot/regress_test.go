package copilot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
)

func put(path, value string) string { return fmt.Sprintf(`{"kind":1,"k":%s,"v":%s}`, path, value) }
func push(path, tail string) string { return fmt.Sprintf(`{"kind":2,"k":%s%s}`, path, tail) }

// TestVS01LogIsReplayed: the file begins with an empty session, and all else comes by steps.
func TestVS01LogIsReplayed(t *testing.T) {
	c := readLog(t, initial(),
		push(`["requests"]`, `,"v":[`+request("r1", "fold")+`]`),
		push(`["requests",0,"response"]`, `,"v":[`+thought+`,`+say("folded")+`]`),
		put(`["customTitle"]`, `"Draft"`),
		push(`["requests"]`, `,"v":[`+request("r2", "again")+`]`),
		push(`["requests",1,"response"]`, `,"v":[`+readFileCall+`]`),
		push(`["requests",1,"response"]`, `,"v":[`+say("done")+`]`),
		put(`["requests",1,"completionTokens"]`, `39`),
		put(`["customTitle"]`, `"Maps"`),
		`{"kind":3,"k":["inputState"]}`,
	)
	same(t, []string{"user ‹fold›", "assistant [thinking hm] ‹folded›", "user ‹again›", "assistant [call copilot_readFile c1 Reading] ‹done›"}, outline(c))
	same(t, "Maps", c.Title)
	same(t, int64(39), c.Usage.Output)
	same(t, "10 = 8 kept 1 merged 1 skipped 0 unknown 0 damaged, skipped:inputState 1", account(c))
}

// TestStepThatSaysNothing: what stands in the end and is no conversation is skipped by its name, not merged.
func TestStepThatSaysNothing(t *testing.T) {
	c := readLog(t, initial(request("r1", "hi")),
		put(`["requests",0,"result"]`, `{"timings":{"totalElapsed":1}}`),
		push(`["requests",0,"response"]`, `,"v":[{"kind":"undoStop","id":"1"}]`))
	same(t, "3 = 1 kept 0 merged 2 skipped 0 unknown 0 damaged, skipped:requests.result 1, skipped:response undoStop 1", account(c))
}

// TestPushTruncates: a push with an index takes away what stands from there on, and what was taken away stays inactive.
func TestPushTruncates(t *testing.T) {
	abc := initial(request("A", "a", say("1")), request("B", "b", say("2")), request("C", "c"))
	c := readLog(t, abc, push(`["requests"]`, `,"i":1,"v":[`+request("D", "d")+`]`))
	same(t, []string{"user ‹a›", "assistant ‹1›", "-user ‹b›", "-assistant ‹2›", "-user ‹c›", "user ‹d›"}, outline(c))

	c = readLog(t, abc, push(`["requests"]`, `,"i":1`))
	same(t, []string{"user ‹a›", "assistant ‹1›", "-user ‹b›", "-assistant ‹2›", "-user ‹c›"}, outline(c))
	same(t, "2 = 2 kept 0 merged 0 skipped 0 unknown 0 damaged", account(c))

	c = readLog(t, abc, push(`["requests"]`, `,"i":1,"v":[`+request("B", "b", say("2"), say("3"))+`,`+request("C", "c")+`]`))
	same(t, []string{"user ‹a›", "assistant ‹1›", "user ‹b›", "assistant ‹2› ‹3›", "user ‹c›"}, outline(c))
}

// TestRequestComesBack: one that was taken back and is asked again under its id is one turn, where it stands now.
func TestRequestComesBack(t *testing.T) {
	c := readLog(t, initial(request("A", "a"), request("B", "b", say("2"))),
		push(`["requests"]`, `,"i":0`),
		push(`["requests"]`, `,"v":[`+request("B", "b", say("other"))+`]`))
	same(t, []string{"-user ‹a›", "user ‹b›", "-assistant ‹2›", "assistant ‹other›"}, outline(c))
}

// TestLaterInitialReplaces: a second initial entry is the state; what it lacks is inactive.
func TestLaterInitialReplaces(t *testing.T) {
	c := readLog(t, initial(request("A", "a", say("1")), request("B", "b"), request("C", "c")), initial(request("A", "a", say("1, and more")), request("C", "c")))
	same(t, []string{"user ‹a›", "assistant ‹1, and more›", "-user ‹b›", "user ‹c›"}, outline(c))
	same(t, "2 = 2 kept 0 merged 0 skipped 0 unknown 0 damaged", account(c))
}

// TestStreamedAnswer: a text that was cut and begins the new one was its beginning; any other stays, inactive.
func TestStreamedAnswer(t *testing.T) {
	c := readLog(t, initial(request("r1", "tell")),
		push(`["requests",0,"response"]`, `,"i":0,"v":[`+say("Once ")+`]`),
		push(`["requests",0,"response"]`, `,"i":0,"v":[`+say("Once upon")+`]`),
		push(`["requests",0,"response"]`, `,"i":0,"v":[`+say("Once upon ")+`,`+reference+`,`+say(" a time")+`]`),
		push(`["requests",0,"response"]`, `,"i":2,"v":[`+say(" a place")+`]`))
	same(t, []string{"user ‹tell›", "-assistant ‹ a time›", "assistant ‹Once upon /proj/a b/c#d.go a place›"}, outline(c))
	same(t, "5 = 3 kept 2 merged 0 skipped 0 unknown 0 damaged", account(c))
}

// TestVS02HeadIsMissing: the steps are replayed from an empty session.
func TestVS02HeadIsMissing(t *testing.T) {
	c := readLog(t, put(`["hasPendingEdits"]`, `false`),
		push(`["requests"]`, `,"v":[`+request("r1", "headless")+`]`),
		push(`["requests",0,"response"]`, `,"v":[`+say("readable")+`]`),
		push(`["requests",1,"response"]`, `,"v":[`+say("made at the end")+`]`),
		push(`["requests",7,"response"]`, `,"v":[`+say("would shift")+`]`))
	same(t, []string{"user ‹headless›", "assistant ‹readable›", "assistant ‹made at the end›"}, outline(c))
	same(t, []string{"bad_patch@5", "missing_header@0"}, lost(c))
	same(t, "s1", c.Native)
}

// TestBadSteps: each is one damaged unit with a loss that says why, and the state is as if it were not there.
func TestBadSteps(t *testing.T) {
	for _, bad := range []string{
		put(`["__proto__","x"]`, `1`), put(`["requests",0,"constructor"]`, `1`), `{"kind":1,"v":1}`, `{"kind":1,"k":{},"v":1}`,
		put(`["requests",4,"message"]`, `"x"`), put(`["requests",-1]`, `{}`), put(`["requests",0.5]`, `{}`), put(`["requests",0,"message","text","x"]`, `1`),
		put(`["requests","first"]`, `{}`), put(`["requests",99999]`, `{}`), put(`[true]`, `{}`),
		push(`[]`, `,"v":[1]`), push(`["requests"]`, `,"v":{}`), push(`["requests"]`, `,"v":[{}],"i":-1`), push(`["requests"]`, `,"i":1.5`),
		push(`["sessionId"]`, `,"v":["x"]`), push(`["requests"]`, `,"i":1000000000`), push(`["requests","x"]`, `,"v":[1]`),
		`{"kind":3,"k":["requests","x"]}`, `{"kind":0}`, `{"kind":0,"v":[]}`,
	} {
		c := readLog(t, initial(request("r1", "hi", say("hello"))), bad)
		same(t, []string{"user ‹hi›", "assistant ‹hello›"}, outline(c))
		same(t, []string{"bad_patch@2"}, lost(c))
		if account(c) != "2 = 1 kept 0 merged 0 skipped 0 unknown 1 damaged" {
			t.Errorf("%s: %s", bad, account(c))
		}
	}
}

// TestVS06TwoGenerations: a document and a log of one id are one conversation; the log wins, and what only the document
// has stands where it stood.
func TestVS06TwoGenerations(t *testing.T) {
	c := readOne(t, logPath, lines(initial(request("r1", "one", say("1 new")), request("r3", "three"))),
		docPath, chat(request("r1", "one", say("1")), request("r2", "two", say("2"))))
	same(t, []string{"user ‹one›", "assistant ‹1 new›", "user ‹two›", "assistant ‹2›", "user ‹three›"}, outline(c))
	same(t, "3 = 2 kept 1 merged 0 skipped 0 unknown 0 damaged", account(c))
	same(t, 2, len(c.Messages[0].Origins))

	c = readOne(t, logPath, "\x00\x00{broken\n", docPath, chat(request("r1", "one")))
	same(t, []string{"user ‹one›"}, outline(c))
}

// TestVS09Projects: each way in which the storage of a workspace names its place.
func TestVS09Projects(t *testing.T) {
	for file, want := range map[string]lore.Project{
		`{"folder":"file:///proj/my%20app%20%2B1"}`:                {Dir: "/proj/my app +1", Name: "my app +1"},
		`{"folder":"file:///c%3A/work/app"}`:                       {Dir: "c:/work/app", Name: "app"},
		`{"workspace":"file:///proj/team.code-workspace"}`:         {Dir: "/proj/team.code-workspace", Name: "team.code-workspace"},
		`{"folder":"vscode-remote://ssh-remote%2Bbox/srv/app"}`:    {Dir: "vscode-remote://ssh-remote+box/srv/app", Name: "app"},
		`{"configuration":{"$mid":1,"path":"/x","scheme":"file"}}`: {Dir: "/x", Name: "x"},
		`{"folder":`: {},
	} {
		c := readOne(t, logPath, lines(initial(request("r1", "hi"))), storage+"workspace.json", file)
		same(t, want, c.Project)
	}
}

// TestVS13TruncatedBySource: the editor's mark in the place of a value is said to be one.
func TestVS13TruncatedBySource(t *testing.T) {
	c := readLog(t, initial(request("r1", "hi", say("[JustRide: value truncated for persistence; original 9 chars]"), say("tail"))))
	same(t, []string{"truncated_by_source@1"}, lost(c))
}

// TestVS14LineOfOneSession: a session is one line; above the bound only what is too large itself is cut.
func TestVS14LineOfOneSession(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 36 MB twice")
	}
	filler := strings.Repeat("salt and pepper ", 1<<16) // 1 MiB
	result := func(id string, n int) string {
		return `,"result":{"metadata":{"toolCallResults":{"` + id + `":{"content":[` + strings.TrimSuffix(strings.Repeat(say(filler)+",", n), ",") + `]}}}}`
	}
	call := func(id string) string {
		return `{"kind":"toolInvocationSerialized","toolCallId":"` + id + `","toolId":"runSubagent","invocationMessage":"Run","isComplete":true}`
	}
	log := lines(initial(requestWith("r1", "big", result("c1", 34), call("c1"), say("one")), requestWith("r2", "small", result("c2", 1), call("c2"), say("two"))),
		put(`["customTitle"]`, `"After it"`))
	c := readOne(t, logPath, log)
	var roles []string
	for _, m := range c.Messages {
		roles = append(roles, string(m.Role))
	}
	same(t, []string{"user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"}, roles)
	same(t, []string{"oversized_record@1"}, lost(c))
	cut, whole := c.Messages[2].Parts[0], c.Messages[6].Parts[0]
	if !cut.Cut || cut.Bytes < 34<<20 || len(cut.Text) == 0 || whole.Cut || whole.Text != filler {
		t.Errorf("cut %v of %d bytes with %d; the small one cut %v with %d", cut.Cut, cut.Bytes, len(cut.Text), whole.Cut, len(whole.Text))
	}
	same(t, "After it", c.Title)
}

// TestVS16Index: the editor's list is facts; empty sessions are none.
func TestVS16Index(t *testing.T) {
	dir := stateDB(t, "", `{"version":1,"entries":{"g1":{"sessionId":"g1","title":"Ghost"},"e1":{"sessionId":"e1","title":"New Chat","isEmpty":true},"n1":{"sessionId":"n1"}}}`)
	root := os.DirFS(dir)
	in := adapter.Input{FS: root, Place: "~/.config/Code/User", Source: adapter.Source{Product: source, Store: storeChatSessions, Path: storage + stateFile, Ranges: []adapter.Range{indexRange}}}
	var got []string
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %s %s: %s", c.Partial, c.Native, c.Title, account(c)))
	}
	same(t, []string{"true g1 Ghost: 1 = 1 kept 0 merged 0 skipped 0 unknown 0 damaged", "true  : 2 = 0 kept 0 merged 2 skipped 0 unknown 0 damaged, skipped:index entry 2"}, got)
}

// stateDB makes a storage with a database of the editor.
func stateDB(t *testing.T, root, index string) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, filepath.FromSlash(root), filepath.FromSlash(storage+stateFile))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`INSERT INTO ItemTable VALUES ('secret://x', 'never')`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(`INSERT INTO ItemTable VALUES (?, ?)`, indexKey, index); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestVS17CachesAreNoSessions: only the folders that hold chats are looked into.
func TestVS17CachesAreNoSessions(t *testing.T) {
	file := &fstest.MapFile{Data: []byte(chat(request("r1", "x")))}
	at := adapter.Place{Name: "~/.config/Code/User", Root: adapter.Root{Source: source, Path: ".config/Code/User"}, FS: fstest.MapFS{
		"globalStorage/github.copilot-chat/commandEmbeddings.json":             file,
		"globalStorage/github.copilot-chat/chatSessions/x.json":                file,
		"globalStorage/emptyWindowChatSessions/e.json":                         file,
		"globalStorage/transferredChatSessions/t.json":                         file,
		"workspaceStorage/1/chatEditingSessions/x/state.json":                  file,
		"workspaceStorage/1/chatSessions/s.jsonl":                              file,
		"workspaceStorage/1/chatSessions/s.json":                               file,
		"workspaceStorage/1/chatSessions/note.txt":                             file,
		"workspaceStorage/1/GitHub.copilot-chat/transcripts/s.jsonl":           file,
		"workspaceStorage/1/GitHub.copilot-chat/transcripts/alone.jsonl":       file,
		"workspaceStorage/1/GitHub.copilot-chat/chat-session-resources/x.json": file,
		"workspaceStorage/1/workspace.json":                                    file,
		"workspaceStorage/1/state.vscdb":                                       &fstest.MapFile{},
	}}
	var got []string
	for src, err := range New().Find(context.Background(), at) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(src.Store, " ", src.Path, " ", src.Companions))
	}
	same(t, []string{
		"empty-window globalStorage/emptyWindowChatSessions/e.json []",
		"empty-window globalStorage/transferredChatSessions/t.json []",
		"chat-sessions workspaceStorage/1/chatSessions/s.jsonl [workspaceStorage/1/chatSessions/s.json workspaceStorage/1/GitHub.copilot-chat/transcripts/s.jsonl workspaceStorage/1/workspace.json]",
		"transcripts workspaceStorage/1/GitHub.copilot-chat/transcripts/alone.jsonl [workspaceStorage/1/workspace.json]",
	}, got)
}

// TestVS18Attachments: a URI is kept as written and shown decoded.
func TestVS18Attachments(t *testing.T) {
	c := readLog(t, initial(requestWith("r1", "look", `,"variableData":{"variables":[{"kind":"file","name":"c#d.go","value":{"$mid":1,"external":"file:///proj/a%20b/c%23d.go","scheme":"file"}}]}`, say("see "), reference, say(" done"))))
	same(t, []string{"user ‹look› [file /proj/a b/c#d.go file:///proj/a%20b/c%23d.go]", "assistant ‹see /proj/a b/c#d.go done›"}, outline(c))
}

// TestNamedFolders: a user may name the user folder, the storage of all workspaces or of one, or a folder of sessions.
func TestNamedFolders(t *testing.T) {
	file := &fstest.MapFile{Data: []byte(chat(request("r1", "x")))}
	for name, path := range map[string]string{
		"/home/ada/.config/Code/User": "workspaceStorage/1/chatSessions/s.json", "/mnt/User/workspaceStorage": "1/chatSessions/s.json",
		"/mnt/User/workspaceStorage/1": "chatSessions/s.json", "/mnt/1/chatSessions": "s.json", "/mnt/emptyWindowChatSessions": "s.json",
	} {
		at := adapter.Place{Name: name, Root: adapter.Root{Source: source}, FS: fstest.MapFS{path: file}}
		var got []string
		for src, err := range New().Find(context.Background(), at) {
			got = append(got, fmt.Sprint(src.Path, err))
		}
		same(t, []string{path + "<nil>"}, got)
	}
}

// TestForeignLogBesideDocument: a log of another form does not hide the document of the same name.
func TestForeignLogBesideDocument(t *testing.T) {
	c := readOne(t, logPath, `{"resourceSpans":[]}`+"\n", docPath, chat(request("r1", "hi", say("hello"))))
	same(t, []string{"user ‹hi›", "assistant ‹hello›"}, outline(c))
	same(t, "1 = 1 kept 0 merged 0 skipped 0 unknown 0 damaged", account(c))
}

// TestForeignTraces: Visual Studio writes traces of another form.
func TestForeignTraces(t *testing.T) {
	r := readAll(t, "traces/x_VSGitHubCopilot_traces.jsonl", `{"resourceSpans":[]}`+"\n")
	if !errors.Is(r.err, adapter.ErrNotMine) || len(r.records) > 0 {
		t.Errorf("%v, %v", r.records, r.err)
	}
}

// TestExportByFirstRequest: an export has no id of its own; that of its first request stands in, and it grows under it.
func TestExportByFirstRequest(t *testing.T) {
	export := func(requests ...string) string {
		return `{"responderUsername":"GitHub Copilot","initialLocation":"panel","requests":[` + strings.Join(requests, ",") + `]}`
	}
	one := readOne(t, "Downloads/chat.json", export(request("request_1", "hi")))
	two := readOne(t, "elsewhere/chat2.json", export(request("request_1", "hi"), request("request_2", "more")))
	same(t, "request_1", one.Native)
	same(t, storeExports, one.Store)
	same(t, one.ID, two.ID)
}

// TestTranscriptFillsIn: turns that the session lacks come from the transcript, those that it has are merged.
func TestTranscriptFillsIn(t *testing.T) {
	script := lines(
		`{"type":"session.start","data":{"sessionId":"s1","vscodeVersion":"1.110.0"},"id":"e0","timestamp":"2026-03-02T09:00:00.000Z"}`,
		`{"type":"user.message","data":{"content":"one"},"id":"e1","timestamp":"2026-03-02T09:00:01.000Z"}`,
		`{"type":"assistant.message","data":{"content":"1","toolRequests":[]},"id":"e2","timestamp":"2026-03-02T09:00:02.000Z"}`,
		`{"type":"user.message","data":{"content":"two"},"id":"e3","timestamp":"2026-03-02T09:00:03.000Z"}`,
		`{"type":"assistant.message","data":{"content":"2","toolRequests":[]},"id":"e4","timestamp":"2026-03-02T09:00:04.000Z"}`,
		`{"type":"user.message","data":{"content":"three"},"id":"e5","timestamp":"2026-03-02T09:00:05.000Z"}`,
		`{"type":"assistant.message","data":{"content":"3","toolRequests":[]},"id":"e6","timestamp":"2026-03-02T09:00:06.000Z"}`,
	)
	path := storage + transcriptDir + "/s1.jsonl"
	c := readOne(t, logPath, lines(initial(request("r1", "one", say("1")), request("r3", "three"))), path, script)
	same(t, []string{"user ‹one›", "assistant ‹1›", "user ‹two›", "assistant ‹2›", "user ‹three›", "assistant ‹3›"}, outline(c))
	same(t, []string{"recovered_from_transcript@0"}, lost(c))
	same(t, "8 = 4 kept 3 merged 1 skipped 0 unknown 0 damaged, skipped:session.start 1", account(c))

	c = readOne(t, logPath, lines(initial(request("r1", "one", say("1")), request("r2", "two", say("2")), request("r3", "three", say("3")))), path, script)
	same(t, []string(nil), lost(c))
	same(t, "8 = 1 kept 6 merged 1 skipped 0 unknown 0 damaged, skipped:session.start 1", account(c))

	c = readOne(t, path, script)
	same(t, "s1", c.Native)
	same(t, 6, len(c.Messages))
}

// TestCallsByRounds: the shown id of a call mostly matches nothing; order and tool pair it with its round.
func TestCallsByRounds(t *testing.T) {
	call := func(id, tool string) string {
		return fmt.Sprintf(`{"kind":"toolInvocationSerialized","toolCallId":%q,"toolId":%q,"invocationMessage":"…"}`, id, tool)
	}
	round := func(id, name, args string) string {
		return fmt.Sprintf(`{"id":%q,"name":%q,"arguments":%s}`, id, name, quote(args))
	}
	rounds := func(calls ...string) string {
		return `,"result":{"metadata":{"toolCallRounds":[{"toolCalls":[` + strings.Join(calls, ",") + `]}]}}`
	}
	c := readLog(t, initial(requestWith("r1", "go", rounds(
		round("a1", "read_file", "A"), round("b7__vscode-1", "grep_search", "B"), round("a2", "read_file", "C"), round("x", "think", "D")),
		call("u1", "copilot_readFile"), call("b7__vscode-99", "copilot_findTextInFiles"), call("u2", "copilot_readFile"), say("done"))))
	same(t, []string{"user ‹go›", "assistant [call copilot_readFile u1 A] [call copilot_findTextInFiles b7__vscode-99 B]" +
		" [call copilot_readFile u2 C] [call think x D] ‹done›"}, outline(c))
}

// TestSmallPieces: the record does not depend on where its pieces end.
func TestSmallPieces(t *testing.T) {
	log := lines(initial(request("r1", "one", thought, say("1"), readFileCall, say("2")), request("r2", "two", say("3"))))
	whole, pieces := readAll(t, logPath, log), readBound(t, 1, logPath, log)
	same(t, outline(whole.records[0]), outline(pieces.records[0]))
	same(t, account(whole.records[0]), account(pieces.records[0]))
}

// TestLinkedFolder: a folder that is a link out of the root is passed by with a loss.
func TestLinkedFolder(t *testing.T) {
	home, out := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "workspaceStorage", "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"workspaceStorage/1/chatSessions", "workspaceStorage/2"} {
		if err := os.Symlink(out, filepath.Join(home, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var got []string
	for src, err := range New().Find(context.Background(), adapter.Place{FS: root.FS(), Name: "~/x", Root: adapter.Root{Path: "x"}}) {
		var loss lore.Loss
		if !errors.As(err, &loss) {
			t.Errorf("%q: %v", src.Path, err)
		}
		got = append(got, string(loss.Code)+" "+loss.File)
	}
	same(t, []string{"symlink_skipped ~/x/workspaceStorage/1/chatSessions", "symlink_skipped ~/x/workspaceStorage/2"}, got)
}
