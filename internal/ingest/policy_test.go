package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/internal/archive"
	"lore/internal/ingest"
)

const (
	sessionA = "aaaaaaaa-0000-4000-8000-000000000001"
	sessionB = "bbbbbbbb-0000-4000-8000-000000000002"
)

func say(word string) func(int) string {
	return func(i int) string { return word + " number " + string(rune('a'+i%26)) }
}

// counts is what a test of the change policy looks at in a report.
type counts struct{ Read, Unchanged, New, Changed, Total, Kept int }

func countsOf(r *ingest.Report) counts {
	c := counts{New: r.New, Changed: r.Changed, Total: r.Total, Kept: r.Kept}
	for _, s := range r.Sources {
		c.Read += s.Read
		c.Unchanged += s.Unchanged
	}
	return c
}

func (m *machine) want(step string, want counts, change ...func(*ingest.Options)) {
	m.t.Helper()
	if d := cmp.Diff(want, countsOf(m.imports(change...))); d != "" {
		m.t.Errorf("%s (-want +got):\n%s", step, d)
	}
}

func TestNothingChangedReadsNothing(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.want("first", counts{Read: 1, New: 1, Total: 1})
	m.want("second", counts{Unchanged: 1, Total: 1})
}

func TestTouchedIsReadOnceAndChangesNothing(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.imports()
	before := m.tell("kestrel")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(m.home, sessionPath(sessionA)), later, later); err != nil {
		t.Fatal(err)
	}
	m.want("touched", counts{Unchanged: 1, Total: 1})
	if d := cmp.Diff(before, m.tell("kestrel")); d != "" {
		t.Errorf("a touch changed something (-before +after):\n%s", d)
	}
	m.want("after", counts{Unchanged: 1, Total: 1})
}

func TestAppendKeepsOldIDs(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.imports()
	before := m.tell()
	m.write(sessionPath(sessionA), session(sessionA, 4, say("kestrel")))
	m.want("appended", counts{Read: 1, Changed: 1, Total: 1})
	for id, old := range before.Conversations {
		_, old, _ = strings.Cut(old, "\n") // the header has other figures
		if now := m.tell().Conversations[id]; !strings.Contains(now, old) {
			t.Errorf("the old messages do not stand as they were:\n%s\n%s", old, now)
		}
	}
}

func TestSameSizeAndTimeOtherBytes(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.home, sessionPath(sessionA))
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m.imports()
	m.write(sessionPath(sessionA), session(sessionA, 2, say("harrier")))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	m.want("rewritten", counts{Read: 1, Changed: 1, Total: 1})
	got := m.tell("harrier", "kestrel").Found
	if !strings.HasPrefix(got["harrier"], "4\n") {
		t.Errorf("the new words are not found: %q", got["harrier"])
	}
}

func TestDeletedStays(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.write(sessionPath(sessionB), session(sessionB, 2, say("harrier")))
	m.imports()
	if err := os.Remove(filepath.Join(m.home, sessionPath(sessionA))); err != nil {
		t.Fatal(err)
	}
	m.want("deleted", counts{Unchanged: 1, Total: 2, Kept: 1})
	before := m.tell("kestrel")
	if !strings.HasPrefix(before.Found["kestrel"], "4\n") {
		t.Errorf("what the source deleted is not found: %q", before.Found["kestrel"])
	}
	m.imports(func(o *ingest.Options) { o.Reindex = true })
	if d := cmp.Diff(before, m.tell("kestrel")); d != "" {
		t.Errorf("a rebuild lost something (-before +after):\n%s", d)
	}
}

// TestDeletedAndPutBack: a session that is in its place again is in the source again, whatever time the file has.
func TestDeletedAndPutBack(t *testing.T) {
	m := newMachine(t)
	text := session(sessionA, 2, say("kestrel"))
	m.write(sessionPath(sessionA), text)
	m.write(sessionPath(sessionB), session(sessionB, 2, say("harrier")))
	m.imports()
	before := m.tell("kestrel")
	name := filepath.Join(m.home, sessionPath(sessionA))
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	m.want("deleted", counts{Unchanged: 1, Total: 2, Kept: 1})
	m.write(sessionPath(sessionA), text)
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	m.want("put back", counts{Read: 1, Unchanged: 1, Total: 2, Kept: 0, Changed: 1})
	if d := cmp.Diff(before, m.tell("kestrel")); d != "" {
		t.Errorf("what was put back differs (-before +after):\n%s", d)
	}
	m.want("nothing since", counts{Unchanged: 2, Total: 2})
}

func TestMessageRemovedAtTheSourceStaysInactive(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.imports()
	m.write(sessionPath(sessionA), session(sessionA, 1, say("kestrel")))
	m.want("truncated", counts{Read: 1, Changed: 1, Total: 1})
	for _, c := range m.tell().Conversations {
		if n := strings.Count(c, `false "removed"`); n != 4 {
			t.Errorf("%d messages are removed, want 4:\n%s", n, c)
		}
	}
	if got := m.tell("kestrel").Found["kestrel"]; !strings.HasPrefix(got, "6\n") {
		t.Errorf("removed messages are not found: %q", got)
	}
}

func TestEmptiedFileLosesNothing(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.imports()
	m.write(sessionPath(sessionA), "")
	m.want("emptied", counts{Read: 1, Changed: 1, Total: 1, Kept: 1})
	if got := m.tell("kestrel").Found["kestrel"]; !strings.HasPrefix(got, "4\n") {
		t.Errorf("the conversation of an emptied file is not found: %q", got)
	}
}

func TestMovedFolderIsTheSameConversation(t *testing.T) {
	m := newMachine(t)
	text := session(sessionA, 2, say("kestrel"))
	m.write(sessionPath(sessionA), text)
	m.imports()
	before := m.tell("kestrel").Found
	if err := os.Remove(filepath.Join(m.home, sessionPath(sessionA))); err != nil {
		t.Fatal(err)
	}
	m.write(".claude/projects/-elsewhere-lantern/"+sessionA+".jsonl", text)
	r := m.imports()
	if r.Total != 1 || r.New != 0 || r.Kept != 0 {
		t.Errorf("total %d, new %d, kept %d; want the one conversation, at its source", r.Total, r.New, r.Kept)
	}
	if d := cmp.Diff(before, m.tell("kestrel").Found); d != "" {
		t.Errorf("the move changed what is found (-before +after):\n%s", d)
	}
}

func TestHalfWrittenLineIsCompletedLater(t *testing.T) {
	m := newMachine(t)
	text := session(sessionA, 2, say("kestrel"))
	m.write(sessionPath(sessionA), text[:len(text)-40])
	r := m.imports()
	if len(r.Losses) != 1 || r.Losses[0].Code != "partial_tail" {
		t.Errorf("losses %v, want one partial_tail", r.Losses)
	}
	m.write(sessionPath(sessionA), text)
	m.want("completed", counts{Read: 1, Changed: 1, Total: 1})
	if got := m.tell("kestrel").Found["kestrel"]; !strings.HasPrefix(got, "4\n") {
		t.Errorf("found %q, want four messages", got)
	}
}

func TestOneUnreadableFileAmongMany(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
	m.write(sessionPath(sessionB), session(sessionB, 2, say("harrier")))
	if err := os.Chmod(filepath.Join(m.home, sessionPath(sessionA)), 0); err != nil {
		t.Fatal(err)
	}
	r := m.imports()
	if len(r.Failures) != 1 || r.Total != 1 {
		t.Errorf("failures %v, total %d; want one failure and the other conversation", r.Failures, r.Total)
	}
}

// TestMovedIDResolves has a queued prompt whose id moves when its record comes: what was printed keeps resolving.
func TestMovedIDResolves(t *testing.T) {
	m := newMachine(t)
	head := session(sessionA, 1, say("kestrel"))
	queued := `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-03-01T10:05:00.000Z","sessionId":"` + sessionA + `","content":"and then the osprey"}` + "\n"
	m.write(sessionPath(sessionA), head+queued)
	m.imports()
	before := m.idOf("osprey")
	m.write(sessionPath(sessionA), head+queued+
		`{"parentUuid":"`+sessionA+`-a0","isSidechain":false,"cwd":"/proj/lantern","sessionId":"`+sessionA+`","type":"user","message":{"role":"user","content":"and then the osprey"},"uuid":"u-osprey","timestamp":"2026-03-01T10:05:10.000Z"}`+"\n")
	m.imports()
	after := m.idOf("osprey")
	if before == after {
		t.Fatal("the id has not moved; the test shows nothing")
	}
	a, err := archive.Open(m.dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if now, err := a.Resolve(before); err != nil || now != after {
		t.Errorf("the old id resolves to %s, %v; want %s", now, err, after)
	}
}

// idOf returns the id of the one message that a search finds.
func (m *machine) idOf(question string) lore.ID {
	m.t.Helper()
	_, line, _ := strings.Cut(m.tell(question).Found[question], "\n")
	text, _, _ := strings.Cut(line, " ")
	id, err := lore.ParseID(text)
	if err != nil {
		m.t.Fatalf("no hit for %q: %v", question, err)
	}
	return id
}

func history(prompts ...string) string {
	var b strings.Builder
	for _, p := range prompts {
		at, text, _ := strings.Cut(p, " ")
		fmt.Fprintf(&b, `{"display":%q,"pastedContents":{},"timestamp":%s,"project":"/proj/lantern","sessionId":%q}`+"\n", text, at, sessionA)
	}
	return b.String()
}

// TestHeadOfPromptListFallsOff has a list of prompts whose head falls off while equal words are typed again: every prompt
// that was ever typed stays, once, and no id slides to another.
func TestHeadOfPromptListFallsOff(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/history.jsonl", history("1767225600001 one", "1767225600002 two", "1767225600003 two", "1767225600004 three"))
	m.imports()
	m.write(".claude/history.jsonl", history("1767225600003 two", "1767225600004 three", "1767225600005 two"))
	m.imports()
	after := m.tell()
	for _, c := range after.Conversations {
		if n := strings.Count(c, "user true"); n != 5 {
			t.Errorf("%d active prompts, want the five that were typed:\n%s", n, c)
		}
	}
	m.imports(func(o *ingest.Options) { o.Reindex = true })
	if d := cmp.Diff(after, m.tell()); d != "" {
		t.Errorf("a rebuild tells it otherwise (-before +after):\n%s", d)
	}
}

func TestTruncatedThenEmptiedStaysRemoved(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionA), session(sessionA, 3, say("kestrel")))
	m.imports()
	m.write(sessionPath(sessionA), session(sessionA, 1, say("kestrel")))
	m.imports()
	m.write(sessionPath(sessionA), "")
	m.imports()
	for _, c := range m.tell().Conversations {
		if n := strings.Count(c, `false "removed"`); n != 4 {
			t.Errorf("%d messages are removed, want 4:\n%s", n, c)
		}
	}
}

// TestTitleOfAnotherFileDoesNotDependOnOrder has two files that title a session by one of its messages; whichever came
// first, and after a rebuild, the title is the same.
func TestTitleOfAnotherFileDoesNotDependOnOrder(t *testing.T) {
	title := func(name, text string) (string, string) {
		return sessionPath(name), `{"type":"summary","summary":"` + text + `","leafUuid":"` + sessionA + `-a1"}` + "\n" + session(name, 1, say("harrier"))
	}
	var tellings []map[string]string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		m := newMachine(t)
		for _, n := range order {
			switch n {
			case 0:
				m.write(sessionPath(sessionA), session(sessionA, 2, say("kestrel")))
			case 1:
				m.write(title("cccccccc-0000-4000-8000-000000000003", "Early title"))
			case 2:
				m.write(title("dddddddd-0000-4000-8000-000000000004", "Late title"))
			}
			m.imports()
		}
		tellings = append(tellings, m.tell().Conversations)
		m.imports(func(o *ingest.Options) { o.Reindex = true })
		tellings = append(tellings, m.tell().Conversations)
	}
	for _, other := range tellings[1:] {
		if d := cmp.Diff(tellings[0], other); d != "" {
			t.Errorf("another order, another record:\n%s", d)
		}
	}
}

// TestRebuildKeepsWhatOnlyOlderSnapshotsHold has two files whose newest snapshots say nothing any more.
func TestRebuildKeepsWhatOnlyOlderSnapshotsHold(t *testing.T) {
	m := newMachine(t)
	m.write(sessionPath(sessionB), session(sessionB, 2, say("kestrel")))
	m.write(".claude/history.jsonl", history("1767225600001 one", "1767225600002 two"))
	m.imports()
	m.write(sessionPath(sessionB), "")
	m.write(".claude/history.jsonl", "")
	m.imports()
	before := m.tell("kestrel", "two")
	if len(before.Conversations) != 2 {
		t.Errorf("%d conversations, want both", len(before.Conversations))
	}
	m.imports(func(o *ingest.Options) { o.Reindex = true })
	if d := cmp.Diff(before, m.tell("kestrel", "two")); d != "" {
		t.Errorf("a rebuild lost something (-before +after):\n%s", d)
	}
}

// TestMovedAndRebuilt has a file that was deleted and came back elsewhere: the figures are those of a rebuild.
func TestMovedAndRebuilt(t *testing.T) {
	m := newMachine(t)
	text := session(sessionA, 3, say("kestrel"))
	m.write(sessionPath(sessionA), text)
	m.imports()
	m.write(sessionPath(sessionA), session(sessionA, 1, say("kestrel")))
	m.imports()
	if err := os.Remove(filepath.Join(m.home, sessionPath(sessionA))); err != nil {
		t.Fatal(err)
	}
	m.imports()
	m.write(".claude/projects/-moved/"+sessionA+".jsonl", text)
	m.imports()
	before := m.tell("kestrel")
	m.imports(func(o *ingest.Options) { o.Reindex = true })
	if d := cmp.Diff(before, m.tell("kestrel")); d != "" {
		t.Errorf("a rebuild tells it otherwise (-before +after):\n%s", d)
	}
}
