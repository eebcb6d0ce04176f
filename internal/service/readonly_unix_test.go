//go:build unix

package service_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"lore/internal/service"
)

// TestArchiveThatCannotBeWrittenTo: archive and index on a medium that is read-only are searched like any other. The index
// could not be opened there.
func TestArchiveThatCannotBeWrittenTo(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is read-only for this user")
	}
	m := checked(t)
	want := m.list()
	mode := func(dir, file fs.FileMode) {
		filepath.WalkDir(m.svc.Dir, func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() {
				return os.Chmod(path, dir)
			}
			return os.Chmod(path, file)
		})
	}
	mode(0o500, 0o400)
	defer mode(0o700, 0o600)
	if got := m.list(); got != want {
		t.Errorf("before\n%s\nread-only\n%s", want, got)
	}
	res, err := m.svc.Search(context.Background(), service.SearchRequest{Query: "kestrel"})
	if err != nil || len(res.Hits) == 0 {
		t.Errorf("search: %v", err)
	}
}
