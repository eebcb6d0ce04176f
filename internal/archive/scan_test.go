package archive

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// found is a line that a search yielded.
type found struct {
	File   int64
	Offset int64
	No     int64
	Line   string
	Match  int
}

// search runs a needle and returns the lines in order.
func search(t testing.TB, a *Archive, n Needle) []found {
	t.Helper()
	var mu sync.Mutex
	var all []found
	err := a.SearchRaw(context.Background(), n, func(l *Line) error {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, found{l.File.ID, l.Offset, l.No, string(l.Bytes), l.Match})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(x, y found) int { return int(x.File-y.File)<<40 + int(x.Offset-y.Offset) })
	return all
}

// searchPlainly is what search should find in content of lines.
func searchPlainly(file int64, content []byte, n Needle) []found {
	var all []found
	off, no := int64(0), int64(1)
	for len(content) > 0 {
		line, rest, more := bytes.Cut(content, []byte{'\n'})
		match, size := -1, len(line)
		hay := line
		if n.FoldCase {
			hay = bytes.ToLower(line)
		}
		for _, l := range n.Literals {
			if n.FoldCase {
				l = bytes.ToLower(l)
			}
			if i := bytes.Index(hay, l); i >= 0 && (match < 0 || i < match) {
				match = i
			}
		}
		if len(n.Literals) == 0 || match >= 0 {
			all = append(all, found{file, off, no, string(line), match})
		}
		if content = rest; more {
			size++
		}
		off, no = off+int64(size), no+1
	}
	return all
}

// TestSearchFindsEveryLine plants nothing: it takes literals out of the content, at every border of blocks and groups
// and at random places, and compares the search with a plain one. The content grows in steps, so that filters are made
// in every way there is.
func TestSearchFindsEveryLine(t *testing.T) {
	w := newWriter(t, t.TempDir())
	r := rand.New(rand.NewPCG(7, 7))
	contents := map[int64][]byte{}
	for i := range 6 {
		whole := lineBytes(uint64(i), 200_000+r.IntN(900_000))
		f := File{Source: "s", Store: "t", Path: fmt.Sprint("~/", i)}
		at := len(whole)
		if i%2 == 1 {
			at = 1 + r.IntN(len(whole)/2)
		}
		for {
			k := keep(t, w, f, whole[:at], true)
			f = k.File
			if at == len(whole) {
				break
			}
			at = min(len(whole), at+1+r.IntN(60_000))
		}
		contents[f.ID] = whole
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	files, err := w.Files()
	if err != nil {
		t.Fatal(err)
	}
	checkNeedle := func(n Needle) {
		t.Helper()
		var want []found
		for _, f := range files {
			want = append(want, searchPlainly(f.ID, contents[f.ID], n)...)
		}
		if diff := cmp.Diff(want, search(t, w.Archive, n)); diff != "" {
			t.Fatalf("search for %q, fold %v: (-want +got)\n%s", n.Literals, n.FoldCase, diff[:min(len(diff), 2000)])
		}
	}
	for _, f := range files {
		content := contents[f.ID]
		s, err := w.Snapshot(f.Snapshot)
		if err != nil {
			t.Fatal(err)
		}
		l, err := w.list(s.chain)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range l.entries {
			for _, before := range []int{1, 2, 30} {
				at := max(0, int(e.off)-before)
				checkNeedle(Needle{Literals: [][]byte{content[at:min(len(content), at+2+r.IntN(60))]}, FoldCase: before == 2})
			}
		}
		for range 15 {
			at := r.IntN(len(content) - 400)
			checkNeedle(Needle{Literals: [][]byte{content[at : at+3+r.IntN(390)], []byte("nowhere to be found")}})
		}
	}
	checkNeedle(Needle{Literals: [][]byte{[]byte("CONFIG 77 "), []byte("tool_USE 5 ")}, FoldCase: true})
	checkNeedle(Needle{})
	checkNeedle(Needle{Literals: [][]byte{[]byte("x")}})
}
