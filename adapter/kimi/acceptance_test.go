package kimi

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

const (
	self   = "session_019c0000-0001-7000-8000-000000000001"
	code   = "sessions/wd_lantern_0a1b2c3d4e5f/" + self + "/agents/main/"
	folder = "sessions/95451883475801ced6af128c82f830bb/" // by the MD5 of /proj/lantern
	cli    = folder + "019c0000-0002-7000-8000-000000000002/"
)

func file(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// readAll reads the first of some files, with the others as companions.
func readAll(t *testing.T, store, main string, files map[string]string) ([]*lore.Conversation, error) {
	t.Helper()
	src := adapter.Source{Product: source, Store: store, Path: main}
	for name := range files {
		if name != main {
			src.Companions = append(src.Companions, name)
		}
	}
	slices.Sort(src.Companions)
	return adaptertest.Read(t, New(), src, files)
}

func one(t *testing.T, store, main string, files map[string]string) *lore.Conversation {
	t.Helper()
	list, err := readAll(t, store, main, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	return list[0]
}

func same(t *testing.T, what string, want, got any, o ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, o...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The records of Kimi Code's log; n counts the time up.

func wire(n int, typ, fields string) string {
	return fmt.Sprintf(`{"type":%q,%s,"time":%d}`, typ, fields, 1772442000000+n*1000)
}

func asked(n int, typ, kind, text string) string {
	return wire(n, typ, fmt.Sprintf(`"input":[{"type":"text","text":%q}],"origin":{"kind":%q}`, text, kind))
}

func appended(n int, kind, text string) string {
	return wire(n, "context.append_message", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"text","text":%q}],"toolCalls":[],"origin":{"kind":%q}}`, text, kind))
}

func loop(n int, typ, fields string) string {
	return wire(n, "context.append_loop_event", fmt.Sprintf(`"event":{"type":%q,%s}`, typ, fields))
}

func begin(n int, id string) string {
	return loop(n, "step.begin", fmt.Sprintf(`"uuid":%q,"turnId":"0","step":1`, id))
}

func part(n int, id, kind, text string) string {
	key := kind
	return loop(n, "content.part", fmt.Sprintf(`"uuid":"p","stepUuid":%q,"part":{"type":%q,%q:%q}`, id, kind, key, text))
}

func call(n int, id, call, args string) string {
	return loop(n, "tool.call", fmt.Sprintf(`"uuid":%q,"stepUuid":%q,"toolCallId":%q,"name":"Bash","args":%s`, call, id, call, args))
}

func outcome(n int, call, outcome string) string {
	return loop(n, "tool.result", fmt.Sprintf(`"parentUuid":%q,"toolCallId":%q,"result":%s`, call, call, outcome))
}

const tokens = `"usage":{"inputOther":9,"output":3,"inputCacheRead":7,"inputCacheCreation":1}`

func end(n int, id string) string {
	return loop(n, "step.end", fmt.Sprintf(`"uuid":%q,%s`, id, tokens))
}

// The records of Kimi CLI's log.

func event(n int, typ, payload string) string {
	return fmt.Sprintf(`{"timestamp":%d.5,"message":{"type":%q,"payload":%s}}`, 1772442000+n, typ, payload)
}

func turnBegin(n int, text string) string {
	return event(n, "TurnBegin", fmt.Sprintf(`{"user_input":[{"type":"text","text":%q}]}`, text))
}

func stepBegin(n, step int) string { return event(n, "StepBegin", fmt.Sprintf(`{"n":%d}`, step)) }

func says(n int, kind, text string) string {
	return event(n, "ContentPart", fmt.Sprintf(`{"type":%q,%q:%q}`, kind, kind, text))
}

func toolCall(n int, id, args string) string {
	return event(n, "ToolCall", fmt.Sprintf(`{"type":"function","id":%q,"function":{"name":"Shell","arguments":%q}}`, id, args))
}

func toolResult(n int, id, value string) string {
	return event(n, "ToolResult", fmt.Sprintf(`{"tool_call_id":%q,"return_value":%s}`, id, value))
}

func inner(n int, task, typ, payload string) string {
	return event(n, "SubagentEvent", fmt.Sprintf(`{"task_tool_call_id":%q,"event":{"type":%q,"payload":%s}}`, task, typ, payload))
}

// The records of a memory.

func remembers(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }

func answered(text, call string) string {
	calls := ""
	if call != "" {
		calls = fmt.Sprintf(`,"tool_calls":[{"type":"function","id":%q,"function":{"name":"Shell","arguments":"{}"}}]`, call)
	}
	return fmt.Sprintf(`{"role":"assistant","content":[{"type":"think","think":"why","encrypted":null},{"type":"text","text":%q}]%s}`, text, calls)
}

func remembered(call, text string) string {
	return fmt.Sprintf(`{"role":"tool","content":[{"type":"text","text":%q}],"tool_call_id":%q}`, text, call)
}

type acceptance struct {
	name   string
	lines  []string
	want   []string
	counts [6]int // units, kept, merged, skipped, unknown, damaged
	lost   []string
}

func accept(t *testing.T, store, main string, cases []acceptance) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, store, main, map[string]string{main: file(c.lines...)})
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestAcceptanceKimiCode is the table of the format's page on the log of Kimi Code.
func TestAcceptanceKimiCode(t *testing.T) {
	accept(t, storeCode, code+wireFile, []acceptance{{
		"plain text: a prompt is told twice and is one",
		[]string{asked(1, "turn.prompt", "user", "hi"), appended(2, "user", "hi"), begin(3, "s1"), part(4, "s1", "text", "hello"), end(5, "s1")},
		[]string{"user: hi", "assistant: hello"}, [6]int{5, 4, 1, 0, 0, 0}, nil,
	}, {
		"tool only",
		[]string{begin(1, "s1"), call(2, "s1", "c1", `{"command": "ls"}`), outcome(3, "c1", `{"output":"a.txt"}`), outcome(4, "c2", `{"output":"","isError":true,"note":"lost"}`)},
		[]string{`assistant: <call Bash {"command": "ls"}>`, "tool: <result a.txt>", "tool: <result failed lost>"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{begin(1, "s1"), part(2, "s1", "think", "why")},
		[]string{"assistant: <thinking why>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"mixed: a step is one message, parts in order",
		[]string{begin(1, "s1"), part(2, "s1", "think", "why"), part(3, "s1", "text", "look"), call(4, "s1", "c1", "{}"), outcome(5, "c1", `{"output":"a"}`), call(6, "s1", "c2", "{}")},
		[]string{"assistant: <thinking why> look <call Bash {}> <call Bash {}>", "tool: <result a>"}, [6]int{6, 6, 0, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{begin(1, "s1")},
		[]string{"assistant:"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text: two turns are two",
		[]string{asked(1, "turn.prompt", "user", "hi"), appended(2, "user", "hi"), asked(3, "turn.prompt", "user", "hi"), asked(4, "turn.steer", "user", "stop"), appended(5, "user", "hi"), appended(6, "user", "stop")},
		[]string{"user: hi", "user: hi", "user/queued: stop"}, [6]int{6, 3, 3, 0, 0, 0}, nil,
	}, {
		"bad JSON",
		[]string{asked(1, "turn.prompt", "user", "hi"), `{"type":"turn.pro`, begin(3, "s1")},
		[]string{"user: hi", "assistant:"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@2"},
	}, {
		"unknown events",
		[]string{wire(1, "hologram", `"x":1`), loop(2, "smell", `"x":1`), asked(3, "turn.prompt", "user", "hi")},
		[]string{"user: hi"}, [6]int{3, 1, 0, 0, 2, 0}, []string{"unknown_record@1", "unknown_record@2"},
	}, {
		"what is not the person's",
		[]string{
			appended(1, "injection", "<system-reminder>plan</system-reminder>"), asked(2, "turn.prompt", "system_trigger", "goal"), asked(3, "turn.prompt", "skill_activation", "skill"),
			asked(4, "turn.steer", "background_task", "built"), appended(5, "hook_result", "blocked"), appended(6, "shell_command", "$ ls"), wire(7, "goal.create", `"goalId":"g","objective":"light it"`),
		},
		[]string{
			"system/context: <system-reminder>plan</system-reminder>", "system/context: goal", "system/context: skill", "system/notice: built",
			"system/hook: blocked", "system/command: $ ls", "system/goal: light it",
		},
		[6]int{7, 7, 0, 0, 0, 0}, nil,
	}, {
		"cancelled, compacted, refused with words",
		[]string{
			asked(1, "turn.prompt", "user", "hi"), begin(2, "s1"), wire(3, "turn.cancel", `"turnId":0`), wire(4, "full_compaction.begin", `"source":"manual"`),
			wire(5, "usage.record", `"usageScope":"session",`+tokens), wire(6, "context.apply_compaction", `"summary":"they greeted","contextSummary":"so far: they greeted"`),
			wire(7, "permission.record_approval_result", `"result":{"decision":"rejected","feedback":"not that way"}`), wire(8, "permission.record_approval_result", `"result":{"decision":"approved"}`),
		},
		[]string{"user: hi", "assistant:", "system/notice: turn.cancel", "system/compaction: they greeted", "user: not that way"}, [6]int{8, 6, 0, 2, 0, 0}, nil,
	}, {
		"undone turns are inactive",
		[]string{asked(1, "turn.prompt", "user", "one"), begin(2, "s1"), asked(3, "turn.prompt", "user", "two"), begin(4, "s2"), wire(5, "context.undo", `"count":1`), asked(6, "turn.prompt", "user", "three")},
		[]string{"user: one", "assistant:", "[user: two]", "[assistant:]", "user: three"}, [6]int{6, 5, 0, 1, 0, 0}, nil,
	}, {
		"an image, and one in a file of its own",
		[]string{wire(1, "turn.prompt", `"input":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}},{"type":"image_url","imageUrl":{"url":"blobref:image/png;0a1b"}},{"type":"smell"}],"origin":{"kind":"user"}`)},
		[]string{`user: <image sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4> <image blobref:image/png;0a1b> <unknown smell {"type":"smell"}>`},
		[6]int{1, 1, 0, 0, 0, 0}, []string{"unknown_record@1"},
	}})
}

// TestAcceptanceKimiCLI is the same on the log of Kimi CLI.
func TestAcceptanceKimiCLI(t *testing.T) {
	accept(t, storeCLI, cli+wireFile, []acceptance{{
		"plain text",
		[]string{`{"type":"metadata","protocol_version":"1.2"}`, turnBegin(1, "hi"), stepBegin(2, 1), says(3, "text", "hello"), event(4, "TurnEnd", "{}")},
		[]string{"user: hi", "assistant: hello"}, [6]int{5, 3, 0, 2, 0, 0}, nil,
	}, {
		"mixed: streams are joined, deltas are one call",
		[]string{
			turnBegin(1, "go"), stepBegin(2, 1), says(3, "think", "wh"), says(3, "think", "y"), says(4, "text", "look"), toolCall(5, "c1", `{"comm`), event(5, "ToolCallPart", `{"arguments_part":"and\":\"ls\"}"}`),
			event(6, "StatusUpdate", `{"token_usage":{"input_other":9,"output":3,"input_cache_read":7,"input_cache_creation":1},"message_id":"m"}`), event(6, "StatusUpdate", `{"context_usage":0.1}`),
			toolResult(7, "c1", `{"is_error":true,"output":"no","message":"Failed with 1","display":[{"type":"brief","text":"x"}]}`), stepBegin(8, 2), says(9, "text", "done"),
		},
		[]string{"user: go", `assistant: <thinking why> look <call Shell {"command":"ls"}>`, "tool: <result failed no> <result failed Failed with 1>", "assistant: done"},
		[6]int{12, 11, 0, 1, 0, 0}, nil,
	}, {
		"what else is said",
		[]string{
			event(1, "SteerInput", `{"user_input":"wait"}`), event(2, "ApprovalRequest", `{"id":"r"}`), event(3, "ApprovalResponse", `{"request_id":"r","response":"reject","feedback":"not that"}`),
			event(4, "HookResolved", `{"event":"Stop","action":"block","reason":"tests fail"}`), event(5, "StepInterrupted", "{}"), event(6, "PlanDisplay", `{"content":"# Plan","file_path":"p.md"}`),
			event(7, "Notification", `{"title":"Built","body":"in 3 s"}`), event(8, "Hologram", "{}"),
		},
		[]string{"user/queued: wait", "user: not that", "system/hook: tests fail", "system/notice: StepInterrupted", "assistant/plan: # Plan", "system/notice: Built in 3 s"},
		[6]int{8, 6, 0, 1, 1, 0}, []string{"unknown_record@8"},
	}, {
		"empty answer, duplicate text",
		[]string{turnBegin(1, "again"), stepBegin(2, 1), turnBegin(3, "again"), stepBegin(4, 1)},
		[]string{"user: again", "assistant:", "user: again", "assistant:"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}})
}

// TestAcceptanceMemory is the same on a session of which only the model's memory is left.
func TestAcceptanceMemory(t *testing.T) {
	accept(t, storeCLI, cli+contextFile, []acceptance{{
		"all sorts",
		[]string{
			`{"role":"_system_prompt","content":"You are Kimi"}`, `{"role":"_checkpoint","id":0}`, remembers("user", "<system>CHECKPOINT 0</system>"), remembers("user", "hi"), answered("look", "c1"),
			remembered("c1", "<system>ok</system>a.txt"), `{"role":"_usage","token_count":9}`, remembers("user", "<system-reminder>x</system-reminder>"),
			remembers("user", "<system>Previous context has been compacted. Here it is:</system>they greeted"), `{"role":"oracle","content":"?"}`,
		},
		[]string{
			"user: hi", "assistant: <thinking why> look <call Shell {}>", "tool: <result <system>ok</system>a.txt>", "system/context: <system-reminder>x</system-reminder>",
			"system/compaction: <system>Previous context has been compacted. Here it is:</system>they greeted",
		},
		[6]int{10, 5, 0, 4, 1, 0}, []string{"unknown_record@10"},
	}})
}

// TestLogAndMemoryAreOne: the log stands, the memory fills what it lacks.
func TestLogAndMemoryAreOne(t *testing.T) {
	c := one(t, storeCLI, cli+wireFile, map[string]string{
		cli + wireFile: file(turnBegin(1, "hi"), stepBegin(2, 1), says(3, "think", "why"), says(3, "text", "look"), toolCall(4, "c1", "{}"), toolResult(5, "c1", `{"output":"a"}`), stepBegin(6, 2), says(7, "text", "done")),
		cli + contextFile: file(remembers("user", "<system>CHECKPOINT 0</system>"), remembers("user", "hi"), answered("look", "c1"), remembered("c1", "a"),
			remembers("user", "<system>keep going</system>"), answered("done", ""), answered("only remembered", "")),
		cli + "context_1.jsonl": file(remembers("user", "before"), remembers("user", "hi")),
		cli + stateFile:         `{"version":1,"custom_title":"Lamps","archived":true}`,
		placesFile:              `{"work_dirs":[{"path":"/proj/tower"},{"path":"/proj/lantern","kaos":"local"}]}`,
	})
	same(t, "messages", []string{
		"user: before", "user: hi", "assistant: <thinking why> look <call Shell {}>", "tool: <result a>", "system/context: <system>keep going</system>",
		"assistant: done", "assistant: <thinking why> only remembered",
	}, adaptertest.Outline(c))
	same(t, "ledger", [6]int{17, 11, 5, 1, 0, 0}, adaptertest.Counts(c.Ledger))
	same(t, "title", "Lamps", c.Title)
	same(t, "archived", true, c.Archived)
	same(t, "project", "/proj/lantern", c.Project.Dir)
	same(t, "origins", 3, len(c.Messages[1].Origins))
	var times []string
	for _, m := range c.Messages {
		times = append(times, string(m.AtFrom))
	}
	same(t, "times", []string{"inherited", "source", "source", "source", "inherited", "source", "inherited"}, times)
}

// TestNoTimeAtAll: a memory has no times; that of the file stands in.
func TestNoTimeAtAll(t *testing.T) {
	c := one(t, storeCLI, cli+contextFile, map[string]string{cli + contextFile: file(remembers("user", "hi"))})
	same(t, "time", "2026-03-01T00:00:00Z file", c.Messages[0].At.String()+" "+string(c.Messages[0].AtFrom))
}

// TestSteps: ids, model and tokens.
func TestSteps(t *testing.T) {
	c := one(t, storeCode, code+wireFile, map[string]string{code + wireFile: file(
		wire(0, "metadata", `"protocol_version":"1.4","created_at":1772441999000`), wire(1, "config.update", `"cwd":"/proj/lantern"`),
		asked(1, "turn.prompt", "user", "hi"), begin(2, "s1"), wire(3, "llm.request", `"model":"kimi-k2"`), part(4, "s1", "text", "hello"), call(5, "s1", "c1", "{}"), end(6, "s1"),
		wire(6, "usage.record", `"usageScope":"turn",`+tokens), begin(7, "s2"), wire(8, "llm.request", `"model":"kimi-k2"`), wire(9, "usage.record", `"usageScope":"turn",`+tokens))})
	spent := &lore.Usage{Input: 9, Output: 3, CacheRead: 7, CacheWrite: 1}
	same(t, "first", []any{"s1", "kimi-k2", spent, []string{"c1"}}, []any{c.Messages[1].Native, c.Messages[1].Model, c.Messages[1].Usage, c.Messages[1].Aliases})
	same(t, "second", []any{"s2", "kimi-k2", spent}, []any{c.Messages[2].Native, c.Messages[2].Model, c.Messages[2].Usage})
	same(t, "project", "/proj/lantern", c.Project.Dir)
	same(t, "ledger", [6]int{12, 10, 1, 1, 0, 0}, adaptertest.Counts(c.Ledger))
	same(t, "time", "2026-03-02T09:00:01.000Z", c.Messages[0].At.String())
}

// TestSubAgentOfKimiCode: a conversation of its own; what its caller said is its prompt, and the caller's file tells which
// call started it.
func TestSubAgentOfKimiCode(t *testing.T) {
	dir := path.Dir(path.Clean(code))
	child := dir + "/agent-0/" + wireFile
	c := one(t, storeCode, child, map[string]string{
		child: file(asked(1, "turn.prompt", "system_trigger", "count the lamps"), appended(2, "system_trigger", "count the lamps"), begin(3, "s1")),
		path.Dir(dir) + "/" + stateFile: `{"createdAt":"2026-03-02T08:59:00.000Z","title":"hi","isCustomTitle":false,"workDir":"/proj/lantern",
			"agents":{"main":{"parentAgentId":null},"agent-0":{"type":"sub","parentAgentId":"main"}}}`})
	same(t, "native", self+"/agent-0", c.Native)
	same(t, "kind", lore.Subagent, c.Kind)
	same(t, "parent", self, c.Parent.Native)
	same(t, "title", lore.TitleFromPrompt, c.TitleFrom)
	same(t, "messages", []string{"user: count the lamps", "assistant:"}, adaptertest.Outline(c))

	list, err := readAll(t, storeCode, code+wireFile, map[string]string{code + wireFile: file(
		asked(1, "turn.prompt", "user", "hi"), begin(2, "s1"), call(3, "s1", "Agent_3", "{}"), outcome(4, "Agent_3", `{"output":"agent_id: agent-0\nstatus: completed\n"}`))})
	if err != nil || len(list) != 2 {
		t.Fatal(len(list), err)
	}
	same(t, "fact", []any{true, self + "/agent-0", self, "Agent_3"}, []any{list[1].Partial, list[1].Native, list[1].Parent.Native, list[1].Parent.Call})
}

// TestSubAgentsOfKimiCLI: their events stand in the caller's log and belong to the child.
func TestSubAgentsOfKimiCLI(t *testing.T) {
	list, err := readAll(t, storeCLI, cli+wireFile, map[string]string{cli + wireFile: file(
		turnBegin(1, "hi"), stepBegin(2, 1), toolCall(3, "task-1", "{}"), inner(4, "task-1", "TurnBegin", `{"user_input":"count"}`), inner(5, "task-1", "StepBegin", `{"n":1}`),
		inner(6, "task-1", "ContentPart", `{"type":"text","text":"seven"}`), toolResult(7, "task-1", `{"output":"seven"}`),
		event(8, "SubagentEvent", `{"agent_id":"a1","parent_tool_call_id":"task-2","event":{"type":"TurnBegin","payload":{"user_input":"again"}}}`))})
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	session := path.Base(path.Clean(cli))
	same(t, "main", []string{"user: hi", "assistant: <call Shell {}>", "tool: <result seven>"}, adaptertest.Outline(list[0]))
	same(t, "child", []string{"user: count", "assistant: seven"}, adaptertest.Outline(list[1]))
	same(t, "native", session+"/task-1", list[1].Native)
	same(t, "parent", &lore.Parent{Native: session, ID: lore.ConversationID(source, session), Call: "task-1"}, list[1].Parent)
	same(t, "ledgers", [2][6]int{{4, 4}, {3, 3}}, [2][6]int{adaptertest.Counts(list[0].Ledger), adaptertest.Counts(list[1].Ledger)})
	same(t, "by agent", session+"/a1", list[2].Native)
}

// TestTitle: one that only repeats the first prompt is none.
func TestTitle(t *testing.T) {
	state := path.Dir(path.Dir(path.Clean(code))) + "/" + stateFile
	for _, c := range []struct {
		title  string
		custom bool
		want   lore.TitleFrom
	}{{"hi there", false, lore.TitleFromPrompt}, {"hi…", false, lore.TitleFromPrompt}, {"hi there", true, lore.TitleFromSource}, {"Greeting", false, lore.TitleFromSource}} {
		got := one(t, storeCode, code+wireFile, map[string]string{code + wireFile: file(asked(1, "turn.prompt", "user", "hi  there")),
			state: fmt.Sprintf(`{"title":%q,"isCustomTitle":%v}`, c.title, c.custom)})
		same(t, c.title, c.want, got.TitleFrom)
	}
}

// TestBrokenState: what stands beside a session may be damaged.
func TestBrokenState(t *testing.T) {
	c := one(t, storeCLI, cli+contextFile, map[string]string{cli + contextFile: file(remembers("user", "hi")), cli + stateFile: "{"})
	same(t, "losses", []string{"bad_json"}, adaptertest.Lost(c))
}

// TestNamedFiles: what a user names has to show what it is, and two logs that begin alike are two conversations.
func TestNamedFiles(t *testing.T) {
	ids := map[lore.ID]bool{}
	for _, c := range []struct {
		name, text string
		mine       bool
	}{
		{"a.jsonl", file(asked(1, "turn.prompt", "user", "hi")), true},
		{"b.jsonl", file(asked(1, "turn.prompt", "user", "hi")), true},
		{"a.jsonl", file(turnBegin(1, "hi")), true},
		{"a.jsonl", file(`{"role":"_checkpoint","id":0}`, remembers("user", "hi")), true},
		{"a.jsonl", file(remembers("user", "hi")), false}, {"a.jsonl", file(`{"type":"session_meta"}`), false}, {"a.jsonl", "", false}, {"a.jsonl", "no\n", false},
		{"s.json", `{"agents":{"main":{"homedir":"/h/.kimi-code/sessions/wd_x/` + self + `/agents/main"}},"title":"Lamps","workDir":"/x"}`, true},
		{"s.json", `{"agents":{}}`, false}, {"s.json", `{`, false},
	} {
		list, err := adaptertest.Read(t, New(), adapter.Source{Path: c.name}, map[string]string{c.name: c.text})
		if mine := !errors.Is(err, adapter.ErrNotMine); mine != c.mine || mine && err != nil {
			t.Errorf("%s %q: %v", c.name, c.text, err)
		}
		for _, r := range list {
			if !r.Partial {
				ids[r.ID] = true
			}
		}
	}
	same(t, "conversations", 3, len(ids)) // of Kimi Code at two places, of Kimi CLI at one
}

// TestMalformed: a log of which nothing decodes fails, and its lines are accounted for.
func TestMalformed(t *testing.T) {
	list, err := readAll(t, storeCode, code+wireFile, map[string]string{code + wireFile: "no\nno\n"})
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v", err)
	}
	same(t, "ledger", [6]int{2, 0, 0, 0, 0, 2}, adaptertest.Counts(list[0].Ledger))
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		path string
		want place
	}{
		{code + wireFile, place{log, storeCode, self, mainAgent, "wd_lantern_0a1b2c3d4e5f", path.Dir(path.Dir(path.Clean(code)))}},
		{"x/" + cli + contextFile, place{memory, storeCLI, path.Base(cli), mainAgent, "95451883475801ced6af128c82f830bb", path.Clean(cli)}},
		{cli + "context_12.jsonl", place{oldMemory, storeCLI, path.Base(cli), mainAgent, "95451883475801ced6af128c82f830bb", path.Clean(cli)}},
		{cli + "subagents/a1/wire.jsonl", place{log, storeCLI, path.Base(cli), "a1", "95451883475801ced6af128c82f830bb", path.Clean(cli)}},
		{folder + "s1.jsonl", place{formerMemory, storeCLI, "s1", mainAgent, "95451883475801ced6af128c82f830bb", folder + "s1"}},
		{"sessions/x/s1.jsonl", place{}}, {code + "plans/a.md", place{}}, {"a.jsonl", place{}},
	} {
		same(t, c.path, c.want, placeOf(c.path), cmp.AllowUnexported(place{}))
	}
}
