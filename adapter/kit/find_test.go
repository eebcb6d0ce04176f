package kit

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func isJSONL(path string) bool { return strings.HasSuffix(path, ".jsonl") }

// walk lists what WalkFiles yields, one line each.
func walk(fsys fs.FS, dir string) []string {
	var got []string
	for src, err := range WalkFiles(context.Background(), fsys, dir, isJSONL) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			got = append(got, string(loss.Code)+" "+src.Path+" "+loss.What)
		case err != nil:
			got = append(got, "error "+src.Path)
		default:
			got = append(got, src.Path+" "+src.Info.Name())
		}
	}
	return got
}

// broken is a file system with one folder that cannot be read.
type broken struct{ fstest.MapFS }

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "p/locked" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.ReadDir(name)
}

func TestWalkGoesOnBehindALockedFolder(t *testing.T) {
	fsys := broken{fstest.MapFS{"p/a.jsonl": {}, "p/locked/b.jsonl": {}, "p/z/c.jsonl": {}, "q/d.jsonl": {}}}
	if diff := cmp.Diff([]string{"p/a.jsonl a.jsonl", "error p/locked", "p/z/c.jsonl c.jsonl"}, walk(fsys, "p")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := walk(fsys, "none"); got != nil {
		t.Errorf("a folder that is not there yields %q", got)
	}
	if got := walk(fsys, "p/a.jsonl"); got != nil {
		t.Errorf("a file as start yields %q", got)
	}
	var listed []string
	for src := range ListFiles(context.Background(), fsys, "p", isJSONL) {
		listed = append(listed, src.Path)
	}
	if diff := cmp.Diff([]string{"p/a.jsonl"}, listed); diff != "" {
		t.Errorf("ListFiles (-want +got):\n%s", diff)
	}
	if got := walk(fsys, "."); len(got) != 4 {
		t.Errorf("the whole tree yields %q", got)
	}
}

func TestWalkStops(t *testing.T) {
	fsys := fstest.MapFS{"p/a.jsonl": {}, "p/b.jsonl": {}}
	n := 0
	for range WalkFiles(context.Background(), fsys, "p", isJSONL) {
		n++
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range WalkFiles(ctx, fsys, "p", isJSONL) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("yields %v", err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}
