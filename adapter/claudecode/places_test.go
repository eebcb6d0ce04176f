package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
)

func text4(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }

const preview = "<persisted-output>\nOutput too large (28KB). Full output saved to: %\n\nPreview (first 2KB):\nline one\n...\n</persisted-output>"

func previewOf(path string) string { return strings.Replace(preview, "%", path, 1) }

func TestCC41SideFiles(t *testing.T) {
	const dir = ".claude/projects/-p/"
	home := fstest.MapFS{
		dir + "s1.jsonl": lines("s1",
			user("r1", "", []rec{resultBlock("t1", previewOf("/old/home/tool-results/t1.txt"))}, "toolUseResult", rec{"stdout": "line one\nline"}),
			user("r2", "r1", []rec{resultBlock("t2", previewOf(`C:\Users\mira\tool-results\lost.txt`))}),
			user("r3", "r2", []rec{resultBlock("t3", previewOf("/x/tool-results/../../secret.txt"))}),
			user("r4", "r3", []rec{resultBlock("t4", "Error: result (99,999 characters) exceeds maximum allowed tokens. Output has been saved to /x/tool-results/t4.txt. Read it.")}),
			user("r5", "r4", []rec{resultBlock("t5", "<persisted-output> is a tag that I quote")}),
			user("r6", "r5", []rec{resultBlock("t6", previewOf("/x/tool-results/lost.txt"))}, "toolUseResult", rec{"stdout": "line one\nline two"}),
		),
		dir + "s1/tool-results/t1.txt":               text4("line one\nline two\n"),
		".claude/projects/-q/s1/tool-results/t4.txt": text4("from the folder of before the move"),
		dir + "s1/subagents/agent-a.jsonl":           lines("s1", user("g1", "", []rec{resultBlock("t9", previewOf("/x/tool-results/t1.txt"))}, "isSidechain", true)),
		dir + "secret.txt":                           text4("no"),
		dir + "gone/tool-results/toolu_8.txt":        text4("all that is left"),
		dir + "gone/tool-results/empty.txt":          text4(""),
	}
	holds(t, outlineHome(t, home, 0), `
		== projects/-p/gone/tool-results/empty.txt
		partial 
		  ! info empty: no text
		== projects/-p/gone/tool-results/toolu_8.txt
		main gone
		  + tool  (time none): [result toolu_8] "all that is left"
		== projects/-p/s1/subagents/agent-a.jsonl + t1.txt + t4.txt
		subagent s1/agent-a of s1 by ""
		  + tool g1: [result t9] "line one\nline two\n"
		== projects/-p/s1.jsonl + t1.txt + t4.txt
		main s1
		  + tool r1: [result t1] "line one\nline two\n"
		  + tool r2 < r1: [result t2] "<persisted-output>\nOutput too large (28KB). Full output saved to: C:\\Users\\mira\\tool-results\\lost.txt\n\nPreview (first 2KB):\nline one\n...\n</persisted-output>"
		  + tool r3 < r2: [result t3] "<persisted-output>\nOutput too large (28KB). Full output saved to: /x/tool-results/../../secret.txt\n\nPreview (first 2KB):\nline one\n...\n</persisted-output>"
		  + tool r4 < r3: [result t4] "Error: result (99,999 characters) exceeds maximum allowed tokens. Output has been saved to /x/tool-results/t4.txt. Read it." [result t4] "from the folder of before the move"
		  + tool r5 < r4: [result t5] "<persisted-output> is a tag that I quote"
		  + tool r6 < r5: [result t6] "line one\nline two"
		  ! warning external_missing line 2: side file lost.txt
		  ! warning external_missing line 3: side file secret.txt
	`)
}

// Links that lead out of the root are not followed, and a side file that is one is named for what it is.
func TestSC05LinksThatLeadOut(t *testing.T) {
	dir := t.TempDir()
	projects := filepath.Join(dir, "home", ".claude", "projects", "-p")
	if err := os.MkdirAll(filepath.Join(projects, "s1", "tool-results"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("no symlinks here")
		}
	}
	write(filepath.Join(dir, "secret.jsonl"), lines("s2", user("u1", "", "secret")).Data)
	write(filepath.Join(projects, "s1.jsonl"), lines("s1", user("r1", "", []rec{resultBlock("t1", previewOf("/x/tool-results/t1.txt"))})).Data)
	link(filepath.Join(dir, "secret.jsonl"), filepath.Join(projects, "s2.jsonl"))
	link(filepath.Join(dir, "secret.jsonl"), filepath.Join(projects, "s1", "tool-results", "t1.txt"))
	link(projects, filepath.Join(projects, "loop"))
	root, err := os.OpenRoot(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	holds(t, outlineHome(t, root.FS(), 0), `
		== projects/-p/loop
		  ! info symlink_skipped: leads out of the source
		== projects/-p/s1/tool-results/t1.txt
		  ! warning path_outside: leads out of the source
		== projects/-p/s1.jsonl
		main s1
		  + tool r1: [result t1] "<persisted-output>\nOutput too large (28KB). Full output saved to: /x/tool-results/t1.txt\n\nPreview (first 2KB):\nline one\n...\n</persisted-output>"
		  ! warning external_missing line 1: side file t1.txt
		== projects/-p/s2.jsonl
		  ! info symlink_skipped: leads out of the source
	`)
}

func TestCC39PromptHistory(t *testing.T) {
	entry := func(display string, more ...any) rec {
		r := record("", append([]any{"display", display, "pastedContents", rec{}, "timestamp", 1772442060000, "project", "/proj/gone"}, more...)...)
		delete(r, "type")
		return r
	}
	paste := func(more ...any) rec {
		p := rec{"type": "text"}
		for i := 0; i < len(more); i += 2 {
			p[more[i].(string)] = more[i+1]
		}
		return p
	}
	home := fstest.MapFS{
		".claude/history.jsonl": lines("s1",
			entry("one"),
			entry("two [Pasted text #1 +12 lines], [Pasted text #2] [not one]", "pastedContents", rec{"1": paste("content", "pasted [Pasted text #2]"), "2": paste("contentHash", "0123456789abcdef")}),
			entry("old", "sessionId", nil),
			entry("three [Pasted text #1] [Image #2] [Pasted text #9]", "pastedContents", rec{"1": paste("contentHash", "fedcba9876543210"), "2": rec{"type": "image", "mediaType": "image/png", "content": "aWNlIGJlcmc="}, "3": paste("content", "loose")}),
			entry("other", "sessionId", "s2", "timestamp", "tea"),
			entry("three [...Truncated text #1 +3 lines...]", "pastedContents", rec{"1": paste("contentHash", "../secret")}),
			entry("one"), `broken`, `{"other":1}`,
		),
		".claude/paste-cache/0123456789abcdef.txt": text4("a long paste"),
	}
	holds(t, outlineHome(t, home, 0), `
		main s1 in /proj/gone on ""
		  + user : [text] "one"
		  + user : [text] "two pasted [Pasted text #2], a long paste [not one]"
		  + user : [text] "three [Pasted text #1] [Image #2] [Pasted text #9]" [image image/png] sha256:6e79f4e4 [text] "loose"
		  + user : [text] "three [...Truncated text #1 +3 lines...]"
		  1 merged
		  ! warning external_missing line 4: paste fedcba9876543210.txt
		  ! warning external_missing line 6: paste .
		main  in /proj/gone on ""
		  + user : [text] "old"
		main s2 in /proj/gone on ""
		  + user  (time none): [text] "other"
		  ! info bad_time line 5: time "tea"
		partial 
		  1 unknown
		  1 damaged
		  ! warning bad_json line 8
		  ! info duplicate_line line 7: 1 line repeats one before it byte for byte
	`)
}

func TestCC40IndexNeverDecides(t *testing.T) {
	home := fstest.MapFS{".claude/projects/-p/sessions-index.json": text4(`{"version":1,"entries":[
		{"sessionId":"ghost","firstPrompt":"boo","summary":"Ghost","created":"2026-03-02T09:01:00.000Z","projectPath":"/proj/lantern","gitBranch":"main"},
		{"sessionId":"named","summary":"Old","customTitle":"Named"}, {"fullPath":"/x"}]}`)}
	holds(t, outlineHome(t, home, 0), `
		partial ghost "Ghost" in /proj/lantern on "main"
		partial named "Named"
		partial 
		  1 unknown
	`)
}

func TestWebSessionExport(t *testing.T) {
	home := fstest.MapFS{"down/session.json": text4(` {"loglines": [
		{"type":"user","timestamp":"2026-04-01T10:00:00.000Z","message":{"role":"user","content":"Add two numbers"}},
		{"type":"assistant","timestamp":"2026-04-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"2"}]}},
		7,
		{"type":"user","isCompactSummary":true,"timestamp":"2026-04-01T10:01:00.000Z","message":{"role":"user","content":"Recap"}}
	]}`)}
	holds(t, outlineSource(t, adapter.Input{Source: adapter.Source{Path: "down/session.json"}, FS: home}), `
		main 
		  + user : [text] "Add two numbers"
		  + assistant : [text] "2"
		  + system/compaction : [text] "Recap"
		  1 damaged
		  ! warning bad_json
	`)
}

// A user may name the projects folder itself, or the desktop app's tree may hold one at some depth.
func TestFindInOtherPlaces(t *testing.T) {
	one := lines("s1", user("u1", "", "one"))
	tests := []struct {
		name  string
		place adapter.Place
		want  []string
	}{
		{"the projects folder", adapter.Place{Name: "~/backup/projects", FS: fstest.MapFS{"-p/s1.jsonl": one, "-p/s1/tool-results/t.txt": text4("x"), "notes.txt": text4("x")}}, []string{"-p/s1.jsonl"}},
		{"the desktop app", adapter.Place{Name: "~/x", Root: New().Info().Roots[1], FS: fstest.MapFS{"a/w/local_1/.claude/projects/-p/s1.jsonl": one, "a/w/local_1/audit.jsonl": one}}, []string{"a/w/local_1/.claude/projects/-p/s1.jsonl"}},
		{"another folder", adapter.Place{Name: "~/other", FS: fstest.MapFS{"-p/s1.jsonl": one}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for s, err := range New().Find(t.Context(), tt.place) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, s.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotMine(t *testing.T) {
	for name, data := range map[string]string{
		"a.jsonl":             `{"type":"message","id":"m1","message":{"role":"user","content":"x"}}`,
		"qwen.jsonl":          `{"uuid":"1","sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}` + "\n" + `{"uuid":"2","sessionId":"s","type":"system","subtype":"ui_telemetry","systemPayload":{}}`,
		"grok.jsonl":          `{"type":"user","content":[{"type":"text","text":"x"}]}`,
		"a.json":              `{"messages":[]}`,
		"history.jsonl":       `{"session_id":"s","ts":1,"text":"x"}`,
		"empty.jsonl":         "",
		"sessions-index.json": `{"version":1}`,
	} {
		got := outlineSource(t, adapter.Input{Source: adapter.Source{Path: name}, FS: fstest.MapFS{name: text4(data + "\n")}})
		if got != "error: not a file of this source\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
