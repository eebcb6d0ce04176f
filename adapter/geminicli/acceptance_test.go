package geminicli

import (
	"testing"

	"lore"
)

// TestAcceptance is the table of the format's page: a sample, and what a faithful reader makes of it. The ledger leaves
// the head out: each file has one, and it is kept.
func TestAcceptance(t *testing.T) {
	const tool = `"toolCalls":[{"id":"t1","name":"ls","args":{"p":1},"status":"success","result":[{"functionResponse":{"id":"t1","name":"ls","response":{"output":"a.txt"}}}]}]`
	cases := []struct {
		name    string
		records []string
		want    []string
		natives []string
		ledger  [6]int // units, kept, merged, skipped, unknown, damaged
		lost    []string
	}{{
		"plain text",
		[]string{said("m1", "user", `"hi"`), said("m2", "gemini", `"hello"`)},
		[]string{"user: hi", "assistant: hello"}, []string{"m1", "m2"},
		[6]int{2, 2}, nil,
	}, {
		"tool only",
		[]string{`{"id":"m1","type":"gemini","content":"",` + tool + `}`},
		[]string{`assistant: <call ls t1 {"p":1}>`, "tool: <result a.txt>"}, []string{"m1", "tool:m1"},
		[6]int{1, 1}, nil,
	}, {
		"thinking only",
		[]string{`{"id":"m1","type":"gemini","content":"","thoughts":[{"subject":"Plan","description":"look around"}]}`},
		[]string{"assistant: <thinking Plan\nlook around>"}, []string{"m1"},
		[6]int{1, 1}, nil,
	}, {
		"mixed",
		[]string{`{"id":"m1","type":"gemini","content":"so","thoughts":[{"description":"hm"}],` + tool + `}`},
		[]string{`assistant: <thinking hm> so <call ls t1 {"p":1}>`, "tool: <result a.txt>"}, []string{"m1", "tool:m1"},
		[6]int{1, 1}, nil,
	}, {
		"empty answer",
		[]string{said("m1", "user", `"hi"`), said("m2", "gemini", `""`), said("m3", "user", `null`)},
		[]string{"user: hi", "assistant:", "user:"}, []string{"m1", "m2", "m3"},
		[6]int{3, 3}, nil,
	}, {
		"duplicate text",
		[]string{said("m1", "user", `"go"`), said("m2", "gemini", `"1"`), said("m3", "user", `"go"`), said("m2", "gemini", `"2"`)},
		[]string{"user: go", "assistant: 2", "user: go"}, []string{"m1", "m2", "m3"},
		[6]int{4, 3, 1}, nil,
	}, {
		"bad JSON",
		[]string{said("m1", "user", `"hi"`), `{"id":"m2","type":"gem`, said("m3", "gemini", `"yes"`)},
		[]string{"user: hi", "assistant: yes"}, []string{"m1", "m3"},
		[6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@3"},
	}, {
		"unknown record and type",
		[]string{said("m1", "user", `"hi"`), `{"wave":1}`, said("m2", "hologram", `"?"`)},
		[]string{"user: hi"}, []string{"m1"},
		[6]int{3, 1, 0, 0, 2, 0}, []string{"unknown_record@3", "unknown_record@4"},
	}, {
		"rewind",
		[]string{said("m1", "user", `"a"`), said("m2", "user", `"b"`), `{"$rewindTo":"m2"}`, said("m3", "user", `"c"`)},
		[]string{"user: a", "[user: b]", "user: c"}, []string{"m1", "m2", "m3"},
		[6]int{4, 4}, nil,
	}, {
		"rewind to an unknown id",
		[]string{said("m1", "user", `"a"`), `{"$rewindTo":"x"}`, said("m3", "user", `"c"`)},
		[]string{"[user: a]", "user: c"}, []string{"m1", "m3"},
		[6]int{3, 3}, []string{"unknown_rewind@3"},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readChatOf(t, c.records...)
			equal(t, c.want, render(got))
			equal(t, c.natives, natives(got))
			c.ledger[0]++
			c.ledger[1]++
			equal(t, c.ledger, counts(got))
			equal(t, c.lost, lost(got))
		})
	}
}

// TestAcceptanceMissingTime: a message without a time has that of the one before it, or of the session.
func TestAcceptanceMissingTime(t *testing.T) {
	c := readChatOf(t, said("m1", "user", `"a"`), `{"id":"m2","type":"gemini","content":"b","timestamp":"2026-03-02T09:05:00.000Z"}`, said("m3", "user", `"c"`))
	var got []string
	for _, m := range c.Messages {
		got = append(got, m.At.String()+" "+string(m.AtFrom))
	}
	equal(t, []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:05:00.000Z source", "2026-03-02T09:05:00.000Z inherited"}, got)
}

// TestAcceptanceTwin: a document and the log that was made from it are one conversation; the log wins.
func TestAcceptanceTwin(t *testing.T) {
	twin := chatPath[:len(chatPath)-1]
	c := only(t, chatPath, map[string]string{
		chatPath: chatOf(said("m1", "user", `"new words"`), said("m3", "user", `"more"`)),
		twin:     `{"sessionId":"a1a1a1a1-0000-4000-8000-000000000001","projectHash":"x","messages":[` + said("m1", "user", `"old words"`) + `,` + said("m2", "gemini", `"old answer"`) + `]}`,
	})
	equal(t, []string{"user: new words", "assistant: old answer", "user: more"}, render(c))
	equal(t, [6]int{6, 5, 1}, counts(c))
	equal(t, lore.Locator{File: "~/.gemini/" + twin, Line: 1, Offset: 82, Length: 47}, c.Messages[0].Origins[1])
}
