package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/internal/service"
)

// TestIndexBehindTheArchive: while an import is at work, or where it was killed between archive and index, the archive has
// what the index has not read yet. What is shown then is what the index has read, and every id in it can be asked for.
func TestIndexBehindTheArchive(t *testing.T) {
	m, id := newMachine(t), sessionID(1)
	say := func(i int) string { return fmt.Sprintf("heron %d", i) }
	m.write(sessionPath(id), session(id, 3, say))
	m.imports()
	before := m.list()
	saved := filepath.Join(t.TempDir(), "saved")
	copyIndex(t, m.svc.Dir, saved)

	lines := strings.SplitAfter(session(id, 9, say), "\n")
	m.write(sessionPath(id), strings.Join(lines[2:], ""))
	m.write(historyPath, typed(id, 4, func(i int) string { return fmt.Sprintf("heron %d and typed", i) }))
	m.imports()
	after := m.list()
	for _, name := range []string{"index", "index-1"} {
		if err := os.RemoveAll(filepath.Join(m.svc.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	copyIndex(t, saved, m.svc.Dir)

	if got := m.list(); got != before {
		t.Errorf("listed\n%s\nwant\n%s", got, before)
	}
	ctx := context.Background()
	shown, err := m.svc.Show(ctx, service.ShowRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(shown.Conversation.Messages); n != 6 {
		t.Errorf("%d messages, want the 6 that the index has read", n)
	}
	for _, msg := range shown.Conversation.Messages {
		if _, err := m.svc.Show(ctx, service.ShowRequest{ID: msg.ID.String()}); err != nil {
			t.Errorf("%s is shown, and then: %v", msg.ID.Short(), err)
		}
	}
	if got := m.hits(`"heron 1"`)[0]; got != 2 {
		t.Errorf("%v hits of what was read, want prompt and answer", got)
	}
	m.imports()
	if got := m.list(); got != after {
		t.Errorf("after the next import\n%s\nwant\n%s", got, after)
	}
	m.sound("in the end")
}

// copyIndex copies the index that is in a folder into another.
func copyIndex(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(to, "index-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Glob(filepath.Join(from, "index-1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(inside, filepath.Join(from, "index")) {
		rel, err := filepath.Rel(from, name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, rel), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
