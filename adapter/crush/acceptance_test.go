package crush

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/adapter"
	"lore/adapter/adaptertest"
)

func part1(typ, data string) string { return `{"type":"` + typ + `","data":{` + data + `}}` }
func text(words string) string      { return part1("text", `"text":"`+words+`"`) }

// TestAcceptance is the table of the format's page: a sample, and what a faithful reader makes of it. The session's row
// is a unit that is kept. A message is "ROLE PARTS".
func TestAcceptance(t *testing.T) {
	call, result := part1("tool_call", `"id":"c","name":"bash","input":"{\"cmd\":\"ls\"}"`), part1("tool_result", `"tool_call_id":"c","name":"bash","content":"oil"`)
	finish := part1("finish", `"reason":"end_turn","time":1772442009`)
	cases := []struct {
		name     string
		messages []string
		want     []string
		counts   [6]int // units, kept, merged, skipped, unknown, damaged
		lost     []string
	}{
		{"plain text", []string{"user [" + text("hi") + "]", "assistant [" + text("hello") + "]"}, []string{"user: hi", "assistant: hello"}, [6]int{3, 3, 0, 0, 0, 0}, nil},
		{"tool only", []string{"assistant [" + call + "]", "tool [" + result + "]"}, []string{`assistant: <call bash {"cmd":"ls"}>`, "tool: <result bash oil>"}, [6]int{3, 3, 0, 0, 0, 0}, nil},
		{"input as an object", []string{"assistant [" + part1("tool_call", `"id":"c","name":"bash","input":{"cmd":"ls"}`) + "]"}, []string{`assistant: <call bash {"cmd":"ls"}>`}, [6]int{2, 2, 0, 0, 0, 0}, nil},
		{"thinking only", []string{"assistant [" + part1("reasoning", `"thinking":"why"`) + "," + part1("reasoning", `"thinking":"","signature":"s"`) + "]"},
			[]string{"assistant: <thinking why> <thinking unreadable>"}, [6]int{2, 2, 0, 0, 0, 0}, nil},
		{"mixed", []string{"assistant [" + part1("reasoning", `"thinking":"why"`) + "," + text("so") + "," + call + "," + finish + "]", "tool [" + result + "]", "assistant [" + text("end") + "]"},
			[]string{`assistant: <thinking why> so <call bash {"cmd":"ls"}>`, "tool: <result bash oil>", "assistant: end"}, [6]int{4, 4, 0, 0, 0, 0}, nil},
		{"empty answer", []string{"assistant [" + finish + "]"}, []string{"assistant:"}, [6]int{2, 2, 0, 0, 0, 0}, nil},
		{"duplicate text", []string{"user [" + text("go") + "]", "user [" + text("go") + "]"}, []string{"user: go", "user: go"}, [6]int{3, 3, 0, 0, 0, 0}, nil},
		{"bad parts", []string{"user [" + text("hi") + "]", `assistant [{"type`}, []string{"user: hi"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json"}},
		{"no list", []string{`user {"text":"hi"}`}, []string{`user: <unknown parts {"text":"hi"}>`}, [6]int{2, 2, 0, 0, 0, 0}, []string{"unexpected_shape"}},
		{"unknown part", []string{"user [" + part1("hologram", `"beam":1`) + "]"}, []string{`user: <unknown hologram {"type":"hologram","data":{"beam":1}}>`}, [6]int{2, 2, 0, 0, 0, 0}, []string{"unknown_record"}},
		{"commands that a person ran", []string{"user [" + part1("shell_command", `"command":"ls","output":"oil"`) + "," + part1("shell_command", `"command":"cat","output":"","exit_code":1`) + "," + text("see") + "]"},
			[]string{"system/shell: <call shell ls> <call shell cat>", "tool: <result shell oil> <result shell failed>", "user: see"}, [6]int{2, 2, 0, 0, 0, 0}, nil},
		{"an error", []string{"assistant [" + part1("finish", `"reason":"error","time":1,"message":"Bad request","details":"full"`) + "]"}, []string{"assistant:", "system/notice: Bad request: full"}, [6]int{2, 2, 0, 0, 0, 0}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			rows := []string{`INSERT INTO sessions (id) VALUES ('s')`}
			for i, m := range c.messages {
				role, parts, _ := strings.Cut(m, " ")
				rows = append(rows, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, parts, created_at) VALUES ('m%d', 's', '%s', '%s', 177244200%d)`, i, role, parts, i))
			}
			writeDB(t, filepath.Join(dir, database), rows...)
			list, err := drain(adapter.Input{Source: adapter.Source{Store: store, Path: database}, FS: os.DirFS(dir)})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d records, %v", len(list), err)
			}
			same(t, c.want, adaptertest.Outline(list[0]))
			same(t, c.counts, adaptertest.Counts(list[0].Ledger))
			same(t, c.lost, adaptertest.Lost(list[0]))
		})
	}
}
