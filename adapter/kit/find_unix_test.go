//go:build unix

package kit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSC05SC06LinksAndSpecialFiles(t *testing.T) {
	top := t.TempDir()
	home, outside := filepath.Join(top, "home"), filepath.Join(top, "outside")
	for _, dir := range []string{filepath.Join(home, "p", "deep"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(home, "p", "b.jsonl"), filepath.Join(home, "p", "deep", "a.jsonl"), filepath.Join(home, "p", "notes.txt"), filepath.Join(outside, "secret.jsonl")} {
		if err := os.WriteFile(name, []byte("{}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"c.jsonl": "../../outside/secret.jsonl", "linked": "../../outside", "loop": "..", "d.jsonl": "b.jsonl", "e.jsonl": "gone.jsonl", "f.txt": "gone.txt", "g.txt": "../../outside/secret.jsonl"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(home, "p", name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(home, "p", "pipe.jsonl"), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	want := []string{
		"p/b.jsonl b.jsonl",
		"symlink_skipped p/c.jsonl leads out of the source",
		"p/d.jsonl d.jsonl",
		"p/deep/a.jsonl a.jsonl",
		"symlink_skipped p/e.jsonl leads nowhere",
		"symlink_skipped p/linked leads out of the source",
		"special_file p/pipe.jsonl a pipe",
	}
	if diff := cmp.Diff(want, walk(root.FS(), "p")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
