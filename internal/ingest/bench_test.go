package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/internal/archive"
	"lore/internal/index"
)

// The stages of an import, each alone, over the same sessions; and the imports that a user waits for.

// benchHome is a home of a few sessions, about 4 MB.
func benchHome(b *testing.B) (m *machine, bytes int64) {
	m = newMachine(b)
	words := strings.Fields("the kestrel hovers over lantern field while getUserById returns E0308 and the nightly job fails with a timeout")
	for i := range 4 {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1)
		text := session(id, 600, func(k int) string {
			var s strings.Builder
			for w := range 90 {
				fmt.Fprintf(&s, "%s%d ", words[(k*7+w*w+i)%len(words)], (k*w)%97)
			}
			return s.String()
		})
		m.write(sessionPath(id), text)
		bytes += int64(len(text))
	}
	return m, bytes
}

func (m *machine) place() (adapter.Place, []adapter.Source) {
	root, err := os.OpenRoot(filepath.Join(m.home, ".claude"))
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { root.Close() })
	at := adapter.Place{Root: claudecode.New().Info().Roots[0], FS: root.FS(), Name: "~/.claude"}
	var all []adapter.Source
	for s, err := range claudecode.New().Find(context.Background(), at) {
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, s)
	}
	return at, all
}

func (m *machine) records() []*lore.Conversation {
	at, sources := m.place()
	var all []*lore.Conversation
	for _, s := range sources {
		for c, err := range claudecode.New().Read(context.Background(), adapter.Input{Source: s, FS: at.FS, Place: at.Name, Bound: 1 << 40}) {
			if err != nil {
				m.t.Fatal(err)
			}
			if !c.Partial {
				all = append(all, c)
			}
		}
	}
	return all
}

func BenchmarkFind(b *testing.B) {
	m := newMachine(b)
	for i := range 1000 {
		m.write(fmt.Sprintf(".claude/projects/-p%d/%08x-0000-4000-8000-000000000000.jsonl", i%20, i), "{}\n")
	}
	for b.Loop() {
		if _, all := m.place(); len(all) != 1000 {
			b.Fatal(len(all))
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	at, sources := m.place()
	for b.Loop() {
		w, err := archive.OpenWriter(filepath.Join(b.TempDir(), "a"), archive.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range sources {
			f, err := at.FS.Open(s.Path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := w.Keep(context.Background(), archive.KeepRequest{File: archive.File{Source: "claude-code", Store: s.Store,
				Path: at.Name + "/" + s.Path, Place: at.Name, Stat: archive.StatOf(s.Info)}, Content: f, Lines: true}); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	for b.Loop() {
		m.records()
	}
}

func BenchmarkSeal(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	all := m.records()
	for b.Loop() {
		for _, c := range all {
			lore.Seal(c)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	all := m.records()
	for _, c := range all {
		lore.Seal(c)
	}
	for b.Loop() {
		b.StopTimer()
		w := openIndex(b)
		b.StartTimer()
		put(b, w, all)
		b.StopTimer()
		w.Close()
		b.StartTimer()
	}
}

func BenchmarkCommit(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	all := m.records()
	for _, c := range all {
		lore.Seal(c)
	}
	for b.Loop() {
		b.StopTimer()
		w := openIndex(b)
		put(b, w, all)
		b.StartTimer()
		if err := w.Commit(context.Background(), index.Stamp{AsOf: time.Unix(0, 0)}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		w.Close()
		b.StartTimer()
	}
}

func openIndex(b *testing.B) *index.Writer {
	w, err := index.OpenWriter(filepath.Join(b.TempDir(), "x"), index.WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

func put(b *testing.B, w *index.Writer, all []*lore.Conversation) {
	s := w.Session()
	for _, c := range all {
		if err := s.Begin(c.ID); err != nil {
			b.Fatal(err)
		}
		for i := range c.Messages {
			if err := s.Add(&c.Messages[i], 1); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Finish(c, true, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	m, bytes := benchHome(b)
	b.SetBytes(bytes)
	for b.Loop() {
		m.dir = filepath.Join(b.TempDir(), "lore")
		m.imports()
	}
}

func BenchmarkImportNothing(b *testing.B) {
	m, _ := benchHome(b)
	m.imports()
	for b.Loop() {
		m.imports()
	}
}

// BenchmarkImportLine appends a line to a session of 30 MB.
func BenchmarkImportLine(b *testing.B) {
	m := newMachine(b)
	path := sessionPath(sessionA)
	m.write(path, session(sessionA, 10_000, say(strings.Repeat("kestrel lantern ", 80))))
	m.imports()
	n := 0
	for b.Loop() {
		n++
		m.append(path, fmt.Sprintf(`{"parentUuid":"%s-a9999","cwd":"/proj/lantern","sessionId":%q,"type":"user","message":{"role":"user","content":"line %d"},"uuid":"line-%d","timestamp":"2026-03-02T10:00:00.000Z"}`+"\n",
			sessionA, sessionA, n, n))
		if r := m.imports(); r.Changed != 1 {
			b.Fatalf("%+v", r)
		}
	}
}
