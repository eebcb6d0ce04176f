package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lore is a command as an install writes it.
var lore = Command{Path: "lore"}

// install runs an install and returns what is remembered.
func install(t *testing.T, a *Agent, m *Machine, hooks bool, traces []Trace) []Trace {
	t.Helper()
	changes, err := Install(a, m, lore, hooks, traces)
	if err != nil {
		t.Fatal(err)
	}
	traces, err = Apply(changes, traces, false)
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

func uninstall(t *testing.T, a *Agent, m *Machine, traces []Trace) []Trace {
	t.Helper()
	changes, err := Uninstall(a, m, traces)
	if err != nil {
		t.Fatal(err)
	}
	traces, err = Apply(changes, traces, true)
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

// tree returns all files and folders below a home.
func tree(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == home {
			return err
		}
		rel, _ := filepath.Rel(home, path)
		if d.IsDir() {
			all[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		b, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, home string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(home, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

// homes are configurations as people have them.
var homes = map[string]map[string]string{
	"nothing":       {},
	"empty folders": {".claude/": "", ".codex/": "", ".cursor/": "", ".gemini/": "", ".copilot/": "", ".config/opencode/": ""},
	"empty objects": {".claude.json": "{}", ".claude/settings.json": "{ }\n", ".codex/config.toml": "", ".cursor/mcp.json": "{\n}\n",
		".gemini/settings.json": "{}\n", ".copilot/mcp-config.json": "{\"mcpServers\":{}}", ".config/opencode/opencode.jsonc": "// mine\n{}\n"},
	"full": {
		".claude.json":                     "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  },\n  \"last\": true\n}",
		".claude/settings.json":            "{\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n\t\t]\n\t}\n}\n",
		".codex/config.toml":               "# my settings\nmodel = \"gpt\" # the good one\n\n[mcp_servers.other]\ncommand = \"x\"\n",
		".codex/hooks.json":                "{\"hooks\": {\"SessionStart\": []}}",
		".cursor/mcp.json":                 "{\r\n    \"mcpServers\": { // all of them\r\n        \"a\": {\"command\": \"b\"}, // one\r\n    },\r\n}\r\n",
		".cursor/hooks.json":               "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}",
		".gemini/settings.json":            "{\"theme\": \"dark\", /* why not */ \"mcpServers\": {\"a\": {}}}",
		".copilot/mcp-config.json":         "\ufeff{\n  \"mcpServers\": {\n  }\n}\n",
		".config/opencode/opencode.json":   "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n",
		".claude/skills/mine/SKILL.md":     "mine",
		".codex/skills/.system/x/SKILL.md": "theirs",
	},
	"no end of line": {".codex/config.toml": "model = \"gpt\"", ".claude.json": "{\"a\":1}"},
}

// TestUninstallLeavesEveryByte: installed once, twice, with other commands and with hooks, and taken out again, a home is
// what it was.
func TestUninstallLeavesEveryByte(t *testing.T) {
	for name, files := range homes {
		for _, a := range All {
			for _, hooks := range []bool{false, true} {
				if !hooks && name != "nothing" {
					continue // hooks come on top of the rest
				}
				home := t.TempDir()
				write(t, home, files)
				m := &Machine{Home: home}
				before := tree(t, home)
				traces := install(t, a, m, hooks, nil)
				once := tree(t, home)
				if cmp.Equal(before, once) {
					t.Errorf("%s, %s: an install changed nothing", name, a.Name)
				}
				if traces = install(t, a, m, hooks, traces); !cmp.Equal(once, tree(t, home)) {
					t.Errorf("%s, %s: the second install is another one:\n%s", name, a.Name, cmp.Diff(once, tree(t, home)))
				}
				changes, err := Install(a, m, Command{Path: "/opt/new place/lore", Args: []string{"--dir", `C:\x "y"`}}, hooks, traces)
				if err != nil {
					t.Fatal(err)
				}
				if traces, err = Apply(changes, traces, false); err != nil {
					t.Fatal(err)
				}
				for path, content := range tree(t, home) {
					switch {
					case strings.HasSuffix(path, ".toml"):
						if _, err := checkTOML(content); err != nil {
							t.Errorf("%s, %s: %s: %v\n%s", name, a.Name, path, err, content)
						}
					case strings.Contains(path, ".json"):
						if _, err := parse(content); err != nil {
							t.Errorf("%s, %s: %s: %v\n%s", name, a.Name, path, err, content)
						}
					}
				}
				if traces = uninstall(t, a, m, traces); len(traces) != 0 {
					t.Errorf("%s, %s: still remembered: %v", name, a.Name, traces)
				}
				if diff := cmp.Diff(before, tree(t, home)); diff != "" {
					t.Errorf("%s, %s, hooks %v (-before +after):\n%s", name, a.Name, hooks, diff)
				}
			}
		}
	}
}

// TestUninstallAfterEdits: what a user or the agent itself wrote since stays.
func TestUninstallAfterEdits(t *testing.T) {
	tests := []struct {
		name, path, before string
		edit               func(string) string
		want               string
	}{
		{"a server behind ours", ".cursor/mcp.json", "{}", func(s string) string {
			return strings.Replace(s, "      ]\n    }", "      ]\n    },\n    \"new\": {\"command\": \"n\"}", 1)
		}, "{\n  \"mcpServers\": {\n    \"new\": {\"command\": \"n\"}\n  }\n}"},
		{"a server before ours", ".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"old\": {}\n  }\n}\n", func(s string) string {
			return strings.Replace(s, "\"mcpServers\": {", "\"mcpServers\": {\n    \"new\": {},", 1)
		}, "{\n  \"mcpServers\": {\n    \"new\": {},\n    \"old\": {}\n  }\n}\n"},
		{"the other server is gone", ".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"old\": {}\n  }\n}\n", func(s string) string {
			return strings.Replace(s, ",\n    \"old\": {}", "", 1)
		}, "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"written anew on one line", ".cursor/mcp.json", "{}", func(string) string {
			return `{"mcpServers":{"a":{},"lore":{"command":"lore","args":["mcp"]},"b":{}},"z":1}`
		}, `{"mcpServers":{"a":{},"b":{}},"z":1}`},
		{"a file of ours with more in it", ".cursor/mcp.json", "", func(s string) string {
			return strings.Replace(s, "{\n", "{\n  \"mine\": 1,\n", 1)
		}, "{\n  \"mine\": 1\n}\n"},
		{"keys in our table", ".codex/config.toml", "model = \"m\"\n", func(s string) string {
			return s + "env = { A = \"b\" }\n\n[mcp_servers.lore.tools]\nx = 1\n\n[profiles.p]\nmodel = \"n\"\n"
		}, "model = \"m\"\n\n[profiles.p]\nmodel = \"n\"\n"},
		{"a table behind ours", ".codex/config.toml", "model = \"m\"\n", func(s string) string {
			return s + "\n[profiles.p]\nmodel = \"n\"\n"
		}, "model = \"m\"\n\n[profiles.p]\nmodel = \"n\"\n"},
	}
	for _, test := range tests {
		home := t.TempDir()
		if test.before != "" {
			write(t, home, map[string]string{test.path: test.before})
		}
		a := cursor
		if strings.HasPrefix(test.path, ".codex") {
			a = codex
		}
		m := &Machine{Home: home}
		traces := install(t, a, m, false, nil)
		write(t, home, map[string]string{test.path: test.edit(tree(t, home)[test.path])})
		uninstall(t, a, m, traces)
		if diff := cmp.Diff(test.want, tree(t, home)[test.path]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestSkillOfAnother: a skill that is not lore's, or that was changed by hand, is not written over.
func TestSkillOfAnother(t *testing.T) {
	home := t.TempDir()
	m := &Machine{Home: home}
	write(t, home, map[string]string{".cursor/skills/lore/SKILL.md": "another"})
	if _, err := Install(cursor, m, lore, false, nil); err == nil || !strings.Contains(err.Error(), "not lore's") {
		t.Errorf("a skill of another: %v", err)
	}
	os.RemoveAll(filepath.Join(home, ".cursor"))
	traces := install(t, cursor, m, false, nil)
	write(t, home, map[string]string{".cursor/skills/lore/SKILL.md": Skill + "\nmine too\n"})
	traces = install(t, cursor, m, false, traces)
	uninstall(t, cursor, m, traces)
	if got := tree(t, home)[".cursor/skills/lore/SKILL.md"]; got != Skill+"\nmine too\n" {
		t.Errorf("a skill that was changed by hand is now %q", got)
	}
}

// TestUninstallLeavesEntriesOfOthers: an entry of the name that was there before lore came stays as it is, and so does that
// of another program of the name where nothing is known of an install.
func TestUninstallLeavesEntriesOfOthers(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"another program": {".claude.json": `{"mcpServers":{"lore":{"command":"npx","args":["folk-tales"]}}}`,
			".codex/config.toml": "[mcp_servers.lore]\ncommand = \"tales\"\n", ".config/opencode/opencode.json": `{"mcp":{"lore":{"type":"remote","url":"https://tales.test"}}}`},
		"by hand": {".claude.json": `{"mcpServers":{"lore":{"command":"lore","args":["mcp","--no-import"]}}}`,
			".codex/config.toml": "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\", \"--no-import\"]\n", ".config/opencode/opencode.json": `{"mcp":{"lore":{"command":["lore","mcp","--no-redact"]}}}`},
	} {
		for _, a := range []*Agent{claudeCode, codex, opencode} {
			m := &Machine{Home: t.TempDir()}
			write(t, m.Home, files)
			before := tree(t, m.Home)
			traces := install(t, a, m, false, install(t, a, m, false, nil))
			if traces = uninstall(t, a, m, traces); len(traces) > 0 {
				t.Errorf("%s, %s: still known: %v", name, a.Name, traces)
			}
			left := tree(t, m.Home)
			for path, content := range files {
				if !strings.HasSuffix(path, "/") && left[path] != content {
					t.Errorf("%s, %s, %s (-before +after):\n%s", name, a.Name, path, cmp.Diff(before[path], left[path]))
				}
			}
			if uninstall(t, a, m, nil); name == "another program" {
				if diff := cmp.Diff(left, tree(t, m.Home)); diff != "" {
					t.Errorf("%s, %s, without memory (-before +after):\n%s", name, a.Name, diff)
				}
			}
		}
	}
}

// TestUninstallForgetsWhatIsGone: a file that somebody has removed is not remembered, nor made again.
func TestUninstallForgetsWhatIsGone(t *testing.T) {
	m := &Machine{Home: t.TempDir()}
	traces := install(t, claudeCode, m, true, nil)
	if err := os.Remove(filepath.Join(m.Home, ".claude.json")); err != nil {
		t.Fatal(err)
	}
	if traces = uninstall(t, claudeCode, m, traces); len(traces) > 0 {
		t.Errorf("still known: %v", traces)
	}
	if diff := cmp.Diff(map[string]string{}, tree(t, m.Home)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestUninstallOfAnEditedTable: what a person did to lore's table goes with it, all else stays, and what cannot be told apart
// is not touched.
func TestUninstallOfAnEditedTable(t *testing.T) {
	const before = "model = \"x\"\n\n[mcp_servers.x]\ncommand = \"y\"\n"
	installed := before + "\n[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n"
	for name, tt := range map[string]struct{ text, want string }{
		"a table below it":     {installed + "\n[mcp_servers.lore.env]\nX = \"1\"\n[z]\na = nan\n", before + "[z]\na = nan\n"},
		"one far below":        {installed + "[z]\na = 1\n[mcp_servers.lore.env]\nX = \"1\"\n", before + "[z]\na = 1\n"},
		"a key more":           {installed + "startup_timeout_sec = 5\n", before},
		"header with blanks":   {strings.Replace(installed, "[mcp_servers.lore]", "[ mcp_servers . lore ] # mine", 1), before},
		"header with quotes":   {strings.Replace(installed, "[mcp_servers.lore]", `[mcp_servers."lore"]`, 1), before},
		"line ends of Windows": {strings.ReplaceAll(installed, "\n", "\r\n"), strings.ReplaceAll(before, "\n", "\r\n")},
		"a text with a header": {installed + "a = 1\n[z]\nq = '''\n[mcp_servers.lore]\nkeep\n[y]\n'''\n", ""},
		"in braces":            {strings.Replace(before, "[mcp_servers.x]\ncommand = \"y\"", "[mcp_servers]\nlore = { command = \"lore\" }", 1), ""},
		"nothing left of it":   {before + "# mine\n", before + "# mine\n"},
	} {
		m := &Machine{Home: t.TempDir()}
		write(t, m.Home, map[string]string{".codex/config.toml": before})
		traces := install(t, codex, m, false, nil)
		write(t, m.Home, map[string]string{".codex/config.toml": tt.text})
		changes, err := Uninstall(codex, m, traces)
		if (err != nil) != (tt.want == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && string(changes[0].After) != tt.want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(tt.want, string(changes[0].After)))
		}
	}
}

// TestUninstallWithoutMemory: where it is not known any more what an install did, lore's entries go all the same.
func TestUninstallWithoutMemory(t *testing.T) {
	home := t.TempDir()
	m := &Machine{Home: home}
	files := map[string]string{".claude.json": "{\n  \"a\": 1\n}\n", ".codex/config.toml": "model = \"m\"\n"}
	write(t, home, files)
	for _, a := range []*Agent{claudeCode, codex} {
		install(t, a, m, true, nil)
		uninstall(t, a, m, nil)
	}
	for path, content := range tree(t, home) {
		if strings.Contains(content, "lore") {
			t.Errorf("%s: %s", path, content)
		}
	}
}

// TestRefused: what cannot be changed safely is an error that names the file, and nothing is written, nowhere.
func TestRefused(t *testing.T) {
	tests := []struct {
		name, path, content, want string
	}{
		{"not JSON", ".claude.json", "{\"a\": 1", "line 1"},
		{"two values", ".claude.json", "{} {}", "more text"},
		{"no object", ".claude.json", "[]", "an object"},
		{"empty", ".claude.json", "", "empty"},
		{"single quotes", ".claude.json", "{'a': 1}", "a key in quotes"},
		{"a comment without end", ".claude.json", "{} /* x", "no end"},
		{"another kind", ".claude.json", `{"mcpServers": []}`, "mcpServers is not what it should be"},
		{"binary", ".claude.json", "\x00\x01", "not valid"},
		{"not TOML", ".codex/config.toml", "model = ", "line 1"},
		{"servers inline", ".codex/config.toml", "mcp_servers = { a = { command = \"b\" } }", "cannot be added"},
		{"servers in an array", ".codex/config.toml", "[[mcp_servers]]\na = 1\n", "is no table there"},
	}
	for _, test := range tests {
		home := t.TempDir()
		write(t, home, map[string]string{test.path: test.content})
		before := tree(t, home)
		a := claudeCode
		if strings.HasPrefix(test.path, ".codex") {
			a = codex
		}
		_, err := Install(a, &Machine{Home: home}, lore, true, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), filepath.Base(test.path)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: not one line: %v", test.name, err)
		}
		if diff := cmp.Diff(before, tree(t, home)); diff != "" {
			t.Errorf("%s: written:\n%s", test.name, diff)
		}
	}
}

func TestRefusedKinds(t *testing.T) {
	home := t.TempDir()
	target := filepath.Join(home, "elsewhere.json")
	write(t, home, map[string]string{"elsewhere.json": "{}", ".cursor/mcp.json/": ""})
	if err := os.Symlink(target, filepath.Join(home, ".claude.json")); err != nil {
		t.Skip(err)
	}
	for a, want := range map[*Agent]string{claudeCode: "symbolic link", cursor: "not a plain file"} {
		if _, err := Install(a, &Machine{Home: home}, lore, false, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	if b, _ := os.ReadFile(target); string(b) != "{}" {
		t.Errorf("written through the link: %s", b)
	}
}

// TestChangedMeanwhile: a file that another program writes between the plan and the writing is left to it.
func TestChangedMeanwhile(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{".cursor/mcp.json": "{}"})
	changes, err := Install(cursor, &Machine{Home: home}, lore, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, home, map[string]string{".cursor/mcp.json": `{"new": 1}`})
	if _, err := Apply(changes, nil, false); err == nil {
		t.Error("it was written over")
	}
	if got := tree(t, home)[".cursor/mcp.json"]; got != `{"new": 1}` {
		t.Errorf("it holds %q", got)
	}
}

// TestKeepsTheMode: a file keeps its permissions, a new one is the user's alone.
func TestKeepsTheMode(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{".cursor/mcp.json": "{}"})
	install(t, cursor, &Machine{Home: home}, true, nil)
	for name, want := range map[string]os.FileMode{".cursor/mcp.json": 0o640, ".cursor/hooks.json": 0o600} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil || info.Mode().Perm()&^0o022 != want&^0o022 {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// TestVariables: the tools' own variables say where their files are.
func TestVariables(t *testing.T) {
	home := t.TempDir()
	m := &Machine{Home: home, Getenv: func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(home, "c"), "CODEX_HOME": filepath.Join(home, "x"),
			"XDG_CONFIG_HOME": filepath.Join(home, "o"), "GEMINI_CLI_HOME": filepath.Join(home, "g"), "COPILOT_HOME": filepath.Join(home, "p")}[name]
	}}
	for _, a := range All {
		install(t, a, m, false, nil)
	}
	got := tree(t, home)
	for _, path := range []string{"c/.claude.json", "x/config.toml", "o/opencode/opencode.json", "g/.gemini/settings.json", "p/mcp-config.json", ".cursor/mcp.json"} {
		if !strings.Contains(got[path], "lore") {
			t.Errorf("%s is not there", path)
		}
	}
}

func TestSkill(t *testing.T) {
	if n := strings.Count(Skill, "\n"); n >= 60 {
		t.Errorf("the skill has %d lines; under 60 is read", n)
	}
	if !strings.HasPrefix(Skill, "---\nname: lore\ndescription: ") {
		t.Error("the skill has no head")
	}
	_, rest, _ := strings.Cut(Skill, "description: ")
	if description, _, _ := strings.Cut(rest, "\n"); len(description) > 1024 {
		t.Errorf("its description has %d characters, 1024 are allowed", len(description))
	}
}

// FuzzInsert: whatever a configuration holds, an entry that could be put in can be taken out again byte for byte, and in
// between the text is valid.
func FuzzInsert(f *testing.F) {
	for _, files := range homes {
		for path, content := range files {
			if strings.Contains(path, ".json") {
				f.Add(content)
			}
		}
	}
	f.Add("{\"hooks\":{\"E\":[1,2]},\"mcpServers\":{\"lore\":1}}")
	entries := []entry{{[]string{"mcpServers"}, "lore", lore.object()}, lore.hookEntries("x", "E")[0]}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range entries {
			after, inserted, err := insert(text, e)
			if err != nil {
				continue
			}
			if _, err := parse(after); err != nil {
				t.Fatalf("%v: %q became %q", err, text, after)
			}
			if strings.Count(after, inserted) != 1 {
				continue // it stood there before
			}
			if back, err := withdraw(after, inserted, e); err != nil || back != text {
				t.Fatalf("%q came back as %q: %v", text, back, err)
			}
		}
	})
}
