package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/internal/service"
)

// TestDamageIsNoInternalError: damage in an index, and an archive that is gone from beside its index, were called faults of
// the program, without a word on what to do.
func TestDamageIsNoInternalError(t *testing.T) {
	m := checked(t)
	list, err := m.svc.List(context.Background(), service.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		plant func(dir string)
		fix   string
	}{
		"header": {func(dir string) { alter(t, dir, "UPDATE headers SET header = substr(header, 1, 20)") }, "`lore import --reindex`"},
		"archive gone": {func(dir string) {
			for _, end := range []string{"", "-wal", "-shm"} {
				os.Remove(filepath.Join(dir, "archive.db"+end))
			}
			// An import at a home without histories makes an empty archive beside the index.
			empty := m.svc
			empty.Dir = filepath.Join(t.TempDir(), "lore")
			if _, err := empty.Import(context.Background(), service.ImportRequest{Paths: []string{t.TempDir()}}); err != nil {
				t.Log(err)
			}
			if err := os.Rename(filepath.Join(empty.Dir, "archive.db"), filepath.Join(dir, "archive.db")); err != nil {
				t.Fatal(err)
			}
		}, "`lore check`"},
	} {
		t.Run(name, func(t *testing.T) {
			copied := *m
			copied.svc.Dir = filepath.Join(t.TempDir(), "lore")
			if err := os.CopyFS(copied.svc.Dir, os.DirFS(m.svc.Dir)); err != nil {
				t.Fatal(err)
			}
			c.plant(copied.svc.Dir)
			_, err := copied.svc.List(context.Background(), service.ListRequest{})
			if err == nil {
				_, err = copied.svc.Show(context.Background(), service.ShowRequest{ID: list.Conversations[0].ID.String()})
			}
			var f *service.Failure
			if !errors.As(err, &f) || f.Kind != service.Damaged || !strings.Contains(f.Message, c.fix) {
				t.Errorf("%v, want one of kind Damaged that names %s", err, c.fix)
			}
		})
	}
}
