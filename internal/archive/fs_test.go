package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"
)

func TestFS(t *testing.T) {
	w := newWriter(t, t.TempDir())
	snapshots := map[string]int64{}
	for _, path := range []string{"a.jsonl", "a/tool-results/one.txt", "a/tool-results/two.txt", "b/c.json"} {
		k := keep(t, w, File{Source: "s", Path: "~/" + path, Stat: Stat{MTime: 1_750_000_000_123_456_789}}, lineBytes(uint64(len(path)), 1000), true)
		snapshots[path] = k.Snapshot.ID
	}
	fsys := w.FS(snapshots)
	if err := fstest.TestFS(fsys, "a.jsonl", "a/tool-results/one.txt", "a/tool-results/two.txt", "b/c.json"); err != nil {
		t.Error(err)
	}
	f, err := fsys.Open("a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := f.(io.ReaderAt); !ok {
		t.Error("a file is no io.ReaderAt")
	}
	if _, ok := f.(io.Seeker); !ok {
		t.Error("a file is no io.Seeker")
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Unix(0, 1_750_000_000_123_456_789); !info.ModTime().Equal(want) || info.Size() != int64(len(lineBytes(7, 1000))) {
		t.Errorf("time %v, size %d", info.ModTime(), info.Size())
	}
	if _, err := fsys.Open("gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := w.FS(map[string]int64{"x": 99}).Open("x"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown snapshot: %v", err)
	}
}

func TestSnapshotReader(t *testing.T) {
	w := newWriter(t, t.TempDir())
	content := lineBytes(1, 600_000)
	k := keep(t, w, File{Source: "s", Path: "~/a"}, content, true)
	r, err := w.OpenSnapshot(k.Snapshot.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, content); err != nil {
		t.Error(err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if n, err := r.WriteTo(&b); n != int64(len(content)) || err != nil || !bytes.Equal(b.Bytes(), content) {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	for _, off := range []int64{0, 1, 131_000, int64(len(content)) - 1, int64(len(content)), int64(len(content)) + 5} {
		p := make([]byte, 300_000)
		n, err := r.ReadAt(p, off)
		want := content[min(off, int64(len(content))):]
		want = want[:min(len(want), len(p))]
		if !bytes.Equal(p[:n], want) || (n < len(p)) != (err == io.EOF) {
			t.Errorf("ReadAt %d: %d bytes, %v", off, n, err)
		}
	}
}

// TestReaderOfWhatIsSweptMeanwhile: the small blocks that a reader's list names are joined and swept away. It goes on
// with the same bytes; so does a search that was planned before.
func TestReaderOfWhatIsSweptMeanwhile(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	content := lineBytes(1, 700_000)
	var f File = File{Source: "s", Path: "~/a"}
	at := 300_000
	for range 20 {
		f = keep(t, w, f, content[:at], true).File
		at += 3000
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	at = int(f.Stat.Size)
	a := openArchive(t, dir)
	r, err := a.OpenSnapshot(f.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	scan, err := a.Scan(context.Background(), Needle{})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, w, f, content, true)
	if swept, err := w.Sweep(context.Background()); err != nil || swept.Blocks == 0 {
		t.Fatalf("%+v, %v; nothing was swept", swept, err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content[:at]) {
		t.Errorf("%d bytes, %v, want the %d there were", len(got), err, at)
	}
	var got []byte
	var no int64
	for _, p := range scan.Parts {
		err := p.Lines(context.Background(), func(l *Line) error {
			if no++; l.No != no {
				t.Errorf("line %d has number %d", no, l.No)
			}
			got = append(append(got, l.Bytes...), '\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bytes.TrimSuffix(got, []byte{'\n'}), bytes.TrimSuffix(content[:at], []byte{'\n'})) {
		t.Errorf("the search saw other lines: %d bytes, want %d", len(got), at)
	}
}
