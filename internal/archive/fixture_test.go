package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// lineBytes makes about n bytes of lines like those of a transcript, the same for the same seed.
func lineBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"parse", "the", "Config", "error", "retry", "src/main.go", "result", "ok", "tool_use", "buffer"}
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `{"type":"user","uuid":"%016x","text":"`, r.Uint64())
		for range 5 + r.IntN(200) {
			b.WriteString(words[r.IntN(len(words))])
			fmt.Fprintf(&b, " %d ", r.IntN(1000))
		}
		b.WriteString("\"}\n")
	}
	return b.Bytes()
}

func newWriter(t testing.TB, dir string) *Writer {
	t.Helper()
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func openArchive(t testing.TB, dir string) *Archive {
	t.Helper()
	a, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func keep(t testing.TB, w *Writer, f File, content []byte, lines bool) Kept {
	t.Helper()
	f.Stat.Size = int64(len(content))
	k, err := w.Keep(context.Background(), KeepRequest{File: f, Content: bytes.NewReader(content), Lines: lines})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func wantContent(t testing.TB, a *Archive, snapshot int64, want []byte) {
	t.Helper()
	r, err := a.OpenSnapshot(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("snapshot %d: %d bytes differ from the %d that were kept", snapshot, len(got), len(want))
	}
}
