package antigravity

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"database": databaseHome(t)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

// databaseHome holds a conversation of agy in its database, with payloads that nobody reads.
func databaseHome(t testing.TB) string {
	home := t.TempDir()
	dir := filepath.Join(home, ".gemini/antigravity-cli/conversations")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "db-1.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE trajectory_meta(trajectory_id TEXT, cascade_id TEXT, trajectory_type INTEGER, source INTEGER)",
		"CREATE TABLE steps(idx INTEGER PRIMARY KEY, step_type INTEGER, status INTEGER, step_payload BLOB)",
		"INSERT INTO trajectory_meta VALUES ('a', 'b', 1, 1)",
		"INSERT INTO steps VALUES (0, 14, 3, x'0a02'), (1, 15, 3, x'0a03')",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const logs = "brain/x/.system_generated/logs/"

// transcript reads a conversation out of one form of its transcript, or of both.
func transcript(t *testing.T, full []string, short ...string) *lore.Conversation {
	t.Helper()
	src := adapter.Source{Product: source, Store: storeTranscripts, Path: logs + fullFile}
	files := map[string]string{src.Path: strings.Join(full, "\n") + "\n"}
	if short != nil {
		src.Companions = []string{logs + shortFile}
		files[logs+shortFile] = strings.Join(short, "\n") + "\n"
	}
	list, err := adaptertest.Read(t, New(), src, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	return list[0]
}

func asked(index, text string) string {
	return `{"step_index":` + index + `,"source":"USER_EXPLICIT","type":"USER_INPUT","created_at":"2026-03-02T09:00:00Z","content":"` + text + `"}`
}

func planned(index, fields string) string {
	return `{"step_index":` + index + `,"source":"MODEL","type":"PLANNER_RESPONSE","created_at":"2026-03-02T09:00:01Z"` + fields + `}`
}

// TestAcceptance is the table of the format's page.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name   string
		steps  []string
		want   []string
		counts [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text",
		[]string{asked("0", `<USER_REQUEST>\nhi\n</USER_REQUEST>`), planned("1", `,"content":"hello"`)},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"tool only, and its result",
		[]string{planned("0", `,"tool_calls":[{"name":"list_dir","args":{"Path":"\"/a\""}}]`),
			`{"step_index":1,"source":"MODEL","type":"LIST_DIRECTORY","content":"a.txt"}`},
		[]string{`assistant: <call list_dir {"Path":"\"/a\""}>`, "tool: <result LIST_DIRECTORY a.txt>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{planned("0", `,"thinking":"why"`)},
		[]string{"assistant: <thinking why>"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"mixed",
		[]string{planned("0", `,"thinking":"why","content":"look","tool_calls":[{"name":"ls","args":{}}]`)},
		[]string{"assistant: <thinking why> look <call ls {}>"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{planned("0", `,"content":""`), planned("1", "")},
		[]string{"assistant: ", "assistant: "}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{asked("0", "again"), asked("1", "again")},
		[]string{"user: again", "user: again"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON",
		[]string{asked("0", "hi"), "{nothing", planned("1", `,"content":"hello"`)},
		[]string{"user: hi", "assistant: hello"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json@2"},
	}, {
		"unknown type of step: kept raw",
		[]string{asked("0", "hi"), `{"step_index":1,"source":"MODEL","type":"HOLOGRAM","content":"?"}`},
		[]string{"user: hi", `system/unknown: <unknown HOLOGRAM {"step_index":1,"source":"MODEL","type":"HOLOGRAM","content":"?"}>`},
		[6]int{2, 1, 0, 0, 1, 0}, []string{"unknown_record@2"},
	}, {
		"not speech",
		[]string{`{"step_index":0,"source":"SYSTEM","type":"USER_INPUT","content":"injected"}`,
			`{"step_index":1,"source":"SYSTEM","type":"SYSTEM_MESSAGE","content":"notice"}`,
			`{"step_index":2,"source":"SYSTEM","type":"EPHEMERAL_MESSAGE","content":"context"}`,
			`{"step_index":3,"source":"SYSTEM","type":"CHECKPOINT","content":"summary"}`,
			`{"step_index":4,"source":"SYSTEM","type":"CONVERSATION_HISTORY"}`},
		[]string{"system/context: injected", "system/notice: notice", "system/context: context", "system/compaction: summary"},
		[6]int{5, 4, 0, 1, 0, 0}, nil,
	}, {
		"order by step_index where none repeats",
		[]string{planned("1", `,"content":"hello"`), asked("0", "hi")},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"order of the file where they begin anew",
		[]string{asked("0", "hi"), planned("1", `,"content":"hello"`), asked("0", "again")},
		[]string{"user: hi", "assistant: hello", "user: again"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"a tag that the person writes",
		[]string{asked("0", `<USER_REQUEST>\nwrite </USER_REQUEST> here\n</USER_REQUEST>`), asked("1", `<USER_REQUEST> begins it`)},
		[]string{"user: write </USER_REQUEST> here", "user: <USER_REQUEST> begins it"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := transcript(t, c.steps)
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestTwoForms: the full transcript stands; what only the short one has is put where it stood there.
func TestTwoForms(t *testing.T) {
	cut := `{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","content":"lon","truncated_fields":["content"]}`
	c := transcript(t, []string{asked("0", "long"), planned("3", `,"content":"c"`)}, cut, planned("1", `,"content":"a"`), planned("1", `,"content":"b"`))
	same(t, "messages", []string{"user: long", "assistant: a", "assistant: b", "assistant: c"}, adaptertest.Outline(c))
	same(t, "ledger", [6]int{5, 4, 1, 0, 0, 0}, adaptertest.Counts(c.Ledger))
	same(t, "losses", []string(nil), adaptertest.Lost(c))
	same(t, "origins", 2, len(c.Messages[0].Origins))
}

// TestTruncatedBySource: where only the short form is left, what it cut is told.
func TestTruncatedBySource(t *testing.T) {
	c := transcript(t, []string{`{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","content":"<USER_REQUEST>\nlon","truncated_fields":["content"]}`})
	same(t, "messages", []string{"user: lon"}, adaptertest.Outline(c))
	same(t, "losses", []string{"truncated_by_source@1"}, adaptertest.Lost(c))
}

// TestResultsByOrder: a result has the id of the call whose turn it is.
func TestResultsByOrder(t *testing.T) {
	c := transcript(t, []string{planned("0", `,"tool_calls":[{"name":"a","id":"c1","args":{}},{"name":"b","id":"c2","args":{}}]`),
		`{"step_index":1,"source":"MODEL","type":"GENERIC","content":"A"}`, `{"step_index":2,"source":"MODEL","type":"GENERIC","content":"B"}`,
		`{"step_index":3,"source":"MODEL","type":"GENERIC","content":"C"}`})
	var ids []string
	for _, m := range c.Messages[1:] {
		ids = append(ids, m.Parts[0].CallID)
	}
	same(t, "ids", []string{"c1", "c2", ""}, ids)
}

// TestTimes: a step without a time has that of the one before it; the first has none.
func TestTimes(t *testing.T) {
	c := transcript(t, []string{`{"step_index":0,"source":"user","type":"USER_INPUT","content":"a"}`, asked("1", "b"),
		`{"step_index":2,"source":"user","type":"USER_INPUT","content":"c","created_at":"[later]"}`})
	var from []string
	for _, m := range c.Messages {
		from = append(from, string(m.AtFrom))
	}
	same(t, "times", []string{"none", "source", "inherited"}, from)
	same(t, "losses", []string{"bad_time@3"}, adaptertest.Lost(c))
}

// TestModel: it is known from a note in a prompt.
func TestModel(t *testing.T) {
	c := transcript(t, []string{planned("0", `,"content":"a"`),
		asked("1", `<USER_REQUEST>\nb\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nThe user changed setting `+"`Model Selection`"+` from None to Bright 3.5 (Low).\n</USER_SETTINGS_CHANGE>`),
		planned("2", `,"content":"c"`)})
	same(t, "models", []string{"Bright 3.5 (Low)"}, c.Models)
	same(t, "ids", "1 system:1 2", c.Messages[1].Native+" "+c.Messages[2].Native+" "+c.Messages[3].Native)
}

// TestNamedFolders: the folder of a product, of a conversation, of its logs, or one of loose files.
func TestNamedFolders(t *testing.T) {
	home := "testdata/agy/home/.gemini"
	loose := t.TempDir()
	if err := os.WriteFile(filepath.Join(loose, "01.jsonl"), []byte(asked("0", "hi")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(loose, "02.jsonl"), []byte(`{"type":"other"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{home: 3, home + "/antigravity-cli": 3, home + "/antigravity-cli/brain": 2,
		home + "/antigravity-cli/brain/ag-1": 1, home + "/antigravity-cli/brain/ag-1/.system_generated/logs": 1, loose: 1} {
		at := adapter.Place{Root: adapter.Root{Source: source}, FS: os.DirFS(dir), Name: filepath.ToSlash(dir)}
		n := 0
		for src, err := range New().Find(context.Background(), at) {
			if n++; err != nil {
				t.Errorf("%q: %v", src.Path, err)
			}
		}
		same(t, dir, want, n)
	}
}
