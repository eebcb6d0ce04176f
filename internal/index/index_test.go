package index

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
)

// say is a message of a test conversation.
func say(native string, role lore.Role, parts ...lore.Part) lore.Message {
	return lore.Message{Native: native, Role: role, Active: true, AtFrom: lore.FromNone, Parts: parts}
}

func words(s string) lore.Part { return lore.Part{Kind: lore.Text, Text: s} }

// talk is a sealed conversation whose messages stand one after the other in evidence 1, a second apart.
func talk(native string, messages ...lore.Message) *lore.Conversation {
	c := &lore.Conversation{Source: "claude-code", Store: "projects", Native: native, Kind: lore.Main, Messages: messages}
	offset := int64(0)
	for i := range c.Messages {
		m := &c.Messages[i]
		if len(m.Origins) == 0 {
			m.Origins = []lore.Locator{{File: "~/x/" + native + ".jsonl", Line: i + 1, Offset: offset, Length: 100}}
		}
		offset += 101
		if m.AtFrom == lore.FromNone {
			m.At, m.AtFrom = lore.NewTime(int64(1_700_000_000+i)*1e9, 3, false), lore.FromSource
		}
	}
	s := lore.NewSealer()
	s.Piece(c)
	s.Finish(c)
	return c
}

// put puts a conversation.
func put(t testing.TB, s *Session, c *lore.Conversation, evidence int64) Change {
	t.Helper()
	if err := s.Begin(c.ID); err != nil {
		t.Fatal(err)
	}
	for i := range c.Messages {
		if err := s.Add(&c.Messages[i], evidence); err != nil {
			t.Fatal(err)
		}
	}
	change, err := s.Finish(c, true, []Link{{Evidence: evidence, Ledger: lore.Ledger{Units: len(c.Messages), Kept: len(c.Messages)}}})
	if err != nil {
		t.Fatal(err)
	}
	return change
}

func openWriter(t testing.TB, dir string) *Writer {
	t.Helper()
	w, err := OpenWriter(dir, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func commit(t testing.TB, w *Writer) {
	t.Helper()
	if err := w.Commit(context.Background(), Stamp{Archive: "a", AsOf: time.Unix(1_700_000_500, 0)}); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *Reader {
	t.Helper()
	r, err := Open(dir, ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// stored puts conversations into a fresh index and opens it.
func stored(t testing.TB, conversations ...*lore.Conversation) *Reader {
	t.Helper()
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	for _, c := range conversations {
		put(t, s, c, 1)
	}
	commit(t, w)
	return open(t, dir)
}

// messageIDs lists the messages of a conversation as the index holds them.
func messageIDs(t testing.TB, r *Reader, conv lore.ID) (out []lore.ID) {
	t.Helper()
	all, err := r.Messages(conv)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		out = append(out, m.ID)
	}
	return out
}

func idsOf(c *lore.Conversation) (out []lore.ID) {
	for i := range c.Messages {
		out = append(out, c.Messages[i].ID)
	}
	return out
}

func TestMessagesRoundTrip(t *testing.T) {
	c := talk("one", say("u1", lore.User, words("keep the lamp lit")), say("a1", lore.Assistant, words("it is lit")),
		say("", lore.Tool, lore.Part{Kind: lore.Result, Text: "ok", Name: "Bash"}))
	c.Messages[1].Active = false
	r := stored(t, c, talk("two", say("u1", lore.User, words("another"))))
	got, err := r.Messages(c.ID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Conversation(c.ID)
	if err != nil {
		t.Fatal(err)
	}
	var want []Message
	for i, m := range c.Messages {
		want = append(want, Message{ID: m.ID, ContentID: m.ContentID, Conversation: e.Row, NativeHash: HashNative(m.Native), Role: m.Role,
			Active: m.Active, Kinds: kindsOf(&m), At: m.At, Ordinal: uint32(i+1) * ordinalStep, Evidence: 1,
			Offset: m.Origins[0].Offset, Length: 100, Line: i + 1})
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b lore.Time) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if one, err := r.Message(c.Messages[2].ID); err != nil || one.ID != c.Messages[2].ID {
		t.Errorf("message by id: %v, %v", one, err)
	}
	if all, err := r.ByNativeHash(HashNative("u1")); err != nil || len(all) != 2 {
		t.Errorf("by native hash: %v, %v", all, err)
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	c := talk("one", say("u1", lore.User, words("keep the lamp lit")))
	c.Title, c.TitleFrom = "Lamp", lore.TitleFromSource
	c.Project = lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"}
	c.Parent = &lore.Parent{Native: "p", ID: lore.ConversationID("claude-code", "p"), Call: "toolu_1"}
	r := stored(t, c)
	e, err := r.Conversation(c.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	want := *c
	want.Messages, want.Models = nil, []string{}
	if diff := cmp.Diff(&want, got, cmp.Comparer(func(a, b lore.Time) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if kids, err := r.Children(c.Parent.ID); err != nil || len(kids) != 1 || kids[0].ID != c.ID {
		t.Errorf("children: %v, %v", kids, err)
	}
	links, err := r.Links(c.ID)
	if diff := cmp.Diff([]Link{{Evidence: 1, Ledger: lore.Ledger{Units: 1, Kept: 1}}}, links); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestPutAgain(t *testing.T) {
	text := func(i int) lore.Message {
		return say(fmt.Sprint("m", i), lore.User, words(fmt.Sprintf("message number%d", i)))
	}
	var all []lore.Message
	for i := range 5 {
		all = append(all, text(i))
	}
	first := func() *lore.Conversation { return talk("one", append([]lore.Message(nil), all...)...) }
	for _, test := range []struct {
		name string
		next func() *lore.Conversation
		want Change
	}{
		{"the same", first, Change{Kept: 5}},
		{"one more", func() *lore.Conversation { return talk("one", append(first().Messages, text(9))...) },
			Change{Changed: true, Added: 1, Kept: 5}},
		{"one rewound", func() *lore.Conversation {
			c := first()
			c.Messages[2].Active = false
			return c
		}, Change{Changed: true, Added: 1, Kept: 4, Deleted: 1}},
		{"one fewer", func() *lore.Conversation {
			c := first()
			c.Messages = c.Messages[:4]
			return c
		}, Change{Changed: true, Kept: 4, Deleted: 1}},
		{"one in between", func() *lore.Conversation {
			c := first()
			m := talk("one", text(9)).Messages[0]
			c.Messages = append(append(append([]lore.Message(nil), c.Messages[:3]...), m), c.Messages[3:]...)
			return c
		}, Change{Changed: true, Added: 1, Kept: 5}},
		{"turned round", func() *lore.Conversation {
			c := first()
			c.Messages[0], c.Messages[4] = c.Messages[4], c.Messages[0]
			return c
		}, Change{Changed: true, Added: 4, Kept: 1, Deleted: 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			w := openWriter(t, dir)
			s := w.Session()
			put(t, s, first(), 1)
			commit(t, w)
			next := test.next()
			got := put(t, s, next, 1)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			commit(t, w)
			if diff := cmp.Diff(idsOf(next), messageIDs(t, open(t, dir), next.ID)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPutTwiceInOneCommit(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	a, b := w.Session(), w.Session()
	put(t, a, talk("one", say("1", lore.User, words("alpha")), say("2", lore.User, words("beta"))), 1)
	last := talk("one", say("1", lore.User, words("alpha")), say("3", lore.User, words("gamma")))
	put(t, b, last, 1)
	commit(t, w)
	if diff := cmp.Diff(idsOf(last), messageIDs(t, open(t, dir), last.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	c := talk("one", say("1", lore.User, words("alpha")))
	put(t, s, c, 1)
	commit(t, w)
	if err := s.Begin(c.ID); err != nil {
		t.Fatal(err)
	}
	m := talk("one", say("2", lore.User, words("beta"))).Messages[0]
	if err := s.Add(&m, 1); err != nil {
		t.Fatal(err)
	}
	s.Abort()
	commit(t, w)
	if diff := cmp.Diff(idsOf(c), messageIDs(t, open(t, dir), c.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingBeforeCommit(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	c := talk("one", say("1", lore.User, words("alpha")))
	put(t, w.Session(), c, 1)
	if _, err := w.Conversation(c.ID); err != nil {
		t.Errorf("the writer sees what it staged: %v", err)
	}
	if _, err := open(t, dir).Conversation(c.ID); err != ErrNotFound {
		t.Errorf("a reader must not: %v", err)
	}
	w.Close()
	if _, err := open(t, dir).Conversation(c.ID); err != ErrNotFound {
		t.Errorf("nor after a writer that was closed: %v", err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	s := w.Session()
	c, d := talk("one", say("1", lore.User, words("alpha"))), talk("two", say("1", lore.User, words("alpha")))
	put(t, s, c, 1)
	put(t, s, d, 1)
	commit(t, w)
	if err := w.Remove(c.ID); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	r := open(t, dir)
	if _, err := r.Message(c.Messages[0].ID); err != ErrNotFound {
		t.Errorf("message of a removed conversation: %v", err)
	}
	if diff := cmp.Diff(idsOf(d), messageIDs(t, r, d.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestResolve(t *testing.T) {
	c := talk("one", say("1", lore.User, words("alpha")))
	r := stored(t, c)
	for _, test := range []struct {
		prefix string
		want   []Match
	}{
		{c.ID.String(), []Match{{ID: c.ID, Conversation: c.ID}}},
		{c.ID.String()[:7], []Match{{ID: c.ID, Conversation: c.ID}}},
		{c.Messages[0].ID.String()[:12], []Match{{ID: c.Messages[0].ID, Conversation: c.ID, IsMessage: true}}},
		{"abc", nil}, {"xyzw", nil},
	} {
		got, err := r.Resolve(test.prefix, 0)
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != (test.want == nil) {
			t.Errorf("%q: %v %s", test.prefix, err, diff)
		}
	}
	if n, err := r.ShortLen([]lore.ID{c.ID}, 12); err != nil || n[0] != 12 {
		t.Errorf("short form: %v, %v", n, err)
	}
}

func TestEvidenceAndFacts(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	e := Evidence{ID: 7, Source: "codex", Store: "sessions", Path: "~/a", Snapshot: 3, Reader: 2,
		Ledger: lore.Ledger{Units: 2, Skipped: 2, Types: map[string]int{"skipped:x": 2}},
		Losses: []lore.Loss{{Code: lore.Empty, Severity: lore.Info, File: "~/a", Count: 1}}}
	f := []Fact{{Evidence: 7, Kind: "title", Source: "codex", Native: "n", Data: []byte("{}")}, {Evidence: 7, Kind: "title", Source: "codex", About: "m"}}
	if err := w.PutEvidence(e); err != nil {
		t.Fatal(err)
	}
	if err := w.PutFacts(7, f); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	r := open(t, dir)
	got, err := r.Evidence(7)
	if diff := cmp.Diff(&e, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	all, err := r.FactsOf(7)
	if diff := cmp.Diff(f, all); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, find := range []func() ([]Fact, error){
		func() ([]Fact, error) { return r.FactsFor("codex", "n") },
		func() ([]Fact, error) { return r.FactsAbout("codex", "m") },
	} {
		if all, err := find(); len(all) != 1 || err != nil {
			t.Errorf("facts: %v, %v", all, err)
		}
	}
	if err := w.DropEvidence(7); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	if all, err := open(t, dir).Facts(); len(all) != 0 || err != nil {
		t.Errorf("facts of a dropped evidence: %v, %v", all, err)
	}
}
