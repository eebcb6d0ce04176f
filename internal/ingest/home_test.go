package ingest_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/adapter/codex"
	"lore/adapter/crush"
	"lore/adapter/cursor"
	"lore/adapter/goose"
	"lore/adapter/opencode"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
	"lore/internal/query"
)

// machine is a home folder and lore's own folder, for one test.
type machine struct {
	t    testing.TB
	home string
	dir  string
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	return &machine{t: t, home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
}

func adapters() []adapter.Adapter {
	return []adapter.Adapter{claudecode.New(), codex.New(), cursor.New(), crush.New(), goose.New(), opencode.New()}
}

// write puts a file below the home.
func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) options() ingest.Options {
	return ingest.Options{Dir: m.dir, Machine: ingest.Machine{Home: m.home}, Adapters: adapters(), Now: time.Now}
}

// imports runs an import and returns its report.
func (m *machine) imports(change ...func(*ingest.Options)) *ingest.Report {
	m.t.Helper()
	o := m.options()
	for _, f := range change {
		f(&o)
	}
	r, err := ingest.Run(context.Background(), o)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// told is all that an archive and its index say, in a form that two of them can be compared by.
type told struct {
	Conversations map[string]string // by id: header, messages with their ids and flags
	Found         map[string]string // by question: the hits
	Bytes         map[string]string // by path: the newest snapshot
}

func (m *machine) tell(questions ...string) told {
	m.t.Helper()
	a, err := archive.Open(m.dir, archive.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer a.Close()
	at, err := ingest.IndexDir(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	x, err := index.Open(at, index.ReaderOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer x.Close()
	out := told{Conversations: map[string]string{}, Found: map[string]string{}, Bytes: map[string]string{}}
	m.tellConversations(a, x, out.Conversations)
	for _, q := range questions {
		out.Found[q] = m.tellHits(x, q)
	}
	files, err := a.Files()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, f := range files {
		r, err := a.OpenSnapshot(f.Snapshot)
		if err != nil {
			m.t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			m.t.Fatal(err)
		}
		out.Bytes[f.Path] = string(b)
	}
	return out
}

func (m *machine) tellConversations(a *archive.Archive, x *index.Reader, out map[string]string) {
	asm := ingest.NewAssembler(a, x, adapters())
	list, err := x.List(context.Background(), query.Query{}, index.ListOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range list.Entries {
		c, err := asm.Load(context.Background(), e.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		columns, err := x.Messages(e.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s in source %v\n", e.Header, e.InSource)
		for i := range c.Messages {
			msg := &c.Messages[i]
			fmt.Fprintf(&b, "%s %s %v %q %s\n", msg.ID, msg.Role, msg.Active, msg.Subtype, words(msg))
			if i < len(columns) && (columns[i].ID != msg.ID || columns[i].Active != msg.Active) {
				m.t.Errorf("message %d of %q: the index says %s, the archive %s", i, e.Native, columns[i].ID, msg.ID)
			}
		}
		if len(columns) != len(c.Messages) {
			m.t.Errorf("%q: %d messages in the index, %d in the archive", e.Native, len(columns), len(c.Messages))
		}
		out[e.ID.String()] = b.String()
	}
}

func (m *machine) tellHits(x *index.Reader, question string) string {
	q, _, err := query.Parse(question, query.Env{Now: time.Now(), Zone: time.UTC})
	if err != nil {
		m.t.Fatal(err)
	}
	found, err := x.Search(context.Background(), q, index.Options{All: true})
	if err != nil {
		m.t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", found.Total)
	for _, h := range found.Hits {
		fmt.Fprintf(&b, "%s %s %s\n", h.Message, h.Tier, h.Snippet)
	}
	return b.String()
}

func words(m *lore.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		fmt.Fprintf(&b, "[%s %s]", p.Kind, p.Text)
	}
	return b.String()
}

// session is a Claude Code session of n prompts, each with its answer.
func session(id string, n int, say func(i int) string) string {
	var b strings.Builder
	parent := "null"
	for i := range n {
		user, answer := fmt.Sprintf("%s-u%d", id, i), fmt.Sprintf("%s-a%d", id, i)
		at := time.Date(2026, 3, 1, 10, i/60, i%60, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"type":"user","message":{"role":"user","content":%q},"uuid":%q,"timestamp":%q}`+"\n",
			parent, id, say(i), user, at)
		fmt.Fprintf(&b, `{"parentUuid":%q,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"type":"assistant","message":{"id":"msg-%s","role":"assistant","model":"synth-1","content":[{"type":"text","text":"answer to %s"}]},"uuid":%q,"timestamp":%q}`+"\n",
			user, id, answer, say(i), answer, at)
		parent = fmt.Sprintf("%q", answer)
	}
	return b.String()
}

func sessionPath(id string) string { return ".claude/projects/-proj-lantern/" + id + ".jsonl" }
