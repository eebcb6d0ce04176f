package goose

import (
	"strings"
	"testing"

	"lore/adapter"
	"lore/adapter/adaptertest"
)

const head = `{"working_dir":"/proj/lantern","description":"Oil","message_count":1}`

func user(blocks string) string { return said("user", blocks) }
func bot(blocks string) string  { return said("assistant", blocks) }

func said(role, blocks string) string {
	return `{"role":"` + role + `","created":1772442001,"content":[` + blocks + `]}`
}

func text(words string) string { return `{"type":"text","text":"` + words + `"}` }

const (
	call   = `{"type":"toolRequest","id":"c","toolCall":{"status":"success","value":{"name":"shell","arguments":{"cmd":"ls"}}}}`
	answer = `{"type":"toolResponse","id":"c","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"oil"}],"isError":false}}}`
)

// TestAcceptance is the table of the format's page: a sample, and what a faithful reader makes of it. The facts in the
// first line are a unit that is kept.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		lines  []string
		want   []string
		counts [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text", []string{user(text("hi")), bot(text("hello"))},
		[]string{"user: hi", "assistant: hello"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"tool only", []string{bot(call), user(answer)},
		[]string{`assistant: <call shell {"cmd":"ls"}>`, "tool: <result oil>"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"thinking only", []string{bot(`{"type":"thinking","thinking":"why","signature":"s"}`), bot(`{"type":"redactedThinking","data":"x"}`)},
		[]string{"assistant: <thinking why>", "assistant: <thinking unreadable>"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"mixed", []string{bot(`{"type":"thinking","thinking":"why"},` + text("so") + `,` + call), user(answer + `,` + text("and"))},
		[]string{`assistant: <thinking why> so <call shell {"cmd":"ls"}>`, "tool: <result oil>", "user: and"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"empty answer", []string{user(text("hi")), bot("")},
		[]string{"user: hi", "assistant:"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text", []string{user(text("go")), user(text("go"))},
		[]string{"user: go", "user: go"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON", []string{user(text("hi")), `{"role":"assistant","created":1772449999,"con`, bot(text("hello"))},
		[]string{"user: hi", "assistant: hello"}, [6]int{4, 3, 0, 0, 0, 1}, []string{"bad_json@3"},
	}, {
		"unknown version", []string{user(text("hi") + `,{"type":"hologram","beam":1}`), `{"kind":"footer","n":1}`},
		[]string{`user: hi <unknown hologram {"type":"hologram","beam":1}>`}, [6]int{3, 2, 0, 0, 1, 0}, []string{"unknown_record@2", "unknown_record@3"},
	}, {
		"what the client says", []string{bot(`{"type":"toolConfirmationRequest","id":"c","toolName":"shell","arguments":{},"prompt":"allow ls?"}`), bot(`{"type":"summarizationRequested","msg":"summarize"}`), user(`{"type":"actionRequired","data":{"actionType":"elicitationResponse","id":"e","userData":{"name":"ada"}}}`)},
		[]string{"system/notice: allow ls?", "system/compaction: summarize", `user: {"name":"ada"}`}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := "20260302_1.jsonl"
			list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: storeLines, Path: name},
				map[string]string{name: strings.Join(append([]string{head}, c.lines...), "\n") + "\n"})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d records, %v", len(list), err)
			}
			same(t, c.want, adaptertest.Outline(list[0]))
			same(t, c.counts, adaptertest.Counts(list[0].Ledger))
			same(t, c.lost, adaptertest.Lost(list[0]))
		})
	}
}
