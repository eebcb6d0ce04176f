package kit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"lore/adapter"
)

// numbered makes n records of differing lengths.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"seq\":%d,\"text\":%q}\n", i, strings.Repeat("tide ", i*37%200))
	}
	return b.String()
}

func compress(t testing.TB, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func openBytes(t testing.TB, data []byte) *Lines {
	t.Helper()
	l, err := OpenLines(adapter.Input{FS: fstest.MapFS{"a.jsonl.zst": {Data: data}}}, "a.jsonl.zst", Options{TopKeys: topKeys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// places reads all records and returns where they stand.
func places(l *Lines) (places [][2]int64) {
	for r := range l.All() {
		places = append(places, [2]int64{r.Offset, r.Length})
	}
	return places
}

// TestAtInAnyOrder reads every record again, forward, backward and in random order, plain and compressed.
func TestAtInAnyOrder(t *testing.T) {
	text := numbered(3000)
	half := strings.Index(text, "{\"seq\":1500")
	for name, data := range map[string][]byte{
		"plain":      []byte(text),
		"zstd":       compress(t, text),
		"two frames": compress(t, text[:half], text[half:]),
	} {
		t.Run(name, func(t *testing.T) {
			l := openBytes(t, data)
			at := places(l)
			if len(at) != 3000 || l.Err() != nil || len(l.Losses()) != 0 || l.Size() != int64(len(text)) {
				t.Fatalf("%d records, losses %v, error %v", len(at), l.Losses(), l.Err())
			}
			order := rand.New(rand.NewPCG(1, 2)).Perm(len(at))
			for i := range 3 * len(at) {
				n := i
				if i >= 2*len(at) {
					n = order[i%len(at)]
				} else if i >= len(at) {
					n = 2*len(at) - 1 - i
				}
				v, err := l.At(at[n][0], at[n][1])
				if seq, _ := v.Get("seq").Int(); err != nil || seq != int64(n) {
					t.Fatalf("record %d reads as %d, %v", n, seq, err)
				}
			}
		})
	}
}

func TestAtOutside(t *testing.T) {
	for _, data := range [][]byte{[]byte(numbered(3)), compress(t, numbered(3))} {
		l := openBytes(t, data)
		for _, at := range [][2]int64{{1 << 40, 10}, {0, 1 << 20}, {5, 3}, {0, 100 << 20}} {
			if v, err := l.At(at[0], at[1]); err == nil {
				t.Errorf("At(%d, %d) = %q", at[0], at[1], v.Raw())
			}
		}
	}
}

func TestCutStreams(t *testing.T) {
	text := numbered(20000)
	whole := compress(t, text)
	for _, n := range []int{2, 5, len(whole) / 3, len(whole) / 2, len(whole) - 1} {
		l := openBytes(t, whole[:n])
		got := len(places(l))
		if l.Err() != nil || len(l.Losses()) != 1 || l.Losses()[0].Code != "truncated_stream" || got == 20000 && n < len(whole)-8 {
			t.Errorf("cut at %d: %d records, losses %v, error %v", n, got, l.Losses(), l.Err())
		}
		if n > len(whole)/3 && got == 0 {
			t.Errorf("cut at %d: nothing was read", n)
		}
	}
	l := openBytes(t, append(compress(t, numbered(5)), "junk behind the frame"...))
	if got := places(l); len(got) != 5 || len(l.Losses()) != 1 {
		t.Errorf("junk: %d records, losses %v", len(got), l.Losses())
	}
}

func TestDecompressionIsBounded(t *testing.T) {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b, zstd.WithWindowSize(1<<20))
	w.Write([]byte(numbered(3)))
	nul := make([]byte, 1<<20)
	for range 90 {
		w.Write(nul)
	}
	w.Close()
	l := openBytes(t, b.Bytes())
	if got := places(l); len(got) != 3 {
		t.Errorf("%d records", len(got))
	}
	codes := ""
	for _, loss := range l.Losses() {
		codes += string(loss.Code) + " "
	}
	if codes != "nul_padding decompression_limit " || l.Size() > expandFree+expandRatio*int64(b.Len()) {
		t.Errorf("losses %v after %d bytes of %d", l.Losses(), l.Size(), b.Len())
	}
	var wide bytes.Buffer
	w, _ = zstd.NewWriter(&wide, zstd.WithWindowSize(64<<20))
	w.Write([]byte(numbered(3)))
	w.Flush()
	w.Write([]byte(numbered(3)))
	w.Close()
	l = openBytes(t, wide.Bytes())
	if got := places(l); len(got) != 0 || len(l.Losses()) != 1 || l.Losses()[0].Code != "decompression_limit" {
		t.Errorf("wide window: %d records, losses %v", len(got), l.Losses())
	}
}

// failing is a file whose reading breaks after some bytes.
type failing struct{ endless }

var errDisk = errors.New("disk on fire")

func (f *failing) Open(string) (fs.File, error) { return f, nil }
func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off > 100_000 {
		return 0, errDisk
	}
	return f.endless.ReadAt(p[:min(len(p), 1000)], off)
}

func TestReadErrorsAreNoLosses(t *testing.T) {
	file := &failing{endless{head: `{"seq":1}` + "\n", fill: 'x', size: 1 << 20}}
	l, err := OpenLines(adapter.Input{FS: file}, "a.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := places(l); len(got) != 1 || !errors.Is(l.Err(), errDisk) || len(l.Losses()) != 0 {
		t.Errorf("%d records, error %v, losses %v", len(got), l.Err(), l.Losses())
	}
	if _, err := OpenLines(adapter.Input{FS: fstest.MapFS{"d/a": {}}}, "d", Options{}); err == nil {
		t.Error("a folder opens as lines")
	}
	if _, err := OpenLines(adapter.Input{FS: fstest.MapFS{}}, "none", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
