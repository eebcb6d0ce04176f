package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"lore"
)

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, ReaderOptions{}); !errors.Is(err, ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
	w := openWriter(t, dir)
	put(t, w.Session(), spoken("one", "lamp"), 1)
	commit(t, w)
	name := w.open[0].name
	w.Close()

	other := copyDir(t, dir)
	execSQL(t, other, "PRAGMA user_version = 99")
	damaged := copyDir(t, dir)
	if err := os.WriteFile(filepath.Join(damaged, catalogName), []byte("no database, but long enough to be one, it seems"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := copyDir(t, dir)
	os.Remove(filepath.Join(missing, name))
	short := copyDir(t, dir)
	if err := os.Truncate(filepath.Join(short, name), 100); err != nil {
		t.Fatal(err)
	}
	for what, dir := range map[string]string{"another version": other, "no database": damaged, "a segment missing": missing, "a segment cut": short} {
		if _, err := Open(dir, ReaderOptions{}); !errors.Is(err, ErrRebuild) {
			t.Errorf("%s: reader: %v", what, err)
		}
		if _, err := OpenWriter(dir, WriterOptions{}); !errors.Is(err, ErrRebuild) {
			t.Errorf("%s: writer: %v", what, err)
		}
	}
}

func execSQL(t *testing.T, dir, query string) {
	t.Helper()
	db, err := openCatalog(dir, true)
	if err == nil {
		_, err = db.Exec(query)
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
}

func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestReaderKeepsItsState(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	put(t, s, spoken("one", "lamp"), 1)
	commit(t, w)
	r := open(t, dir)
	if !r.Current() {
		t.Error("nothing was committed, and the reader is not current")
	}
	put(t, s, spoken("two", "lamp"), 1)
	if err := w.Remove(spoken("one", "lamp").ID); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	if r.Current() {
		t.Error("the reader is current after a commit")
	}
	if res := ask(t, r, "lamp", Options{}); len(res.Hits) != 1 || res.Hits[0].Conversation.Native != "one" {
		t.Errorf("the old reader sees %+v", res.Hits)
	}
	if res := ask(t, open(t, dir), "lamp", Options{}); len(res.Hits) != 1 || res.Hits[0].Conversation.Native != "two" {
		t.Errorf("a new reader sees %+v", res.Hits)
	}
}

func TestSecondWriterIsBusy(t *testing.T) {
	dir := t.TempDir()
	a, b := openWriter(t, dir), openWriter(t, dir)
	put(t, a.Session(), spoken("one", "lamp"), 1)
	commit(t, a)
	s := b.Session()
	c := spoken("two", "lamp")
	if err := s.Begin(c.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(&c.Messages[0], 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(c, true, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("a writer that another one overtook: %v", err)
	}
}

func TestSmallSegmentsAreMerged(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	var all []*lore.Conversation
	for i := range 9 {
		all = append(all, spoken(fmt.Sprint(i), fmt.Sprintf("lamp number%d", i), "answer"))
		put(t, s, all[i], 1)
		commit(t, w)
		for {
			more, err := w.Merge(context.Background(), MergeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
		}
	}
	if len(w.open) >= mergeWidth {
		t.Errorf("%d segments are left", len(w.open))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) != len(w.open) {
		t.Errorf("%d files for %d segments", len(files), len(w.open))
	}
	r := open(t, dir)
	for i, c := range all {
		if res := ask(t, r, fmt.Sprintf("number%d", i), Options{Strict: true}); len(res.Hits) != 1 || res.Hits[0].Message != c.Messages[0].ID {
			t.Errorf("conversation %d: %+v", i, res.Hits)
		}
	}
}

// TestDeadSegmentsAreWrittenAnew deletes most of a segment and finds the rest in a smaller one.
func TestDeadSegmentsAreWrittenAnew(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	for i := range 20 {
		put(t, s, spoken(fmt.Sprint(i), fmt.Sprintf("lamp number%d", i)), 1)
	}
	commit(t, w)
	before := w.open[0].size
	for i := range 15 {
		if err := w.Remove(spoken(fmt.Sprint(i), fmt.Sprintf("lamp number%d", i)).ID); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w)
	if _, err := w.Merge(context.Background(), MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(w.open) != 1 || w.open[0].gone != 0 || w.open[0].docs != 5 || w.open[0].size >= before {
		t.Errorf("%d segments, first of %d documents, %d deleted, %d bytes of %d", len(w.open), w.open[0].docs, w.open[0].gone, w.open[0].size, before)
	}
	if res := ask(t, open(t, dir), "lamp", Options{}); res.Total != 5 || res.Hits[0].Snippet == "" {
		t.Errorf("%+v", res)
	}
}

func TestSessionsSideBySide(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, WriterOptions{Memory: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var wait sync.WaitGroup
	for k := range 4 {
		s := w.Session()
		wait.Go(func() {
			for i := range 10 {
				put(t, s, spoken(fmt.Sprint(k, "-", i), fmt.Sprintf("lamp of%dkeeper%d", k, i), "answer"), 1)
			}
		})
	}
	wait.Wait()
	commit(t, w)
	r := open(t, dir)
	if n, m, err := r.Counts(); n != 40 || m != 80 || err != nil {
		t.Errorf("%d conversations, %d messages, %v", n, m, err)
	}
	if res := ask(t, r, "lamp", Options{}); res.Total != 40 {
		t.Errorf("%d hits", res.Total)
	}
}

// TestKilledWriterLeavesNothing takes what a killed process leaves: files without a commit.
func TestKilledWriterLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, WriterOptions{Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	put(t, w.Session(), spoken("one", "lamp"), 1)
	left := copyDir(t, dir)
	w.Close()
	if files, _ := filepath.Glob(filepath.Join(left, "*"+segmentSuffix)); len(files) == 0 {
		t.Fatal("nothing was spilled")
	}
	again := openWriter(t, left)
	if files, _ := filepath.Glob(filepath.Join(left, "*"+segmentSuffix)); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
	put(t, again.Session(), spoken("two", "lamp"), 1)
	commit(t, again)
	if res := ask(t, open(t, left), "lamp", Options{}); res.Total != 1 || res.Hits[0].Conversation.Native != "two" {
		t.Errorf("%+v", res)
	}
}
