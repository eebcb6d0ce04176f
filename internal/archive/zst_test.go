package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func zst(t testing.TB, content []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(content, nil)
}

func keepZst(t testing.TB, w *Writer, f File, content []byte) Kept {
	t.Helper()
	f.Stat.Size = int64(len(content))
	k, err := w.Keep(context.Background(), KeepRequest{File: f, Content: bytes.NewReader(content), Lines: true, Zstd: true})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func wantPlain(t testing.TB, a *Archive, s Snapshot, want []byte) {
	t.Helper()
	r, err := a.OpenPlain(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) || s.PlainSize != int64(len(want)) {
		t.Errorf("%d bytes decoded (the snapshot says %d), want %d others", len(got), s.PlainSize, len(want))
	}
}

func TestKeepZstd(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	content := lineBytes(1, 900_000)
	whole := zst(t, content)
	frames := append(zst(t, content[:400_000]), zst(t, content[400_000:])...)
	hugeWindow := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00} // 2 GiB, one empty block
	bomb := zst(t, make([]byte, plainFloor+(8<<20)))
	for name, tt := range map[string]struct {
		file  []byte
		state Plain
		plain []byte // nil: only some of it is known
	}{
		"whole":          {whole, PlainWhole, content},
		"two frames":     {frames, PlainWhole, content},
		"cut":            {whole[:len(whole)/2], PlainCut, nil},
		"other bytes":    {[]byte("this is no zstd"), PlainCut, []byte{}},
		"damaged":        {edited(whole, len(whole)/2), PlainCut, nil},
		"garbage behind": {append(bytes.Clone(whole), "garbage"...), PlainCut, content},
		"empty":          {nil, PlainWhole, []byte{}},
		"a huge window":  {hugeWindow, PlainLimited, []byte{}},
		"a bomb":         {bomb, PlainLimited, make([]byte, plainFloor+plainRatio*int64(len(bomb)))},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(t, t.TempDir())
			k := keepZst(t, w, File{Source: "s", Path: "~/a.zst"}, tt.file)
			if k.Snapshot.Plain != tt.state {
				t.Errorf("state %d, want %d", k.Snapshot.Plain, tt.state)
			}
			wantContent(t, w.Archive, k.Snapshot.ID, tt.file)
			if tt.plain != nil {
				wantPlain(t, w.Archive, k.Snapshot, tt.plain)
			} else if name != "damaged" { // whose bytes are only known to be wrong at their end
				wantPlain(t, w.Archive, k.Snapshot, content[:k.Snapshot.PlainSize])
			}
			if again := keepZst(t, w, k.File, tt.file); again.Change != Unchanged || again.Snapshot != k.Snapshot {
				t.Errorf("kept again: %v, %+v", again.Change, again.Snapshot)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			wantSound(t, w.Archive)
		})
	}
}

// TestKeepZstdShares: the decoded content of a compressed file is in the blocks that the file was kept in before it was
// compressed, and one that has grown inside adds only that.
func TestKeepZstdShares(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	w := newWriter(t, t.TempDir())
	content := lineBytes(1, 900_000)
	keep(t, w, File{Source: "s", Path: "~/a"}, content, true)
	file := zst(t, content[:800_000])
	k := keepZst(t, w, File{Source: "s", Path: "~/a.zst"}, file)
	if most := int64(len(file) + 2*maxBlock); k.New > most {
		t.Errorf("%d new bytes, want at most %d", k.New, most)
	}
	file = zst(t, content)
	k = keepZst(t, w, k.File, file)
	if most := int64(len(file) + 2*maxBlock); k.Change != Rewritten || k.New > most {
		t.Errorf("%v with %d new bytes, want rewritten with at most %d", k.Change, k.New, most)
	}
	wantPlain(t, w.Archive, k.Snapshot, content)

	// The same inside, compressed otherwise.
	stream, err := w.Keep(context.Background(), KeepRequest{File: k.File, Lines: true, Zstd: true,
		Content: iotest.OneByteReader(bytes.NewBuffer(append(zst(t, content[:1000]), zst(t, content[1000:])...)))})
	if err != nil {
		t.Fatal(err)
	}
	wantPlain(t, w.Archive, stream.Snapshot, content)
	if stream.Snapshot.plainChain != k.Snapshot.plainChain {
		t.Error("the same content is in another chain")
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	wantSound(t, w.Archive)

	// Search looks into the decoded content, once, and gives its offsets.
	n := Needle{Literals: [][]byte{content[500_000:500_040]}}
	var want []found
	for id := range int64(2) {
		want = append(want, searchPlainly(id+1, content, n)...)
	}
	if diff := cmp.Diff(want, search(t, w.Archive, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n.Versions = true
	if got := len(search(t, w.Archive, n)); got != 2 {
		t.Errorf("%d lines in all versions, want 2", got)
	}
}

func TestKeepZstdGivesBackTheErrorOfTheContent(t *testing.T) {
	w := newWriter(t, t.TempDir())
	broken := fmt.Errorf("broken disk")
	content := io.MultiReader(bytes.NewReader(zst(t, lineBytes(1, 700_000))[:50_000]), iotest.ErrReader(broken))
	_, err := w.Keep(context.Background(), KeepRequest{File: File{Source: "s", Path: "~/a"}, Content: content, Lines: true, Zstd: true})
	if err == nil || err.Error() != broken.Error() {
		t.Errorf("%v, want the reader's own", err)
	}
}
