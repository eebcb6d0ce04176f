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
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"lore/internal/index"
	"lore/internal/ingest"
)

// bound is what an import may take at its peak, in bytes.
const bound = 256 << 20

// peak imports a home in a process of its own and returns the most memory that it held, in bytes. It is what the child says
// of itself: what the system says of a child that has ended begins with what the parent held.
func (m *machine) peak(memory int64) int64 {
	m.t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+m.home, childEnv+"_DIR="+m.dir, childEnv+"_MEMORY="+fmt.Sprint(memory))
	began := time.Now()
	out, err := child.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	m.t.Logf("it took %d MiB of %d, and %s", kib>>10, memory>>20, time.Since(began).Round(time.Millisecond))
	return kib << 10
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
	if got := m.peak(bound); got > bound {
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
			got := m.peak(bound)
			if got > bound {
				t.Errorf("it took %d MiB", got>>20)
			}
		})
	}
}

// TestAGigabyteGrowsByALine: a session of a gigabyte that grows by a line costs what the line costs. How long it took is
// told, and not judged: what was read is.
func TestAGigabyteGrowsByALine(t *testing.T) {
	if os.Getenv("LORE_TEST_LONG") == "" {
		t.Skip("takes minutes and gigabytes of disk: set LORE_TEST_LONG")
	}
	m := newMachine(t)
	uuid := func(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n*7919) }
	line := func(n int, text string) string {
		role := [...]string{"user", "assistant"}[n%2]
		return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"type":%q,"message":{"id":"msg-%d","role":%q,"model":"synth-1","content":"%d %s"},"uuid":%q,"timestamp":%q}`+"\n",
			uuid(n), sessionA, role, n, role, n, text, uuid(n+1), time.Unix(1772000000+int64(n), 0).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	const lines = 265_000
	m.pour(sessionPath(sessionA), func(w *bufio.Writer) {
		words := varied()
		for n := range lines {
			w.WriteString(line(n, words[n%1000*1000:][:3800]))
		}
	})
	path := filepath.Join(m.home, filepath.FromSlash(sessionPath(sessionA)))
	if info, err := os.Stat(path); err != nil || info.Size() < 1<<30 {
		t.Fatalf("%v: %d bytes are no gigabyte", err, info.Size())
	}
	for i, what := range []string{"all of it", "a line", "another line"} {
		if i > 0 {
			m.append(sessionPath(sessionA), line(lines+i, "kestrel"))
		}
		if got := m.peak(bound); got > bound {
			t.Errorf("%s: it took %d MiB", what, got>>20)
		}
	}
	last := line(lines+3, "kestrel")
	m.append(sessionPath(sessionA), last)
	if r := m.imports(); r.BytesRead != int64(len(last)) || r.New != 0 {
		t.Errorf("of the grown file %d bytes were read, where %d are new", r.BytesRead, len(last))
	}
	at, err := ingest.IndexDir(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(at, index.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if found := m.tellHits(x, "kestrel"); !strings.HasPrefix(found, "3\n") {
		t.Errorf("found %q", found)
	}
}
