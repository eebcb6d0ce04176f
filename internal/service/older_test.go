package service_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lore/internal/service"
)

// TestOlderArchive: every command that comes first after an update finds an archive of an older version and works with it.
func TestOlderArchive(t *testing.T) {
	old, err := os.ReadFile("../archive/testdata/v1.db")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for name, first := range map[string]func(*machine) error{
		"sources": func(m *machine) error { _, err := m.svc.Sources(ctx); return err },
		"check": func(m *machine) error {
			res, err := m.svc.Check(ctx, service.CheckRequest{Full: true})
			if err == nil {
				for _, f := range res.Faults {
					if f.Where == "archive" {
						t.Errorf("check: %+v", f)
					}
				}
			}
			return err
		},
		"storage": func(m *machine) error { _, err := m.svc.Storage(ctx); return err },
		"compact": func(m *machine) error { _, err := m.svc.Compact(ctx); return err },
		"backup": func(m *machine) error {
			_, err := m.svc.Backup(ctx, service.BackupRequest{File: filepath.Join(m.svc.Dir, "copy.db")})
			return err
		},
		"list":   func(m *machine) error { _, err := m.svc.List(ctx, service.ListRequest{}); return err },
		"import": func(m *machine) error { _, err := m.svc.Import(ctx, service.ImportRequest{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if err := os.MkdirAll(m.svc.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m.svc.Dir, "archive.db"), old, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := first(m); err != nil {
				t.Fatal(err)
			}
			m.list()
			m.sound("after " + name)
		})
	}
}
