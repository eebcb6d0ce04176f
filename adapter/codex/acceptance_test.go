package codex

import (
	"strings"
	"testing"

	"lore"
)

// TestAcceptance is the table of section 10 of the format's page: a sample, and what a faithful reader makes of it.
// The ledger leaves the session_meta out: each file has one, and it is kept.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name    string
		records []string
		want    []string
		ledger  [6]int // units, kept, merged, skipped, unknown, damaged
		lost    []string
	}{{
		"plain text, dual-written",
		[]string{userItem("hi"), userEvent("hi"), botEvent("hello"), botItem("hello")},
		[]string{"user: hi", "assistant: hello"},
		[6]int{4, 2, 2, 0, 0, 0}, nil,
	}, {
		"tool only",
		[]string{userItem("list"), callItem("c1", "shell", `{"command":["ls"]}`), outItem("c1", "a.txt")},
		[]string{"user: list", `assistant: <call shell {"command":["ls"]}>`, "tool: <result a.txt>"},
		[6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{userItem("why"), thinkItem("because")},
		[]string{"user: why", "assistant: <thinking because>"},
		[6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"thinking only, encrypted",
		[]string{userItem("why"), thinkItem()},
		[]string{"user: why", "assistant: <thinking ?>"},
		[6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"mixed turn",
		[]string{userItem("go"), thinkEvent("plan"), thinkItem("plan"), callItem("c1", "shell", "{}"), outItem("c1", "ok"), botEvent("done"), botItem("done")},
		[]string{"user: go", "assistant: <thinking plan>", "assistant: <call shell {}>", "tool: <result ok>", "assistant: done"},
		[6]int{7, 5, 2, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{userItem("go"), botEvent("")},
		[]string{"user: go", "assistant: "},
		[6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{
			userItem("continue"), userEvent("continue"), botEvent("1"), botItem("1"), userItem("continue"), userEvent("continue"),
			botEvent("2"), botItem("2"), userItem("continue"), userEvent("continue"),
		},
		[]string{"user: continue", "assistant: 1", "user: continue", "assistant: 2", "user: continue"},
		[6]int{10, 5, 5, 0, 0, 0}, nil,
	}, {
		"bad JSON on line n",
		[]string{userItem("hi"), `"type":"response_item","payload":{"type":`, botItem("hello")},
		[]string{"user: hi", "assistant: hello"},
		[6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@3"},
	}, {
		"unknown version",
		[]string{userItem("hi"), item(`{"type":"hologram","x":1}`), botItem("hello")},
		[]string{"user: hi", "assistant: hello"},
		[6]int{3, 2, 0, 0, 1, 0}, []string{"unknown_record@3"},
	}, {
		"event before response_item",
		[]string{userEvent("hi"), userItem("hi"), botItem("hello"), botEvent("hello")},
		[]string{"user: hi", "assistant: hello"},
		[6]int{4, 2, 2, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readOne(t, append([]string{meta("")}, c.records...)...)
			same(t, c.want, render(got))
			c.ledger[0]++
			c.ledger[1]++
			same(t, c.ledger, counts(got))
			same(t, c.lost, lost(got))
		})
	}
}

// TestAcceptanceMissingTime: generation 2 has one time, that of its head.
func TestAcceptanceMissingTime(t *testing.T) {
	c := readFile(t, filePath, strings.Join([]string{
		`{"id":"` + selfID + `","timestamp":"2025-08-01T08:00:00.000Z","instructions":null,"git":{"branch":"main"}}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"b"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}`,
	}, "\n")+"\n")
	same(t, []string{"user: b", "user: a"}, render(c))
	for _, m := range c.Messages {
		if m.AtFrom != lore.FromInherited || m.At.String() != "2025-08-01T08:00:00.000Z" {
			t.Errorf("at %s from %s", m.At, m.AtFrom)
		}
	}
}

// TestAcceptanceBadFirstLine: the conversation is imported, with one loss.
func TestAcceptanceBadFirstLine(t *testing.T) {
	c := readFile(t, filePath, "{\"timestamp\":\"2026-03-02T09:00:00.000Z\",\"type\":\"session_meta\",\"payl\n"+rollout(userItem("hi")))
	same(t, []string{"user: hi"}, render(c))
	same(t, []string{"bad_json@1"}, lost(c))
	same(t, selfID, c.Native)
	same(t, "2026-03-02T09:00:00", c.StartedAt.String())
}
