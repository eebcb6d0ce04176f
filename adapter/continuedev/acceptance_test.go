package continuedev

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

const id = "5d0c1b2a-0001-4000-8000-000000000001"

func read1(t *testing.T, entries ...string) *lore.Conversation {
	t.Helper()
	text := `{"sessionId":"` + id + `","title":"Wind","workspaceDirectory":"/proj","history":[` + strings.Join(entries, ",") + `]}`
	return readText(t, text, map[string]string{"sessions/sessions.json": `[{"sessionId":"` + id + `","title":"Wind","dateCreated":"1772442000000","workspaceDirectory":"/proj"}]`})
}

func readText(t *testing.T, text string, files map[string]string) *lore.Conversation {
	t.Helper()
	src := adapter.Source{Product: source, Store: store, Path: "sessions/" + id + ".json"}
	all := map[string]string{src.Path: text}
	for name, text := range files {
		all[name] = text
		src.Companions = append(src.Companions, name)
	}
	list, err := adaptertest.Read(t, New(), src, all)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	return list[0]
}

func said(role, content, more string) string {
	return `{"message":{"role":"` + role + `","content":` + content + more + `}}`
}

// TestAcceptance is the table of the format's page.
func TestAcceptance(t *testing.T) {
	call := `,"toolCalls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]`
	cases := []struct {
		name    string
		entries []string
		want    []string
		counts  [6]int // units, kept, merged, skipped, unknown, damaged; one unit is the index's
		lost    []string
	}{
		{"plain text", []string{said("user", `"hi"`, ""), said("assistant", `"hello"`, "")},
			[]string{"user: hi", "assistant: hello"}, [6]int{3, 3}, nil},
		{"tool only", []string{said("assistant", `""`, call), said("tool", `"a"`, `,"toolCallId":"c1"`)},
			[]string{"assistant: <call ls {}>", "tool: <result a>"}, [6]int{3, 3}, nil},
		{"thinking only", []string{said("thinking", `"why"`, "")},
			[]string{"assistant: <thinking why>"}, [6]int{2, 2}, nil},
		{"mixed", []string{`{"message":{"role":"assistant","content":"look"` + call + `},"reasoning":{"text":"why"},"toolCallStates":[{"toolCallId":"c1","status":"done","output":[{"content":"a"}]}]}`},
			[]string{"assistant: <thinking why> look <call ls {}>", "tool: <result a>"}, [6]int{2, 2}, nil},
		{"empty answer", []string{said("assistant", `""`, "")}, []string{"assistant: "}, [6]int{2, 2}, nil},
		{"duplicate text", []string{said("user", `"hi"`, `,"id":"m1"`), said("user", `"hi"`, `,"id":"m2"`)},
			[]string{"user: hi", "user: hi"}, [6]int{3, 3}, nil},
		{"unknown version", []string{said("herald", `"oyez"`, ""), said("user", `[{"type":"hologram"}]`, "")},
			[]string{`user: <unknown hologram {"type":"hologram"}>`}, [6]int{3, 2, 0, 0, 1, 0}, []string{"unknown_record", "unknown_record"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := read1(t, c.entries...)
			if diff := cmp.Diff(c.want, adaptertest.Outline(r)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.counts, adaptertest.Counts(r.Ledger)); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.lost, adaptertest.Lost(r)); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
			for _, m := range r.Messages {
				if m.AtFrom != lore.FromInherited || m.At.String() != "2026-03-02T09:00:00.000Z" {
					t.Errorf("time %v from %q", m.At, m.AtFrom)
				}
			}
		})
	}
}

// TestMissingTime has no index: nobody says when.
func TestMissingTime(t *testing.T) {
	r := readText(t, `{"sessionId":"`+id+`","history":[`+said("user", `"hi"`, "")+`]}`, nil)
	if m := r.Messages[0]; m.AtFrom != lore.FromNone || !m.At.IsZero() {
		t.Errorf("time %v from %q", m.At, m.AtFrom)
	}
}

// TestBadJSON recovers the entries before a cut: one damaged unit, one loss.
func TestBadJSON(t *testing.T) {
	r := readText(t, `{"history":[`+said("user", `"hi"`, "")+`,{"message":{"role":"assist`, nil)
	if diff := cmp.Diff([]string{"user: hi"}, adaptertest.Outline(r)); diff != "" || r.Native != id {
		t.Errorf("%q (-want +got):\n%s", r.Native, diff)
	}
	if diff := cmp.Diff([6]int{2, 1, 0, 0, 0, 1}, adaptertest.Counts(r.Ledger)); diff != "" || len(r.Losses) != 1 {
		t.Errorf("%v (-want +got):\n%s", r.Losses, diff)
	}
}
