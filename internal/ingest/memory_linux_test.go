//go:build !race

// The race detector keeps books of its own, which are bigger than what they are about.

package ingest_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite"
)

// bound is what an import may take at its peak, in bytes.
const bound = 256 << 20

// peak imports a home in a process of its own and returns the most memory that it held.
func (m *machine) peak() int64 {
	m.t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+m.home, childEnv+"_DIR="+m.dir, childEnv+"_MEMORY="+fmt.Sprint(bound))
	if out, err := child.CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	return child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// pour writes a file through a buffer.
func (m *machine) pour(name string, fill func(w *bufio.Writer)) {
	m.t.Helper()
	m.write(name, "")
	f, err := os.Create(filepath.Join(m.home, filepath.FromSlash(name)))
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	fill(w)
	if err := w.Flush(); err != nil {
		m.t.Fatal(err)
	}
}

// varied is a megabyte of words, most of which differ.
func varied() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "w%05x ", i*2654435761%1000003)
	}
	return b.String()
}

// longLine writes a prompt of so many megabytes on one line, and a short one behind it.
func longLine(id string, megabytes int) func(w *bufio.Writer) {
	words := varied()
	return func(w *bufio.Writer) {
		fmt.Fprintf(w, `{"parentUuid":null,"isSidechain":false,"cwd":"/p","sessionId":%q,"type":"user","uuid":"u-%s","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"`, id, id)
		for range megabytes {
			w.WriteString(words)
		}
		w.WriteString("\"}}\n" + session(id, 1, say("kestrel")))
	}
}

func TestMemoryStaysWithinItsBound(t *testing.T) {
	m := newMachine(t)
	m.pour(sessionPath(sessionA), longLine(sessionA, 6))
	m.pour(sessionPath(sessionB), longLine(sessionB, 6))
	m.write(sessionPath("cccccccc-0000-4000-8000-000000000003"), session("cccccccc-0000-4000-8000-000000000003", 4000, say("heron")))
	if got := m.peak(); got > bound {
		t.Errorf("it took %d MiB", got>>20)
	}
}

// TestMemoryOfWhatIsLarge takes minutes and gigabytes of disk.
func TestMemoryOfWhatIsLarge(t *testing.T) {
	if os.Getenv("LORE_TEST_LONG") == "" {
		t.Skip("takes minutes and gigabytes of disk: set LORE_TEST_LONG")
	}
	for _, c := range []struct {
		name string
		fill func(m *machine)
	}{
		{"two lines of 2 GB at once", func(m *machine) {
			m.pour(sessionPath(sessionA), longLine(sessionA, 2<<10))
			m.pour(sessionPath(sessionB), longLine(sessionB, 2<<10))
		}},
		{"a gigabyte of short lines", func(m *machine) {
			m.pour(sessionPath(sessionA), func(w *bufio.Writer) {
				words := varied()[:4000]
				w.WriteString(session(sessionA, 130_000, func(i int) string { return fmt.Sprint(i, words) }))
			})
		}},
		{"a database value of 200 MB", func(m *machine) {
			m.write(".local/state.db", "")
			db, err := sql.Open("sqlite", filepath.Join(m.home, ".codex-state.db"))
			if err != nil {
				m.t.Fatal(err)
			}
			defer db.Close()
			m.write(".codex/.keep", "")
			if _, err := db.Exec(`CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, cwd TEXT, rollout_path TEXT);
				INSERT INTO threads VALUES ('t1', ?, '/p', '')`, strings.Repeat(varied(), 200)); err != nil {
				m.t.Fatal(err)
			}
			db.Close()
			if err := os.Rename(filepath.Join(m.home, ".codex-state.db"), filepath.Join(m.home, ".codex/state_5.sqlite")); err != nil {
				m.t.Fatal(err)
			}
		}},
		{"20,000 sessions", func(m *machine) {
			for i := range 20_000 {
				id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1)
				m.write(fmt.Sprintf(".claude/projects/-p%d/%s.jsonl", i%100, id), session(id, 3, say("plover")))
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.fill(m)
			got := m.peak()
			t.Logf("%d MiB", got>>20)
			if got > bound {
				t.Errorf("it took %d MiB", got>>20)
			}
		})
	}
}
