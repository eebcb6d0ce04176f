package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore"
	"lore/internal/archive"
	"lore/internal/service"
)

func word(w string) func(int) string {
	return func(i int) string { return fmt.Sprintf("%s prompt %d of many", w, i) }
}

func id(n int) string { return lore.ConversationID("claude-code", sessionID(n)).String() }

func (m *machine) forget(yes bool, ids ...string) *service.ForgetResult {
	m.t.Helper()
	res, err := m.svc.Forget(context.Background(), service.ForgetRequest{IDs: ids, Yes: yes})
	if err != nil {
		m.t.Fatal(err)
	}
	return res
}

// hits searches, greps and lists for a word and returns how often each found it.
func (m *machine) hits(word string) (found [3]int) {
	m.t.Helper()
	ctx := context.Background()
	s, err := m.svc.Search(ctx, service.SearchRequest{Query: word, All: true})
	if err != nil {
		m.t.Fatal(err)
	}
	found[0] = s.Total
	err = m.svc.Grep(ctx, service.GrepRequest{Pattern: word, Literal: true}, func(e service.GrepEvent) error {
		if e.Type == "match" {
			found[1]++
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	l, err := m.svc.List(ctx, service.ListRequest{})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, c := range l.Conversations {
		if strings.Contains(c.Title, word) {
			found[2]++
		}
	}
	return found
}

// nowhere demands that a word is in no snapshot of the archive, and in no byte of lore's folder.
func (m *machine) nowhere(word string) {
	m.t.Helper()
	a, err := archive.Open(m.svc.Dir, archive.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer a.Close()
	files, err := a.Files()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, f := range files {
		all, err := a.Snapshots(f.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, s := range all {
			r, err := a.OpenSnapshot(s.ID)
			if err != nil {
				m.t.Fatal(err)
			}
			if b, err := io.ReadAll(r); err != nil || bytes.Contains(b, []byte(word)) {
				m.t.Errorf("snapshot %d of %q: %v, holds %q: %v", s.ID, f.Path, err, word, err == nil)
			}
		}
	}
	filepath.WalkDir(m.svc.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(word)) {
			m.t.Errorf("%q holds %q", path, word)
		}
		return nil
	})
}

// TestForgottenStaysForgotten: what was forgotten is nowhere, and no later import brings it back: not one that finds the
// same files, not one that finds them grown, moved or beside new ones, not a rebuild.
func TestForgottenStaysForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	m := newMachine(t)
	history := typed(sessionID(0), 3, word("heron")) + typed(sessionID(1), 3, word("kestrel")) + typed(sessionID(2), 2, word("osprey"))
	m.write(historyPath, history)
	for n, w := range []string{"heron", "kestrel", "osprey"} {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 5, word(w)))
	}
	m.imports()
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 9, word("kestrel")))
	m.imports()
	before, list := m.hits("kestrel"), m.list()
	if before[0] == 0 || before[1] == 0 || before[2] != 1 {
		t.Fatalf("before: %v", before)
	}
	plan := m.forget(false, id(1))
	if plan.Done || len(plan.Conversations) != 1 || m.list() != list {
		t.Errorf("a dry run: %+v", plan)
	}
	var fates []string
	for _, e := range plan.Evidences {
		fates = append(fates, filepath.Base(e.File)+" "+e.Fate)
	}
	if want := []string{"history.jsonl blanked", sessionID(1) + ".jsonl removed"}; !slices.Equal(fates, want) {
		t.Errorf("got %q, want %q", fates, want)
	}
	if res := m.forget(true, id(1)); !res.Done {
		t.Errorf("%+v", res)
	}
	gone := func(when string) {
		t.Helper()
		if got := m.hits("kestrel"); got != [3]int{} {
			t.Errorf("%s: found %v", when, got)
		}
		if _, err := m.svc.Show(context.Background(), service.ShowRequest{ID: id(1)}); err == nil {
			t.Errorf("%s: it is shown", when)
		}
		m.nowhere("kestrel")
		m.sound(when)
		for _, w := range []string{"heron", "osprey"} {
			if got := m.hits(w); got[0] == 0 || got[1] == 0 || got[2] != 1 {
				t.Errorf("%s: of %s is found %v", when, w, got)
			}
		}
	}
	gone("forgotten")
	m.imports()
	gone("imported again")
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 12, word("kestrel")))
	m.write(historyPath, history+typed(sessionID(1), 4, word("kestrel"))+typed(sessionID(0), 1, word("heron again")))
	m.imports()
	gone("both have grown")
	m.imports()
	gone("nothing new")
	if got := m.hits("heron again"); got[0] == 0 {
		t.Error("a later line of the shared file did not come")
	}
	os.Remove(filepath.Join(m.home, sessionPath(sessionID(1))))
	m.write(strings.Replace(sessionPath(sessionID(1)), "lantern", "elsewhere", 1), session(sessionID(1), 12, word("kestrel")))
	m.imports()
	gone("moved")
	if _, err := m.svc.Import(context.Background(), service.ImportRequest{Reindex: true, Verify: true}); err != nil {
		t.Fatal(err)
	}
	gone("rebuilt")
}

// TestForgetIsFinishedByTheNextImport: the archive forgets in one commit. A process that dies behind it leaves the index
// to the next import.
func TestForgetIsFinishedByTheNextImport(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 5, word("kestrel")))
	m.write(sessionPath(sessionID(2)), session(sessionID(2), 5, word("heron")))
	m.imports()
	w, err := archive.OpenWriter(m.svc.Dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Files()
	if err != nil {
		t.Fatal(err)
	}
	f := files[slices.IndexFunc(files, func(f archive.File) bool { return strings.Contains(f.Path, sessionID(1)) })]
	target := lore.ConversationID("claude-code", sessionID(1))
	err = w.Forget(context.Background(), archive.Forgetting{Files: []int64{f.ID}, IDs: []lore.ID{target}, Tombstones: []archive.Tombstone{
		{Target: target, Source: f.Source}, {Target: archive.EvidenceKey(f.Source, f.Path), Source: f.Source, Evidence: true, Stat: f.Stat}}})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if len(m.faults(false)) == 0 {
		t.Error("the check does not see that the index is behind")
	}
	m.imports()
	m.nowhere("kestrel")
	m.sound("after the next import")
	if got := m.hits("heron"); got[0] == 0 {
		t.Error("the other one is gone too")
	}
}

func TestForgetRefusesAMessage(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 2, word("kestrel")))
	m.imports()
	shown, err := m.svc.Show(context.Background(), service.ShowRequest{ID: id(1)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.svc.Forget(context.Background(), service.ForgetRequest{IDs: []string{shown.Conversation.Messages[0].ID.String()}, Yes: true})
	var f *service.Failure
	if !errors.As(err, &f) || f.Kind != service.Usage || !strings.Contains(f.Message, id(1)[:12]) {
		t.Errorf("got %v", err)
	}
}

// TestForgetGoesWithItsMarks: marks on what is forgotten go too.
func TestForgetGoesWithItsMarks(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 2, word("kestrel")))
	m.write(sessionPath(sessionID(2)), session(sessionID(2), 2, word("heron")))
	m.imports()
	for n := 1; n < 3; n++ {
		if _, err := m.svc.Mark(context.Background(), service.MarkRequest{ID: id(n), Notes: []string{fmt.Sprintf("remark%d", n)}}); err != nil {
			t.Fatal(err)
		}
	}
	m.forget(true, id(1))
	m.nowhere("remark1")
	l, err := m.svc.List(context.Background(), service.ListRequest{Query: "is:marked"})
	if err != nil || l.Total != 1 {
		t.Errorf("%v, %+v", err, l)
	}
}

// TestForgottenStaysForgottenInABundle: a bundle that was made before brings nothing back, and one that was made behind a
// Forget takes its word to the other machine.
func TestForgottenStaysForgottenInABundle(t *testing.T) {
	ctx := context.Background()
	m := newMachine(t)
	m.write(historyPath, typed(sessionID(1), 3, word("kestrel"))+typed(sessionID(2), 3, word("heron")))
	for n, w := range []string{"", "kestrel", "heron"} {
		if w != "" {
			m.write(sessionPath(sessionID(n)), session(sessionID(n), 5, word(w)))
		}
	}
	m.imports()
	before, behind := filepath.Join(t.TempDir(), "before.lore"), filepath.Join(t.TempDir(), "behind.lore")
	if _, err := m.svc.Bundle(ctx, service.BundleRequest{All: true, To: before}); err != nil {
		t.Fatal(err)
	}
	m.forget(true, id(1))
	if _, err := m.svc.Bundle(ctx, service.BundleRequest{All: true, To: behind}); err != nil {
		t.Fatal(err)
	}
	take := func(m *machine, bundle string) {
		t.Helper()
		if _, err := m.svc.Import(ctx, service.ImportRequest{Paths: []string{bundle}}); err != nil {
			t.Fatal(err)
		}
	}
	take(m, before)
	m.nowhere("kestrel")
	m.sound("the bundle from before was taken")
	other := newMachine(t)
	take(other, before)
	if got := other.hits("kestrel"); got[0] == 0 {
		t.Fatal("the other machine does not have it")
	}
	take(other, behind)
	other.nowhere("kestrel")
	other.sound("the word was taken to the other machine")
	for _, m := range []*machine{m, other} {
		if got := m.hits("heron"); got[0] == 0 {
			t.Error("what stays is gone")
		}
	}
}
