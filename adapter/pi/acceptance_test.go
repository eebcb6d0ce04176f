package pi

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
	self   = "019c0000-0001-7000-8000-000000000001"
	origin = "019c0000-0000-7000-8000-000000000001"
	file   = "--proj-lantern--/2026-03-02T09-00-00-000Z_" + self + ".jsonl"
)

// head is the header of a session of version 3, with further fields.
func head(fields string) string {
	return `{"type":"session","version":3,"id":"` + self + `","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/proj/lantern"` + fields + `}`
}

// said is an entry of type message: its id, its parent's ("" for a root) and the message.
func said(id, parent, message string) string {
	up := "null"
	if parent != "" {
		up = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-02T09:01:00.000Z","message":{%s}}`, id, up, message)
}

func user(text string) string {
	return fmt.Sprintf(`"role":"user","content":[{"type":"text","text":%q}]`, text)
}

func bot(blocks string) string {
	return `"role":"assistant","model":"m-1","usage":{"input":3,"output":2,"cacheRead":1,"cacheWrite":0},"content":[` + blocks + `]`
}

func say(text string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, text) }

func session(t *testing.T, lines ...string) *lore.Conversation {
	t.Helper()
	list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: storePi, Path: file},
		map[string]string{file: strings.Join(lines, "\n") + "\n"})
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

// TestAcceptance is the table of the format's page. Each file begins with a header, which is one unit kept.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		lines  []string
		want   []string
		counts [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text",
		[]string{said("a", "", user("hi")), said("b", "a", bot(say("hello")))},
		[]string{"user: hi", "assistant: hello"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"content as a string",
		[]string{said("a", "", `"role":"user","content":"hi"`)},
		[]string{"user: hi"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"tool only",
		[]string{
			said("a", "", user("list")),
			said("b", "a", bot(`{"type":"toolCall","id":"c1","name":"bash","arguments":{"command": "ls"}}`)),
			said("c", "b", `"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"a.txt"}],"isError":false`),
		},
		[]string{"user: list", `assistant: <call bash {"command": "ls"}>`, "tool: <result bash a.txt>"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"a failed tool without output, and one that was cut",
		[]string{
			said("a", "", `"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[],"isError":true`),
			said("b", "a", `"role":"toolResult","toolCallId":"c2","content":[{"type":"text","text":"x"}],"details":{"truncation":{"truncated":true}}`),
		},
		[]string{"tool: <result bash failed>", "tool: <result x>"}, [6]int{3, 3, 0, 0, 0, 0}, []string{"truncated_by_source@3"},
	}, {
		"thinking only",
		[]string{said("a", "", bot(`{"type":"thinking","thinking":"why","thinkingSignature":"s"}`))},
		[]string{"assistant: <thinking why>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"thinking that was redacted",
		[]string{said("a", "", bot(`{"type":"thinking","thinking":"","thinkingSignature":"s","redacted":true}`))},
		[]string{"assistant: <thinking unreadable>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"mixed",
		[]string{said("a", "", bot(`{"type":"thinking","thinking":"why"},`+say("look")+`,{"type":"toolCall","id":"c1","name":"read","arguments":{}}`))},
		[]string{"assistant: <thinking why> look <call read {}>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"empty answer with an error",
		[]string{said("a", "", `"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"`)},
		[]string{"assistant:", "system/notice: overloaded"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"a call that never ended",
		[]string{said("a", "", `"role":"assistant","stopReason":"aborted","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"l"},"partialJson":"{\"command\":\"l"}]`)},
		[]string{`assistant: <call bash {"command":"l>`}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"a call that ended keeps its arguments",
		[]string{said("a", "", bot(`{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"},"partialJson":"{\"command\":\"l"}`))},
		[]string{`assistant: <call bash {"command":"ls"}>`}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{said("a", "", user("again")), said("b", "a", user("again"))},
		[]string{"user: again", "user: again"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"the same line twice",
		[]string{said("a", "", user("hi")), said("a", "", user("hi")), said("b", "a", bot(say("hello")))},
		[]string{"user: hi", "assistant: hello"}, [6]int{4, 3, 1, 0, 0, 0}, []string{"duplicate_line@3"},
	}, {
		"bad JSON: children of the lost entry by the order of the file",
		[]string{said("a", "", user("hi")), `{"type":"message","id":"b","parentId":"a","timest`, said("c", "b", user("so?"))},
		[]string{"user: hi", "user: so?"}, [6]int{4, 3, 0, 0, 0, 1}, []string{"bad_json@3"},
	}, {
		"a parent that is nowhere",
		[]string{said("a", "", user("hi")), said("c", "b", user("so?"))},
		[]string{"user: hi", "user: so?"}, [6]int{3, 3, 0, 0, 0, 0}, []string{"missing_parent@3"},
	}, {
		"unknown entry: it carries the chain",
		[]string{said("a", "", user("hi")), `{"type":"hologram","id":"b","parentId":"a"}`, said("c", "b", bot(say("hello")))},
		[]string{"user: hi", "assistant: hello"}, [6]int{4, 3, 0, 0, 1, 0}, []string{"unknown_record@3"},
	}, {
		"unknown role and block",
		[]string{said("a", "", `"role":"oracle","content":"?"`), said("b", "a", bot(`{"type":"smell","x":1}`))},
		[]string{`assistant: <unknown smell {"type":"smell","x":1}>`}, [6]int{3, 2, 0, 0, 1, 0}, []string{"unknown_record@2", "unknown_record@3"},
	}, {
		"branch: the path to the last entry is active",
		[]string{said("a", "", user("hi")), said("b", "a", bot(say("one"))), said("c", "b", user("no")), said("d", "a", bot(say("two")))},
		[]string{"user: hi", "[assistant: one]", "[user: no]", "assistant: two"}, [6]int{5, 5, 0, 0, 0, 0}, nil,
	}, {
		"summaries, extensions and settings",
		[]string{
			said("a", "", user("hi")),
			`{"type":"compaction","id":"b","parentId":"a","timestamp":"2026-03-02T09:02:00Z","summary":"they greeted","firstKeptEntryId":"a"}`,
			`{"type":"branch_summary","id":"c","parentId":"b","timestamp":"2026-03-02T09:02:00Z","summary":"a way not taken","fromId":"a"}`,
			`{"type":"custom_message","id":"d","parentId":"c","timestamp":"2026-03-02T09:02:00Z","customType":"x","content":"be brief","display":true}`,
			`{"type":"custom","id":"e","parentId":"d","customType":"x","data":{}}`,
			`{"type":"model_change","id":"f","parentId":"e","modelId":"m-2"}`,
			`{"type":"label","id":"g","parentId":"f","targetId":"a","label":"start"}`,
		},
		[]string{"user: hi", "system/compaction: they greeted", "system/summary: a way not taken", "system/context: be brief"},
		[6]int{8, 5, 0, 3, 0, 0}, nil,
	}, {
		"a command that the person ran",
		[]string{said("a", "", `"role":"bashExecution","command":"make","output":"no rule","exitCode":2,"cancelled":false,"truncated":true`)},
		[]string{"system/command: <call bash make>", "tool: <result bash failed no rule>"}, [6]int{2, 2, 0, 0, 0, 0}, []string{"truncated_by_source@2"},
	}, {
		"an image",
		[]string{said("a", "", `"role":"user","content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]`)},
		[]string{"user: <image sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := session(t, append([]string{head("")}, c.lines...)...)
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestVersion1: no ids, no parents; all is one line.
func TestVersion1(t *testing.T) {
	c := session(t,
		`{"type":"session","id":"`+self+`","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/proj/lantern","provider":"p","modelId":"m-1"}`,
		`{"type":"message","timestamp":"2026-03-02T09:01:00.000Z","message":{`+user("hi")+`}}`,
		`{"type":"compaction","timestamp":"2026-03-02T09:02:00.000Z","summary":"greeted","firstKeptEntryIndex":1}`,
		`{"type":"message","timestamp":"2026-03-02T09:03:00.000Z","message":{`+bot(say("hello"))+`}}`)
	same(t, "messages", []string{"user: hi", "system/compaction: greeted", "assistant: hello"}, adaptertest.Outline(c))
	same(t, "usage", &lore.Usage{Input: 3, Output: 2, CacheRead: 1}, c.Usage)
	for _, m := range c.Messages {
		same(t, "native", "", m.Native)
	}
}

// TestMissingTime: by the message, else as the entry before.
func TestMissingTime(t *testing.T) {
	c := session(t, head(""),
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"one"}}`,
		`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"two","timestamp":1772442065000}}`,
		`{"type":"message","id":"c","parentId":"b","timestamp":"yesterday","message":{"role":"user","content":"three"}}`)
	var got []string
	for _, m := range c.Messages {
		got = append(got, m.At.String()+" "+string(m.AtFrom))
	}
	same(t, "times", []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:01:05.000Z source", "2026-03-02T09:01:05.000Z inherited"}, got)
	same(t, "losses", []string{"bad_time@4"}, adaptertest.Lost(c))
}

// TestTitle: the newest of session names and the fork's title record; an empty name takes it back.
func TestTitle(t *testing.T) {
	name := func(text, at string) string {
		return fmt.Sprintf(`{"type":"session_info","id":"n%s","parentId":"a","timestamp":"2026-03-02T%s:00Z","name":%q}`, at, at, text)
	}
	slot := func(text string) string {
		return fmt.Sprintf(`{"type":"title","v":1,"title":%q,"updatedAt":"2026-03-02T09:30:00Z","pad":"   "}`, text)
	}
	hi := said("a", "", user("hi"))
	for _, c := range []struct {
		lines []string
		want  string
		kept  int
	}{
		{[]string{head(""), hi, name("Lamps", "09:10"), name("Lanterns", "09:20")}, "Lanterns", 3},
		{[]string{slot("Slot"), head(""), hi, name("Lamps", "09:10")}, "Slot", 3},
		{[]string{slot(""), head(""), hi, name("Lamps", "09:10")}, "Lamps", 3},
		{[]string{head(""), hi, name("Lamps", "09:10"), name("", "09:20")}, "hi", 2},
	} {
		got := session(t, c.lines...)
		same(t, "title", c.want, got.Title)
		same(t, "kept", c.kept, got.Ledger.Kept)
	}
}

// TestFork: a session forked into a new file takes over entries; their tokens are counted in the origin.
func TestFork(t *testing.T) {
	old := strings.Replace(said("a", "", bot(say("hello"))), "09:01", "08:01", 1)
	c := session(t, head(`,"parentSession":"/home/ada/.pi/agent/sessions/--proj--/2026-03-01T09-00-00-000Z_`+origin+`.jsonl"`), old, said("b", "a", bot(say("new"))))
	same(t, "lineage", &lore.Lineage{Kind: lore.Fork, OfNative: origin, Of: lore.ConversationID(source, origin), Shared: 1}, c.Lineage)
	same(t, "usage", &lore.Usage{Input: 3, Output: 2, CacheRead: 1}, c.Usage)
}

// TestMissingHeader: the id is that of the name.
func TestMissingHeader(t *testing.T) {
	c := session(t, said("a", "", user("hi")))
	same(t, "native", self, c.Native)
	same(t, "losses", []string{"missing_header"}, adaptertest.Lost(c))
}

// TestNotMine: a file that a user names has to show that it is a session.
func TestNotMine(t *testing.T) {
	for _, text := range []string{"", "{}\n", "no\n", `{"type":"message","message":{"role":"user","content":"hi"},"timestamp":1}` + "\n"} {
		_, err := adaptertest.Read(t, New(), adapter.Source{Path: "notes.jsonl"}, map[string]string{"notes.jsonl": text})
		if !errors.Is(err, adapter.ErrNotMine) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMalformed: a session's file of which nothing decodes fails, and its lines are accounted for.
func TestMalformed(t *testing.T) {
	list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: storePi, Path: file}, map[string]string{file: "no\nno\n"})
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v", err)
	}
	same(t, "ledger", [6]int{2, 0, 0, 0, 0, 2}, adaptertest.Counts(list[0].Ledger))
}
