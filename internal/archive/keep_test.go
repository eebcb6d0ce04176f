package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// keepStep is one content of a file, and what Keep should say to it.
type keepStep struct {
	content []byte
	change  Change
	new     int // at most so many bytes that were not there
}

func TestKeep(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	whole := lineBytes(1, 1_000_000)
	other := lineBytes(2, 300_000)
	const block = maxBlock // a change may take the whole block that it is in
	tests := map[string][]keepStep{
		"grows": {
			{whole[:500_000], Created, 500_000},
			{whole[:500_100], Appended, 100},
			{whole[:500_100], Unchanged, 0},
			{whole, Appended, 500_000 + block},
		},
		"grows from nothing": {
			{nil, Created, 0},
			{nil, Unchanged, 0},
			{whole[:10], Appended, 10},
			{whole[:200_000], Appended, 200_000},
		},
		"rewritten shorter": {
			{whole, Created, len(whole)},
			{whole[:700_000], Rewritten, block},
			{whole, Appended, 300_000 + block},
		},
		"emptied and back": {
			{whole, Created, len(whole)},
			{nil, Rewritten, 0},
			{whole, Appended, 0},
		},
		"a byte in the middle": {
			{whole, Created, len(whole)},
			{edited(whole, 400_000), Rewritten, 2 * block},
		},
		"the head falls off": {
			{whole, Created, len(whole)},
			{whole[bytes.IndexByte(whole, '\n')+1:], Rewritten, 3 * block},
		},
		"replaced": {
			{whole, Created, len(whole)},
			{other, Rewritten, len(other)},
			{whole, Rewritten, 0},
		},
		"replaced by more": {
			{other, Created, len(other)},
			{whole, Rewritten, len(whole)},
		},
	}
	for name, steps := range tests {
		for _, lines := range []bool{true, false} {
			for how, reader := range map[string]func([]byte) io.Reader{
				"at":     func(b []byte) io.Reader { return bytes.NewReader(b) },
				"stream": func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewBuffer(b)) },
			} {
				t.Run(fmt.Sprintf("%s/lines=%v/%s", name, lines, how), func(t *testing.T) {
					testSteps(t, steps, lines, reader)
				})
			}
		}
	}
}

// testSteps keeps one content after the other, and looks at all snapshots in the end.
func testSteps(t *testing.T, steps []keepStep, lines bool, reader func([]byte) io.Reader) {
	w := newWriter(t, t.TempDir())
	f := File{Source: "s", Store: "t", Path: "~/a"}
	type kept struct {
		content []byte
		Snapshot
	}
	var all []kept
	for i, s := range steps {
		f.Stat = Stat{Size: int64(len(s.content)), MTime: int64(i + 1)}
		k, err := w.Keep(context.Background(), KeepRequest{File: f, Content: reader(s.content), Lines: lines})
		if err != nil {
			t.Fatal(err)
		}
		if k.Change != s.change || k.New > int64(s.new) {
			t.Errorf("step %d: %v with %d new bytes, want %v with at most %d", i, k.Change, k.New, s.change, s.new)
		}
		if k.File.Stat != f.Stat || !k.File.InSource {
			t.Errorf("step %d: file %+v", i, k.File)
		}
		if s.change == Unchanged {
			if diff := cmp.Diff(all[len(all)-1].Snapshot, k.Snapshot, cmp.AllowUnexported(Snapshot{})); diff != "" {
				t.Errorf("step %d: another snapshot (-before +now):\n%s", i, diff)
			}
		} else {
			all = append(all, kept{s.content, k.Snapshot})
			if got := k.Snapshot.Extends != 0; got != (s.change == Appended) {
				t.Errorf("step %d: extends %d", i, k.Snapshot.Extends)
			}
			if !k.Snapshot.ModTime.Equal(time.Unix(0, int64(i+1))) {
				t.Errorf("step %d: time %v", i, k.Snapshot.ModTime)
			}
		}
		f = k.File
		wantContent(t, w.Archive, k.Snapshot.ID, s.content) // not committed yet
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		wantContent(t, w.Archive, s.ID, s.content)
	}
	got, err := w.Snapshots(f.ID)
	if err != nil {
		t.Fatal(err)
	}
	var want []Snapshot
	for _, s := range all {
		want = append([]Snapshot{s.Snapshot}, want...)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Snapshot{})); diff != "" {
		t.Errorf("snapshots (-kept +listed):\n%s", diff)
	}
	wantSound(t, w.Archive)
}

// edited is content with one byte changed.
func edited(content []byte, at int) []byte {
	content = bytes.Clone(content)
	content[at] ^= 1
	return content
}

func wantSound(t testing.TB, a *Archive) Report {
	t.Helper()
	r, err := a.Check(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Error(f)
	}
	return r
}

// TestKeepTrustsTheTail pins what the quick way of seeing growth looks at: the first block and the last ones. A change
// between them goes unseen when the file has grown too, unless all of it is compared.
func TestKeepTrustsTheTail(t *testing.T) {
	whole := lineBytes(1, 1_500_000)
	for _, tt := range []struct {
		name  string
		edit  int
		whole bool
		want  Change
	}{
		{"first block", 1000, false, Rewritten},
		{"last block", 999_000, false, Rewritten},
		{"middle", 500_000, false, Appended},
		{"middle, whole", 500_000, true, Rewritten},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWriter(t, t.TempDir())
			k := keep(t, w, File{Source: "s", Path: "~/a"}, whole[:1_000_000], true)
			now := edited(whole, tt.edit)
			f := k.File
			f.Stat.Size = int64(len(now))
			k, err := w.Keep(context.Background(), KeepRequest{File: f, Content: bytes.NewReader(now), Lines: true, Whole: tt.whole})
			if err != nil {
				t.Fatal(err)
			}
			if k.Change != tt.want {
				t.Errorf("%v, want %v", k.Change, tt.want)
			}
		})
	}
}

func TestKeepReadsOnlyTheTailOfWhatHasGrown(t *testing.T) {
	w := newWriter(t, t.TempDir())
	whole := lineBytes(1, 3_000_000)
	k := keep(t, w, File{Source: "s", Path: "~/a"}, whole[:2_900_000], true)
	f := k.File
	f.Stat.Size = int64(len(whole))
	r := &countingReader{Reader: bytes.NewReader(whole)}
	if _, err := w.Keep(context.Background(), KeepRequest{File: f, Content: r, Lines: true}); err != nil {
		t.Fatal(err)
	}
	if most := int64(100_000 + 3*maxBlock); r.n > most {
		t.Errorf("%d bytes read, want at most %d", r.n, most)
	}
}

// countingReader counts what is read at offsets.
type countingReader struct {
	*bytes.Reader
	n int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	r.n += int64(n)
	return n, err
}

func TestKeepManySmallAppends(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	w := newWriter(t, t.TempDir())
	whole := lineBytes(1, 400_000)
	f := File{Source: "s", Path: "~/a"}
	for at := 0; at < len(whole); {
		at = min(len(whole), at+700)
		f = keep(t, w, f, whole[:at], true).File
	}
	wantContent(t, w.Archive, f.Snapshot, whole)
	s, err := w.Snapshot(f.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	l, err := w.list(s.chain)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.entries); n > openMost+len(whole)/lineMin+1 {
		t.Errorf("%d blocks for %d bytes", n, len(whole))
	}
	before := wantSound(t, w.Archive)
	swept, err := w.Sweep(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if swept.Blocks == 0 || swept.Blocks != before.Unused {
		t.Errorf("%d blocks swept, %d were unused", swept.Blocks, before.Unused)
	}
	if after := wantSound(t, w.Archive); after.Unused != 0 {
		t.Errorf("%d blocks unused after the sweep", after.Unused)
	}
	all, err := w.Snapshots(f.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(all); i += 20 {
		wantContent(t, w.Archive, all[i].ID, whole[:all[i].Size])
	}
}

func TestKeepRefusesAnOldState(t *testing.T) {
	w := newWriter(t, t.TempDir())
	ctx := context.Background()
	first := keep(t, w, File{Source: "s", Store: "t", Path: "~/a"}, []byte("one\n"), true)
	keep(t, w, first.File, []byte("one\ntwo\n"), true)
	for name, f := range map[string]File{
		"a new file of that key": {Source: "s", Store: "t", Path: "~/a"},
		"the snapshot before":    first.File,
		"another file's":         {ID: 77, Snapshot: first.Snapshot.ID},
	} {
		_, err := w.Keep(ctx, KeepRequest{File: f, Content: bytes.NewReader([]byte("three\n")), Lines: true})
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if _, err := w.Keep(ctx, KeepRequest{File: File{ID: 77}, Content: bytes.NewReader(nil)}); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown file: %v, want ErrUnknown", err)
	}
}

func TestKeepGivesBackTheErrorOfTheContent(t *testing.T) {
	w := newWriter(t, t.TempDir())
	broken := errors.New("broken disk")
	content := io.MultiReader(bytes.NewReader(lineBytes(1, 700_000)), iotest.ErrReader(broken))
	_, err := w.Keep(context.Background(), KeepRequest{File: File{Source: "s", Path: "~/a"}, Content: content, Lines: true})
	if !errors.Is(err, broken) {
		t.Fatalf("%v, want the reader's own", err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if files, err := w.Files(); err != nil || len(files) != 0 {
		t.Errorf("files %v, %v, want none", files, err)
	}
	if r := wantSound(t, w.Archive); r.Unused == 0 {
		t.Error("no block was left over; the test does not test what it should")
	}
}

func TestKeepStopsWhenTold(t *testing.T) {
	w := newWriter(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := w.Keep(ctx, KeepRequest{File: File{Source: "s", Path: "~/a"}, Content: bytes.NewReader(lineBytes(1, 1000)), Lines: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestKeepAfterClose(t *testing.T) {
	w := newWriter(t, t.TempDir())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := w.Keep(context.Background(), KeepRequest{File: File{Source: "s", Path: "~/a"}, Content: bytes.NewReader([]byte("x"))})
	if err == nil {
		t.Error("no error")
	}
	if err := w.Commit(); err == nil {
		t.Error("no error of Commit")
	}
}
