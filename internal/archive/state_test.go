package archive

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func TestFileState(t *testing.T) {
	w := newWriter(t, t.TempDir())
	a := keep(t, w, File{Source: "s", Store: "one", Path: "~/p/a", Place: "~/p"}, []byte("x"), true).File
	b := keep(t, w, File{Source: "s", Path: "~/b", Of: a.ID}, []byte("y"), true).File
	c := keep(t, w, File{Source: "s", Store: "one", Path: "~/b"}, []byte("z"), true).File
	st := Stat{Size: 1, MTime: 2, CTime: 3, Inode: 1<<64 - 1}
	for _, err := range []error{
		w.Touch(a.ID, st), w.Gone(a.ID, c.ID), w.Touch(c.ID, st),
		w.SetReader(a.ID, 7, ""), w.SetReader(b.ID, 8, "two"), w.Commit(),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	got, err := w.Files()
	if err != nil {
		t.Fatal(err)
	}
	a.Stat, a.InSource, a.Reader = st, false, 7
	b.Store, b.Reader = "two", 8
	c.Stat = st
	if diff := cmp.Diff([]File{a, b, c}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if one, err := w.File(b.ID); err != nil || *one != b {
		t.Errorf("%+v, %v, want %+v", one, err, b)
	}
	if all, err := w.Companions(a.ID); err != nil || len(all) != 1 || all[0] != b {
		t.Errorf("companions %+v, %v", all, err)
	}
	if _, err := w.File(9); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown file: %v", err)
	}
	for name, err := range map[string]error{"Touch": w.Touch(9, st), "Gone": w.Gone(9), "SetReader": w.SetReader(9, 1, ""), "SetReader of a store": w.SetReader(9, 1, "x")} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("%s of an unknown file: %v", name, err)
		}
	}
	if err := w.SetReader(b.ID, 8, "one"); !errors.Is(err, ErrConflict) {
		t.Errorf("a file moved onto another: %v", err)
	}
	if err := w.Commit(); err != nil {
		t.Errorf("refusals ended the writer: %v", err)
	}
}

func TestImportLog(t *testing.T) {
	w := newWriter(t, t.TempDir())
	var want []Import
	for i := range int64(3) {
		in := Import{Start: time.Unix(i, 5), End: time.Unix(i+1, 0), Program: "1.0", Report: json.RawMessage(`{"n":1}`)}
		id, err := w.LogImport(in)
		if err != nil {
			t.Fatal(err)
		}
		in.ID = id
		want = append([]Import{in}, want...)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int][]Import{0: want, 2: want[:2], 9: want} {
		got, err := w.Imports(n)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%d: %v (-want +got):\n%s", n, err, diff)
		}
	}
}

func TestRename(t *testing.T) {
	id := func(n byte) lore.ID { return lore.ID{n} }
	for name, tt := range map[string]struct {
		renames [][2]byte
		want    map[byte]byte
	}{
		"never":            {nil, map[byte]byte{1: 1}},
		"once":             {[][2]byte{{1, 2}}, map[byte]byte{1: 2, 2: 2}},
		"twice":            {[][2]byte{{1, 2}, {2, 3}}, map[byte]byte{1: 3, 2: 3, 3: 3}},
		"in any order":     {[][2]byte{{2, 3}, {1, 2}}, map[byte]byte{1: 2, 2: 2, 3: 3}},
		"two to one":       {[][2]byte{{1, 3}, {2, 3}, {3, 4}}, map[byte]byte{1: 4, 2: 4, 3: 4}},
		"there and back":   {[][2]byte{{1, 2}, {2, 1}}, map[byte]byte{1: 1, 2: 1}},
		"round":            {[][2]byte{{1, 2}, {2, 3}, {3, 1}}, map[byte]byte{1: 1, 2: 1, 3: 1}},
		"to itself":        {[][2]byte{{1, 1}}, map[byte]byte{1: 1}},
		"again, elsewhere": {[][2]byte{{1, 2}, {1, 3}}, map[byte]byte{1: 3, 2: 2, 3: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(t, t.TempDir())
			for _, r := range tt.renames {
				if err := w.Rename(id(r[0]), id(r[1])); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			all, err := w.Renames()
			if err != nil {
				t.Fatal(err)
			}
			for old, want := range tt.want {
				got, err := w.Resolve(id(old))
				if err != nil || got != id(want) {
					t.Errorf("%d is now %d, %v, want %d", old, got[0], err, want)
				}
				if listed, ok := all[id(old)]; ok != (old != want) || ok && listed != id(want) {
					t.Errorf("%d is listed as %v, %v", old, listed[0], ok)
				}
			}
		})
	}
}
