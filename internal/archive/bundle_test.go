package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"lore"
)

// ticking is a clock that goes on by a second with each look.
func ticking(from int64) func() time.Time {
	return func() time.Time { from++; return time.Unix(from, 0) }
}

// filled makes an archive of one machine: a file that grew twice, one that was rewritten, one that is compressed, one
// with a companion, an empty one; marks, a rename, an import.
func filled(t testing.TB, seed uint64, from int64) string {
	t.Helper()
	dir := t.TempDir()
	w, err := OpenWriter(dir, Options{Now: ticking(from)})
	if err != nil {
		t.Fatal(err)
	}
	content := lineBytes(seed, 300_000)
	f := File{Source: "claude-code", Store: "projects", Path: "~/.claude/p/a.jsonl", Place: "~/.claude"}
	for _, n := range []int{100_000, 100_400, 100_900, 300_000} {
		n = bytes.LastIndexByte(content[:min(n, len(content))], '\n') + 1
		f = keep(t, w, f, content[:n], true).File
	}
	g := File{Source: "codex", Store: "sessions", Path: "~/.codex/b.json", Place: "~/.codex"}
	for i := range uint64(3) {
		g = keep(t, w, g, lineBytes(seed+10+i, 60_000), false).File
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	z := File{Source: "codex", Store: "sessions", Path: "~/.codex/c.jsonl.zst", Place: "~/.codex"}
	stored := e.EncodeAll(lineBytes(seed+20, 30_000), nil)
	if _, err := w.Keep(context.Background(), KeepRequest{File: z, Content: bytes.NewReader(stored), Lines: true, Zstd: true}); err != nil {
		t.Fatal(err)
	}
	keep(t, w, File{Source: "claude-code", Store: "projects", Path: "~/.claude/p/a/tool.txt", Place: "~/.claude", Of: f.ID}, []byte("beside\n"), true)
	keep(t, w, File{Source: "cursor", Store: "global-db", Path: "~/.cursor/state.vscdb", Place: "~/.cursor"}, nil, false)
	if err := errors.Join(w.Gone(g.ID), w.Rename(lore.ID{byte(seed)}, lore.ID{100})); err != nil {
		t.Fatal(err)
	}
	for _, m := range []Mark{{On: lore.ID{1}, Kind: Star}, {On: lore.ID{byte(seed)}, Kind: Note, Value: fmt.Sprintf("note %d", seed)}} {
		m.Conversation = lore.ID{1}
		if _, err := w.SetMark(m, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.LogImport(Import{Start: time.Unix(from, 0), End: time.Unix(from+1, 0), Program: "1", Report: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func bundleOf(t testing.TB, dir string, req BundleRequest) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.lore")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := openArchive(t, dir).WriteBundle(context.Background(), f, req); err != nil {
		t.Fatal(err)
	}
	return path
}

// mergeInto merges bundles into the archive of a folder and returns what the last one added.
func mergeInto(t testing.TB, dir string, paths ...string) (last Merged) {
	t.Helper()
	w, err := OpenWriter(dir, Options{Now: ticking(5000)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, path := range paths {
		b, err := OpenBundle(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if last, err = w.Merge(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
	return last
}

func hashOfArchive(t testing.TB, dir string) lore.ID {
	t.Helper()
	id, err := openArchive(t, dir).ContentHash()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func copyDir(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestMergeIsCommutativeAndIdempotent: whichever way the bundles of two machines and of a copy that went on by itself are
// put together, the content is the same, and every byte of it is there.
func TestMergeIsCommutativeAndIdempotent(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	one, two := filled(t, 1, 1000), filled(t, 2, 1003)
	three := copyDir(t, one) // of the same name: both went on
	grow := func(dir string, seed uint64, from int64) {
		w, err := OpenWriter(dir, Options{Now: ticking(from)})
		if err != nil {
			t.Fatal(err)
		}
		files, err := w.Files()
		if err != nil {
			t.Fatal(err)
		}
		keep(t, w, files[0], append(lineBytes(1, 300_000), lineBytes(seed, 9_000)...), true)
		keep(t, w, files[1], lineBytes(seed, 50_000), false)
		if _, err := w.SetMark(Mark{On: lore.ID{1}, Conversation: lore.ID{1}, Kind: Star}, seed == 8); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	before := bundleOf(t, one, BundleRequest{})
	grow(one, 7, 2000)
	grow(three, 8, 1990)
	all := []string{bundleOf(t, one, BundleRequest{}), bundleOf(t, two, BundleRequest{}), bundleOf(t, three, BundleRequest{}), before}
	var want lore.ID
	for i, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 2, 1, 1}} {
		for _, start := range [][]string{{"", two}, {one}, {two}, {three}}[i] {
			dir := filepath.Join(t.TempDir(), "lore")
			if start != "" {
				dir = copyDir(t, start)
			}
			for _, n := range order {
				mergeInto(t, dir, all[n])
			}
			wantSound(t, openArchive(t, dir))
			got := hashOfArchive(t, dir)
			if want.IsZero() {
				want = got
			}
			if got != want {
				t.Fatalf("order %v from %q: content hash %s, want %s", order, start, got.Short(), want.Short())
			}
			if i > 0 || start != "" {
				continue
			}
			if again := mergeInto(t, dir, all[0]); again != (Merged{}) {
				t.Errorf("merging again added %+v", again)
			}
			sameContent(t, one, dir)
			sameContent(t, two, dir)
			// A bundle of the result is the same content once more.
			if got := hashOfArchive(t, intoNew(t, bundleOf(t, dir, BundleRequest{}))); got != want {
				t.Errorf("a bundle of the result has the content %s, want %s", got.Short(), want.Short())
			}
		}
	}
}

func intoNew(t testing.TB, path string) string {
	dir := filepath.Join(t.TempDir(), "lore")
	mergeInto(t, dir, path)
	return dir
}

// sameContent: every snapshot of an archive is in the other one, byte for byte.
func sameContent(t testing.TB, from, in string) {
	t.Helper()
	a, b := openArchive(t, from), openArchive(t, in)
	machine, err := a.Machine()
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Machine()
	if err != nil {
		t.Fatal(err)
	}
	files, err := a.Files()
	if err != nil {
		t.Fatal(err)
	}
	there, err := b.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := f.Path
		if machine != other {
			path = qualified(machine, path)
		}
		found := false
		for _, g := range there {
			if g.Path != path {
				continue
			}
			found = true
			mine, err := a.Snapshots(f.ID)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := b.Snapshots(g.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range mine {
				for _, x := range theirs {
					if factsOf(x) == factsOf(s) {
						wantContent(t, b, x.ID, readSnapshot(t, a, s.ID))
						if s.Plain != PlainNone && (x.Plain != s.Plain || x.PlainSize != s.PlainSize) {
							t.Errorf("%q decodes to %d bytes (%d), not to %d (%d)", path, x.PlainSize, x.Plain, s.PlainSize, s.Plain)
						}
						s.ID = 0
						break
					}
				}
				if s.ID != 0 {
					t.Errorf("a snapshot of %q of %d bytes is missing", path, s.Size)
				}
			}
		}
		if !found {
			t.Errorf("%q is missing", path)
		}
	}
}

func readSnapshot(t testing.TB, a *Archive, id int64) []byte {
	t.Helper()
	r, err := a.OpenSnapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDamagedBundle flips a byte everywhere and cuts the file everywhere: what was damaged is named, and nothing of it is
// taken.
func TestDamagedBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	path := bundleOf(t, filled(t, 1, 1000), BundleRequest{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.lore")
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(bad, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBundle(context.Background(), bad)
		if err == nil {
			b.Close()
			t.Errorf("%s: it is taken for whole", what)
			return
		}
		if !errors.Is(err, ErrBundle) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	padding := paddingOf(t, good)
	for i := 0; i < len(good); i += 1 + len(good)/150 {
		if !padding(int64(i)) {
			flipped := bytes.Clone(good)
			flipped[i] ^= 0x20
			check(fmt.Sprintf("byte %d flipped", i), flipped)
		}
	}
	end := len(bytes.TrimRight(good, "\x00"))
	for i := 0; i < end; i += 1 + len(good)/40 {
		check(fmt.Sprintf("cut at %d", i), good[:i])
	}
	check("another file", []byte(strings.Repeat("no bundle at all\n", 100)))
	check("nothing", nil)
}

// paddingOf tells which bytes of a tar file stand between its entries and say nothing.
func paddingOf(t *testing.T, data []byte) func(int64) bool {
	c := &counted{r: bytes.NewReader(data)}
	r := tar.NewReader(c)
	var said [][2]int64
	for {
		at := c.n
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at = (at + 511) / 512 * 512
		said = append(said, [2]int64{c.n - 512, c.n + h.Size})
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		_ = at
	}
	return func(i int64) bool {
		for _, s := range said {
			if i >= s[0] && i < s[1] {
				// The name of an owner and the like are no part of what an entry says, but of its sum.
				return false
			}
		}
		return true
	}
}

// TestPartOfAnArchive: a part holds the chosen evidences with their companions' names, and the marks on what was chosen.
func TestPartOfAnArchive(t *testing.T) {
	dir := filled(t, 1, 1000)
	path := bundleOf(t, dir, BundleRequest{Files: map[int64]bool{1: true, 4: true}, Ids: map[lore.ID]bool{{100}: true}})
	b, err := OpenBundle(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	stats := b.Stats
	stats.Blocks, stats.Bytes, stats.ContentHash = 0, 0, lore.ID{}
	if diff := cmp.Diff(BundleStats{Files: 2, Snapshots: 4, Marks: 2, Renames: 2}, stats); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.Info.Whole {
		t.Error("it says that it is whole")
	}
}

// TestNewerBundle: a bundle of a newer version is refused as such.
func TestNewerBundle(t *testing.T) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	head := []byte(`{"format":"lore-bundle","version":99}`)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: bundleHead, Size: int64(len(head))})); err != nil {
		t.Fatal(err)
	}
	w.Write(head)
	w.Close()
	path := filepath.Join(t.TempDir(), "new.lore")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenBundle(context.Background(), path); !errors.Is(err, ErrBundleVersion) {
		t.Errorf("%v", err)
	}
}

// TestSameStateSameBundle: a bundle says nothing of when and where it was written but the time.
func TestSameStateSameBundle(t *testing.T) {
	dir := filled(t, 1, 1000)
	write := func() []byte {
		var out bytes.Buffer
		a, err := Open(dir, Options{Now: func() time.Time { return time.Unix(1, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if _, err := a.WriteBundle(context.Background(), &out, BundleRequest{Program: "1"}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if !bytes.Equal(write(), write()) {
		t.Error("two bundles of one state differ")
	}
}
