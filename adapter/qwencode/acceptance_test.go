package qwencode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

const (
	self  = "019c0000-0001-7000-8000-000000000001"
	other = "019c0000-0002-7000-8000-000000000002"
	file  = "projects/-proj-lantern/chats/" + self + ".jsonl"
)

// rec is a record: its uuid, its parent's ("" for a root), its type and further fields.
func rec(uuid, parent, typ, fields string) string {
	up := "null"
	if parent != "" {
		up = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":"2026-03-02T09:01:00.000Z","type":%q,"cwd":"/proj/lantern","version":"0.21.13",%s}`,
		uuid, up, self, typ, fields)
}

func user(uuid, parent, text string) string {
	return rec(uuid, parent, "user", fmt.Sprintf(`"systemPayload":{"displayText":%q},"message":{"role":"user","parts":[{"text":%q}]}`, text, text))
}

func bot(uuid, parent, parts string) string {
	return rec(uuid, parent, "assistant", `"model":"m-1","usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"message":{"role":"model","parts":[`+parts+`]}`)
}

func say(text string) string   { return fmt.Sprintf(`{"text":%q}`, text) }
func think(text string) string { return fmt.Sprintf(`{"text":%q,"thought":true}`, text) }

func result(uuid, parent, response, account string) string {
	return rec(uuid, parent, "tool_result", `"message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":`+response+`}}]},"toolCallResult":`+account)
}

func system(uuid, parent, subtype, payload string) string {
	return rec(uuid, parent, "system", fmt.Sprintf(`"subtype":%q,"systemPayload":%s`, subtype, payload))
}

const call = `{"functionCall":{"id":"c1","name":"ls","args":{"path": "."}}}`

func readAll(t *testing.T, name string, files map[string]string) []*lore.Conversation {
	t.Helper()
	src := adapter.Source{Product: source, Store: store, Path: name}
	if meta := metaOf(name); files[meta] != "" {
		src.Companions = []string{meta}
	}
	list, err := adaptertest.Read(t, New(), src, files)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func chat(t *testing.T, lines ...string) *lore.Conversation {
	t.Helper()
	list := readAll(t, file, map[string]string{file: strings.Join(lines, "\n") + "\n"})
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

// TestAcceptance is the table of the format's page.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		lines  []string
		want   []string
		counts [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text",
		[]string{user("a", "", "hi"), bot("b", "a", say("hello"))},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"tool only",
		[]string{bot("a", "", call), result("b", "a", `{"output":"a.txt"}`, `{"callId":"c1","status":"success","resultDisplay":"a.txt"}`)},
		[]string{`assistant: <call ls {"path": "."}>`, "tool: <result ls a.txt>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"failed tools",
		[]string{
			result("a", "", `{"error":"no such folder"}`, `{"status":"error"}`), result("b", "a", `{"output":"x"}`, `{"status":"error"}`),
			result("c", "b", `{"exit":1}`, `{"status":"success"}`), rec("d", "c", "tool_result", `"message":{"parts":[]},"toolCallResult":{"callId":"c2","resultDisplay":"shown"}`),
		},
		[]string{"tool: <result ls failed no such folder>", "tool: <result ls failed x>", `tool: <result ls {"exit":1}>`, "tool: <result shown>"},
		[6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{bot("a", "", think("why"))},
		[]string{"assistant: <thinking why>"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"mixed",
		[]string{bot("a", "", think("why")+","+say("look")+","+call)},
		[]string{`assistant: <thinking why> look <call ls {"path": "."}>`}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{bot("a", "", "")},
		[]string{"assistant:"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{user("a", "", "again"), user("b", "a", "again")},
		[]string{"user: again", "user: again"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"the same line twice",
		[]string{user("a", "", "hi"), user("a", "", "hi")},
		[]string{"user: hi"}, [6]int{2, 1, 1, 0, 0, 0}, []string{"duplicate_line@2"},
	}, {
		"one answer in two records",
		[]string{user("a", "", "hi"), bot("b", "a", think("why")), bot("b", "a", say("hello")), user("c", "b", "thanks")},
		[]string{"user: hi", "assistant: <thinking why> hello", "user: thanks"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON",
		[]string{user("a", "", "hi"), `{"uuid":"b","parentUuid":"a","sess`, user("c", "b", "so?")},
		[]string{"user: hi", "user: so?"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@2"},
	}, {
		"glued, with braces in the text",
		[]string{user("a", "", "a }{ b {x}") + bot("b", "a", say("}{"))},
		[]string{"user: a }{ b {x}", "assistant: }{"}, [6]int{2, 2, 0, 0, 0, 0}, []string{"missing_newline@1"},
	}, {
		"unknown types, subtypes and parts",
		[]string{
			rec("a", "", "oracle", `"message":{"parts":[]}`), system("b", "a", "hologram", `{}`),
			rec("c", "b", "user", `"subtype":"dreamt","message":{"parts":[{"text":"x"}]}`), bot("d", "c", `{"executableCode":{"code":"1"}}`),
		},
		[]string{`assistant: <unknown executableCode {"executableCode":{"code":"1"}}>`}, [6]int{4, 1, 0, 0, 3, 0},
		[]string{"unknown_record@1", "unknown_record@2", "unknown_record@3", "unknown_record@4"},
	}, {
		"rewind: the old branch is inactive, its title is not used",
		[]string{
			user("a", "", "hi"), bot("b", "a", say("one")), system("c", "b", "custom_title", `{"customTitle":"Old"}`),
			system("d", "c", "rewind", `{"targetUuid":"a"}`), user("e", "d", "again"), bot("f", "e", say("two")),
		},
		[]string{"user: hi", "[assistant: one]", "user: again", "assistant: two"}, [6]int{6, 4, 0, 2, 0, 0}, nil,
	}, {
		"a rewind to nowhere",
		[]string{user("a", "", "hi"), system("b", "a", "rewind", `{"targetUuid":"z"}`), user("c", "b", "again")},
		[]string{"user: hi", "user: again"}, [6]int{3, 2, 0, 1, 0, 0}, []string{"unknown_rewind@2"},
	}, {
		"a parent that is nowhere",
		[]string{user("a", "", "hi"), user("c", "b", "so?")},
		[]string{"user: hi", "user: so?"}, [6]int{2, 2, 0, 0, 0, 0}, []string{"missing_parent@2"},
	}, {
		"what is not the person's",
		[]string{
			rec("a", "", "user", `"subtype":"notification","systemPayload":{"displayText":"built"},"message":{"parts":[{"text":"built"}]}`),
			rec("b", "a", "user", `"subtype":"cron","message":{"parts":[{"text":"every hour"}]}`),
			rec("c", "b", "user", `"subtype":"mid_turn_user_message","message":{"parts":[{"text":"wait"}]}`),
			system("d", "c", "slash_command", `{"phase":"invocation","rawCommand":"/about"}`),
			system("e", "d", "slash_command", `{"phase":"result","rawCommand":"/about","outputHistoryItems":[{"type":"info","text":"v1"},{"type":"about"}]}`),
			system("f", "e", "slash_command", `{"phase":"result","rawCommand":"/about","outputHistoryItems":[{"type":"about"}]}`),
			system("g", "f", "chat_compression", `{"info":{},"compressedHistory":[{"role":"user","parts":[{"text":"they built"}]},{"role":"model","parts":[]}]}`),
			system("h", "g", "ui_telemetry", `{"uiEvent":{"input_token_count":9}}`),
		},
		[]string{"system/notice: built", "system/context: every hour", "user/queued: wait", "system/command: /about", "system/command: v1", "system/compaction: they built"},
		[6]int{8, 6, 0, 2, 0, 0}, nil,
	}, {
		"what is added to a prompt",
		[]string{
			rec("a", "", "user", `"systemPayload":{"displayText":"see @a.txt","hookContext":"be brief"},"message":{"parts":[{"text":"see "},{"text":"content of a"},`+
				`{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"text":"`+hookOpen+`\nbe brief\n`+hookEnd+`"}]}`),
			rec("b", "a", "user", `"message":{"parts":[{"text":"what is `+hookOpen+`?"},{"text":"`+hookOpen+`\nx\n`+hookEnd+`"}]}`),
		},
		[]string{
			"user: see @a.txt <image sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4>", "system/hook: be brief",
			"system/context: see  content of a", "user: what is " + hookOpen + "?", "system/hook: x",
		},
		[6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"a file by reference",
		[]string{rec("a", "", "user", `"message":{"parts":[{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a.pdf","displayName":"a.pdf"}}]}`)},
		[]string{"user: <file a.pdf gs://a.pdf>"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := chat(t, c.lines...)
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestMissingTime: as the record before, or the first that has one.
func TestMissingTime(t *testing.T) {
	c := chat(t, user("a", "", "one"), strings.Replace(user("b", "a", "two"), "2026-03-02T09:01:00.000Z", "soon", 1))
	same(t, "time", "2026-03-02T09:01:00.000Z inherited", c.Messages[1].At.String()+" "+string(c.Messages[1].AtFrom))
	same(t, "losses", []string{"bad_time@2"}, adaptertest.Lost(c))
	c = chat(t, strings.Replace(user("a", "", "one"), `"timestamp":"2026-03-02T09:01:00.000Z",`, "", 1), user("b", "a", "two"))
	same(t, "first", "2026-03-02T09:01:00.000Z inherited", c.Messages[0].At.String()+" "+string(c.Messages[0].AtFrom))
}

// TestTitleAndProject: the last ones on the active branch stand; artifacts say nothing of either.
func TestTitleAndProject(t *testing.T) {
	moved := strings.Replace(user("c", "b", "go on"), "/proj/lantern", "/proj/tower", 1)
	moved = strings.Replace(moved, `"version"`, `"gitBranch":"beam","version"`, 1)
	artifact := strings.Replace(system("e", "d", "session_artifact_snapshot", `{"summary":"x"}`), "/proj/lantern", "/proj/artifact", 1)
	named := strings.Replace(system("d", "c", "custom_title", `{"customTitle":"Tower"}`), "/proj/lantern", "/proj/tower", 1)
	c := chat(t, user("a", "", "hi"), system("b", "a", "custom_title", `{"customTitle":"Lamp"}`), moved, named, artifact)
	same(t, "title", "Tower source", c.Title+" "+string(c.TitleFrom))
	same(t, "project", lore.Project{Dir: "/proj/tower", Name: "tower", Branch: "beam"}, c.Project)
	same(t, "ledger", [6]int{5, 3, 0, 2, 0, 0}, adaptertest.Counts(c.Ledger))
}

// TestAnswerInTwoRecords: one message with the model and tokens of either, and both as origins.
func TestAnswerInTwoRecords(t *testing.T) {
	c := chat(t, user("a", "", "hi"), rec("b", "a", "assistant", `"message":{"role":"model","parts":[`+think("why")+`]}`), bot("b", "a", say("hello")))
	m := c.Messages[1]
	same(t, "model", "m-1", m.Model)
	same(t, "usage", &lore.Usage{Input: 3, Output: 2}, m.Usage)
	same(t, "origins", 2, len(m.Origins))
	same(t, "units", 2, m.Units)
	same(t, "native", "b", m.Native)
}

// TestUndashedName: the name is the session's id without its dashes.
func TestUndashedName(t *testing.T) {
	name := "projects/x/chats/" + undashed(self) + ".jsonl"
	list := readAll(t, name, map[string]string{name: user("a", "", "hi") + "\n"})
	same(t, "native", self, list[0].Native)
	same(t, "losses", []string(nil), adaptertest.Lost(list[0]))
}

// TestRecordsOfAnotherSession are given to it.
func TestRecordsOfAnotherSession(t *testing.T) {
	foreign := strings.ReplaceAll(user("x", "", "elsewhere"), self, other)
	list := readAll(t, file, map[string]string{file: foreign + "\n" + user("a", "", "hi") + "\n"})
	if len(list) != 2 {
		t.Fatalf("%d records", len(list))
	}
	same(t, "own", []string{"user: hi"}, adaptertest.Outline(list[0]))
	same(t, "losses", []string{"foreign_session_record@1"}, adaptertest.Lost(list[0]))
	same(t, "native", other, list[1].Native)
	same(t, "foreign", []string{"user: elsewhere"}, adaptertest.Outline(list[1]))
}

// TestBranchedSession: the copies are told apart by what each record says.
func TestBranchedSession(t *testing.T) {
	copied := strings.Replace(bot("a", "", say("hello")), `"version"`, `"forkedFrom":{"sessionId":"`+other+`","messageUuid":"a"},"version"`, 1)
	c := chat(t, copied, bot("b", "a", say("new")))
	same(t, "lineage", &lore.Lineage{Kind: lore.Fork, OfNative: other, Of: lore.ConversationID(source, other), Shared: 1}, c.Lineage)
	same(t, "usage", &lore.Usage{Input: 3, Output: 2}, c.Usage)
}

// TestSubAgent: a conversation of its own, below the call that started it.
func TestSubAgent(t *testing.T) {
	name := "projects/-proj-lantern/subagents/" + self + "/agent-explore-7f.jsonl"
	line := strings.Replace(user("a", "", "count the lamps"), `"version"`, `"agentId":"explore-7f","isSidechain":true,"version"`, 1)
	list := readAll(t, name, map[string]string{
		name:         line + "\n",
		metaOf(name): `{"agentId":"explore-7f","agentType":"explore","description":"Count lamps","parentSessionId":"` + self + `","toolUseId":"c7","parentAgentId":null}`,
	})
	c := list[0]
	same(t, "native", self+"/explore-7f", c.Native)
	same(t, "kind", lore.Subagent, c.Kind)
	same(t, "parent", &lore.Parent{Native: self, ID: lore.ConversationID(source, self), Call: "c7"}, c.Parent)
	same(t, "title", "Count lamps", c.Title)
	same(t, "messages", []string{"user: count the lamps"}, adaptertest.Outline(c))
}

// TestSubSession: a session that another one started.
func TestSubSession(t *testing.T) {
	c := chat(t, system("a", "", "parent_session", `{"parentSessionId":"`+other+`"}`), user("b", "a", "hi"))
	same(t, "parent", other, c.Parent.Native)
	same(t, "kind", lore.Subagent, c.Kind)
	same(t, "ledger", [6]int{2, 2, 0, 0, 0, 0}, adaptertest.Counts(c.Ledger))
}

// TestNotMine: a file that a user names has to show that it is a chat.
func TestNotMine(t *testing.T) {
	claude := `{"uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-03-02T09:01:00.000Z","type":"user","message":{"role":"user","content":"hi"}}`
	for _, text := range []string{"", "{}\n", "no\n", claude + "\n"} {
		_, err := adaptertest.Read(t, New(), adapter.Source{Path: "a.jsonl"}, map[string]string{"a.jsonl": text})
		if !errors.Is(err, adapter.ErrNotMine) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMalformed: a chat of which nothing decodes fails, and its lines are accounted for.
func TestMalformed(t *testing.T) {
	list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: store, Path: file}, map[string]string{file: "no\nno\n"})
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v", err)
	}
	same(t, "ledger", [6]int{2, 0, 0, 0, 0, 2}, adaptertest.Counts(list[0].Ledger))
}
