package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
)

// otherVersion is an adapter whose reading rules say that they have another version.
type otherVersion struct {
	adapter.Adapter
	version func(int) int
}

func (a *otherVersion) Info() adapter.Info {
	info := a.Adapter.Info()
	info.Version = a.version(info.Version)
	return info
}

// ids are all ids of a machine, as show prints them: by conversation its content hash, message ids and content ids.
func (m *machine) ids(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, c := range m.conversations(t) {
		list := []string{c.ContentHash}
		for _, x := range c.Messages {
			list = append(list, x.ID, x.ContentID)
		}
		all[c.ID] = list
	}
	return all
}

// TestNoIDChanges: whatever happens around a history, as long as its words stay, every id stays.
func TestNoIDChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, m *machine) *machine
	}{
		{"files are touched", func(t *testing.T, m *machine) *machine {
			walk(t, m.home, func(path string) {
				if err := os.Chtimes(path, time.Unix(9, 0), time.Unix(9, 0)); err != nil {
					t.Fatal(err)
				}
			})
			return m
		}},
		{"a project's folder is moved", func(t *testing.T, m *machine) *machine {
			dir := filepath.Join(m.home, ".claude", "projects")
			if err := os.Rename(filepath.Join(dir, "-proj-atlas"), filepath.Join(dir, "-srv-work-atlas")); err != nil {
				t.Fatal(err)
			}
			return m
		}},
		{"the home is copied to another place, and to an archive of its own", func(t *testing.T, m *machine) *machine {
			n := &machine{home: filepath.Join(t.TempDir(), "else", "where"), dir: filepath.Join(t.TempDir(), "lore")}
			if err := os.CopyFS(n.home, os.DirFS(m.home)); err != nil {
				t.Fatal(err)
			}
			return n
		}},
		{"the reading rules have a new version", func(t *testing.T, m *machine) *machine {
			m.version = func(v int) int { return v + 1 }
			return m
		}},
		{"the sources are gone, and the reading rules have a new version", func(t *testing.T, m *machine) *machine {
			if err := os.RemoveAll(m.home); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(m.home, 0o755); err != nil {
				t.Fatal(err)
			}
			m.version = func(v int) int { return v + 1 }
			return m
		}},
		{"everything is read again", func(t *testing.T, m *machine) *machine {
			m.run("import", "--verify", "--quiet")
			return m
		}},
		{"the index is made anew", func(t *testing.T, m *machine) *machine {
			m.run("import", "--reindex", "--quiet")
			return m
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			m.run("import", "--quiet")
			want := m.ids(t)
			m = tt.change(t, m)
			if _, _, stderr := m.run("import", "--quiet"); stderr != "" {
				t.Log(stderr)
			}
			if diff := cmp.Diff(want, m.ids(t)); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// walk calls f for every file below a folder.
func walk(t *testing.T, dir string, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			f(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
