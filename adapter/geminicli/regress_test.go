package geminicli

import (
	"strings"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// TestGE02Rewind: withdrawn messages stay, inactive; one that comes back with its id stands at the end, and has the id.
func TestGE02Rewind(t *testing.T) {
	c := readChatOf(t,
		said("m1", "user", `"keep"`), said("m2", "user", `"undo"`), said("m3", "gemini", `"undone"`), `{"$rewindTo":"m2"}`,
		said("m2", "user", `"redo"`), said("m3", "gemini", `"undone"`))
	equal(t, []string{"user: keep", "[user: undo]", "user: redo", "assistant: undone"}, render(c))
	equal(t, []string{"m1", "", "m2", "m3"}, natives(c))
	equal(t, [6]int{7, 6, 1}, counts(c))
}

// TestGE03GrowingMessage: a message that is written again as it grows is one, in the place of the first.
func TestGE03GrowingMessage(t *testing.T) {
	c := readChatOf(t, said("m1", "gemini", `""`), said("m2", "user", `"and"`),
		`{"id":"m1","type":"gemini","content":"done","tokens":{"input":5,"output":2,"cached":1,"total":7},"model":"synth"}`)
	equal(t, []string{"assistant: done", "user: and"}, render(c))
	equal(t, &lore.Usage{Input: 5, Output: 2, CacheRead: 1}, c.Messages[0].Usage)
	equal(t, []int{4, 2}, []int{c.Messages[0].Origins[0].Line, c.Messages[0].Origins[1].Line})
}

// TestGE05NestedSubagents: the folder names the session that started it; what is still being written is no file yet.
func TestGE05NestedSubagents(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{"session-2026-03-02T09-00-0a1a37e9.jsonl", "p/c1.json", "p/c2.jsonl", "p/c3.jsonl.tmp-123", "c1/g1.jsonl", "p/c1/g2.json"} {
		fsys["tmp/lantern/chats/"+name] = &fstest.MapFile{Data: []byte("{}")}
	}
	equal(t, []string{
		"tmp/lantern/chats/c1/g1.jsonl chats 0", "tmp/lantern/chats/p/c1.json chats 0", "tmp/lantern/chats/p/c1/g2.json chats 0",
		"tmp/lantern/chats/p/c2.jsonl chats 0", "tmp/lantern/chats/session-2026-03-02T09-00-0a1a37e9.jsonl chats 0",
	}, found(t, adapter.Place{FS: fsys, Name: "~/.gemini", Root: New().Info().Roots[0]}))
	for name, parent := range map[string]string{"p/c1.json": "p", "p/c1/g2.json": "c1"} {
		name = "tmp/lantern/chats/" + name
		c := only(t, name, map[string]string{name: `{"sessionId":"child","projectHash":"x","messages":[` + said("m1", "user", `"go"`) + `]}`})
		if c.Kind != lore.Subagent || c.Parent == nil || c.Parent.Native != parent {
			t.Errorf("%s: %s, %+v", name, c.Kind, c.Parent)
		}
	}
}

// TestSubagentCall: a call that names the sub-agent's session is a fact about that session.
func TestSubagentCall(t *testing.T) {
	list, err := readAs(chatPath, map[string]string{chatPath: chatOf(
		`{"id":"m1","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"delegate","args":{},"agentId":"child","result":"ok"}]}`)})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	equal(t, &lore.Conversation{Source: source, Store: storeChats, Native: "child", Partial: true, Kind: lore.Subagent,
		Parent: &lore.Parent{Native: "a1a1a1a1-0000-4000-8000-000000000001", Call: "t1"}}, list[1])
}

// TestGE06NotSpeech: injected context, recalled history and summaries are not the person's words.
func TestGE06NotSpeech(t *testing.T) {
	c := readChatOf(t,
		said("m1", "user", `[{"text":"<session_context>\ntree\n</session_context>"}]`),
		said("m2", "user", `[{"text":"Carve "},{"text":"oar"},{"text":"\n<hook_context>&lt;old&gt;</hook_context>"}]`),
		said("m3", "user", `"<state_snapshot>all of it</state_snapshot>"`),
		said("m4", "user", `"what does <hook_context> mean?"`),
		said("m5", "user", `[{"text":"read @a.go"},{"text":"\n--- Content from referenced files ---"},{"text":"\nContent from @a.go:\n"},{"text":"package a"},{"text":"\n--- End of content ---"},{"text":" please"}]`))
	equal(t, []string{
		"system/context: <session_context>\ntree\n</session_context>",
		"user: Carve oar", "system/hook: \n<hook_context>&lt;old&gt;</hook_context>",
		"system/compaction: <state_snapshot>all of it</state_snapshot>",
		"user: what does <hook_context> mean?",
		"user: read @a.go", "system/context: \n--- Content from referenced files ---\nContent from @a.go:\npackage a\n--- End of content ---", "user:  please",
	}, render(c))
	equal(t, []string{"m1", "m2", "system:m2", "m3", "m4", "m5", "system:m5", ""}, natives(c))
}

// TestGE06NoticesOnly: a session in which nobody speaks makes no conversation; the log of prompts may.
func TestGE06NoticesOnly(t *testing.T) {
	c := readChatOf(t, said("m1", "info", `"Update available"`))
	if !c.Partial || c.Native == "" || len(c.Messages) > 0 {
		t.Errorf("%+v", c)
	}
	equal(t, [6]int{2, 1, 0, 1}, counts(c))
	equal(t, []string{"empty@0"}, lost(c))
}

// TestRewrittenHistory: a list of messages in $set is what stands; what it replaced stays beside it, and a masked result
// keeps its full text.
func TestRewrittenHistory(t *testing.T) {
	answer := func(content, output string) string {
		return `{"id":"m2","type":"gemini","content":` + content + `,"toolCalls":[{"id":"t1","name":"ls","args":{},"result":[{"functionResponse":{"id":"t1","response":{"output":"` + output + `"}}}]}]}`
	}
	c := readChatOf(t,
		said("m1", "user", `"first"`), answer(`"look"`, "a.txt b.txt"), said("m3", "user", `"third"`),
		`{"$set":{"messages":[`+said("s1", "user", `[{"text":"<state_snapshot>first</state_snapshot>"}]`)+`,`+
			answer(`[{"text":"look"},{"functionCall":{"id":"t1","name":"ls","args":{}}}]`, `<tool_output_masked>a</tool_output_masked>`)+`,`+
			said("s2", "user", `[{"functionResponse":{"id":"t1","response":{"output":"<tool_output_masked>"}}}]`)+`,`+
			said("m3", "user", `[{"text":"third, shorter"}]`)+`]}}`,
		said("m4", "gemini", `"fourth"`))
	equal(t, []string{
		"[user: first]", "system/compaction: <state_snapshot>first</state_snapshot>",
		"assistant: look <call ls t1 {}>", "tool: <result a.txt b.txt>",
		"[user: third]", "user: third, shorter", "assistant: fourth",
	}, render(c))
	equal(t, []string{"m1", "s1", "m2", "tool:m2", "", "m3", "m4"}, natives(c))
	equal(t, [6]int{9, 7, 2}, counts(c))
	for i, m := range c.Messages[2:4] {
		if m.Origins[0].Line != 5 {
			t.Errorf("message %d stands on line %d", i, m.Origins[0].Line)
		}
	}
	equal(t, []string{"user: a", "user: b"}, render(readChatOf(t, said("m1", "user", `"a"`), `{"$set":{"messages":[]}}`, said("m2", "user", `"b"`))))
}

// TestResults: what a call gave, in every shape that the tool writes.
func TestResults(t *testing.T) {
	call := func(rest string) string { return `{"id":"t1","name":"f","args":{}` + rest + `}` }
	for _, c := range []struct{ name, calls, want string }{
		{"error", call(`,"status":"error","result":[{"functionResponse":{"response":{"error":"no"}}}]`), "tool: <result no>!"},
		{"failed, with output", call(`,"status":"error","result":[{"functionResponse":{"response":{"output":"no"}}}]`), "tool: <result no>!"},
		{"other answer", call(`,"result":[{"functionResponse":{"response":{"rows":[1]}}}]`), `tool: <result {"rows":[1]}>`},
		{"plain string", call(`,"result":"yes"`), "tool: <result yes>"},
		{"with an image", call(`,"result":[{"functionResponse":{"response":{"output":"see"}}},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]`),
			"tool: <result see> <image sha256:709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c>"},
		{"only shown", call(`,"result":null,"resultDisplay":{"fileDiff":"+a","fileName":"a"}`), "tool: <result +a>"},
		{"answers of all calls, with each", call(`,"result":[{"functionResponse":{"id":"t1","response":{"output":"1"}}},{"functionResponse":{"id":"t2","response":{"output":"2"}}}]`) + `,` +
			`{"id":"t2","name":"f","args":{},"result":[{"functionResponse":{"id":"t1","response":{"output":"1"}}},{"functionResponse":{"id":"t2","response":{"output":"2"}}}]}`,
			"tool: <result 1> <result 2>"},
	} {
		got := readChatOf(t, `{"id":"m1","type":"gemini","content":"x","toolCalls":[`+c.calls+`]}`)
		if len(got.Messages) != 2 {
			t.Errorf("%s: %v", c.name, render(got))
			continue
		}
		equal(t, c.want, render(got)[1])
	}
	got := readChatOf(t, `{"id":"m1","type":"gemini","content":"x","toolCalls":[`+call("")+`]}`)
	equal(t, []string{"unpaired_call@2"}, lost(got))
}

// TestLongOutput: a result of which only the ends are left is read in the file that holds all of it.
func TestLongOutput(t *testing.T) {
	const side = "tmp/lantern/tool-outputs/session-a1a1a1a1-0000-4000-8000-000000000001/ls_t1_0.txt"
	record := `{"id":"m1","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"ls","args":{},"result":"Output too large. Showing the first 1 and last 1 characters. For full output see: /home/ada/.gemini/` + side + `\na ... z"}]}`
	c := only(t, chatPath, map[string]string{chatPath: chatOf(record), side: "a to z"})
	equal(t, "tool: <result a to z>", render(c)[1])
	equal(t, "~/.gemini/"+side, c.Messages[1].Origins[1].File)
	c = readChatOf(t, record)
	equal(t, []string{"external_missing@2"}, lost(c))
	if !strings.Contains(render(c)[1], "a ... z") {
		t.Error(render(c))
	}
}

// TestLogs: one conversation for each session, commands apart; a number that repeats is no id.
func TestLogs(t *testing.T) {
	const name = "tmp/lantern/logs.json"
	entry := func(session, message string) string {
		return `{"sessionId":"` + session + `","messageId":0,"type":"user","message":"` + message + `","timestamp":"2026-03-02T09:00:00.000Z"}`
	}
	list, err := readAs(name, map[string]string{name: "[" + strings.Join([]string{
		entry("a", "one"), entry("b", "/auth"), entry("a", "/quit"), entry("a", "/home/ada is full"), `{"sessionId":"a"}`}, ",\n") + "]",
		"tmp/lantern/.project_root": "/proj/lantern"})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	equal(t, []string{"user: one", "system/command: /quit", "user: /home/ada is full"}, render(list[0]))
	equal(t, lore.Project{Dir: "/proj/lantern", Name: "lantern"}, list[0].Project)
	equal(t, [6]int{2, 0, 0, 1, 1}, counts(list[1]))
	equal(t, []string{"unknown_record@5"}, lost(list[1]))

	list, err = readAs(name, map[string]string{name: "[" + entry("a", "whole") + `,{"sess`})
	if err != nil || len(list) != 2 || list[1].Ledger.Damaged != 1 {
		t.Errorf("cut: %d records, %v", len(list), err)
	}
	if _, err = readAs(name, map[string]string{name: "{{{"}); err == nil || isNotMine(err) {
		t.Errorf("damaged: %v", err)
	}
}

// TestDocumentByAnotherName: some versions left a document under the name of a log.
func TestDocumentByAnotherName(t *testing.T) {
	c := only(t, chatPath, map[string]string{chatPath: "{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"x\",\n  \"messages\": [\n    " + said("m1", "user", `"hi"`) + "\n  ]\n}\n"})
	equal(t, []string{"user: hi"}, render(c))
	equal(t, 5, c.Messages[0].Origins[0].Line)
	c = only(t, chatPath, map[string]string{chatPath: `{"sessionId":"s","projectHash":"x","messages":[` + said("m1", "user", `"hi"`) + "]}\n" + said("m2", "user", `"more"`) + "\n"})
	equal(t, []string{"user: hi", "user: more"}, render(c))
}

// TestCutDocument: what stands before the cut is read, the rest is one damaged unit.
func TestCutDocument(t *testing.T) {
	const name = "tmp/lantern/chats/session-2026-03-02T09-00-a1a1a1a1.json"
	whole := `{"sessionId":"s","projectHash":"x","messages":[` + said("m1", "user", `"one"`) + "," + said("m2", "user", `"two"`) + "]}"
	c := only(t, name, map[string]string{name: whole[:len(whole)-9]})
	equal(t, []string{"user: one"}, render(c))
	equal(t, [6]int{3, 2, 0, 0, 0, 1}, counts(c))
	if list, err := readAs(name, map[string]string{name: "{{{"}); err == nil || isNotMine(err) || len(list) != 1 {
		t.Errorf("%d records, %v", len(list), err)
	}
	for _, empty := range []string{"", "\n", `{"sessionId":"s","projectHash":"x","messages":[]}`} {
		if list, err := readAs(name, map[string]string{name: empty}); err != nil || len(list) != 1 || !list[0].Partial || lost(list[0])[0] != "empty@0" {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

// TestProject: a path is certain when its digest is the one that the session names.
func TestProject(t *testing.T) {
	const digest = "5e5e7ed227860745fd995d7f2cb3b4603ae6f752df0f4d00be3ce21c80a7708c" // of /proj/lantern
	read := func(head, record string, more map[string]string) lore.Project {
		files := map[string]string{chatPath: lines(head, record)}
		for name, content := range more {
			files[name] = content
		}
		return only(t, chatPath, files).Project
	}
	head := func(hash, rest string) string { return `{"sessionId":"s","projectHash":"` + hash + `"` + rest + `}` }
	hi := said("m1", "user", `"hi"`)
	lantern := lore.Project{Dir: "/proj/lantern", Name: "lantern"}
	equal(t, lantern, read(head(digest, `,"directories":["/proj/other","/proj/lantern/sub"]`), hi, nil))
	equal(t, lantern, read(head(digest, ""), `{"id":"m1","type":"gemini","content":"","toolCalls":[{"id":"t","name":"ls","args":{"dir_path":"/proj/lantern/a/b"},"result":"x"}]}`, nil))
	equal(t, lantern, read(head(digest, ""), hi, map[string]string{"projects.json": `{"projects":{"/proj/lantern":"lantern"}}`}))
	equal(t, lore.Project{Dir: "/moved/lamp", Name: "lamp"}, read(head(digest, ""), hi, map[string]string{"tmp/lantern/.project_root": "/moved/lamp\n"}))
	equal(t, lore.Project{Dir: "/proj/other", Name: "other"}, read(head("x", `,"directories":["/proj/other"]`), hi, nil))
	equal(t, lore.Project{Name: "lantern"}, read(head(digest, ""), hi, nil))
}

// TestNotMine: files of other tools, wherever they stand.
func TestNotMine(t *testing.T) {
	for name, content := range map[string]string{
		"a.jsonl":                         `{"type":"session.start","data":{},"id":"x","timestamp":"t"}` + "\n",
		"b.jsonl":                         `{"uuid":"u","type":"user","sessionId":"s","message":{}}` + "\n",
		"c.json":                          `{"sessionId":"s","requests":[]}`,
		"d.json":                          `[{"role":"user","content":"hi"}]`,
		"e.json":                          `{"history":[{"message":{"role":"user"}}],"sessionId":"s"}`,
		"/.qwen/tmp/x/logs.json":          `[{"sessionId":"s","messageId":0,"message":"hi"}]`,
		"f.json":                          `"x"`,
		"g.jsonl":                         `{"id":"1","type":"message","parentId":null}` + "\n",
		"h.json":                          `{"sessionId":"s","messages":[{"role":"user","content":"hi"}]}`,
		"tmp/x/chats/session-odd.jsonl":   `{"a":1}` + "\n",
		"tmp/x/chats/session-other.json":  `{"a":1}`,
		"tmp/x/chats/checkpoint-own.json": `{"a":[1]}`,
	} {
		in := adapter.Input{Source: adapter.Source{Path: name[strings.LastIndex(name, "/")+1:]}, Place: "~" + name[:max(strings.LastIndex(name, "/"), 0)]}
		if strings.HasPrefix(name, "tmp/") {
			in = adapter.Input{Source: adapter.Source{Path: name, Product: source, Store: storeOf(name)}, Place: "~/.gemini"}
		}
		in.FS = fstest.MapFS{in.Source.Path: {Data: []byte(content)}}
		if list, err := drain(in); !isNotMine(err) || len(list) > 0 {
			t.Errorf("%s: %d records, %v", name, len(list), err)
		}
	}
}

// TestFindNamed: a project's folder, or its chats, or the folder of all projects, that a user names.
func TestFindNamed(t *testing.T) {
	files := func(names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for _, name := range names {
			m[name] = &fstest.MapFile{Data: []byte("{}")}
		}
		return m
	}
	equal(t, []string{"session-1.jsonl chats 1"}, found(t, adapter.Place{FS: files("session-1.json", "session-1.jsonl"), Name: "~/x/chats"}))
	equal(t, []string{"chats/p/c.jsonl chats 1", "logs.json logs 1"}, found(t, adapter.Place{FS: files("chats/p/c.jsonl", ".project_root", "logs.json", "src/a.json"), Name: "~/.gemini/tmp/x"}))
	equal(t, []string{"x/chats/session-1.json chats 0"}, found(t, adapter.Place{FS: files("x/chats/session-1.json"), Name: "~/.gemini/tmp"}))
	equal(t, []string(nil), found(t, adapter.Place{FS: files("src/session-1.json", "a.json", "b.jsonl"), Name: "~/src"}))
}
