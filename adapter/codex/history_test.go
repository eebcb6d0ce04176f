package codex

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// facts writes a record down in one line, with its messages behind it.
func facts(list []*lore.Conversation) []string {
	var out []string
	for _, c := range list {
		line := fmt.Sprintf("%s/%s %q", c.Source, c.Store, c.Native)
		if c.Partial {
			line += " partial"
		}
		if c.Place != "" {
			line += " at " + c.Place
		}
		if c.Title != "" {
			line += fmt.Sprintf(" titled %q %s", c.Title, c.TitleAt)
		}
		n := counts(c)
		out = append(out, fmt.Sprintf("%s %v %v", line, n, lost(c)))
		for i, m := range c.Messages {
			out = append(out, fmt.Sprintf("  %s %s@%d", m.At, render(c)[i], m.Origins[0].Line))
		}
	}
	return out
}

// TestCX19History: one conversation for each session, in whatever order the prompts were typed.
func TestCX19History(t *testing.T) {
	file := strings.Join([]string{
		`{"session_id":"a","ts":1772442060,"text":"one"}`,
		`{"session_id":"b","ts":1772442070,"text":"two"}`,
		`{"session_id":"a","ts":1772442080,"text":"three"}`,
		`{"session_id":"a","ts":1772442090,"te`,
		`{"ts":1772442100,"text":"whose?"}`,
	}, "\n") + "\n"
	list, err := readAs(t, historyFile, file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{
		`codex/history "a" [2 2 0 0 0 0] []`,
		"  2026-03-02T09:01:00Z user: one@1",
		"  2026-03-02T09:01:20Z user: three@3",
		`codex/history "b" [1 1 0 0 0 0] []`,
		"  2026-03-02T09:01:10Z user: two@2",
		`codex/history "" partial [2 0 0 0 1 1] [bad_json@4 unknown_record@5]`,
	}, facts(list))
}

// TestOldHistory: a list without sessions is one conversation, anchored by its place.
func TestOldHistory(t *testing.T) {
	list, err := readAs(t, historyOld, `[
  {"command": "list files", "timestamp": 1755000000000},
  {"command": "fix it", "timestamp": 1755000060000}
]`)
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{
		`codex/history "" at ~/.codex/history.json [2 2 0 0 0 0] []`,
		"  2025-08-12T12:00:00.000Z user: list files@2",
		"  2025-08-12T12:01:00.000Z user: fix it@3",
	}, facts(list))
	list, err = readAs(t, historyOld, `[{"command":"whole","timestamp":1755000000000},{"comm`)
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{`codex/history "" at ~/.codex/history.json [2 1 0 0 0 1] [bad_json@1]`, "  2025-08-12T12:00:00.000Z user: whole@1"}, facts(list))
}

// TestIndex: the last row of a session counts; the rows before say what no longer holds.
func TestIndex(t *testing.T) {
	list, err := readAs(t, indexFile, strings.Join([]string{
		`{"id":"a","thread_name":"Old","updated_at":"2026-03-01T08:00:00Z"}`,
		`{"id":"b","thread_name":"Other","updated_at":"2026-03-01T08:00:00Z"}`,
		`{"id":"a","thread_name":"New","updated_at":"2026-03-02T08:00:00Z"}`,
		`{"id":"c","thread_name":""}`,
	}, "\n")+"\n")
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{
		`codex/sessions "a" partial titled "New" 2026-03-02T08:00:00Z [2 1 1 0 0 0] []`,
		`codex/sessions "b" partial titled "Other" 2026-03-01T08:00:00Z [1 1 0 0 0 0] []`,
		`codex/sessions "c" partial [1 0 0 1 0 0] []`,
	}, facts(list))
}

// TestDocument: generation 1, with items of either API, and cut anywhere.
func TestDocument(t *testing.T) {
	name := sessionsDir + "/rollout-2025-08-23-" + selfID + ".json"
	whole := `{
  "session": {"timestamp": "2025-08-23T10:00:00.000Z", "id": "` + selfID + `", "instructions": ""},
  "items": [
    {"role": "user", "content": [{"type": "text", "text": "list files"}]},
    {"role": "assistant", "content": "", "reasoning": "use ls", "tool_calls": [{"id": "c1", "index": 0, "type": "function", "function": {"name": "shell", "arguments": "{\"cmd\":\"ls\"}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "{\"output\":\"a.txt\",\"metadata\":{\"exit_code\":0}}"},
    {"role": "assistant", "content": [{"type": "text", "text": "one file"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "thanks"}]}
  ]
}`
	c := readFile(t, name, whole)
	same(t, []string{
		"user: list files", `assistant: <thinking use ls> <call shell {"cmd":"ls"}>`, "tool: <result a.txt>", "assistant: one file", "user: thanks",
	}, render(c))
	same(t, [6]int{6, 6, 0, 0, 0, 0}, counts(c))
	same(t, "tool:c1", c.Messages[2].Native)
	for i, m := range c.Messages {
		o := m.Origins[0]
		if m.AtFrom != lore.FromInherited || o.Line != i+4 || whole[o.Offset] != '{' || whole[o.Offset+o.Length-1] != '}' {
			t.Errorf("message %d: %s %+v", i, m.AtFrom, o)
		}
	}
	c = readFile(t, name, whole[:strings.Index(whole, "one file")])
	same(t, 3, len(c.Messages))
	same(t, []string{"bad_json@7"}, lost(c))
	same(t, [6]int{5, 4, 0, 0, 0, 1}, counts(c))
}

// TestEmpty: a file without messages makes no conversation, and is no failure.
func TestEmpty(t *testing.T) {
	for name, content := range map[string]string{
		filePath: "", historyFile: "", indexFile: "\n\n", historyOld: "[]",
		sessionsDir + "/" + fileStem + ".jsonl":                   rollout(meta(""), envelope("turn_context", `{"cwd":"/x"}`)),
		sessionsDir + "/rollout-2025-08-23-" + selfID + ".json":   `{"session":{"id":"` + selfID + `","timestamp":"2025-08-23T10:00:00Z"},"items":[]}`,
		sessionsDir + "/rollout-2025-08-23-" + parentID + ".json": "",
	} {
		list, err := readAs(t, name, content)
		if err != nil || len(list) != 1 || !list[0].Partial || len(list[0].Losses) != 1 || list[0].Losses[0].Code != lore.Empty {
			t.Errorf("%s: %v, %v", name, facts(list), err)
		}
	}
}

// TestDamagedOnly: a file of which nothing decodes is accounted for, and is a failure.
func TestDamagedOnly(t *testing.T) {
	for _, name := range []string{filePath, historyFile, indexFile, historyOld, sessionsDir + "/rollout-2025-08-23-" + selfID + ".json"} {
		list, err := readAs(t, name, "{{{{\n}}}}\n")
		if err == nil || isNotMine(err) || len(list) != 1 || list[0].Ledger.Damaged == 0 || len(list[0].Losses) == 0 {
			t.Errorf("%s: %v, %v", name, facts(list), err)
		}
	}
}

// TestNotMine: what has the right place and nothing of the format in it, and what a user named.
func TestNotMine(t *testing.T) {
	for name, content := range map[string]string{
		filePath:     `{"uuid":"u","type":"user","message":{"role":"user","content":"hi"}}` + "\n",
		historyFile:  `{"display":"hi","project":"/x"}` + "\n",
		indexFile:    `{"x":1}` + "\n",
		historyOld:   `[{"x":1}]`,
		"other.json": `{"messages":[]}`,
	} {
		if list, err := readAs(t, name, content); !isNotMine(err) || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, facts(list), err)
		}
	}
	for _, line := range []string{
		`{"timestamp":1.5,"message":{"type":"TurnBegin","payload":{}}}`, `{"role":"user","content":"hi"}`, `{"type":"message","id":"1","parentId":null,"message":{}}`,
		`{"type":"session.start","data":{}}`, `{"type":"system","content":"You are"}`, `{"timestamp":"2026-01-01T00:00:00Z","role":"user","message":{"content":[]}}`,
	} {
		in := adapter.Input{Source: adapter.Source{Path: "x.jsonl"}, FS: fstest.MapFS{"x.jsonl": {Data: []byte(line + "\n")}}, Place: "~"}
		if list, err := drain(in); !isNotMine(err) || len(list) > 0 {
			t.Errorf("%s: %v, %v", line, facts(list), err)
		}
	}
}

// TestNamedByAUser: source and store are told by place and content.
func TestNamedByAUser(t *testing.T) {
	session := rollout(meta(""), userItem("hi"))
	cases := []struct{ place, path, content, want string }{
		{"~/.codex", filePath, session, "codex/sessions"},
		{"~", ".codex/archived_sessions/" + fileStem + ".jsonl", session, "codex/archived"},
		{"~/.trae/cli", filePath, session, "trae/cli"},
		{"/tmp", "x.jsonl", session, "codex/sessions"},
		{"/tmp", "prompts.jsonl", `{"session_id":"a","ts":1,"text":"hi"}` + "\n", "codex/history"},
		{"/tmp", "x.jsonl", `{"id":"a","thread_name":"hi"}` + "\n", "codex/sessions"},
		{"/tmp", "x.json", `[{"command":"hi","timestamp":1755000000000}]`, "codex/history"},
	}
	for _, c := range cases {
		in := adapter.Input{Source: adapter.Source{Path: c.path}, FS: fstest.MapFS{c.path: {Data: []byte(c.content)}}, Place: c.place}
		list, err := drain(in)
		if err != nil || len(list) == 0 {
			t.Errorf("%s/%s: %v", c.place, c.path, err)
			continue
		}
		same(t, c.want, list[0].Source+"/"+list[0].Store)
	}
}
