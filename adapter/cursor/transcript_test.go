package cursor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"lore"
	"lore/adapter"
)

// transcripts reads one transcript with renderings beside it.
func transcripts(t *testing.T, name, content string, beside ...string) *lore.Conversation {
	t.Helper()
	const dir = "projects/p/agent-transcripts/"
	files := fstest.MapFS{dir + name: {Data: []byte(content)}}
	src := adapter.Source{Product: source, Store: storeTranscripts, Path: dir + name}
	for i := 0; i+1 < len(beside); i += 2 {
		files[dir+beside[i]] = &fstest.MapFile{Data: []byte(beside[i+1])}
		src.Companions = append(src.Companions, dir+beside[i])
	}
	list, err := drain(adapter.Input{Source: src, FS: files, Place: "~/.cursor"})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	return list[0]
}

// TestCU15FramesAreNoWords: the frame and the time are cut off; the time is the message's.
func TestCU15FramesAreNoWords(t *testing.T) {
	c := transcripts(t, "a.jsonl", `{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>Monday, Mar 2, 2026, 2:07 PM (UTC+3)</timestamp>\n<user_query>\nHoist\n</user_query>"}]}}`+"\n")
	same(t, []string{`user text"Hoist"`}, shown(c))
	same(t, "2026-03-02T11:07:00Z source", c.Messages[0].At.String()+" "+string(c.Messages[0].AtFrom))
}

func TestFrames(t *testing.T) {
	tests := []struct {
		in, before, words, after, at string
	}{
		{"plain words", "", "plain words", "", ""},
		{"<user_query>a</user_query>", "", "a", "", ""},
		{"<rules>r</rules>\n<user_query>\na\nb\n</user_query>\n<more>m</more>", "<rules>r</rules>", "a\nb", "<more>m</more>", ""},
		{"what does <user_query>x</user_query> mean?", "", "what does <user_query>x</user_query> mean?", "", ""},
		{"<user_query>cut off", "", "<user_query>cut off", "", ""},
		{"<user_query>quotes </user_query> itself</user_query>", "", "quotes </user_query> itself", "", ""},
		{"<timestamp>Thursday, Jul 2, 2026, 12:00 AM (UTC-4)</timestamp>\nno frame", "", "no frame", "", "2026-07-02T04:00:00Z"},
		{"<timestamp>Friday, Jul 3, 2026, 11:11 AM (UTC+5:30)</timestamp><user_query>a</user_query>", "", "a", "", "2026-07-03T05:41:00Z"},
		{"<timestamp>Friday, Jul 3, 2026, 11:11 AM</timestamp>\n<user_query>a</user_query>", "", "a", "", "2026-07-03T11:11:00"},
		{"<timestamp>Feb 30, 2026, 11:11 AM (UTC)</timestamp>\n<user_query>a</user_query>", "<timestamp>Feb 30, 2026, 11:11 AM (UTC)</timestamp>", "a", "", ""},
		{"<timestamp>yesterday</timestamp>\nwords", "", "<timestamp>yesterday</timestamp>\nwords", "", ""},
	}
	for _, tt := range tests {
		f := unframe(tt.in)
		same(t, []string{tt.before, tt.words, tt.after, tt.at}, []string{f.before, f.words, f.after, f.at.String()})
	}
}

// TestCU16RenderingsSayTheSame: what stands in several renderings of a chat is one message with several origins, and what
// only a poorer one has is put in where it belongs.
func TestCU16RenderingsSayTheSame(t *testing.T) {
	lines := `{"role":"user","message":{"content":"Coil the rope"}}` + "\n" + `{"role":"assistant","message":{"content":"Coiled"}}` + "\n" +
		`{"role":"user","message":{"content":"Again"}}` + "\n"
	list := `[{"role":"user","text":"Coil  the rope"},{"role":"assistant","thinking":"Clockwise.","text":"Coiled"},{"role":"assistant","text":"Only in the list"},{"role":"user","text":"Again"}]`
	text := "user:\nCoil the rope\n\nassistant:\n[Thinking] Clockwise.\nCoiled\n\nassistant:\nOnly in the list\n\n[Tool result] Shell\n\nuser:\nAgain\n\nassistant:\nOnly in the text\n"
	c := transcripts(t, "a.jsonl", lines, "a.json", list, "a.txt", text)
	same(t, []string{`user text"Coil the rope"`, `assistant text"Coiled"`, `assistant text"Only in the list"`, `user text"Again"`, `assistant text"Only in the text"`}, shown(c))
	var origins []int
	for _, m := range c.Messages {
		origins = append(origins, len(m.Origins))
	}
	same(t, []int{3, 3, 2, 3, 1}, origins)
	same(t, [6]int{13, 5, 8, 0, 0, 0}, counts(c))
}

// TestBrokenTwin: a rendering that cannot be read does not take the others with it.
func TestBrokenTwin(t *testing.T) {
	c := transcripts(t, "a.json", `[{"role":"user","text":"kept"}]`, "a.txt", "\xff\xfe nothing")
	same(t, []string{`user text"kept"`}, shown(c))
	same(t, [6]int{2, 1, 0, 0, 0, 1}, counts(c))
}

func TestThinkingInText(t *testing.T) {
	tests := []struct{ in, thinking, words string }{
		{"all thought", "all thought", ""},
		{"thought\nwords", "thought", "words"},
		{"one\n\ntwo\nwords\n\nmore words", "one\n\ntwo", "words\n\nmore words"},
		{"a list:\n- x\n- y\nwords", "a list:\n- x\n- y", "words"},
		{"steps:\n1. x\n2. y\n\nend\nwords", "steps:\n1. x\n2. y\n\nend", "words"},
		{"  indented\n  still\nwords", "indented\n  still", "words"},
	}
	for _, tt := range tests {
		thinking, words := partThinking(tt.in)
		same(t, []string{tt.thinking, tt.words}, []string{thinking, words})
	}
}

// TestLastResort: where nothing in a transcript has a time, that of the file stands in, and takes no part in any id.
func TestLastResort(t *testing.T) {
	files := fstest.MapFS{"agent-transcripts/a.txt": {Data: []byte("user:\nhi\n"), ModTime: time.Unix(1772442000, 0)}}
	info, err := fs.Stat(files, "agent-transcripts/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := drain(adapter.Input{Source: adapter.Source{Product: source, Store: storeTranscripts, Path: "agent-transcripts/a.txt", Info: info}, FS: files, Place: "~"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "2026-03-02T09:00:00Z file", list[0].Messages[0].At.String()+" "+string(list[0].Messages[0].AtFrom))
}

// TestNamedFiles: a file that a user names is told by how it begins; other tools' files are not mine.
func TestNamedFiles(t *testing.T) {
	tests := []struct {
		name, content string
		mine          bool
	}{
		{"a.jsonl", `{"role":"user","message":{"content":"hi"}}` + "\n", true},
		{"a.jsonl", `{"type":"error","error":"down"}` + "\n" + `{"role":"user","message":{"content":"hi"}}` + "\n", true},
		{"a.jsonl", `{"type":"user","message":{"role":"user","content":"hi"},"uuid":"u","sessionId":"s"}` + "\n", false},
		{"a.jsonl", `{"role":"user","content":"hi"}` + "\n", false},
		{"a.jsonl", "not json\n", false},
		{"a.json", `[{"role":"user","text":"hi"}]`, true},
		{"a.json", `[{"role":"user","content":"hi"}]`, false},
		{"a.json", `{"tabs":[]}`, false},
		{"prompt_history.json", `["one"]`, true},
		{"other.json", `["one"]`, false},
		{"a.txt", "user:\n<user_query>\nhi\n</user_query>\n", true},
		{"a.txt", "user:\nhi\n\nassistant:\nhello\n", true},
		{"a.txt", "dear user:\nhi\n", false},
		{"a.vscdb", "SQLite format 3\x00", false},
	}
	for _, tt := range tests {
		files := fstest.MapFS{tt.name: {Data: []byte(tt.content)}}
		list, err := drain(adapter.Input{Source: adapter.Source{Path: tt.name}, FS: files, Place: "~/x"})
		if mine := err == nil && len(list) > 0; mine != tt.mine || !mine && !isNotMine(err) {
			t.Errorf("%s %q: %d records, %v", tt.name, tt.content, len(list), err)
		}
	}
}

func TestFind(t *testing.T) {
	file := func() *fstest.MapFile { return &fstest.MapFile{Data: []byte("x"), Mode: 0o644} }
	files := fstest.MapFS{}
	for _, name := range []string{
		"User/globalStorage/state.vscdb", "User/globalStorage/state.vscdb.backup", "User/profiles/p/globalStorage/state.vscdb",
		"User/workspaceStorage/w/state.vscdb", "User/workspaceStorage/w/workspace.json", "User/workspaceStorage/v/state.vscdb",
		".cursor/chats/h/i/store.db", ".cursor/chats/h/i/meta.json", ".cursor/chats/h/j/meta.json", ".cursor/prompt_history.json",
		".cursor/projects/p/agent-transcripts/a.txt", ".cursor/projects/p/agent-transcripts/a.json", ".cursor/projects/p/agent-transcripts/b/b.jsonl",
		".cursor/projects/p/agent-transcripts/b/subagents/c.jsonl", ".cursor/projects/p/agent-transcripts/b.txt", ".cursor/projects/p/agent-tools/x.txt", ".cursor/mcp.json",
	} {
		files[name] = file()
	}
	files["User/workspaceStorage/empty/state.vscdb"] = &fstest.MapFile{Mode: 0o644}
	find := func(root, dir string) (list []string) {
		sub, err := fs.Sub(files, dir)
		if err != nil {
			t.Fatal(err)
		}
		for s, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source, Path: root}, FS: sub, Name: "~/" + dir}) {
			if err != nil {
				t.Fatal(err)
			}
			line := s.Store + " " + s.Path
			if len(s.Companions) > 0 {
				line += " + " + strings.Join(s.Companions, " ")
			}
			if len(s.Ranges) > 0 {
				line += " rows"
			}
			if s.Split != nil {
				line += " in parts"
			}
			list = append(list, line)
		}
		return list
	}
	same(t, []string{
		"global-db globalStorage/state.vscdb rows in parts", "global-db profiles/p/globalStorage/state.vscdb rows in parts",
		"workspace-db workspaceStorage/empty/state.vscdb", "workspace-db workspaceStorage/v/state.vscdb rows",
		"workspace-db workspaceStorage/w/state.vscdb + workspaceStorage/w/workspace.json rows",
	}, find("x", "User"))
	agent := []string{
		"cli-db chats/h/i/store.db + chats/h/i/meta.json rows",
		"transcripts projects/p/agent-transcripts/a.json + projects/p/agent-transcripts/a.txt",
		"transcripts projects/p/agent-transcripts/b/b.jsonl + projects/p/agent-transcripts/b.txt",
		"transcripts projects/p/agent-transcripts/b/subagents/c.jsonl", "prompt-history prompt_history.json",
	}
	same(t, agent, find("x", ".cursor"))
	same(t, agent, find("", ".cursor"))
	same(t, []string{"transcripts a.json + a.txt", "transcripts b/b.jsonl + b.txt", "transcripts b/subagents/c.jsonl"}, find("", ".cursor/projects/p/agent-transcripts"))
	same(t, []string{"cli-db h/i/store.db + h/i/meta.json rows"}, find("", ".cursor/chats"))
}

// TestLargeDatabase: the blobs of a large database are left, and that is told.
func TestLargeDatabase(t *testing.T) {
	files := fstest.MapFS{"globalStorage/state.vscdb": {Data: make([]byte, mostBlobs+1), Mode: 0o644}}
	var told []string
	for s, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source, Path: "x"}, FS: files, Name: "~/x"}) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			told = append(told, string(loss.Code)+" "+loss.File)
		case err != nil:
			t.Fatal(err)
		default:
			if slices.Contains(s.Ranges, prefixed(tableKV, keyBlob)) || s.Split.Of(tableKV, keyBlob+"aa") != "" {
				t.Error("the blobs are read")
			}
		}
	}
	same(t, []string{"not_read ~/x/globalStorage/state.vscdb"}, told)
}
