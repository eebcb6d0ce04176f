package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
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
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
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

// offsets returns where a literal stands in what a search yields: every place once, however often it is in a piece.
func offsets(t testing.TB, a *Archive, literal string, n Needle) []int64 {
	t.Helper()
	var mu sync.Mutex
	seen := map[int64]bool{}
	err := a.SearchRaw(context.Background(), n, func(l *Line) error {
		mu.Lock()
		defer mu.Unlock()
		if len(n.Literals) > 0 && !bytes.HasPrefix(l.Bytes[l.Match:], []byte(literal)) {
			t.Errorf("at %d: the piece does not hold the literal where it says", l.Offset)
		}
		for at := 0; ; at++ {
			i := bytes.Index(l.Bytes[at:], []byte(literal))
			if i < 0 {
				break
			}
			at += i
			seen[l.Offset+int64(at)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestSearchInDocuments(t *testing.T) {
	const literal = "needle-in-a-document"
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 8 {
		w := newWriter(t, t.TempDir())
		content := bytes.ReplaceAll(lineBytes(uint64(round), 900_000), []byte{'\n'}, []byte{' '})
		var want []int64
		plant := func(at int) {
			copy(content[at:], literal)
		}
		for _, b := range cutAll(cutGear, content) { // once around each border, as it is before planting
			at := int(cap(content)-cap(b)) + len(b)
			if at = at - r.IntN(len(literal)+1); at < len(content)-len(literal) {
				plant(at)
			}
		}
		for range round * 3 {
			plant(r.IntN(len(content) - len(literal)))
		}
		plant(0)
		plant(len(content) - len(literal))
		for at := 0; ; at++ {
			i := bytes.Index(content[at:], []byte(literal))
			if i < 0 {
				break
			}
			at += i
			want = append(want, int64(at))
		}
		keep(t, w, File{Source: "s", Path: "~/a"}, content, false)
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]Needle{"literal": {Literals: [][]byte{[]byte(literal)}}, "everything": {}} {
			if diff := cmp.Diff(want, offsets(t, w.Archive, literal, n)); diff != "" {
				t.Errorf("round %d, %s (-want +got):\n%s", round, name, diff)
			}
		}
	}
}

// TestSearchInALineAboveTheBound: such a line comes in pieces, the lines before and behind it as they are.
func TestSearchInALineAboveTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	const literal = "needle-in-a-long-line"
	head, tail := lineBytes(1, 150_000), append(lineBytes(2, 150_000), literal+" behind\n"...)
	long := bytes.Repeat([]byte("lorem ipsum dolor sit amet "), (MaxLine+5<<20)/27)
	for _, at := range []int{0, 100_000, MaxLine - 10, MaxLine - len(literal)/2, MaxLine, MaxLine + 1<<20, len(long) - len(literal)} {
		copy(long[at:], literal)
	}
	content := slices.Concat(head, long, []byte{'\n'}, tail)
	var want []int64
	for at := 0; ; at++ {
		i := bytes.Index(content[at:], []byte(literal))
		if i < 0 {
			break
		}
		at += i
		want = append(want, int64(at))
	}
	w := newWriter(t, t.TempDir())
	keep(t, w, File{Source: "s", Path: "~/a"}, content, true)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]Needle{"literal": {Literals: [][]byte{[]byte(literal)}}, "everything": {}} {
		if diff := cmp.Diff(want, offsets(t, w.Archive, literal, n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	lines := bytes.Count(head, []byte{'\n'}) + 1 + bytes.Count(tail, []byte{'\n'})
	whole := 0
	err := w.SearchRaw(context.Background(), Needle{Literals: [][]byte{[]byte(literal + " behind")}}, func(l *Line) error {
		if whole++; l.Piece || l.No != int64(lines) || string(l.Bytes) != literal+" behind" {
			t.Errorf("line %d, %q, piece %v", l.No, l.Bytes, l.Piece)
		}
		return nil
	})
	if err != nil || whole != 1 {
		t.Errorf("%d lines, %v", whole, err)
	}
}

func TestSearchSkipsWhatTheFiltersRuleOut(t *testing.T) {
	w := newWriter(t, t.TempDir())
	for i := range 5 {
		content := lineBytes(uint64(i), 1_000_000)
		if i == 2 {
			content = slices.Concat(content[:500_000], []byte("\nzq-rare-literal\n"), content[500_000:])
		}
		keep(t, w, File{Source: "s", Path: fmt.Sprint("~/", i)}, content, true)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	s, err := w.Scan(context.Background(), Needle{Literals: [][]byte{[]byte("zq-RARE-literal")}, FoldCase: true})
	if err != nil {
		t.Fatal(err)
	}
	var bytes int64
	for _, p := range s.Parts {
		bytes += p.Bytes
	}
	if len(s.Parts) == 0 || bytes > 1_000_000 {
		t.Errorf("%d parts with %d bytes of 5 MB", len(s.Parts), bytes)
	}
}

func TestSearchVersionsAndFiles(t *testing.T) {
	w := newWriter(t, t.TempDir())
	a := keep(t, w, File{Source: "s", Path: "~/a"}, []byte("one word\n"), true).File
	a = keep(t, w, a, []byte("one word\ntwo words\n"), true).File
	keep(t, w, a, []byte("another word\n"), true)
	b := keep(t, w, File{Source: "s", Path: "~/b"}, []byte("no word\n"), true).File
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	word := [][]byte{[]byte("word")}
	for name, tt := range map[string]struct {
		n    Needle
		want []string
	}{
		"the newest":    {Needle{Literals: word}, []string{"another word", "no word"}},
		"all":           {Needle{Literals: word, Versions: true}, []string{"another word", "no word", "one word", "two words"}},
		"of one file":   {Needle{Literals: word, Files: func(f *File) bool { return f.ID == b.ID }}, []string{"no word"}},
		"none":          {Needle{Literals: [][]byte{[]byte("WORD")}}, nil},
		"folded":        {Needle{Literals: [][]byte{[]byte("NO WORD")}, FoldCase: true}, []string{"no word"}},
		"two lines":     {Needle{Literals: [][]byte{[]byte("word\ntwo")}, Versions: true}, nil},
		"empty literal": {Needle{Literals: [][]byte{{}}}, []string{"another word", "no word"}},
	} {
		var got []string
		for _, f := range search(t, w.Archive, tt.n) {
			got = append(got, f.Line)
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSearchEndsWithAnError(t *testing.T) {
	w := newWriter(t, t.TempDir())
	keep(t, w, File{Source: "s", Path: "~/a"}, lineBytes(1, 100_000), true)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := w.SearchRaw(context.Background(), Needle{}, func(*Line) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v, want the error of fn", err)
	}
	n := 0
	if err := w.SearchRaw(context.Background(), Needle{}, func(*Line) error { n++; return SkipFile }); err != nil || n != 1 {
		t.Errorf("%d lines before the file was skipped, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := w.SearchRaw(ctx, Needle{}, func(*Line) error { cancel(); return ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// TestFinder compares the search for literals with a plain one.
func TestFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const letters = "abAB -_\"zZ"
	word := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return b
	}
	for range 3000 {
		hay, fold := word(r.IntN(200)), r.IntN(2) == 0
		var literals [][]byte
		for range 1 + r.IntN(3) {
			literals = append(literals, word(1+r.IntN(4)))
		}
		s := newFinder(literals, fold).in(hay)
		for pos := 0; pos <= len(hay); {
			want := len(hay)
			for _, l := range literals {
				h := hay
				if fold {
					h, l = bytes.ToLower(h), bytes.ToLower(l)
				}
				if i := bytes.Index(h[pos:], l); i >= 0 {
					want = min(want, pos+i)
				}
			}
			if at, _ := s.from(pos); at != want {
				t.Fatalf("%q in %q from %d, fold %v: %d, want %d", literals, hay, pos, fold, at, want)
			}
			pos = want + 1
		}
	}
}
