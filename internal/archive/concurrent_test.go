package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
)

// TestWorkersKeepAtTheSameTime: two workers with much in common, and a reader of what each has just kept.
func TestWorkersKeepAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	shared := lineBytes(1, 400_000)
	contents := make([][]byte, 24)
	for i := range contents {
		contents[i] = append(bytes.Clone(shared), lineBytes(uint64(100+i), 50_000)...)
		if i%3 == 0 {
			contents[i] = shared
		}
	}
	kept := make([]Kept, len(contents))
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() {
			for i := worker; i < len(contents); i += 2 {
				k, err := w.Keep(context.Background(), KeepRequest{
					File: File{Source: "s", Path: fmt.Sprint(i)}, Content: bytes.NewReader(contents[i]), Lines: i%4 != 1,
				})
				if err != nil {
					t.Error(err)
					return
				}
				kept[i] = k
				r, err := w.OpenSnapshot(k.Snapshot.ID)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, contents[i]) {
					t.Errorf("file %d: %d bytes, %v", i, len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := openArchive(t, dir)
	for i, k := range kept {
		wantContent(t, a, k.Snapshot.ID, contents[i])
	}
	if r := wantSound(t, a); r.Unused != 0 {
		t.Errorf("%d blocks of no use", r.Unused)
	}
}

// TestWorkersFailTogether: when the archive itself fails, every worker learns it, and nobody waits for ever. A limit of
// pages stands for a full disk, on every system.
func TestWorkersFailTogether(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	first := keep(t, w, File{Source: "s", Path: "first"}, lineBytes(1, 100_000), true)
	err := w.do(func(k *clerk) error {
		if err := k.commit(); err != nil {
			return err
		}
		_, err := k.c.ExecContext(background, "PRAGMA max_page_count = 200")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				_, err := w.Keep(context.Background(), KeepRequest{
					File: File{Source: "s", Path: fmt.Sprint(worker, i)}, Content: bytes.NewReader(lineBytes(uint64(worker*1000+i), 300_000)), Lines: true,
				})
				if err == nil {
					continue
				}
				if !errors.Is(err, ErrFull) {
					t.Errorf("%v, want ErrFull", err)
				}
				return
			}
		})
	}
	wg.Wait()
	for name, err := range map[string]error{"Commit": w.Commit(), "Touch": w.Touch(1, Stat{}), "Close": w.Close()} {
		if !errors.Is(err, ErrFull) {
			t.Errorf("%s: %v, want ErrFull", name, err)
		}
	}
	a := openArchive(t, dir)
	wantContent(t, a, first.Snapshot.ID, lineBytes(1, 100_000))
	wantSound(t, a)
}

// endless is content that is made while it is read: n bytes in lines, no two blocks the same.
type endless struct {
	n, at int64
	line  []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if e.at >= e.n {
		return 0, io.EOF
	}
	if len(e.line) == 0 {
		e.line = fmt.Appendf(nil, `{"n":%d,"text":"%s"}`+"\n", e.at, bytes.Repeat([]byte("some words "), 300))
	}
	n := copy(p, e.line)
	n = int(min(int64(n), e.n-e.at))
	e.line, e.at = e.line[n:], e.at+int64(n)
	return n, nil
}

// TestMemoryDoesNotFollowTheFile keeps a file that is larger than the memory that it may take.
func TestMemoryDoesNotFollowTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	const size, bound = 192 << 20, 64 << 20
	w := newWriter(t, t.TempDir())
	var most uint64
	watch := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	content := &watched{r: &endless{n: size}, every: 8 << 20, do: watch}
	k, err := w.Keep(context.Background(), KeepRequest{File: File{Source: "s", Path: "~/a"}, Content: content, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.OpenSnapshot(k.Snapshot.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(&watchedWriter{every: 8 << 20, do: watch}, r); n != size || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if most > before.HeapInuse+bound {
		t.Errorf("%d MiB in use, %d before", most>>20, before.HeapInuse>>20)
	}
}

type watched struct {
	r     io.Reader
	n     int64
	every int64
	do    func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if (w.n+int64(n))/w.every != w.n/w.every {
		w.do()
	}
	w.n += int64(n)
	return n, err
}

type watchedWriter struct {
	n     int64
	every int64
	do    func()
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	if (w.n+int64(len(p)))/w.every != w.n/w.every {
		w.do()
	}
	w.n += int64(len(p))
	return len(p), nil
}
