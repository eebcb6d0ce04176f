package service_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/internal/service"
)

// meddler is Claude Code's adapter on a machine where something happens between finding a file and reading it, and where
// files can fail.
type meddler struct {
	adapter.Adapter
	found func(adapter.Source) // is told of each evidence that is found; may be nil
	fail  map[string]int64     // offset at which reading a file fails, by its base name
}

func (a *meddler) Find(ctx context.Context, p adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		for s, err := range a.Adapter.Find(ctx, p) {
			if err == nil && a.found != nil {
				a.found(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// Read reads what was kept; a file that fails does so here.
func (a *meddler) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	for name, off := range a.fail {
		if filepath.Base(in.Source.Path) == name {
			in.FS = failingFS{in.FS, name, off}
		}
	}
	return a.Adapter.Read(ctx, in)
}

type failingFS struct {
	fs.FS
	name string
	off  int64
}

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil || filepath.Base(name) != f.name {
		return file, err
	}
	return failingFile{file, f.off}, nil
}

type failingFile struct {
	fs.File
	off int64
}

var errDisk = errors.New("input/output error")

func (f failingFile) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.off {
		return 0, errDisk
	}
	return f.File.(interface {
		ReadAt([]byte, int64) (int, error)
	}).ReadAt(p, off)
}

func (f failingFile) Read([]byte) (int, error) { return 0, errDisk }

// TestReadErrorIsOneFailure: a file that fails half-way is a failure that names it; all others are imported, and what was
// read of it before stays.
func TestReadErrorIsOneFailure(t *testing.T) {
	m := newMachine(t)
	for n := range 3 {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 4, word("kestrel")))
	}
	bad := &meddler{Adapter: claudecode.New(), fail: map[string]int64{sessionID(1) + ".jsonl": 100}}
	m.svc.Adapters = []adapter.Adapter{bad}
	res := m.imports()
	if len(res.Failures) != 1 || !strings.Contains(res.Failures[0].File, sessionID(1)) || res.Conversations.Total != 2 {
		t.Errorf("%+v, %+v", res.Failures, res.Conversations)
	}
	bad.fail = nil
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 5, word("kestrel")))
	if res = m.imports(); len(res.Failures) != 0 || res.Conversations.Total != 3 {
		t.Errorf("read again: %+v, %+v", res.Failures, res.Conversations)
	}
	m.sound("in the end")
}

// TestSourceChangesWhileItIsRead: a file that is written to, cut, replaced or deleted between being found and being kept
// is imported as it was at some moment, and the next import has it as it is.
func TestSourceChangesWhileItIsRead(t *testing.T) {
	for name, change := range map[string]func(m *machine, path string){
		"appended": func(m *machine, path string) { m.write(path, session(sessionID(1), 9, word("kestrel"))) },
		"cut":      func(m *machine, path string) { os.Truncate(filepath.Join(m.home, path), 700) },
		"emptied":  func(m *machine, path string) { m.write(path, "") },
		"replaced": func(m *machine, path string) {
			os.Remove(filepath.Join(m.home, path))
			m.write(path, session(sessionID(1), 3, word("heron")))
		},
		"deleted": func(m *machine, path string) { os.Remove(filepath.Join(m.home, path)) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(sessionPath(sessionID(1)), session(sessionID(1), 6, word("kestrel")))
			m.write(sessionPath(sessionID(2)), session(sessionID(2), 6, word("osprey")))
			once := sync.Once{}
			m.svc.Adapters = []adapter.Adapter{&meddler{Adapter: claudecode.New(), found: func(s adapter.Source) {
				if strings.Contains(s.Path, sessionID(1)) {
					once.Do(func() { change(m, sessionPath(sessionID(1))) })
				}
			}}}
			m.imports()
			m.sound("while it changed")
			m.imports()
			m.sound("after the next import")
			again := m.imports()
			for _, s := range again.Sources {
				if s.Read > 0 {
					t.Errorf("a third import still reads: %+v", s)
				}
			}
			if got := m.hits("osprey"); got[0] == 0 {
				t.Error("the other file is missing")
			}
			if got := m.hits("heron"); name == "replaced" && got[0] == 0 {
				t.Error("what stands there now is not found")
			}
		})
	}
}

// TestClockGoesBackwards: times of imports are carried and not trusted.
func TestClockGoesBackwards(t *testing.T) {
	m := newMachine(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m.svc.Now = func() time.Time { now = now.Add(-time.Hour); return now }
	for n := range 4 {
		m.write(sessionPath(sessionID(1)), session(sessionID(1), 3+n, word("kestrel")))
		past := now.Add(-time.Duration(n) * 24 * time.Hour)
		os.Chtimes(filepath.Join(m.home, sessionPath(sessionID(1))), past, past)
		m.imports()
		m.sound(fmt.Sprintf("import %d", n))
		if got, want := m.hits(fmt.Sprintf("prompt %d", 2+n))[1], 2; got != want {
			t.Errorf("import %d: %d lines of the last prompt, want %d", n, got, want)
		}
	}
}

// TestReadOnlyHome: sources that cannot be written to are read, and nothing beside them is missed.
func TestReadOnlyHome(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 3, word("kestrel")))
	var folders []string
	filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			folders = append(folders, path)
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	})
	defer func() {
		for _, f := range folders {
			os.Chmod(f, 0o755)
		}
	}()
	if res := m.imports(); res.Conversations.Total != 1 || len(res.Failures) != 0 {
		t.Errorf("%+v", res)
	}
	m.sound("imported")
}

// TestNoFolderForTheArchive: where lore cannot write, it says so, and what to do.
func TestNoFolderForTheArchive(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 3, word("kestrel")))
	if err := os.WriteFile(filepath.Join(m.home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.svc.Dir = filepath.Join(m.home, "file", "lore")
	_, err := m.svc.Import(context.Background(), service.ImportRequest{})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "file") {
		t.Errorf("got %v", err)
	}
}

// TestTwoImportersAndTenSearchers are at work at once: each import ends well or says that another holds the archive, each
// search finds what was there before, and in the end everything is there.
func TestTwoImportersAndTenSearchers(t *testing.T) {
	m := newMachine(t)
	for n := range 6 {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 8, word("kestrel")))
	}
	m.imports()
	for n := range 6 {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 12, word("kestrel")))
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range 3 {
				var f *service.Failure
				if _, err := m.svc.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil && !(errors.As(err, &f) && f.Kind == service.Busy) {
					t.Errorf("import: %v", err)
				}
			}
		})
	}
	for range 10 {
		all.Go(func() {
			for range 5 {
				res, err := m.svc.Search(context.Background(), service.SearchRequest{Query: "kestrel", All: true})
				if err != nil || res.Total < 6*16 {
					t.Errorf("search: %v, %+v", err, res)
					return
				}
			}
		})
	}
	all.Wait()
	m.imports()
	m.sound("in the end")
	if got := m.hits("kestrel"); got[0] != 6*24 {
		t.Errorf("found %v", got)
	}
}
