package export

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore"
)

func TestName(t *testing.T) {
	at := lore.NewTime(time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC).UnixNano(), 0, false)
	for title, want := range map[string]string{
		"Why is it dark?":            "2026-03-02-Why-is-it-dark-abcdefghijkl",
		"":                           "2026-03-02-abcdefghijkl",
		"../../etc/passwd":           "2026-03-02-etc-passwd-abcdefghijkl",
		`C:\x\con|nul?*"<>` + "\x00": "2026-03-02-C-x-con-nul-abcdefghijkl",
		"日本語 のタイトル":                  "2026-03-02-日本語-のタイトル-abcdefghijkl",
		"..":                         "2026-03-02-abcdefghijkl",
		"a\x1b[31m\u202eb\xff":       "2026-03-02-a-31m-b-abcdefghijkl",
		strings.Repeat("word ", 40):  "2026-03-02-" + strings.TrimSuffix(strings.Repeat("word-", 16), "-") + "-abcdefghijkl",
		strings.Repeat("é", 200):     "2026-03-02-" + strings.Repeat("é", 40) + "-abcdefghijkl",
	} {
		got := Name(&lore.Conversation{Title: title, StartedAt: at}, "abcdefghijkl", "-")
		if got != want {
			t.Errorf("Name(%q) is %q, want %q", title, got, want)
		}
		if id := IDOf(got+".md", ".md"); id != "abcdefghijkl" {
			t.Errorf("IDOf(%q) is %q", got, id)
		}
	}
	if got := Name(&lore.Conversation{Title: "x y"}, "abcdefghijkl", " "); got != "undated x y abcdefghijkl" {
		t.Errorf("Name without a time is %q", got)
	}
	for _, name := range []string{"notes.md", "a-short.md", "2026-03-02-x-abcdefghijkl.html", "a-ABCDEFGHIJKL.md", "abcdefghijkl.md", "x-wxyzwxyzwxyz.md"} {
		if id := IDOf(name, ".md"); id != "" {
			t.Errorf("IDOf(%q) is %q: it is no name of ours", name, id)
		}
	}
}

// TestFolder: a conversation keeps its name, what says the same is not touched, and what is not whole leaves nothing.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "vault")
	id := lore.ConversationID("codex", "n")
	put := func(name, text string) (string, string) {
		t.Helper()
		f, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		file, err := f.Create("codex", name+" "+id.Short(), id, ".md")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, text); err != nil {
			t.Fatal(err)
		}
		at, state, err := file.Done()
		if err != nil {
			t.Fatal(err)
		}
		return at, state
	}
	long := strings.Repeat("0123456789", 20_000)
	first := "codex/one " + id.Short() + ".md"
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct{ name, text, state string }{
		{"one", long, "new"}, {"one", long, "unchanged"}, {"two", long, "unchanged"}, {"two", long[1:] + "x", "changed"}, {"two", "", "changed"}, {"one", "", "unchanged"},
	} {
		before, _ := os.Stat(filepath.Join(dir, first))
		if before != nil {
			if err := os.Chtimes(filepath.Join(dir, first), old, old); err != nil {
				t.Fatal(err)
			}
		}
		at, state := put(step.name, step.text)
		if at != first || state != step.state {
			t.Errorf("%s: %q is %s, want %q to be %s", step.name, at, state, first, step.state)
		}
		got, err := os.ReadFile(filepath.Join(dir, first))
		if err != nil || string(got) != step.text {
			t.Errorf("%s: the file holds %d bytes (%v), want %d", step.name, len(got), err, len(step.text))
		}
		if info, err := os.Stat(filepath.Join(dir, first)); err != nil || info.ModTime().Equal(old) != (state == "unchanged") {
			t.Errorf("%s: %s, and the time is %v (%v)", step.name, state, info.ModTime(), err)
		}
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := f.Create("codex", "three", lore.ConversationID("codex", "other"), ".md")
	if err != nil {
		t.Fatal(err)
	}
	file.Discard()
	entries, err := os.ReadDir(filepath.Join(dir, "codex"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want the one file", entries, err)
	}
}

// TestFolderLinks: a link in the folder does not lead an export out of it.
func TestFolderLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "codex")); err != nil {
		t.Skip(err)
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Create("codex", "x", lore.ConversationID("codex", "n"), ".md"); err == nil {
		t.Error("a file was created behind a link that leads out")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("outside of the folder there is %v", entries)
	}
}
