package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func TestExclude(t *testing.T) {
	e := Exclude{Sources: []string{"cursor", "copilot*"}, Projects: []string{"secret-*", "/home/ada/private", "~/work/**/keys"},
		Folders: []string{"~/.claude/projects/-home-ada-private*", "/mnt/old", "/home/ada/.codex/archived_sessions/"}}
	const home = "/home/ada"
	for _, c := range []struct {
		what string
		got  bool
		want bool
	}{
		{"a source", e.Source("cursor"), true},
		{"a source by pattern", e.Source("copilot-cli"), true},
		{"another source", e.Source("codex"), false},
		{"a longer name", e.Source("cursor2"), false},

		{"a folder by pattern", e.Folder("~/.claude/projects/-home-ada-private-x/s.jsonl", home), true},
		{"a folder beside it", e.Folder("~/.claude/projects/-home-ada-public/s.jsonl", home), false},
		{"below a folder", e.Folder("/mnt/old/.codex/a/b.jsonl", home), true},
		{"a name that begins so", e.Folder("/mnt/older/x", home), false},
		{"a folder that is named by its home", e.Folder("~/.codex/archived_sessions/x.jsonl", home), true},

		{"a project by name", e.Project(lore.Project{Name: "secret-plans", Dir: "/x/secret-plans"}, home), true},
		{"a project by folder", e.Project(lore.Project{Name: "p", Dir: "/home/ada/private/p"}, home), true},
		{"that folder itself", e.Project(lore.Project{Name: "private", Dir: "/home/ada/private"}, home), true},
		{"a project by pattern", e.Project(lore.Project{Dir: "/home/ada/work/a/b/keys/x"}, home), true},
		{"a project without a name", e.Project(lore.Project{Dir: "/y/secret-x"}, home), true},
		{"another project", e.Project(lore.Project{Name: "lantern", Dir: "/home/ada/lantern"}, home), false},
		{"no project", e.Project(lore.Project{}, home), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: excluded is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "b", false}, {"*", "", true}, {"*", "a.b", true}, {"*", "a/b", false}, {"**", "a/b", true},
		{"a?c", "abc", true}, {"a?c", "a/c", false}, {"*b*", "abc", true}, {"a**z", "a/b/z", true}, {"a*z", "a/z", false}, {"a*", "ba", false},
		{strings.Repeat("*a", 40), strings.Repeat("a", 400) + "b", false},
	} {
		if got := match(c.pattern, c.s); got != c.want {
			t.Errorf("match(%q, %q) is %v", c.pattern, c.s, got)
		}
	}
}

// TestEdit changes files and compares them whole: only the values differ.
func TestEdit(t *testing.T) {
	sources, _ := KeyOf("exclude.sources")
	folders, _ := KeyOf("exclude.folders")
	for _, c := range []struct {
		name, before string
		do           func(name string) error
		after        string
	}{
		{"a new file", "", func(n string) error { return Add(n, sources, []string{"cursor"}) }, "[exclude]\nsources = [\"cursor\"]\n"},
		{"a file of other things", "# mine\n[other]\nx = 1", func(n string) error { return Add(n, sources, []string{"cursor"}) },
			"# mine\n[other]\nx = 1\n\n[exclude]\nsources = [\"cursor\"]\n"},
		{"a new key of a table", "[exclude] # what is left out\nprojects = ['a'] # for b\n\n[other]\nx = 1\n",
			func(n string) error { return Add(n, sources, []string{"cursor"}) },
			"[exclude] # what is left out\nsources = [\"cursor\"]\nprojects = ['a'] # for b\n\n[other]\nx = 1\n"},
		{"one more", "[exclude]\nsources = ['a', # first\n  \"b\" # second\n] # end\n", func(n string) error { return Add(n, sources, []string{"b", "c"}) },
			"[exclude]\nsources = ['a', # first\n  \"b\", \"c\" # second\n] # end\n"},
		{"one more behind a comma", "[exclude]\nsources = [\n  'a', # first\n]\n", func(n string) error { return Add(n, sources, []string{"c"}) },
			"[exclude]\nsources = [\n  'a', \"c\", # first\n]\n"},
		{"one less", "exclude.sources = ['a', 'b', 'c'] # x\n", func(n string) error { return Remove(n, sources, []string{"b"}) }, "exclude.sources = ['a', 'c'] # x\n"},
		{"the last", "exclude.sources = ['a', 'b']\n", func(n string) error { return Remove(n, sources, []string{"b"}) }, "exclude.sources = ['a']\n"},
		{"the only one", "[exclude]\nsources = ['a']\n", func(n string) error { return Remove(n, sources, []string{"a"}) }, "[exclude]\nsources = []\n"},
		{"all anew", "[exclude]\nsources = ['a', 'b'] # x\n", func(n string) error { return Set(n, sources, []string{"c", "a"}) }, "[exclude]\nsources = [\"c\", \"a\"] # x\n"},
		{"none", "[exclude]\nsources = ['a', 'b'] # x\n", func(n string) error { return Set(n, sources, nil) }, "[exclude]\nsources = [] # x\n"},
		{"an empty list", "[exclude]\nsources = []\n", func(n string) error { return Add(n, sources, []string{"a"}) }, "[exclude]\nsources = [\"a\"]\n"},
		{"nothing new", "exclude.sources = [ 'a' ]", func(n string) error { return Add(n, sources, []string{"a"}) }, "exclude.sources = [ 'a' ]"},
		{"a value to escape", "", func(n string) error { return Add(n, folders, []string{`C:\x "y"`}) }, "[exclude]\nfolders = [\"C:\\\\x \\\"y\\\"\"]\n"},
		{"a header at the end", "[exclude]", func(n string) error { return Add(n, sources, []string{"a"}) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "lore", "config.toml")
			if c.before != "" {
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(c.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := c.do(name)
			after, _ := os.ReadFile(name)
			if c.after == "" {
				if err == nil || string(after) != c.before {
					t.Errorf("error %v, and the file says %q", err, after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(after)); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	name := filepath.Join(t.TempDir(), "config.toml")
	if c, err := Load(name); err != nil || c.Exclude.Sources != nil {
		t.Errorf("a file that is not there: %v, %v", c, err)
	}
	for _, c := range []struct{ file, want string }{
		{"[exclude]\nsources = 'cursor'\n", "config.toml:2:"},
		{"x\n[", "config.toml:1:"},
		{"exclude.folders = ['/']", "names nothing"},
	} {
		if err := os.WriteFile(name, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: the error is %v, want one with %q", c.file, err, c.want)
		}
		if err := Add(name, Keys[0], []string{"x"}); err == nil {
			t.Errorf("%q was changed", c.file)
		}
	}
	if err := os.WriteFile(name, []byte("[later]\nversion = 'x'\n[exclude]\nsources = ['a']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(name); err != nil || !slices.Equal(c.Exclude.Sources, []string{"a"}) {
		t.Errorf("keys of another version: %v, %v", c, err)
	}
}

// FuzzEdit: whatever the file, a change either says why it cannot be made or makes it and no other.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"[exclude]\nsources = ['a', # x\n 'b',]\n", "exclude = {sources = ['a']}", "exclude.sources=[]", "[exclude]\n\n[x]\n", "[[exclude]]\n"} {
		f.Add(seed, "v")
	}
	f.Fuzz(func(t *testing.T, file, value string) {
		name := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := Load(name)
		if err != nil {
			return
		}
		if err := Add(name, Keys[0], []string{value}); err != nil {
			if now, _ := os.ReadFile(name); string(now) != file {
				t.Fatalf("a change that failed (%v) wrote %q over %q", err, now, file)
			}
			return
		}
		after, err := Load(name)
		if err != nil || !slices.Contains(after.Exclude.Sources, value) {
			t.Fatalf("%q was added to %q: %v, %v", value, file, after, err)
		}
		if !slices.Equal(before.Exclude.Folders, after.Exclude.Folders) || !slices.Equal(before.Exclude.Projects, after.Exclude.Projects) {
			t.Fatalf("another key has changed")
		}
	})
}

// TestUnknownKey: a mistyped key would exclude nothing, and nobody would be told.
func TestUnknownKey(t *testing.T) {
	for text, want := range map[string]string{
		"[exclude]\nsorces = [\"cursor\"]\n": `c.toml:2: "exclude.sorces" is no key of this lore; ` + "`lore config` shows the keys",
	} {
		name := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
