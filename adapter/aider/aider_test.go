package aider

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) { adaptertest.Run(t, New(), adaptertest.Options{}) }

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const start = "\n# aider chat started at 2026-03-02 09:00:00\n\n"

func read1(t *testing.T, text string) []*lore.Conversation {
	t.Helper()
	name := "lantern/" + historyFile
	list, err := adaptertest.Read(t, New(), adapter.Source{Product: source, Store: store, Path: name}, map[string]string{name: text})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAcceptance has a row for each row that applies to a log; thinking and calls it does not have.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
		counts     [6]int // units, kept, merged, skipped, unknown, damaged
	}{{
		"plain text", "#### hi  \n\nhello\n\n",
		[]string{"user: hi", "assistant: hello"}, [6]int{3, 3, 0, 0, 0, 0},
	}, {
		"a prompt of several lines", "#### one  \n####   \n#### two  \n\nhello\n",
		[]string{"user: one\n\ntwo", "assistant: hello"}, [6]int{3, 3, 0, 0, 0, 0},
	}, {
		"two prompts", "#### one  \n\n#### two  \n",
		[]string{"user: one", "user: two"}, [6]int{3, 3, 0, 0, 0, 0},
	}, {
		"headings and quotes of an answer", "#### hi  \n\nIn steps:\n\n#### Step 1\n> quoted\n\n\nThen done.\n",
		[]string{"user: hi", "assistant: In steps:\n\n#### Step 1\n> quoted\n\n\nThen done."}, [6]int{3, 3, 0, 0, 0, 0},
	}, {
		"what aider says is neither's speech", "#### hi  \n> Applied edit to a.go  \n> Commit 1a2b\nall of it  \n\nhello\n> Tokens: 2  \n",
		[]string{"user: hi", "system/notice: Applied edit to a.go\nCommit 1a2b\nall of it", "assistant: hello", "system/notice: Tokens: 2"}, [6]int{5, 5, 0, 0, 0, 0},
	}, {
		"no answer", "#### hi  \n",
		[]string{"user: hi"}, [6]int{2, 2, 0, 0, 0, 0},
	}, {
		"a blank prompt", "#### <blank>  \n\n#### hi  \n",
		[]string{"user: hi"}, [6]int{3, 2, 0, 1, 0, 0},
	}, {
		"duplicate text", "#### again  \n\n#### again  \n",
		[]string{"user: again", "user: again"}, [6]int{3, 3, 0, 0, 0, 0},
	}, {
		"blanks at the ends of lines are lost", "#### hi\nIn steps:\n\n#### Step 1\ndone\n\n> Applied edit\n\n#### next\nyes\n",
		[]string{"user: hi", "assistant: In steps:\n\n#### Step 1\ndone", "system/notice: Applied edit", "user: next", "assistant: yes"}, [6]int{6, 6, 0, 0, 0, 0},
	}, {
		"a heading that an answer quotes", "#### hi  \n\nlook:\n# aider chat started at 2026-01-01 00:00:00\n",
		[]string{"user: hi", "assistant: look:\n# aider chat started at 2026-01-01 00:00:00"}, [6]int{3, 3, 0, 0, 0, 0},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			list := read1(t, start+c.text)
			same(t, "records", 1, len(list))
			same(t, "messages", c.want, adaptertest.Outline(list[0]))
			same(t, "ledger", c.counts, adaptertest.Counts(list[0].Ledger))
		})
	}
}

// TestChatsOfOneSecond are two, and keep their ids.
func TestChatsOfOneSecond(t *testing.T) {
	list := read1(t, start+"#### a  \n"+start+"#### a  \n"+start)
	same(t, "places", []string{"~/place/lantern/.aider.chat.history.md#2026-03-02 09:00:00", "~/place/lantern/.aider.chat.history.md#2026-03-02 09:00:00#2"},
		[]string{list[0].Place, list[1].Place})
	same(t, "project", "lantern", list[0].Project.Name)
	same(t, "of no chat", [6]int{1, 0, 0, 1, 0, 0}, adaptertest.Counts(list[2].Ledger))
}

// TestTimesAndModel: the chat's start, which has no zone; the model as aider has told it last.
func TestTimesAndModel(t *testing.T) {
	m := read1(t, start+"> Main model: bright-1 with diff edit format  \n\n#### hi  \n\nhello\n")[0].Messages[2]
	same(t, "answer", "2026-03-02T09:00:00 inherited bright-1", m.At.String()+" "+string(m.AtFrom)+" "+m.Model)
}

// TestOddBytes: a mark at the start, bytes that are no text, NULs, words before the first chat.
func TestOddBytes(t *testing.T) {
	list := read1(t, "\xef\xbb\xbfwords\n"+start+"#### h\xff\xffi  \n\x00\x00\x00\n")
	same(t, "first", []string{"assistant: words"}, adaptertest.Outline(list[0]))
	same(t, "second", []string{"user: h\ufffd\ufffdi"}, adaptertest.Outline(list[1]))
	same(t, "losses", []string{"missing_header@1", "invalid_utf8@5 x2", "nul_padding@6", "bom_stripped"}, adaptertest.Lost(list[2]))
}

// TestEmpty: a log in which nothing was said makes no chat and is no failure.
func TestEmpty(t *testing.T) {
	for _, text := range []string{"", "\n\n", start} {
		list := read1(t, text)
		if len(list) != 1 || !list[0].Partial {
			t.Errorf("%q: %d records", text, len(list))
			continue
		}
		same(t, text, []string{"empty"}, adaptertest.Lost(list[0]))
	}
}

// TestForeignMarkdown is not read.
func TestForeignMarkdown(t *testing.T) {
	_, err := adaptertest.Read(t, New(), adapter.Source{Path: "a.md"}, map[string]string{"a.md": "# Notes\n"})
	if !errors.Is(err, adapter.ErrNotMine) {
		t.Error(err)
	}
}

// TestNamedFolders: a log lies in the folder that was named, or two below it; one of another name is known by its head.
func TestNamedFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{historyFile: start, "log.md": start, "README.md": "# Notes\n", "a/" + historyFile: start,
		"a/b/" + historyFile: start, "a/b/c/" + historyFile: start, ".hidden/" + historyFile: start, "a/log.md": start} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source}, FS: os.DirFS(dir), Name: "~/x"}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, src.Path)
	}
	same(t, "found", ".aider.chat.history.md log.md a/.aider.chat.history.md a/b/.aider.chat.history.md", strings.Join(found, " "))
}
