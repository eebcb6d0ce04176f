package cline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

const dir = "tasks/1772442000000/"

// readTask reads a task by its requests and its rows, of which one may be missing.
func readTask(t *testing.T, requests, rows string) *lore.Conversation {
	t.Helper()
	src := adapter.Source{Product: "cline", Store: store, Path: dir + requestsFile}
	files := map[string]string{}
	if requests != "" {
		files[dir+requestsFile] = requests
	}
	if rows != "" {
		files[dir+rowsFile] = rows
		src.Companions = []string{dir + rowsFile}
	}
	if requests == "" {
		src.Path, src.Companions = dir+rowsFile, nil
	}
	list, err := adaptertest.Read(t, New(), src, files)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	return list[0]
}

func ask(role string, blocks ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `]}`
}

func text(words string) string { return `{"type":"text","text":"` + words + `"}` }

func say(ts, kind, words string) string {
	return `{"ts":17724420` + ts + `,"type":"say","say":"` + kind + `","text":"` + words + `"}`
}

func array(list ...string) string { return "[" + strings.Join(list, ",\n") + "]" }

const lsCall = `{"type":"tool_use","id":"c1","name":"list_files","input":{"path":"a"}}`
const lsGave = `{"type":"tool_result","tool_use_id":"c1","content":"b"}`

// TestAcceptance is the table of the format's page.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name           string
		requests, rows string
		want           []string
		counts         [6]int // units, kept, merged, skipped, unknown, damaged
		lost           []string
	}{
		{"plain text", array(ask("user", text(`<task>\nhi\n</task>`)), ask("assistant", text("hello"))), "",
			[]string{"user: hi", "assistant: hello"}, [6]int{2, 2}, nil},
		{"tool only", array(ask("assistant", lsCall), ask("user", lsGave)), array(say("01000", "tool", `{\"tool\":\"listFilesTopLevel\",\"path\":\"a\"}`)),
			[]string{`assistant: <call list_files {"path":"a"}>`, "tool: <result b>"}, [6]int{3, 2, 1}, nil},
		{"thinking only", array(ask("assistant", `{"type":"thinking","thinking":"why"}`)), array(say("01000", "text", "hi"), say("02000", "reasoning", "why")),
			[]string{"user: hi", "assistant: <thinking why>"}, [6]int{3, 2, 1}, nil},
		{"mixed", array(ask("assistant", text(`<thinking>why</thinking>\nlook\n<read_file>\n<path>a</path>\n</read_file>`))), "",
			[]string{"assistant: <thinking why> look <call read_file <path>a</path>>"}, [6]int{1, 1}, nil},
		{"empty answer", array(ask("user", text("hi")), ask("assistant", text(""))), "",
			[]string{"user: hi", "assistant: "}, [6]int{2, 2}, nil},
		{"duplicate text", "", array(say("01000", "text", "hi"), say("02000", "user_feedback", "again"), say("02000", "user_feedback", "again")),
			[]string{"user: hi", "user: again", "user: again"}, [6]int{3, 3}, nil},
		{"bad JSON", array(ask("user", text("hi")), `{"role":"assistant","content":"oh`), "",
			[]string{"user: hi"}, [6]int{2, 1, 0, 0, 0, 1}, []string{"bad_json"}},
		{"a hole", array(ask("user", text("hi")), `{"role":"ass`, ask("assistant", text("hello"))), "",
			[]string{"user: hi", "assistant: hello"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json"}},
		{"unknown version", array(ask("user", text("hi"), `{"type":"hologram"}`)), array(say("01000", "oracle", "x")),
			[]string{"user: hi", `system: <unknown hologram {"type":"hologram"}>`}, [6]int{2, 1, 0, 0, 1, 0}, []string{"unknown_record", "unknown_record"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := readTask(t, c.requests, c.rows)
			if diff := cmp.Diff(c.want, adaptertest.Outline(r)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.counts, adaptertest.Counts(r.Ledger)); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.lost, adaptertest.Lost(r)); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissingTime has requests alone: the task's id is the moment of its beginning.
func TestMissingTime(t *testing.T) {
	r := readTask(t, array(ask("user", text("hi"))), "")
	if m := r.Messages[0]; m.AtFrom != lore.FromInherited || m.At.String() != "2026-03-02T09:00:00.000Z" {
		t.Errorf("time %v from %q", m.At, m.AtFrom)
	}
}

// TestQuotedFrameStays keeps tags that a person or a file quotes.
func TestQuotedFrameStays(t *testing.T) {
	r := readTask(t, array(ask("user", text(`what is <task>x</task> for?`)),
		ask("user", `{"type":"tool_result","tool_use_id":"c1","content":"a page\n<answer>\nx\n</answer>"}`)), "")
	want := []string{"user: what is <task>x</task> for?", "tool: <result a page\n<answer>\nx\n</answer>>"}
	if diff := cmp.Diff(want, adaptertest.Outline(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOwnWords has a mention that the tool words otherwise for the model.
func TestOwnWords(t *testing.T) {
	r := readTask(t, array(ask("user", text(`<task>\nplease look at 'a.go' (see below for file content)\n</task>\n\n<file_content path=\"a.go\">\npackage a\n</file_content>`))),
		array(say("01000", "text", "please look at @/a.go")))
	if diff := cmp.Diff("please look at @/a.go", r.Messages[0].Parts[0].Text); diff != "" || len(r.Messages) != 2 || r.Messages[1].Role != lore.System {
		t.Errorf("%d messages (-want +got):\n%s", len(r.Messages), diff)
	}
}
