package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// must runs a command that has to succeed.
func (m *machine) must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := m.run(args...)
	if code != 0 {
		t.Fatalf("%q: code %d: %s%s", args, code, stdout, stderr)
	}
	return stdout
}

// archiveHash is the content hash of a machine's archive.
func (m *machine) archiveHash(t *testing.T) string {
	t.Helper()
	var got struct{ Kind, ID string }
	if err := json.Unmarshal([]byte(m.must(t, "id", "--archive", "--json")), &got); err != nil || got.Kind != "archive" || got.ID == "" {
		t.Fatalf("%v: %+v", err, got)
	}
	return got.ID
}

// marks are the marks of a machine, as list shows them.
func (m *machine) marks(t *testing.T) []string {
	t.Helper()
	var list struct {
		Conversations []struct {
			ID    string
			Marks []struct{ On, Kind, Value string }
		}
	}
	if err := json.Unmarshal([]byte(m.must(t, "list", "--all", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range list.Conversations {
		for _, x := range c.Marks {
			all = append(all, x.On[:8]+" "+x.Kind+" "+x.Value)
		}
	}
	slices.Sort(all)
	return all
}

const (
	lampSession = "5d1f0c3a-0000-4000-8000-00000000d001"
	poolSession = "7ab2e91c-0000-4000-8000-00000000d002"
)

// twoMachines share a home once, and each has gone on by itself: one session grew on either side, another on one, each has
// one that the other lacks, both have typed prompts without a session, and each has marks and a note.
func twoMachines(t *testing.T) (one, two *machine) {
	t.Helper()
	machines := make([]*machine, 2)
	for i := range machines {
		m := newMachine(t)
		machines[i] = m
		add := func(path, line string) {
			f, err := os.OpenFile(filepath.Join(m.home, filepath.FromSlash(path)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			fmt.Fprintln(f, line)
		}
		user := func(session, uuid, text string) string {
			return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/proj/lantern","sessionId":%q,"version":"2.1.90","type":"user","uuid":%q,"timestamp":"2026-03-1%d:00:00.000Z","message":{"role":"user","content":%q}}`, session, uuid, i, text)
		}
		own := fmt.Sprintf("b%d000000-0000-4000-8000-00000000d00a", i)
		add(".claude/projects/-proj-lantern/"+own+".jsonl", user(own, "u-own", fmt.Sprintf("only machine %d asked this", i)))
		add(".claude/projects/-proj-lantern/"+lampSession+".jsonl", user(lampSession, fmt.Sprintf("u-grown-%d", i), fmt.Sprintf("machine %d went on", i)))
		add(".claude/history.jsonl", fmt.Sprintf(`{"display":"typed long ago on machine %d","timestamp":175900000000%d,"project":"/proj/lantern"}`, i, i))
		m.must(t, "import", "--quiet")
		m.must(t, "mark", poolSession, "--star", "--tag", fmt.Sprintf("from-%d", i))
		m.must(t, "mark", lampSession, "--note", fmt.Sprintf("machine %d says so", i))
		m.must(t, "remember", "--author", "codex", fmt.Sprintf("Machine %d remembers the lantern", i))
	}
	machines[1].must(t, "mark", poolSession, "--unstar")
	return machines[0], machines[1]
}

// TestBundlesOfTwoMachines: brought together either way, two machines hold the same, under the same names.
func TestBundlesOfTwoMachines(t *testing.T) {
	one, two := twoMachines(t)
	before := one.ids(t)
	a, b := filepath.Join(t.TempDir(), "one.lore"), filepath.Join(t.TempDir(), "two.lore")
	one.must(t, "export", "--format", "bundle", "--to", a)
	two.must(t, "export", "--format", "bundle", "--to", b)
	one.must(t, "import", b)
	two.must(t, "import", a)
	if x, y := one.archiveHash(t), two.archiveHash(t); x != y {
		t.Errorf("content hashes %s and %s", x, y)
	}
	fresh := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
	fresh.must(t, "import", b, a)
	third := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
	third.must(t, "import", a)
	third.must(t, "import", b)
	third.must(t, "import", a, b)
	want := fresh.ids(t)
	for name, m := range map[string]*machine{"one": one, "two": two, "third": third} {
		if diff := cmp.Diff(fresh.archiveHash(t), m.archiveHash(t)); diff != "" {
			t.Errorf("%s: content hash (-fresh +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(want, m.ids(t)); diff != "" {
			t.Errorf("%s: ids (-fresh +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(fresh.marks(t), m.marks(t)); diff != "" {
			t.Errorf("%s: marks (-fresh +got):\n%s", name, diff)
		}
		if name == "two" {
			m.must(t, "check", "--full", "--quiet")
		}
		if out := m.must(t, "search", "remembers", "source:lore", "--json"); !strings.Contains(out, "Machine 0 remembers") || !strings.Contains(out, "Machine 1 remembers") {
			t.Errorf("%s: the notes of both machines are not found: %s", name, out)
		}
	}
	for id, list := range before {
		for _, x := range list[1:] {
			if !slices.Contains(want[id], x) {
				t.Errorf("conversation %s has lost %s", id, x)
			}
		}
	}
	if out := one.must(t, "search", "typed long ago", "--json", "--all"); strings.Count(out, `"conversation":{"id"`) != 2 {
		t.Errorf("the prompts of both machines: %s", out)
	}
	checkMerged(t, fresh)
	// Another look at its own sources changes nothing, and a rebuild neither.
	one.must(t, "import", "--quiet", "--verify")
	one.must(t, "import", "--quiet", "--reindex")
	if diff := cmp.Diff(want, one.ids(t)); diff != "" {
		t.Errorf("ids after a rebuild (-before +after):\n%s", diff)
	}
}

// checkMerged: what the machines disagree about is kept, of both.
func checkMerged(t *testing.T, m *machine) {
	t.Helper()
	for _, c := range m.conversations(t) {
		c.checkReference(t)
		switch {
		case c.NativeID != nil && *c.NativeID == lampSession:
			said := map[string]string{}
			for _, x := range c.Messages {
				if strings.Contains(x.Parts[0].Text, "went on") {
					said[x.Parts[0].Text] = x.Origin.File
				}
			}
			if len(said) != 2 {
				t.Errorf("both machines went on, but the record says %v", said)
			}
			for text, file := range said {
				if !strings.HasPrefix(file, "@") {
					t.Errorf("%q is said to be of this machine: %q", text, file)
				}
			}
		case c.NativeID == nil && c.Store == "history" && len(c.Messages) != 2:
			t.Errorf("the lists of typed prompts of two machines are one, not %d messages", len(c.Messages))
		}
	}
	marks := strings.Join(m.marks(t), "\n")
	for _, want := range []string{"tag from-0", "tag from-1", "note machine 0 says so", "note machine 1 says so"} {
		if !strings.Contains(marks, want) {
			t.Errorf("%q is not among the marks:\n%s", want, marks)
		}
	}
}

// TestDamagedBundleIsRefused: a bundle with a wrong byte ends with code 6 and one line that names it, and the archive is
// as it was.
func TestDamagedBundleIsRefused(t *testing.T) {
	m := newMachine(t)
	m.must(t, "import", "--quiet")
	path := filepath.Join(t.TempDir(), "x.lore")
	m.must(t, "export", "--format", "bundle", "--to", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	n := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
	code, stdout, stderr := n.run("import", path)
	if code != 6 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, path) || !strings.Contains(stderr, "nothing of it was taken") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(n.dir); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	code, _, stderr = m.run("export", "--format", "bundle", "--to", filepath.Join(m.home, ".claude", "history.jsonl"))
	if code != 2 || !strings.Contains(stderr, "no bundle") {
		t.Errorf("a file that is no bundle is written over: code %d: %s", code, stderr)
	}
}

// TestBundleOfSomeConversations: what was chosen is in it, with its marks, and what was not is not.
func TestBundleOfSomeConversations(t *testing.T) {
	one, _ := twoMachines(t)
	path := filepath.Join(t.TempDir(), "part.lore")
	out := one.must(t, "export", lampSession, "--format", "bundle", "--to", path, "--json")
	if !strings.HasPrefix(out, `{"schema":"lore.bundle.v1",`) || !strings.Contains(out, `"whole":false`) || !strings.Contains(out, `"files":1,`) {
		t.Errorf("%s", out)
	}
	m := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
	m.must(t, "import", path)
	all := one.ids(t)
	got := m.ids(t)
	if len(got) != 1 {
		t.Fatalf("%d conversations: %v", len(got), slices.Collect(maps.Keys(got)))
	}
	for id, list := range got {
		if diff := cmp.Diff(all[id], list); diff != "" {
			t.Errorf("(-here +there):\n%s", diff)
		}
	}
	if diff := cmp.Diff(1, len(m.marks(t))); diff != "" {
		t.Errorf("marks: %v", m.marks(t))
	}
}

// TestForgottenStaysForgotten: what was forgotten comes back with no bundle, and a bundle takes the forgetting along:
// either way two machines hold the same afterwards, and no word of it.
func TestForgottenStaysForgotten(t *testing.T) {
	one, two := twoMachines(t)
	older, b := filepath.Join(t.TempDir(), "older.lore"), filepath.Join(t.TempDir(), "two.lore")
	one.must(t, "export", "--format", "bundle", "--to", older)
	two.must(t, "export", "--format", "bundle", "--to", b)
	one.must(t, "forget", poolSession, "--yes")
	a := filepath.Join(t.TempDir(), "one.lore")
	one.must(t, "export", "--format", "bundle", "--to", a)
	one.must(t, "import", older, b)
	two.must(t, "import", older)
	two.must(t, "import", a)
	if x, y := one.archiveHash(t), two.archiveHash(t); x != y {
		t.Errorf("content hashes %s and %s", x, y)
	}
	for name, m := range map[string]*machine{"one": one, "two": two} {
		if code, stdout, _ := m.run("show", poolSession); code != 4 {
			t.Errorf("%s shows it: code %d: %.100s", name, code, stdout)
		}
		path := filepath.Join(t.TempDir(), "again.lore")
		if out := m.must(t, "export", "--format", "bundle", "--to", path, "--json"); !strings.Contains(out, `"forgotten":1,`) {
			t.Errorf("%s: %s", name, out)
		}
		if _, stdout, _ := m.run("list", "--all"); strings.Contains(stdout, "Under load") {
			t.Errorf("%s lists it", name)
		}
	}
}
