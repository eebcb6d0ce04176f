package grok

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

const (
	self   = "019c0000-0001-7000-8000-000000000001"
	other  = "019c0000-0002-7000-8000-000000000002"
	folder = "sessions/%2Fproj%2Flantern/" + self + "/"
)

// The records of the history.

func user(text, fields string) string {
	return fmt.Sprintf(`{"type":"user","content":[{"type":"text","text":%q}]%s}`, text, fields)
}

const asked = `,"prompt_index":0`

func bot(text, calls string) string {
	return fmt.Sprintf(`{"type":"assistant","content":%q,"tool_calls":[%s],"model_id":"grok-4.5"}`, text, calls)
}

func call1(id, name, args string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"arguments":%q}`, id, name, args)
}

func done(id, text string) string {
	return fmt.Sprintf(`{"type":"tool_result","tool_call_id":%q,"content":%q}`, id, text)
}

func reason(id, text string) string {
	return fmt.Sprintf(`{"type":"reasoning","id":%q,"summary":[{"type":"summary_text","text":%q}],"encrypted_content":"x"}`, id, text)
}

// update is an update; n counts its time and its id up.
func update(n int, session, fields string) string {
	return fmt.Sprintf(`{"timestamp":%d,"method":"session/update","params":{"sessionId":%q,"update":{%s},"_meta":{"eventId":"%s-%d","agentTimestampMs":%d}}}`,
		1772442000+n, session, fields, session, n, 1772442000000+n*1000)
}

func chunk(n int, kind, text string) string {
	return update(n, self, fmt.Sprintf(`"sessionUpdate":%q,"content":{"type":"text","text":%q}`, kind, text))
}

func file(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// readAll reads the session whose files are given by their names in its folder.
func readAll(t *testing.T, files map[string]string) ([]*lore.Conversation, error) {
	t.Helper()
	all := map[string]string{}
	src := adapter.Source{Product: source, Store: storeHistory, Path: folder + historyFile}
	if _, ok := files[historyFile]; !ok {
		src.Store, src.Path = storeUpdates, folder+updatesFile
	}
	for name, text := range files {
		all[folder+name] = text
		if folder+name != src.Path {
			src.Companions = append(src.Companions, folder+name)
		}
	}
	slices.Sort(src.Companions)
	return adaptertest.Read(t, New(), src, all)
}

func readOne(t *testing.T, files map[string]string) *lore.Conversation {
	t.Helper()
	list, err := readAll(t, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	return list[0]
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestAcceptance is the table of the format's page, on the history alone.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		lines  []string
		want   []string
		counts [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text",
		[]string{user("hi", asked), bot("hello", "")},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"tool only: an empty answer keeps its call",
		[]string{bot("", call1("c1", "ls", `{"path": "."}`)), done("c1", "a.txt")},
		[]string{`assistant: <call ls {"path": "."}>`, "tool: <result a.txt>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{reason("rs1", "why"), `{"type":"reasoning","id":"rs2","summary":[],"encrypted_content":"x"}`},
		[]string{"assistant: <thinking why>", "assistant: <thinking unreadable>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"mixed: records stay separate, in order",
		[]string{reason("rs1", "why"), bot("look", call1("c1", "ls", "{}")+","+call1("c2", "cat", "{}")), done("c1", "a"), done("c2", "b")},
		[]string{"assistant: <thinking why>", "assistant: look <call ls {}> <call cat {}>", "tool: <result a>", "tool: <result b>"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"a tool of the vendor's servers",
		[]string{`{"type":"backend_tool_call","kind":{"tool_type":"web_search","action":{"query":"oil"},"id":"ws1","status":"completed"}}`},
		[]string{`assistant: <call web_search {"query":"oil"}>`}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{user("hi", asked), bot("", "")},
		[]string{"user: hi", "assistant:"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{user("again", asked), user("again", asked)},
		[]string{"user: again", "user: again"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON",
		[]string{user("hi", asked), `{"type":"assistant","cont`, user("so?", asked)},
		[]string{"user: hi", "user: so?"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@2"},
	}, {
		"unknown type and block",
		[]string{user("hi", asked), `{"type":"hologram"}`, `{"type":"user","content":[{"type":"smell"}],"prompt_index":1}`},
		[]string{"user: hi", `user: <unknown smell {"type":"smell"}>`}, [6]int{3, 2, 0, 0, 1, 0}, []string{"unknown_record@2", "unknown_record@3"},
	}, {
		"what is not the person's",
		[]string{
			`{"type":"system","content":"You are Grok"}`, user("policy", `,"synthetic_reason":"project_instructions"`), user("<user_info>\nOS\n</user_info>", ""),
			user("they greeted", `,"synthetic_reason":"compaction_meta"`), user("also this", `,"synthetic_reason":"interjection"`),
			user("what is <user_info>?", asked),
		},
		[]string{
			"system/context: You are Grok", "system/context: policy", "system/context: <user_info>\nOS\n</user_info>", "system/compaction: they greeted",
			"user/queued: also this", "user: what is <user_info>?",
		},
		[6]int{6, 6, 0, 0, 0, 0}, nil,
	}, {
		"frames, and what interrupted the turn before",
		[]string{
			user("<user_query>\nhi\n</user_query>", asked), user("go on", `,"prompt_index":1,"prior_turn_interrupt":"mid_turn_abort"`),
			user("The user interrupted the previous turn:\n<user_query>\nstop\n</user_query>\nFinish what is left.", `,"prompt_index":2,"prior_turn_interrupt":"mid_turn_abort"`),
			user("quote <user_query>\nx\n</user_query>", asked), user("<user_query>\na\n</user_query> and more", asked),
		},
		[]string{
			"user: hi", "system/notice: mid_turn_abort", "user: go on", "system/notice: The user interrupted the previous turn:\n\nFinish what is left.", "user: stop",
			"user: quote <user_query>\nx\n</user_query>", "user: <user_query>\na\n</user_query> and more",
		},
		[6]int{5, 5, 0, 0, 0, 0}, nil,
	}, {
		"an image",
		[]string{`{"type":"user","content":[{"type":"image","url":"data:image/png;base64,aGk="},{"type":"text","text":"see"}],"prompt_index":0}`},
		[]string{"user: <image sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4> see"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readOne(t, map[string]string{historyFile: file(c.lines...)})
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestLegacyFileReadsAlike: records by role, reasoning inside, calls as functions.
func TestLegacyFileReadsAlike(t *testing.T) {
	now := readOne(t, map[string]string{historyFile: file(
		`{"type":"system","content":"You are Grok"}`, user("hi", asked), reason("rs1", "why"), bot("look", call1("c1", "ls", "{}")), done("c1", "a"), bot("hello", ""))})
	then := readOne(t, map[string]string{historyFile: file(
		`{"role":"system","content":"You are Grok"}`, `{"role":"user","content":"hi"}`,
		`{"role":"assistant","content":"look","reasoning_content":"why","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}],"model_id":"grok-4.5"}`,
		`{"role":"tool","tool_call_id":"c1","content":"a"}`, `{"role":"assistant","content":"hello","model_id":"grok-4.5"}`)})
	same(t, "messages", adaptertest.Outline(now), adaptertest.Outline(then))
	same(t, "content", now.ContentHash, then.ContentHash)
}

// TestNoTimeAtAll: the file's own.
func TestNoTimeAtAll(t *testing.T) {
	c := readOne(t, map[string]string{historyFile: file(user("hi", asked))})
	same(t, "time", "2026-03-01T00:00:00Z file", c.Messages[0].At.String()+" "+string(c.Messages[0].AtFrom))
}

// TestSummary: what stands beside the history.
func TestSummary(t *testing.T) {
	c := readOne(t, map[string]string{historyFile: file(user("hi", asked)), summaryFile: `{"info":{"id":"` + self + `","cwd":"/proj/lantern"},
		"session_summary":"short","generated_title":"Lamps","created_at":"2026-03-02T09:00:00Z","updated_at":"2026-03-02T10:00:00Z",
		"git_remotes":["git@example.test:lantern.git"],"head_branch":"main","session_kind":"subagent_fork","parent_session_id":"` + other + `","inherited_prefix_len":3}`})
	same(t, "title", "Lamps", c.Title)
	same(t, "project", lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main", Remote: "git@example.test:lantern.git"}, c.Project)
	same(t, "kind", lore.Subagent, c.Kind)
	same(t, "parent", &lore.Parent{Native: other, ID: lore.ConversationID(source, other)}, c.Parent)
	same(t, "lineage", &lore.Lineage{Kind: lore.Fork, OfNative: other, Of: lore.ConversationID(source, other), Shared: 3}, c.Lineage)
	same(t, "time", "2026-03-02T09:00:00Z inherited", c.Messages[0].At.String()+" "+string(c.Messages[0].AtFrom))
}

// TestFolderOfTheProject: by the summary, the file .cwd, or the folder's name.
func TestFolderOfTheProject(t *testing.T) {
	line := file(user("hi", asked))
	same(t, "by name", "/proj/lantern", readOne(t, map[string]string{historyFile: line}).Project.Dir)
	same(t, "by file", "/proj/tower", readOne(t, map[string]string{historyFile: line, cwdFile: "/proj/tower\n"}).Project.Dir)
	broken := readOne(t, map[string]string{historyFile: line, summaryFile: "{"})
	same(t, "losses", []string{"bad_json"}, adaptertest.Lost(broken))
}

// TestUpdatesAlone: what was streamed is put together.
func TestUpdatesAlone(t *testing.T) {
	c := readOne(t, map[string]string{updatesFile: file(
		update(1, self, `"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"count "},"_meta":{"promptIndex":0,"modelId":"grok-4.5"}`),
		update(2, self, `"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"lamps"},"_meta":{"promptIndex":0}`),
		chunk(3, "agent_thought_chunk", "wh"), chunk(4, "agent_thought_chunk", "y"),
		chunk(5, "agent_message_chunk", "I "), chunk(6, "agent_message_chunk", "look."),
		update(7, self, `"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","rawInput":{"path": "."},"_meta":{"x.ai/tool":{"name":"list"}}`),
		update(8, self, `"sessionUpdate":"tool_call_update","toolCallId":"c1","rawInput":{"path":".","variant":"Ls"},"kind":"read"`),
		update(9, self, `"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"seven"}},{"type":"diff","path":"a","newText":"b"}],"rawOutput":{"type":"Ls"}`),
		chunk(10, "agent_message_chunk", "Seven."),
		update(11, self, `"sessionUpdate":"turn_completed","stop_reason":"end_turn","usage":{"inputTokens":9,"outputTokens":3}`),
		update(12, self, `"sessionUpdate":"plan","entries":[]`), update(13, self, `"sessionUpdate":"hologram"`))})
	same(t, "messages", []string{
		"user: count lamps", "assistant: <thinking why>", "assistant: I look.", `assistant: <call list {"path": "."}>`,
		`tool: <result seven> <result diff {"type":"diff","path":"a","newText":"b"}>`, "assistant: Seven.",
	}, adaptertest.Outline(c))
	same(t, "ledger", [6]int{13, 10, 1, 1, 1, 0}, adaptertest.Counts(c.Ledger))
	same(t, "losses", []string{"unknown_record@13"}, adaptertest.Lost(c))
	same(t, "usage", &lore.Usage{Input: 9, Output: 3}, c.Messages[5].Usage)
	same(t, "natives", []string{self + "-1", self + "-3", self + "-5", "c1", "tool:c1", self + "-10"}, natives(c))
	same(t, "time", "2026-03-02T09:00:03.000Z source", c.Messages[1].At.String()+" "+string(c.Messages[1].AtFrom))
	same(t, "model", "grok-4.5", c.Messages[2].Model)
}

func natives(c *lore.Conversation) (list []string) {
	for _, m := range c.Messages {
		list = append(list, m.Native)
	}
	return list
}

// TestHistoryAndUpdatesAreOne: the history's words and order; the updates' times, diffs and what failed.
func TestHistoryAndUpdatesAreOne(t *testing.T) {
	c := readOne(t, map[string]string{
		historyFile: file(
			`{"type":"system","content":"You are Grok"}`, user("<user_query>\nfix it\n</user_query>", asked), bot("I look.", call1("c1", "edit", `{"f":1}`)),
			done("c1", "no match"), bot("First.", ""), bot(" Second.", ""), user("never shown", asked)),
		updatesFile: file(
			chunk(1, "user_message_chunk", "fix it"), chunk(2, "agent_message_chunk", "I "), chunk(3, "agent_message_chunk", "look."),
			update(4, self, `"sessionUpdate":"tool_call","toolCallId":"c1","rawInput":{"f":1}`),
			update(5, self, `"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","content":[{"type":"diff","path":"a"}]`),
			chunk(6, "agent_message_chunk", "First. "), chunk(7, "agent_message_chunk", "Second."),
			update(8, self, `"sessionUpdate":"turn_completed"`))})
	same(t, "messages", []string{
		"system/context: You are Grok", "user: fix it", `assistant: I look. <call edit {"f":1}>`, `tool: <result failed no match> <result diff {"type":"diff","path":"a"}>`,
		"assistant: First.", "assistant:  Second.", "user: never shown",
	}, adaptertest.Outline(c))
	same(t, "ledger", [6]int{15, 8, 6, 1, 0, 0}, adaptertest.Counts(c.Ledger))
	var times []string
	for _, m := range c.Messages {
		times = append(times, strings.TrimPrefix(m.At.String(), "2026-03-02T09:00:")+" "+string(m.AtFrom))
	}
	same(t, "times", []string{"01.000Z inherited", "01.000Z source", "02.000Z source", "05.000Z source", "06.000Z source", "06.000Z inherited", "06.000Z inherited"}, times)
	same(t, "origins", 4, len(c.Messages[2].Origins))
}

// TestCompactionLeavesTheUpdates: what it took out of the history stands where it was said.
func TestCompactionLeavesTheUpdates(t *testing.T) {
	c := readOne(t, map[string]string{
		historyFile: file(user("they greeted", `,"synthetic_reason":"compaction_meta"`), user("go on", `,"prompt_index":1`), bot("done", "")),
		updatesFile: file(
			chunk(1, "user_message_chunk", "hi"), chunk(2, "agent_message_chunk", "hello"),
			update(3, self, `"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go on"},"_meta":{"promptIndex":1}`),
			update(4, self, `"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls"`), chunk(5, "agent_message_chunk", "done"))})
	same(t, "messages", []string{"user: hi", "assistant: hello", "system/compaction: they greeted", "user: go on", "assistant: <call ls>", "assistant: done"}, adaptertest.Outline(c))
}

// TestUpdatesOfAnotherSession are given to it.
func TestUpdatesOfAnotherSession(t *testing.T) {
	list, err := readAll(t, map[string]string{updatesFile: file(
		update(1, other, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"elsewhere"}`), chunk(2, "agent_message_chunk", "here"))})
	if err != nil || len(list) != 2 {
		t.Fatal(len(list), err)
	}
	same(t, "own", []string{"assistant: here"}, adaptertest.Outline(list[0]))
	same(t, "losses", []string{"foreign_session_record@1"}, adaptertest.Lost(list[0]))
	same(t, "native", other, list[1].Native)
	same(t, "foreign", []string{"assistant: elsewhere"}, adaptertest.Outline(list[1]))
}

// TestSubAgentsDispatch: a fact about the child.
func TestSubAgentsDispatch(t *testing.T) {
	list, err := readAll(t, map[string]string{historyFile: file(user("hi", asked)),
		"subagents/x/meta.json": `{"parent_session_id":"` + self + `","child_session_id":"` + other + `","prompt":"count","status":"completed"}`,
		"subagents/y/meta.json": `{`})
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	same(t, "child", other, list[1].Native)
	same(t, "parent", self, list[1].Parent.Native)
	same(t, "partial", true, list[1].Partial)
	same(t, "losses", []string{"bad_json"}, adaptertest.Lost(list[2]))
}

// TestPromptHistory: one conversation a session; commands are not speech.
func TestPromptHistory(t *testing.T) {
	name := "sessions/%2Fproj%2Flantern/" + promptsFile
	list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: storePrompts, Path: name}, map[string]string{name: file(
		`{"timestamp":"2026-03-02T09:00:00.123456789Z","session_id":"`+self+`","prompt":"hi","is_bash":false}`,
		`{"timestamp":"2026-03-02T09:00:01Z","session_id":"`+other+`","prompt":"elsewhere"}`,
		`{"timestamp":"2026-03-02T09:00:02Z","session_id":"`+self+`","prompt":"ls","is_bash":true}`,
		`{"prompt":"whose?"}`)})
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	same(t, "first", []string{"user: hi", "system/command: <call bash ls>"}, adaptertest.Outline(list[0]))
	same(t, "second", []string{"user: elsewhere"}, adaptertest.Outline(list[1]))
	same(t, "ledger", [6]int{1, 0, 0, 0, 1, 0}, adaptertest.Counts(list[2].Ledger))
	same(t, "time", "2026-03-02T09:00:00.123456789Z", list[0].Messages[0].At.String())
}

// TestNamedFiles: what a user names has to show what it is.
func TestNamedFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		mine       bool
	}{
		{"a.jsonl", file(user("hi", asked)), true},
		{"chat_history.jsonl", file(`{"type":"system","content":"x"}`), true},
		{"a.jsonl", file(`{"type":"system","content":"x"}`), false},
		{"a.jsonl", file(chunk(1, "agent_message_chunk", "hi")), true},
		{"s.json", `{"info":{"id":"` + self + `","cwd":"/x"},"session_summary":"s","created_at":"2026-03-02T09:00:00Z"}`, true},
		{"s.json", `{"info":{}}`, false}, {"s.json", `{`, false}, {"a.jsonl", "", false}, {"a.jsonl", "no\n", false},
	} {
		_, err := adaptertest.Read(t, New(), adapter.Source{Path: c.name}, map[string]string{c.name: c.text})
		if mine := !errors.Is(err, adapter.ErrNotMine); mine != c.mine || mine && err != nil {
			t.Errorf("%s %q: %v", c.name, c.text, err)
		}
	}
}

// TestNamelessHistories: two that begin with the same system prompt are two conversations.
func TestNamelessHistories(t *testing.T) {
	ids := map[lore.ID]bool{}
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		list, err := adaptertest.Read(t, New(), adapter.Source{Path: name}, map[string]string{name: file(`{"type":"system","content":"You are Grok"}`, user(name, asked))})
		if err != nil {
			t.Fatal(err)
		}
		ids[list[0].ID] = true
	}
	same(t, "conversations", 2, len(ids))
}

// TestMalformed: a history of which nothing decodes fails, and its lines are accounted for.
func TestMalformed(t *testing.T) {
	list, err := readAll(t, map[string]string{historyFile: "no\nno\n"})
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v", err)
	}
	same(t, "ledger", [6]int{2, 0, 0, 0, 0, 2}, adaptertest.Counts(list[0].Ledger))
}

func TestWordsJoin(t *testing.T) {
	if a := wordsOf("one two").and(wordsOf(" three\n")); a != wordsOf("onetwothree") || a == wordsOf("onetwo") || noWords.and(a) != a {
		t.Errorf("got %v", a)
	}
}
