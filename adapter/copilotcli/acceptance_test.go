package copilotcli

import (
	"testing"
)

// TestAcceptance is the table of the format's page: a sample, and what a faithful reader makes of it. The ledger leaves
// the start of the session out: each file has one, and it is kept.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		events []string
		want   []string
		ledger [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text",
		[]string{user("e1", "hi"), reply("e2", "hello")},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2}, nil,
	}, {
		"tool only",
		[]string{asks("e1", "t1", "ls", `{"p":1}`), begin("e2", "t1", "ls", `{"p":1}`), gives("e3", "t1", "a.txt")},
		[]string{`assistant: <call ls t1 {"p":1}>`, "tool: <result a.txt>"}, [6]int{3, 2, 1}, nil,
	}, {
		"thinking only",
		[]string{ev("assistant.message", "e1", `{"content":"","reasoningText":"hm"}`), ev("assistant.message", "e2", `{"content":"","reasoningOpaque":"xx"}`)},
		[]string{"assistant: <thinking hm>", "assistant: <thinking >?"}, [6]int{2, 2}, nil,
	}, {
		"mixed",
		[]string{ev("assistant.message", "e1", `{"content":"so","reasoningText":"hm","toolRequests":[{"toolCallId":"t1","name":"ls","arguments":"{}"}]}`), gives("e2", "t1", "ok")},
		[]string{"assistant: <thinking hm> so <call ls t1 {}>", "tool: <result ok>"}, [6]int{2, 2}, nil,
	}, {
		"empty answer",
		[]string{user("e1", "hi"), reply("e2", "")},
		[]string{"user: hi", "assistant:"}, [6]int{2, 2}, nil,
	}, {
		"duplicate text",
		[]string{user("e1", "go"), reply("e2", "1"), user("e3", "go"), reply("e4", "1")},
		[]string{"user: go", "assistant: 1", "user: go", "assistant: 1"}, [6]int{4, 4}, nil,
	}, {
		"one event twice",
		[]string{user("e1", "go"), user("e1", "go")},
		[]string{"user: go"}, [6]int{2, 1, 1}, []string{"duplicate_line@3"},
	}, {
		"bad JSON",
		[]string{user("e1", "hi"), `"data":{"content":"?"}}`, reply("e3", "yes")},
		[]string{"user: hi", "assistant: yes"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@3"},
	}, {
		"unknown type",
		[]string{user("e1", "hi"), ev("galaxy.brain", "e2", `{}`), ev("galaxy.brain", "e3", `{}`)},
		[]string{"user: hi"}, [6]int{3, 1, 0, 0, 2}, []string{"unknown_record@3x2"},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readLogOf(t, c.events...)[0]
			equal(t, c.want, render(got))
			c.ledger[0]++
			c.ledger[1]++
			equal(t, c.ledger, counts(got))
			equal(t, c.lost, lost(got))
		})
	}
}

// TestAcceptanceMissingTime: an event without a time has that of the one before it, or of the session.
func TestAcceptanceMissingTime(t *testing.T) {
	c := readLogOf(t, `{"type":"user.message","data":{"content":"a"},"id":"e1"}`, reply("e2", "b"), `{"type":"user.message","data":{"content":"c"},"id":"e3","timestamp":"?"}`)[0]
	var got []string
	for _, m := range c.Messages {
		got = append(got, m.At.String()+" "+string(m.AtFrom))
	}
	equal(t, []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:01:00.000Z source", "2026-03-02T09:01:00.000Z inherited"}, got)
	equal(t, []string{"bad_time@4"}, lost(c))
}
