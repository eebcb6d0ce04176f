package trae

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
	"lore/adapter/kit"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"workspace": workspaceHome(t), "encrypted": encryptedHome(t)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// read reads a database of a workspace that holds some rows.
func read(t *testing.T, items ...item) []*lore.Conversation {
	t.Helper()
	name := filepath.Join(t.TempDir(), stateFile)
	stateDB(t, name, items)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src := adapter.Source{Product: source, Store: storeWorkspace, Path: stateFile, Ranges: ranges()}
	list, err := adaptertest.Read(t, New(), src, map[string]string{stateFile: string(data)})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// session1 reads one session with these messages.
func session1(t *testing.T, messages ...string) *lore.Conversation {
	t.Helper()
	list := read(t, item{keyAgent, `{"list":[{"sessionId":"s","createdAt":1772442000000,"messages":[` + strings.Join(messages, ",") + `]}]}`})
	return list[0]
}

// TestAcceptance is the table of the format's page.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name     string
		messages []string
		want     []string
		counts   [6]int // units, kept, merged, skipped, unknown, damaged
		lost     []string
	}{{
		"plain text",
		[]string{`{"role":"user","content":"hi","turnId":"t"}`, `{"role":"assistant","content":"hello","turnId":"t"}`},
		[]string{"user: hi", "assistant: hello"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"tool only",
		[]string{`{"role":"assistant","content":"","agentTaskContent":{"guideline":{"planItems":[{"toolName":"ls","thought":"look","path": "/a","n":1}]}}}`},
		[]string{`assistant: <thinking look> <call ls {"path":"/a","n":1}>`}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"thinking only",
		[]string{`{"role":"assistant","content":"","agentTaskContent":{"proposalReasoningContent":"why"}}`},
		[]string{"assistant: <thinking why>"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"mixed: nothing is dropped because the other exists",
		[]string{`{"role":"assistant","content":"yes","agentTaskContent":{"proposalReasoningContent":"why","guideline":{"planItems":[{"toolName":"ls","thought":"look"},{"toolName":"finish","thought":"done"}]}}}`},
		[]string{"assistant: <thinking why> yes <thinking look> <call ls> done"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"the plan says what the answer says",
		[]string{`{"role":"assistant","content":"done","agentTaskContent":{"guideline":{"planItems":[{"toolName":"ls"},{"toolName":"finish","thought":"done"}]}}}`},
		[]string{"assistant: <call ls> done"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"an answer that is a string of the task",
		[]string{`{"role":"assistant","agentTaskContent":"done"}`},
		[]string{"assistant: done"}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"empty answer",
		[]string{`{"role":"assistant","content":""}`},
		[]string{"assistant: "}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text",
		[]string{`{"role":"user","content":"again"}`, `{"role":"user","content":"again"}`},
		[]string{"user: again", "user: again"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON: an element that is no message",
		[]string{`{"role":"user","content":"hi"}`, `7`},
		[]string{"user: hi"}, [6]int{2, 1, 0, 0, 0, 1}, []string{"bad_json"},
	}, {
		"unknown role",
		[]string{`{"role":"oracle","content":"?"}`},
		[]string{`system/unknown: <unknown role oracle {"role":"oracle","content":"?"}>`}, [6]int{1, 0, 0, 0, 1, 0}, []string{"unknown_record"},
	}, {
		"texts of another shape",
		[]string{`{"role":"user","content":{"x":1}}`},
		[]string{`user: <unknown content {"x":1}>`}, [6]int{1, 1, 0, 0, 0, 0}, []string{"unexpected_shape"},
	}, {
		"order by turnIndex, then by the list",
		[]string{`{"role":"user","content":"b","turnIndex":2}`, `{"role":"user","content":"a","turnIndex":1}`, `{"role":"assistant","content":"a!"}`},
		[]string{"user: a", "assistant: a!", "user: b"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"an image",
		[]string{`{"role":"user","content":"see","multiMedia":[{"url":"data:image/png;base64,aGk="},{"path":"x"}]}`},
		[]string{`user: see <image sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4> <unknown multiMedia {"path":"x"}>`}, [6]int{1, 1, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := session1(t, c.messages...)
			same(t, "messages", c.want, adaptertest.Outline(got))
			same(t, "ledger", c.counts, adaptertest.Counts(got.Ledger))
			same(t, "losses", c.lost, adaptertest.Lost(got))
		})
	}
}

// TestQuestionAndAnswerOfOneTurn: they share the id of the turn, and are two messages.
func TestQuestionAndAnswerOfOneTurn(t *testing.T) {
	c := session1(t, `{"role":"user","content":"hi","turnId":"t"}`, `{"role":"assistant","content":"hello","turnId":"t"}`,
		`{"role":"user","content":"hi","agentMessageId":"m"}`, `{"role":"assistant","content":"hello","agentMessageId":"m"}`)
	var ids []string
	for _, m := range c.Messages {
		ids = append(ids, m.Native)
	}
	same(t, "ids", []string{"t", "assistant:t", "m", "assistant:m"}, ids)
}

// TestTimes: seconds, milliseconds and text in one list; what has none is given none that was made up.
func TestTimes(t *testing.T) {
	c := session1(t, `{"role":"user","content":"a"}`, `{"role":"user","content":"b","timestamp":1772442060}`,
		`{"role":"user","content":"c","timestamp":"2026-03-02T09:02:00Z"}`, `{"role":"user","content":"d"}`, `{"role":"user","content":"e","timestamp":"soon"}`)
	var at []string
	for _, m := range c.Messages {
		at = append(at, m.At.String()+" "+string(m.AtFrom))
	}
	same(t, "times", []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:01:00Z source", "2026-03-02T09:02:00Z source",
		"2026-03-02T09:02:00Z inherited", "2026-03-02T09:02:00Z inherited"}, at)
	same(t, "losses", []string{"bad_time"}, adaptertest.Lost(c))
}

// TestMessagesUnderTheirSession: the other reading of the row, by which the key names the session.
func TestMessagesUnderTheirSession(t *testing.T) {
	list := read(t, item{keyAgent, `{"s9":{"data":{"list":[{"role":"user","content":"hi"}]}},"currentSessionId":"s9"}`})
	same(t, "id", "s9", list[0].Native)
	same(t, "messages", []string{"user: hi"}, adaptertest.Outline(list[0]))
}

// TestSessionsWithoutMessages: versions 3 of the Chinese edition empty them; the prompts are what is left.
func TestSessionsWithoutMessages(t *testing.T) {
	list := read(t, item{keyAgent, `{"list":[{"sessionId":"s1","messages":[]},{"sessionId":"s2","messages":[]}]}`},
		item{keyPrompts, `[{"inputText":"hi","parsedQuery":"hi there"}]`})
	same(t, "prompts", []string{"user: hi"}, adaptertest.Outline(list[0]))
	same(t, "of the prompts", []string{"prompts_only"}, adaptertest.Lost(list[0]))
	same(t, "of the sessions", []string{"missing_body", "missing_body"}, adaptertest.Lost(list[1]))
	same(t, "records", 2, len(list))
}

// TestBadRows: a row that does not decode is one damaged unit, and the others are read.
func TestBadRows(t *testing.T) {
	list := read(t, item{keyAgent, `{"list":[`}, item{keyChats + "1", nil}, item{keyChatsNG + "1", `{"v":9}`},
		item{keyOld, `{"list":[{"sessionId":"s","messages":[{"role":"user","content":"hi"}]}]}`})
	same(t, "messages", []string{"user: hi"}, adaptertest.Outline(list[0]))
	rest := list[len(list)-1]
	same(t, "ledger", [6]int{3, 0, 0, 1, 1, 1}, adaptertest.Counts(rest.Ledger))
	same(t, "losses", []string{"bad_json", "unknown_record", "absent_value"}, adaptertest.Lost(rest))
	same(t, "row", "ItemTable/"+keyAgent, rest.Losses[0].Row)
}

// TestTR01EncryptedStoreOnce: one failure that says what it is, and one loss; which sessions are out of reach is told once.
func TestTR01EncryptedStoreOnce(t *testing.T) {
	fsys := os.DirFS(filepath.Join(encryptedHome(t), root))
	place := adapter.Place{Root: roots()[0], FS: fsys, Name: "~/" + root}
	var found, lost []string
	for src, err := range New().Find(context.Background(), place) {
		if err != nil {
			lost = append(lost, err.Error())
			continue
		}
		found = append(found, src.Store+" "+src.Path)
		if src.Store != storeEncrypted {
			continue
		}
		var records int
		var end error
		for c, err := range New().Read(context.Background(), adapter.Input{Source: src, FS: fsys, Place: place.Name}) {
			if end = err; err == nil {
				records++
				same(t, "losses", []string{"encrypted_store"}, adaptertest.Lost(c))
			}
		}
		if records != 1 || !errors.Is(end, adapter.ErrMalformed) || !strings.Contains(end.Error(), "encrypted") {
			t.Errorf("%d records, error %v", records, end)
		}
	}
	same(t, "found", []string{"encrypted ModularData/ai-agent/database.db", "global-db User/globalStorage/state.vscdb"}, found)
	same(t, "lost", []string{"missing_body: ~/.config/Trae/ModularData/ai-agent/snapshot: 2 sessions whose words are in the encrypted database: e1, e2"}, lost)
}

// TestPlainDatabaseInItsPlace is not kept: nobody has described what is in it.
func TestPlainDatabaseInItsPlace(t *testing.T) {
	dir := t.TempDir()
	stateDB(t, filepath.Join(dir, encryptedFile), nil)
	for src, err := range New().Find(context.Background(), adapter.Place{Root: roots()[0], FS: os.DirFS(dir), Name: "~/x"}) {
		var loss lore.Loss
		if !errors.As(err, &loss) || loss.Code != lore.UnexpectedShape {
			t.Errorf("%q: %v", src.Path, err)
		}
	}
}

// TestNamedFolders: a folder that a user names may be the edition's, the user's in it, or one of a workspace; a database
// of another editor is left alone.
func TestNamedFolders(t *testing.T) {
	home := workspaceHome(t)
	stateDB(t, filepath.Join(home, "other", stateFile), []item{{keyOld, `{}`}})
	for dir, want := range map[string]int{root: 1, root + "/User": 1, root + "/User/workspaceStorage": 1, root + "/" + workspace: 1, "other": 0, "": 0} {
		at := adapter.Place{Root: adapter.Root{Source: source}, FS: os.DirFS(filepath.Join(home, dir)), Name: "~/" + dir}
		n := 0
		for src, err := range New().Find(context.Background(), at) {
			if n++; err != nil || src.Store != storeWorkspace {
				t.Errorf("%q: %+v %v", dir, src, err)
			}
		}
		same(t, dir, want, n)
	}
}

// TestRowsKeptReadAlike: the rows that are kept of a database give the record that the database gives; each message is
// located by its own bytes, and nothing else of the database is kept.
func TestRowsKeptReadAlike(t *testing.T) {
	fsys := os.DirFS(filepath.Join(workspaceHome(t), root, workspace))
	src := adapter.Source{Product: source, Store: storeWorkspace, Path: stateFile, Ranges: ranges()}
	var rows bytes.Buffer
	err := kit.ReadDatabase(context.Background(), fsys, stateFile, func(db *kit.Database) error {
		var queries []kit.Query
		for _, r := range ranges() {
			queries = append(queries, kit.RangeQuery(r))
		}
		rows.Reset()
		_, err := kit.KeepRows(context.Background(), db, queries, &rows)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(rows.String(), "never read") {
		t.Error("the rows kept hold settings")
	}
	live := outlines(t, adapter.Input{Source: src, FS: fsys, Place: "~/x"}, nil)
	kept := outlines(t, adapter.Input{Source: src, Place: "~/x",
		FS: fstest.MapFS{stateFile: {Data: rows.Bytes()}, workspaceFile: {Data: []byte(`{"folder":"file:///proj/my%20lantern"}`)}}}, rows.Bytes())
	same(t, "kept", live, kept)
}

func outlines(t *testing.T, in adapter.Input, kept []byte) (list []string) {
	t.Helper()
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c.Native+" "+c.Project.Dir)
		list = append(list, adaptertest.Outline(c)...)
		for _, m := range c.Messages {
			for _, o := range m.Origins {
				if at := kept[min(o.Offset, int64(len(kept))):]; kept != nil && (at[0] != '{' || at[o.Length-1] != '}') {
					t.Errorf("%+v holds %q", o, at[:o.Length])
				}
			}
		}
	}
	return list
}
