package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lore/internal/archive"
	"lore/internal/service"
)

// TestBackupComesBack: a backup that was written while an import held the archive, put as archive.db into an empty
// folder, gives the same ids and answers, without any source.
func TestBackupComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	m := checked(t)
	want, found := m.list(), m.hits("kestrel")
	w, err := archive.OpenWriter(m.svc.Dir, archive.Options{}) // somebody imports
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "copy.db")
	res, err := m.svc.Backup(context.Background(), service.BackupRequest{File: name})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Size() != res.Bytes || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, %+v", err, info, res)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*")); len(left) != 1 {
		t.Errorf("beside the backup: %q", left)
	}
	var f *service.Failure
	if _, err := m.svc.Backup(context.Background(), service.BackupRequest{File: name}); !errors.As(err, &f) || f.Kind != service.Usage {
		t.Errorf("a second backup to the same file: %v", err)
	}
	back := newMachine(t)
	if err := os.MkdirAll(back.svc.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name, filepath.Join(back.svc.Dir, "archive.db")); err != nil {
		t.Fatal(err)
	}
	if got := back.list(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := back.hits("kestrel"); got != found {
		t.Errorf("found %v, want %v", got, found)
	}
	back.sound("after it came back")
}

// TestBackupInThePlaceOfTheArchive: a backup that is put back where the sums of a later state lie is not taken for a
// damaged archive.
func TestBackupInThePlaceOfTheArchive(t *testing.T) {
	m := checked(t)
	name := filepath.Join(t.TempDir(), "copy.db")
	if _, err := m.svc.Backup(context.Background(), service.BackupRequest{File: name}); err != nil {
		t.Fatal(err)
	}
	want := m.list()
	os.Remove(filepath.Join(m.svc.Dir, "archive.db-wal"))
	os.Remove(filepath.Join(m.svc.Dir, "archive.db-shm"))
	if err := os.Rename(name, filepath.Join(m.svc.Dir, "archive.db")); err != nil {
		t.Fatal(err)
	}
	m.sound("put back")
	m.imports()
	m.sound("after an import")
	if got := m.list(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCompactGivesSpaceBack(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	m := newMachine(t)
	for n := range 8 {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 150, func(i int) string { return word("kestrel")(i * 7919 * (n + 1)) }))
	}
	m.imports()
	for n := range 7 {
		m.forget(true, id(n))
	}
	want := m.list()
	res, err := m.svc.Compact(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if res.After >= res.Before {
		t.Errorf("%+v", res)
	}
	if got := m.list(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m.sound("compacted")
	m.imports()
	m.sound("imported again")
	use, err := m.svc.Storage(context.Background())
	if err != nil || use.Archive.Free != 0 || use.Archive.Total == 0 || use.Index.Total == 0 || len(use.Months) != 1 || len(use.Stores) != 1 {
		t.Errorf("%v, %+v", err, use)
	}
	if sum := use.Archive.Blocks + use.Archive.Lists + use.Archive.Filters + use.Archive.Other + use.Archive.Free; sum > use.Archive.Total {
		t.Errorf("the parts are more than all: %+v", use.Archive)
	}
}
