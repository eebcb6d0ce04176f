package copilotcli

import (
	"strings"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// TestCP02LineSeparators: only LF ends a line.
func TestCP02LineSeparators(t *testing.T) {
	text := "line\u2028sep\u2029para\u0085nel\u000bvt\fff"
	c := readLogOf(t, `{"type":"user.message","data":{"content":"line`+"\u2028sep\u2029para\u0085"+`nel\u000bvt\fff"},"id":"e1","timestamp":"2026-03-02T09:01:00.000Z"}`)[0]
	equal(t, text, c.Messages[0].Parts[0].Text)
	equal(t, []string(nil), lost(c))
}

// TestCP03NulTail: NULs behind the last event hide nothing.
func TestCP03NulTail(t *testing.T) {
	list, err := readAs(logPath, storeSessions, map[string]string{logPath: logOf(user("e1", "hi")) + strings.Repeat("\x00", 1728)})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"user: hi"}, render(list[0]))
	equal(t, []string{"nul_padding@3"}, lost(list[0]))
}

// TestCP04Splice: a cut event followed by its retry on the same line is one.
func TestCP04Splice(t *testing.T) {
	whole := reply("e2", "the long answer")
	c := readLogOf(t, user("e1", "hi"), whole[:60]+whole)[0]
	equal(t, []string{"user: hi", "assistant: the long answer"}, render(c))
	equal(t, [6]int{4, 3, 0, 0, 0, 1}, counts(c))
	equal(t, []string{"retried_record@3"}, lost(c))
}

// TestCP05Segments: what is resumed goes on as one conversation; shapes of older versions are read.
func TestCP05Segments(t *testing.T) {
	c := readLogOf(t, user("e1", "one"),
		ev("session.compaction_complete", "e2", `{"success":true,"summary":"what was said"}`),
		ev("session.shutdown", "e3", `{"modelMetrics":{"m":{"usage":{"inputTokens":10,"outputTokens":3}}}}`),
		ev("session.resume", "e4", `{"context":{"cwd":"/proj/other","branch":"wick"},"selectedModel":"m2"}`),
		ev("assistant.message", "e5", `{"content":"two","outputTokens":4}`),
		ev("session.start", "e6", `{"sessionId":"`+session+`"}`), user("e7", "three"))[0]
	equal(t, []string{"user: one", "system/compaction: what was said", "assistant: two", "user: three"}, render(c))
	equal(t, lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "wick"}, c.Project)
	equal(t, &lore.Usage{Input: 10, Output: 7}, c.Usage)
	equal(t, "m2", c.Messages[2].Model)
	equal(t, []string(nil), lost(c))
}

// TestCP06Subagent: events with an agent are a conversation of its own; the call that started it is found by its prompt
// where no event names it.
func TestCP06Subagent(t *testing.T) {
	const agent = `,"agentId":"ag1"`
	list := readLogOf(t, user("e1", "root asks"), asks("e2", "t9", "task", `{"prompt":"child task"}`),
		ev("user.message", "e3", `{"content":"child task"}`, agent, `,"parentId":"e2"`),
		ev("assistant.message", "e4", `{"content":"child done"}`, agent, `,"parentId":"e3"`),
		gives("e5", "t9", "report"),
		ev("assistant.message", "e6", `{"content":"root done"}`, `,"parentId":"e4"`))
	equal(t, 2, len(list))
	equal(t, []string{"user: root asks", `assistant: <call task t9 {"prompt":"child task"}>`, "tool: <result report>", "assistant: root done"}, render(list[0]))
	equal(t, []string{"user: child task", "assistant: child done"}, render(list[1]))
	equal(t, session+"/ag1", list[1].Native)
	equal(t, lore.Subagent, list[1].Kind)
	equal(t, &lore.Parent{Native: session, Call: "t9"}, list[1].Parent)
	equal(t, []string{"", "e3"}, []string{list[1].Messages[0].ParentNative, list[1].Messages[1].ParentNative})
	equal(t, "e2", list[0].Messages[3].ParentNative)
}

// TestSubagentByCall: older versions name the call alone; a sub-agent's own sub-agent hangs below it.
func TestSubagentByCall(t *testing.T) {
	under := func(typ, id, call, rest string) string {
		return ev(typ, id, `{"parentToolCallId":"`+call+`",`+rest+`}`)
	}
	list := readLogOf(t, asks("e1", "t1", "task", `{}`),
		ev("subagent.started", "e2", `{"toolCallId":"t1","agentName":"explore","model":"small"}`),
		under("assistant.message", "e3", "t1", `"content":"","toolRequests":[{"toolCallId":"t2","name":"task","arguments":{}}]`),
		under("assistant.message", "e4", "t2", `"content":"deep"`),
		under("tool.execution_complete", "e5", "t1", `"toolCallId":"t2","success":true,"result":{"content":"deep"}`),
		gives("e6", "t1", "done"),
		ev("subagent.started", "e7", `{"toolCallId":"t7","agentName":"mute"}`))
	equal(t, 3, len(list))
	equal(t, []string{session, session + "/t1", session + "/t2"}, []string{list[0].Native, list[1].Native, list[2].Native})
	equal(t, &lore.Parent{Native: session, Call: "t1"}, list[1].Parent)
	equal(t, &lore.Parent{Native: session + "/t1", Call: "t2"}, list[2].Parent)
	equal(t, "small", list[1].Messages[0].Model)
	equal(t, [6]int{4, 3, 0, 1}, counts(list[0])) // the one without a word is no conversation
	equal(t, [6]int{3, 3}, counts(list[1]))
}

// TestCP07TransformedContent: what was typed is the prompt; what is attached comes with it; a skill's text is context.
func TestCP07TransformedContent(t *testing.T) {
	c := readLogOf(t,
		ev("user.message", "e1", `{"content":"hi","transformedContent":"<reminder>x</reminder> hi","attachments":[{"type":"file","path":"/a/b.go","displayName":"b.go"},{"type":"blob","data":"AAAA","mimeType":"image/png"},{"type":"github_reference","url":"https://example.test/1","title":"One"},{"type":"hologram"}]}`),
		ev("user.message", "e2", `{"content":"how to","source":"skill-pdf"}`),
		ev("user.message", "e3", `{"content":"<skill-context name=\"pdf\">how to</skill-context>"}`),
		ev("user.message", "e4", `{"content":"later","delivery":"queued"}`))[0]
	equal(t, []string{
		`user: hi <file b.go /a/b.go> <image sha256:709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c> <file One https://example.test/1> <unknown {"type":"hologram"}>`,
		"system/context: how to", `system/context: <skill-context name="pdf">how to</skill-context>`, "user/queued: later",
	}, render(c))
	equal(t, []string{"unexpected_shape@2"}, lost(c))
}

// TestReasoningTwice: an event of its own and the answer say the same reasoning once, whichever comes first.
func TestReasoningTwice(t *testing.T) {
	think := func(id, text string) string { return ev("assistant.reasoning", id, `{"content":"`+text+`"}`) }
	with := func(id, text, content string) string {
		return ev("assistant.message", id, `{"content":"`+content+`","reasoningText":"`+text+`"}`)
	}
	c := readLogOf(t, think("e1", "a"), with("e2", "a", "so"), think("e3", "b"), with("e4", "b", ""), with("e5", "c", ""), think("e6", "c"),
		user("e7", "again"), think("e8", "a"))[0]
	equal(t, []string{"assistant: <thinking a>", "assistant: so", "assistant: <thinking b>", "assistant: <thinking c>", "user: again", "assistant: <thinking a>"}, render(c))
	equal(t, [6]int{9, 7, 2}, counts(c))
}

// TestRunsWithoutRequest: the beginning of a run is the call where no answer shows it; one that is told twice is one.
func TestRunsWithoutRequest(t *testing.T) {
	c := readLogOf(t, begin("e1", "t1", "a", "{}"), begin("e2", "t1", "a", "{}"), begin("e3", "t1", "b", "{}"), gives("e4", "t1", "x"),
		begin("e5", "t1", "b", "{}"), ev("tool.execution_complete", "e6", `{"toolCallId":"t1","success":false,"error":{"message":"no"}}`),
		gives("e7", "t2", "whose?"), begin("e8", "t3", "c", "{}"),
		ev("tool.user_requested", "e9", `{"toolCallId":"t4","toolName":"bash","arguments":{"command":"ls"}}`), begin("e10", "t4", "bash", `{"command":"ls"}`))[0]
	equal(t, []string{
		"assistant: <call a t1 {}>", "assistant: <call b t1 {}>", "tool: <result x>", "assistant: <call b t1 {}>", "tool: <result no>!",
		"tool: <result whose?>", "assistant: <call c t3 {}>", `user/command: <call bash t4 {"command":"ls"}>`,
	}, render(c))
	equal(t, [6]int{11, 9, 2}, counts(c))
	equal(t, []string{"unpaired_call@8x3"}, lost(c))
}

// TestResults: the fuller of two texts, or both; what is embedded, by digest.
func TestResults(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{`{"content":"a","detailedContent":"a and b"}`, "tool: <result a and b>"},
		{`{"content":"edited","detailedContent":"+ line"}`, "tool: <result edited> <result + line>"},
		{`{"content":"","detailedContent":"all"}`, "tool: <result all>"},
		{`{"content":"x","detailedContent":null}`, "tool: <result x>"},
		{`{"content":"see","contents":[{"type":"text","text":"see"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}`,
			"tool: <result see> <image sha256:709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c>"},
		{`"plain"`, "tool: <result plain>"},
		{`null`, "tool: <result >"},
	} {
		got := readLogOf(t, begin("e1", "t", "f", "{}"), ev("tool.execution_complete", "e2", `{"toolCallId":"t","success":true,"result":`+c.result+`}`))[0]
		equal(t, c.want, render(got)[1])
		equal(t, "f", got.Messages[1].Parts[0].Name)
	}
}

// TestNotices: what the tool says, and what says nothing.
func TestNotices(t *testing.T) {
	c := readLogOf(t, user("e1", "hi"),
		ev("session.error", "e2", `{"message":"rate limit"}`), ev("system.notification", "e3", `{"content":"agent done","kind":{"type":"x"}}`),
		ev("abort", "e4", `{"reason":"user initiated"}`), ev("hook.end", "e5", `{"success":true}`), ev("hook.end", "e6", `{"output":"mind it"}`),
		ev("system.message", "e7", `{"role":"system","content":"You are."}`), ev("skill.invoked", "e8", `{"name":"pdf","path":"/s/pdf.md","content":"how to"}`),
		ev("session.task_complete", "e9", `{}`), ev("session.shutdown", "e10", `{"errorReason":"out of memory"}`), ev("permission.requested", "e11", `{}`))[0]
	equal(t, []string{
		"user: hi", "system/notice: rate limit", "system/notice: agent done", "system/notice: user initiated", "system/hook: mind it",
		"system/context: You are.", "system/context: how to <file pdf /s/pdf.md>", "system/notice: out of memory",
	}, render(c))
	equal(t, [6]int{12, 9, 0, 3}, counts(c))
}

// TestRewind: events that were taken back stay, inactive.
func TestRewind(t *testing.T) {
	c := readLogOf(t, user("e1", "a"), user("e2", "b"), reply("e3", "c"), ev("session.snapshot_rewind", "e4", `{"upToEventId":"e2","eventsRemoved":2}`), user("e5", "d"))[0]
	equal(t, []string{"user: a", "[user: b]", "[assistant: c]", "user: d"}, render(c))
}

// TestPlace: both layouts, and what stands beside a log.
func TestPlace(t *testing.T) {
	noStart := user("e1", "hi") + "\n"
	for name, want := range map[string]string{logPath: session, sessionsDir + "/flat-1.jsonl": "flat-1"} {
		beside := strings.TrimSuffix(strings.TrimSuffix(name, "/"+eventsName), ".jsonl") + "/" + workspaceName
		list, err := readAs(name, storeSessions, map[string]string{name: noStart,
			beside: "id: x\ncwd: /proj/lantern\nsummary: \"Greeting: with colon\"\nbranch: main\n"})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, want, list[0].Native)
		equal(t, "Greeting: with colon", list[0].Title)
		equal(t, lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"}, list[0].Project)
		equal(t, []string{"missing_header@0"}, lost(list[0]))
	}
	moved := sessionsDir + "/another/" + eventsName
	list, err := readAs(moved, storeSessions, map[string]string{moved: logOf(user("e1", "hi"))})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, session, list[0].Native)
	equal(t, []string{"id_mismatch@0"}, lost(list[0]))
}

// TestEmpty: a log in which nobody speaks makes no conversation, and is no failure.
func TestEmpty(t *testing.T) {
	for _, content := range []string{"", "\n", logOf(), logOf(ev("session.info", "e1", `{"message":"Folder has been added"}`))} {
		list, err := readAs(logPath, storeSessions, map[string]string{logPath: content})
		if err != nil || len(list) != 1 || !list[0].Partial || lost(list[0])[0] != "empty@0" || !list[0].Ledger.Balanced() {
			t.Errorf("%q: %d records, %v", content, len(list), err)
		}
	}
	list, err := readAs(logPath, storeSessions, map[string]string{logPath: "{{{\n}}}\n"})
	if err == nil || isNotMine(err) || len(list) != 1 || list[0].Ledger.Damaged == 0 {
		t.Errorf("damaged: %d records, %v", len(list), err)
	}
}

// TestFind: a workspace.yaml is evidence only where it is all that is left.
func TestFind(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"command-history-state.json", "config.json", "session-store.db", "session-state/a/events.jsonl", "session-state/a/workspace.yaml",
		"session-state/a/session.db", "session-state/a/files/events.jsonl", "session-state/b.jsonl", "session-state/b/workspace.yaml",
		"session-state/c/workspace.yaml", "history-session-state/old.json", "logs/x.jsonl",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte("{}")}
	}
	want := []string{
		"command-history-state.json history 0", "history-session-state/old.json session-state 0", "session-state/a/events.jsonl session-state 1",
		"session-state/b.jsonl session-state 1", "session-state/c/workspace.yaml session-state 0", "session-store.db session-db 0",
	}
	got := found(adapter.Place{FS: fsys, Name: "~/.copilot", Root: New().Info().Roots[0]})
	equal(t, len(want), len(got))
	for _, w := range want {
		if !strings.Contains(strings.Join(got, "\n"), w) {
			t.Errorf("%q is not among %q", w, got)
		}
	}
	sub := fstest.MapFS{"events.jsonl": fsys["config.json"], "workspace.yaml": fsys["config.json"]}
	equal(t, []string{"events.jsonl session-state 1"}, found(adapter.Place{FS: sub, Name: "~/x"}))
	equal(t, []string{"x/events.jsonl session-state 0"}, found(adapter.Place{FS: fstest.MapFS{"x/events.jsonl": fsys["config.json"]}, Name: "~/session-state"}))
}

// TestNotMine: the editor's transcripts have the same events; files of others have not.
func TestNotMine(t *testing.T) {
	for name, content := range map[string]string{
		"a.jsonl": `{"type":"session.start","data":{"sessionId":"s","vscodeVersion":"1.110.0"},"id":"e0","timestamp":"2026-03-02T09:00:00.000Z"}` + "\n",
		"b.jsonl": `{"type":"user","uuid":"u","message":{}}` + "\n",
		"c.jsonl": `{"id":"m1","type":"gemini","content":"x"}` + "\n",
		"d.json":  `{"history":[{"role":"user","parts":[{"text":"x"}]}]}`,
		"e.json":  `[1]`, "f.json": `{"sessionId":"s","messages":[]}`, "g.txt": "words", "h.json": "{", "workspace.yaml": "name: x\n",
	} {
		in := adapter.Input{Source: adapter.Source{Path: name}, FS: fstest.MapFS{name: {Data: []byte(content)}}, Place: "~"}
		if list, err := drain(in); !isNotMine(err) || len(list) > 0 {
			t.Errorf("%s: %d records, %v", name, len(list), err)
		}
	}
	odd := fstest.MapFS{logPath: {Data: []byte(`{"a":1}` + "\n")}}
	if _, err := drain(adapter.Input{Source: adapter.Source{Path: logPath, Product: source, Store: storeSessions}, FS: odd, Place: "~"}); !isNotMine(err) {
		t.Error(err)
	}
}

// TestCommands: the newest stands first in the file and last in the record; commands are not a person's words.
func TestCommands(t *testing.T) {
	list, err := readAs(commandsName, storeHistory, map[string]string{commandsName: `{"commandHistory":["newest","/exit","/etc/hosts is odd",7,"oldest"]}`})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"user: oldest", "user: /etc/hosts is odd", "system/command: /exit", "user: newest"}, render(list[0]))
	equal(t, [6]int{5, 4, 0, 0, 1}, counts(list[0]))
	equal(t, "~/.copilot/"+commandsName, list[0].Place)
	list, err = readAs(commandsName, storeHistory, map[string]string{commandsName: `{"commandHistory":["/exit"]}`})
	if err != nil || !list[0].Partial {
		t.Errorf("%v, %v", list, err)
	}
	list, err = readAs(commandsName, storeHistory, map[string]string{commandsName: `{"commandHistory":["whole","cu`})
	if err != nil || list[0].Ledger.Damaged != 1 || len(list[0].Messages) != 1 {
		t.Errorf("cut: %v, %v", list, err)
	}
}

// TestFlatYAML: the scalars that the tool writes.
func TestFlatYAML(t *testing.T) {
	equal(t, map[string]string{
		"id": "a-1", "cwd": `C:\proj`, "name": "it's", "quoted": "a\tb \u00e9 \"c\"", "block": "one\ntwo", "folded": "one two\nthree", "long": "one two", "bool": "true",
	}, flatYAML("# head\nid: a-1 # why\ncwd: C:\\proj\nname: 'it''s'\nquoted: \"a\\tb \\u00e9 \\\"c\\\"\"\nblock: |-\n  one\n  two\nfolded: >\n  one\n  two\n\n  three\nlong: one\n  two\nbool: true\nempty:\nnothing: null\nlist:\n  - x\nmap: {a: 1}\n"))
}
