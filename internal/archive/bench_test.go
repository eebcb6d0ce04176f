package archive

import (
	"bytes"
	"context"
	"fmt"
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

// BenchmarkOpen10000 opens an archive of 10,000 files and lists them.
func BenchmarkOpen10000(b *testing.B) {
	dir := b.TempDir()
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		_, err := w.Keep(context.Background(), KeepRequest{
			File: File{Source: "claude-code", Store: "projects", Stat: Stat{Size: 5, MTime: 1 << 60, CTime: 1 << 60, Inode: 1 << 30},
				Path: fmt.Sprintf("~/.claude/projects/-home-someone-work-project%d/0b1c2d3e-4f50-6172-8394-a5b6c7d8%04d.jsonl", i%37, i)},
			Content: bytes.NewReader([]byte("line\n")), Lines: true,
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			a, err := Open(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if files, err := a.Files(); err != nil || len(files) != 10_000 {
				b.Fatal(len(files), err)
			}
			a.Close()
		}
	})
	b.Run("write", func(b *testing.B) { // an import that finds nothing changed
		defer reportCPU(b)()
		for b.Loop() {
			w, err := OpenWriter(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if files, err := w.Files(); err != nil || len(files) != 10_000 {
				b.Fatal(len(files), err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAppend opens an archive, keeps a file of 30 MB that has grown by a line, and closes it.
func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	content := lineBytes(1, 31<<20)
	at := 30 << 20
	f := File{Source: "s", Path: "~/a"}
	step := func() {
		w, err := OpenWriter(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		f.Stat.Size = int64(at)
		k, err := w.Keep(context.Background(), KeepRequest{File: f, Content: bytes.NewReader(content[:at]), Lines: true})
		if err != nil {
			b.Fatal(err)
		}
		f = k.File
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		at += 500
	}
	step()
	defer reportCPU(b)()
	for b.Loop() {
		step()
	}
}
