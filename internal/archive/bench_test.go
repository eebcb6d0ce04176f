package archive

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// The benchmarks run over the files below LORE_BENCH_HOME, or over a small made-up corpus. They report the CPU time of
// the whole process beside the wall, which says little on a busy machine.

type benchFile struct {
	path    string
	content []byte
}

// benchCorpus returns the files and their bytes together.
func benchCorpus(b *testing.B) (files []benchFile, size int64) {
	root := os.Getenv("LORE_BENCH_HOME")
	if root == "" {
		for i := range 40 {
			files = append(files, benchFile{string(rune('a' + i)), lineBytes(uint64(i), 600_000)})
		}
	} else {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
				return err
			}
			content, err := os.ReadFile(path)
			files = append(files, benchFile{path, content})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, f := range files {
		size += int64(len(f.content))
	}
	return files, size
}

// benchKeep keeps the files with two workers.
func benchKeep(b *testing.B, dir string, files []benchFile) {
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	jobs := make(chan benchFile)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for f := range jobs {
				_, err := w.Keep(context.Background(), KeepRequest{
					File:    File{Source: "s", Store: "t", Path: f.path, Stat: Stat{Size: int64(len(f.content)), MTime: 1, CTime: 1, Inode: 1}},
					Content: bytes.NewReader(f.content), Lines: true,
				})
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, f := range files {
		jobs <- f
	}
	close(jobs)
	wg.Wait()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// benchArchive makes an archive of the corpus, outside of what is measured.
func benchArchive(b *testing.B) (dir string, size int64) {
	files, size := benchCorpus(b)
	dir = b.TempDir()
	benchKeep(b, dir, files)
	runtime.GC()
	b.ResetTimer()
	return dir, size
}

func BenchmarkKeep(b *testing.B) {
	files, size := benchCorpus(b)
	b.SetBytes(size)
	defer reportCPU(b)()
	for b.Loop() {
		dir := filepath.Join(b.TempDir(), "a")
		benchKeep(b, dir, files)
		b.StopTimer()
		a, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		s, err := a.Stats()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Disk)*100/float64(size), "disk-%")
		b.ReportMetric(float64(s.Filters)*100/float64(size), "filters-%")
		a.Close()
		b.StartTimer()
	}
}

func BenchmarkRead(b *testing.B) {
	dir, size := benchArchive(b)
	a, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	files, err := a.Files()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	defer reportCPU(b)()
	for b.Loop() {
		for _, f := range files {
			r, err := a.OpenSnapshot(f.Snapshot)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 64<<10)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkSearch opens the archive anew for each search, as a process does.
func BenchmarkSearch(b *testing.B) {
	dir, size := benchArchive(b)
	for name, n := range map[string]Needle{
		"rare":   {Literals: [][]byte{[]byte("zq-no-such-literal-here")}},
		"short":  {Literals: [][]byte{[]byte("xqzvw")}},
		"folded": {Literals: [][]byte{[]byte("Zq-No-Such-Literal-Here")}, FoldCase: true},
		"common": {Literals: [][]byte{[]byte("result")}},
		"all":    {},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			defer reportCPU(b)()
			for b.Loop() {
				a, err := Open(dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := a.SearchRaw(context.Background(), n, func(*Line) error { return nil }); err != nil {
					b.Fatal(err)
				}
				a.Close()
			}
		})
	}
}

func BenchmarkGrams(b *testing.B) {
	content := lineBytes(1, 256<<10)
	b.SetBytes(int64(len(content)))
	var g grams
	for b.Loop() {
		g.reset()
		g.add(content)
		g.filter(len(content))
	}
}

func BenchmarkCut(b *testing.B) {
	content := lineBytes(1, 8<<20)
	for name, next := range map[string]cutter{"lines": cutLines, "gear": cutGear} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				for rest := content; len(rest) > 0; {
					rest = rest[next(rest[:min(len(rest), maxBlock)]):]
				}
			}
		})
	}
}
