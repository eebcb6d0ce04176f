package adaptertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"lore"
	"lore/adapter"
)

// fileTime is the time of every file, so that a golden does not depend on when it was checked out.
var fileTime = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// home is a tree like a user's home folder: in memory, and as it stands on disk.
type home struct {
	name string
	mem  fstest.MapFS
	disk fs.FS
}

func openHome(t testing.TB, name, dir string) *home {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	h := &home{name: name, mem: fstest.MapFS{}, disk: root.FS()}
	err = fs.WalkDir(h.disk, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(h.disk, name)
		h.mem[name] = &fstest.MapFile{Data: data, Mode: 0o644, ModTime: fileTime}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// evidence is one source that Find has found, and what it needs to be read in other ways.
type evidence struct {
	home   *home
	place  adapter.Place
	source adapter.Source
	files  fstest.MapFS // the source's file and companions, and nothing else
	want   result       // what reading it as it is gives
}

// input is the evidence as an archive gives it: only the files that Find has named.
func (e *evidence) input() adapter.Input {
	return adapter.Input{Source: e.source, FS: e.files, Place: e.place.Name}
}

// with is the input with other files.
func (e *evidence) with(files fstest.MapFS) adapter.Input {
	in := e.input()
	in.FS = files
	if info, err := fs.Stat(files, e.source.Path); err == nil {
		in.Source.Info = info
	}
	return in
}

// changed is the input with other bytes in the source's own file.
func (e *evidence) changed(data []byte) adapter.Input {
	files := fstest.MapFS{}
	for name, file := range e.files {
		files[name] = file
	}
	files[e.source.Path] = &fstest.MapFile{Data: data, Mode: 0o644, ModTime: fileTime}
	return e.with(files)
}

func (e *evidence) data() []byte {
	if file := e.files[e.source.Path]; file != nil {
		return file.Data
	}
	return nil
}

// isLines reports whether the evidence is a plain file of JSON lines.
func (e *evidence) isLines() bool { return strings.HasSuffix(e.source.Path, ".jsonl") }

func (e *evidence) prefix(list problems) problems {
	for i, p := range list {
		list[i] = fmt.Sprintf("%s: %s", e.source.Path, p)
	}
	return list
}

// finding is what Find yields for a home.
type finding struct {
	evidence []*evidence
	skipped  []skipped
	problems problems
}

// skipped is what Find names and does not yield as a source.
type skipped struct {
	place, path string
	loss        *lore.Loss
	err         string
}

// places are the adapter's roots that the home has.
func places(a adapter.Adapter, h *home) []adapter.Place {
	var list []adapter.Place
	seen := map[string]bool{}
	for _, root := range a.Info().Roots {
		key := root.Source + "\x00" + root.Path
		info, err := fs.Stat(h.mem, path.Clean(root.Path))
		if err != nil || !info.IsDir() || seen[key] {
			continue
		}
		seen[key] = true
		sub, err := fs.Sub(h.mem, path.Clean(root.Path))
		if err != nil {
			continue
		}
		list = append(list, adapter.Place{Root: root, FS: sub, Name: path.Join("~", root.Path)})
	}
	return list
}

// find runs Find over all places of a home and checks what it yields.
func find(a adapter.Adapter, h *home) finding {
	var f finding
	seen := map[string]bool{}
	for _, place := range places(a, h) {
		for src, err := range a.Find(context.Background(), place) {
			var loss lore.Loss
			switch {
			case errors.As(err, &loss):
				f.skipped = append(f.skipped, skipped{place: place.Name, path: src.Path, loss: &loss})
			case err != nil:
				f.skipped = append(f.skipped, skipped{place: place.Name, path: src.Path, err: err.Error()})
			default:
				f.problems = append(f.problems, checkSource(a.Info(), place, src)...)
				key := src.Product + "\x00" + place.Name + "/" + src.Path
				if seen[key] {
					f.problems = append(f.problems, fmt.Sprintf("%q is found twice", src.Path))
				}
				seen[key] = true
				f.evidence = append(f.evidence, newEvidence(h, place, src))
			}
		}
	}
	if len(f.evidence)+len(f.skipped) == 0 {
		f.problems = append(f.problems, "nothing is found in this home: does a root of Info exist in it?")
	}
	return f
}

func newEvidence(h *home, place adapter.Place, src adapter.Source) *evidence {
	e := &evidence{home: h, place: place, source: src, files: fstest.MapFS{}}
	base := strings.TrimPrefix(strings.TrimPrefix(place.Name, "~"), "/")
	for _, name := range append([]string{src.Path}, src.Companions...) {
		if file := h.mem[path.Join(base, name)]; file != nil {
			e.files[name] = file
		}
	}
	if len(src.Ranges) > 0 { // a database is read with what stands beside it
		for _, suffix := range []string{"-wal", "-journal", "-shm"} {
			if file := h.mem[path.Join(base, src.Path+suffix)]; file != nil {
				e.files[src.Path+suffix] = file
			}
		}
	}
	return e
}

func fileDigest(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return fmt.Sprint(len(data)) + " " + hex.EncodeToString(sum[:])
}
