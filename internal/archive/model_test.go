package archive

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// model is what an archive should hold: every content that was kept, by snapshot.
type model struct {
	dir     string
	w       *Writer
	files   map[string]File
	now     map[string][]byte
	kept    map[int64][]byte
	changes map[Change]int
}

// TestArchiveAgainstModel does at random what sources, imports and people do to an archive, and compares it with a plain
// map of contents all along.
func TestArchiveAgainstModel(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 99))
			m := &model{dir: t.TempDir(), files: map[string]File{}, now: map[string][]byte{}, kept: map[int64][]byte{}, changes: map[Change]int{}}
			m.w = newWriter(t, m.dir)
			for range 60 {
				m.step(t, r)
			}
			m.compare(t, m.w.Archive)
			for _, c := range []Change{Unchanged, Created, Appended, Rewritten} {
				if m.changes[c] == 0 {
					t.Errorf("nothing was %v; the test does not test what it should", c)
				}
			}
		})
	}
}

func (m *model) step(t *testing.T, r *rand.Rand) {
	switch n := r.IntN(20); {
	case n < 16:
		m.change(t, r)
	case n == 16:
		if err := m.w.Commit(); err != nil {
			t.Fatal(err)
		}
	case n == 17:
		if _, err := m.w.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
	case n == 18:
		if err := m.w.Close(); err != nil {
			t.Fatal(err)
		}
		m.w = newWriter(t, m.dir)
		m.compare(t, m.w.Archive)
	default:
		if err := m.w.Commit(); err != nil {
			t.Fatal(err)
		}
		wantSound(t, m.w.Archive)
	}
}

// change does something to one of a few files and keeps it.
func (m *model) change(t *testing.T, r *rand.Rand) {
	path := fmt.Sprint("~/", r.IntN(4))
	lines := path < "~/2"
	old := m.now[path]
	var content []byte
	switch n := r.IntN(10); {
	case n < 5: // grows
		content = append(bytes.Clone(old), lineBytes(r.Uint64(), 1<<r.IntN(19))...)
		if r.IntN(3) == 0 {
			content = content[:len(old)+r.IntN(len(content)-len(old)+1)] // in the middle of a line
		}
	case n < 6 && len(old) > 0: // a few bytes elsewhere
		content = edited(old, r.IntN(len(old)))
	case n < 7: // something in front
		content = append(lineBytes(r.Uint64(), 1<<r.IntN(16)), old...)
	case n < 8: // shorter
		content = old[:r.IntN(len(old)+1)]
	case n < 9:
		content = old
	default:
		content = lineBytes(r.Uint64(), 1<<r.IntN(20))
	}
	f, ok := m.files[path]
	if !ok {
		f = File{Source: "s", Store: "t", Path: path}
	}
	k := keep(t, m.w, f, content, lines)
	m.changes[k.Change]++
	if was, ok := m.kept[k.Snapshot.ID]; ok != (k.Change == Unchanged) || ok && !bytes.Equal(was, content) {
		t.Fatalf("%s: %v, snapshot %d known: %v", path, k.Change, k.Snapshot.ID, ok)
	}
	m.files[path], m.now[path], m.kept[k.Snapshot.ID] = k.File, content, content
}

// compare looks at every snapshot and file.
func (m *model) compare(t *testing.T, a *Archive) {
	if err := m.w.Commit(); err != nil {
		t.Fatal(err)
	}
	for id, content := range m.kept {
		wantContent(t, a, id, content)
	}
	files, err := a.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(m.files) {
		t.Fatalf("%d files, want %d", len(files), len(m.files))
	}
	for _, f := range files {
		if f != m.files[f.Path] {
			t.Errorf("file %+v, want %+v", f, m.files[f.Path])
		}
	}
	wantSound(t, a)
}
