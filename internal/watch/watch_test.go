package watch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// soon is far longer than a notice takes: a test that waits for it has failed.
const soon = 30 * time.Second

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// until collects changes until a folder is told, with a path if one is wanted.
func until(t *testing.T, w *Watcher, name, path string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	got := Changes{}
	for {
		c, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("%q in %q was not told: %v; told were %v", path, name, err, got)
		}
		got.Add(c)
		paths, ok := c[name]
		if ok && (path == "" || paths == nil) {
			return
		}
		for _, p := range paths {
			if p == path {
				return
			}
		}
	}
}

func TestWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "projects", "p", "x.jsonl"), "1\n")
	w := New(Options{Folders: []Folder{
		{Name: "a", Dir: filepath.Join(dir, "a"), Below: []string{"projects/p"}},
		{Name: "later", Dir: filepath.Join(dir, "later", "deep")},
	}})
	defer w.Close()
	if _, polled, absent := w.State(); len(polled) > 0 || !cmp.Equal(absent, []string{"later"}) {
		t.Errorf("polled %v, absent %v", polled, absent)
	}
	write(t, filepath.Join(dir, "a", "projects", "p", "x.jsonl"), "2\n")
	until(t, w, "a", "projects/p/x.jsonl")
	write(t, filepath.Join(dir, "a", "projects", "new", "y", "z.jsonl"), "1\n")
	until(t, w, "a", "projects/new")
	write(t, filepath.Join(dir, "a", "projects", "new", "y", "z.jsonl"), "2\n")
	until(t, w, "a", "projects/new/y/z.jsonl")
	write(t, filepath.Join(dir, "later", "deep", "f"), "1\n")
	until(t, w, "later", "")
	write(t, filepath.Join(dir, "later", "deep", "f"), "2\n")
	until(t, w, "later", "f")
	if err := os.Remove(filepath.Join(dir, "a", "projects", "p", "x.jsonl")); err != nil {
		t.Fatal(err)
	}
	until(t, w, "a", "")
}

func TestBeyondTheLimitIsPolled(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"1", "2", "3"} {
		write(t, filepath.Join(dir, "a", sub, "f"), "")
	}
	for _, limit := range []int{2, -1} {
		w := New(Options{Folders: []Folder{{Name: "a", Dir: filepath.Join(dir, "a"), Below: []string{"1", "2", "3"}}},
			Limit: limit, Poll: time.Millisecond})
		if _, polled, _ := w.State(); !cmp.Equal(polled, []string{"a"}) {
			t.Errorf("limit %d: polled %v", limit, polled)
		}
		until(t, w, "a", "")
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	w := New(Options{Folders: []Folder{{Name: "a", Dir: t.TempDir()}}})
	defer w.Close()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := w.Next(ctx); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

func TestAddChanges(t *testing.T) {
	many := make([]string, maxPaths+1)
	for i := range many {
		many[i] = string(rune('a' + i))
	}
	for _, c := range []struct {
		name            string
		have, add, want Changes
	}{
		{"new", Changes{}, Changes{"a": {"x"}}, Changes{"a": {"x"}}},
		{"once", Changes{"a": {"x"}}, Changes{"a": {"x", "y"}}, Changes{"a": {"x", "y"}}},
		{"all stays all", Changes{"a": nil}, Changes{"a": {"x"}}, Changes{"a": nil}},
		{"becomes all", Changes{"a": {"x"}}, Changes{"a": nil}, Changes{"a": nil}},
		{"too many", Changes{}, Changes{"a": many}, Changes{"a": nil}},
	} {
		c.have.Add(c.add)
		if d := cmp.Diff(c.want, c.have); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}
