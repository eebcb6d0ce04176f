package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/adapter/codex"
	"lore/internal/service"
)

// machine is a home folder with invented histories, and lore's own folder.
type machine struct {
	t    testing.TB
	home string
	svc  service.Service
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	home := t.TempDir()
	return &machine{t: t, home: home, svc: newService(filepath.Join(t.TempDir(), "lore"), home)}
}

func newService(dir, home string) service.Service {
	return service.Service{Dir: dir, Home: home, OwnHome: true, Env: func(string) string { return "" },
		Adapters: []adapter.Adapter{claudecode.New(), codex.New()}, Now: time.Now, Zone: time.UTC, Build: "test"}
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

func (m *machine) imports() *service.ImportResult {
	m.t.Helper()
	res, err := m.svc.Import(context.Background(), service.ImportRequest{})
	if err != nil {
		m.t.Fatal(err)
	}
	return res
}

// faults returns what a check finds, one line a fault.
func (m *machine) faults(full bool) []string {
	m.t.Helper()
	res, err := m.svc.Check(context.Background(), service.CheckRequest{Full: full})
	if err != nil {
		return []string{err.Error()}
	}
	var all []string
	for _, f := range res.Faults {
		if f.Fix == "" {
			m.t.Errorf("%s %s: %q says nothing to do", f.Where, f.What, f.Detail)
		}
		all = append(all, fmt.Sprintf("%s: %s %d %s%s: %s", f.Where, f.What, f.ID, f.Name, strings.Join(f.Files, ","), f.Detail))
	}
	return all
}

// sound fails the test when a full check finds something.
func (m *machine) sound(when string) {
	m.t.Helper()
	if got := m.faults(true); len(got) > 0 {
		m.t.Fatalf("%s: the check says\n%s", when, strings.Join(got, "\n"))
	}
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

// typed is the entries of Claude Code's prompt history for a session.
func typed(id string, n int, say func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"display":%q,"pastedContents":{},"timestamp":%d,"project":"/proj/lantern","sessionId":%q}`+"\n",
			say(i), time.Date(2026, 3, 1, 10, i/60, i%60, 0, time.UTC).UnixMilli(), id)
	}
	return b.String()
}

func sessionID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n+1, n+1) }

func sessionPath(id string) string { return ".claude/projects/-proj-lantern/" + id + ".jsonl" }

const historyPath = ".claude/history.jsonl"
