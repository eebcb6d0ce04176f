// Package agents knows where coding agents keep their configuration, and puts lore into it and takes it out again: an MCP
// server, a skill, hooks. Files are edited as text, so that comments, order and format of all else stay byte for byte. It
// must not know what lore answers, nor where lore keeps its data.
package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Machine says where configurations are looked for.
type Machine struct {
	Home   string
	Getenv func(string) string // the tools' own variables; nil: they are ignored
}

// Command is how an agent starts lore.
type Command struct {
	Path string   // "lore" or an absolute path
	Args []string // that come before the subcommand, such as --dir
}

// Agent is one program that lore can be put into.
type Agent struct {
	Name  string // as it is named on the command line
	Title string
	home  func(m *Machine) string // the folder of its configuration
	edits func(dir string, c Command, hooks bool) []edit
	Hooks bool // it can be given hooks
}

// edit is what lore puts into one file.
type edit struct {
	path    string
	entries []entry // of a JSON file
	table   string  // of a TOML file: its name
	block   string  // of a TOML file: its text
	whole   string  // a file that is lore's alone
	base    string  // what a JSON file begins with where there is none; empty: an empty object
}

// All are the agents that lore knows, in the order in which they are told.
var All = []*Agent{claudeCode, codex, cursor, gemini, copilot, opencode}

// Named returns an agent by its name; nil when there is none.
func Named(name string) *Agent {
	i := slices.IndexFunc(All, func(a *Agent) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return All[i]
}

// Found reports whether the agent has a configuration folder on the machine.
func (a *Agent) Found(m *Machine) bool {
	info, err := os.Stat(a.home(m))
	return err == nil && info.IsDir()
}

// below returns a folder of the home, or what a variable of the tool says.
func below(m *Machine, variable string, path ...string) string {
	if m.Getenv != nil && variable != "" {
		if dir := m.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(append([]string{m.Home}, path...)...)
}

var claudeCode = &Agent{Name: "claude-code", Title: "Claude Code", Hooks: true,
	home: func(m *Machine) string { return below(m, "CLAUDE_CONFIG_DIR", ".claude") },
	edits: func(dir string, c Command, hooks bool) []edit {
		// Servers stand beside the folder, unless a variable names another folder: then inside of it.
		servers := filepath.Join(dir, ".claude.json")
		if filepath.Base(dir) == ".claude" {
			servers = dir + ".json"
		}
		all := []edit{
			{path: servers, entries: []entry{{[]string{"mcpServers"}, "lore", c.object("type", "stdio")}}},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
		if hooks {
			all = append(all, edit{path: filepath.Join(dir, "settings.json"), entries: c.hookEntries("claude-code", "SessionStart", "UserPromptSubmit")})
		}
		return all
	}}

var codex = &Agent{Name: "codex", Title: "Codex", Hooks: true,
	home: func(m *Machine) string { return below(m, "CODEX_HOME", ".codex") },
	edits: func(dir string, c Command, hooks bool) []edit {
		all := []edit{
			{path: filepath.Join(dir, "config.toml"), table: "mcp_servers.lore", block: c.table("mcp_servers.lore")},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
		if hooks {
			all = append(all, edit{path: filepath.Join(dir, "hooks.json"), entries: c.hookEntries("codex", "SessionStart", "UserPromptSubmit")})
		}
		return all
	}}

var cursor = &Agent{Name: "cursor", Title: "Cursor", Hooks: true,
	home: func(m *Machine) string { return below(m, "", ".cursor") },
	edits: func(dir string, c Command, hooks bool) []edit {
		all := []edit{
			{path: filepath.Join(dir, "mcp.json"), entries: []entry{{[]string{"mcpServers"}, "lore", c.object()}}},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
		if hooks { // a prompt's hook can refuse a prompt there, but not add to it
			all = append(all, edit{path: filepath.Join(dir, "hooks.json"), base: "{\n  \"version\": 1\n}\n",
				entries: []entry{{[]string{"hooks", "sessionStart"}, "", encode(pairs{{"command", c.shell("hook", "cursor")}})}}})
		}
		return all
	}}

var gemini = &Agent{Name: "gemini", Title: "Gemini CLI", Hooks: true,
	home: func(m *Machine) string {
		if m.Getenv != nil {
			if dir := m.Getenv("GEMINI_CLI_HOME"); filepath.IsAbs(dir) {
				return filepath.Join(dir, ".gemini")
			}
		}
		return below(m, "", ".gemini")
	},
	edits: func(dir string, c Command, hooks bool) []edit {
		entries := []entry{{[]string{"mcpServers"}, "lore", c.object()}}
		if hooks {
			entries = append(entries, c.hookEntries("gemini", "SessionStart", "BeforeAgent")...)
		}
		return []edit{
			{path: filepath.Join(dir, "settings.json"), entries: entries},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
	}}

var copilot = &Agent{Name: "copilot", Title: "GitHub Copilot CLI",
	home: func(m *Machine) string { return below(m, "COPILOT_HOME", ".copilot") },
	edits: func(dir string, c Command, _ bool) []edit {
		return []edit{
			{path: filepath.Join(dir, "mcp-config.json"), entries: []entry{{[]string{"mcpServers"}, "lore",
				encode(pairs{{"type", "local"}, {"command", c.Path}, {"args", c.args("mcp")}, {"tools", []string{"*"}}})}}},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
	}}

var opencode = &Agent{Name: "opencode", Title: "OpenCode",
	home: func(m *Machine) string {
		if m.Getenv != nil {
			if dir := m.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
				return filepath.Join(dir, "opencode")
			}
		}
		return below(m, "", ".config", "opencode")
	},
	edits: func(dir string, c Command, _ bool) []edit {
		config := filepath.Join(dir, "opencode.json")
		if _, err := os.Lstat(config + "c"); err == nil {
			config += "c"
		}
		return []edit{
			{path: config, entries: []entry{{[]string{"mcp"}, "lore",
				encode(pairs{{"type", "local"}, {"command", append([]string{c.Path}, c.args("mcp")...)}, {"enabled", true}})}}},
			{path: filepath.Join(dir, "skills", "lore", "SKILL.md"), whole: Skill},
		}
	}}

// pairs is a JSON object whose members keep their order.
type pairs [][2]any

// encode writes an object as compact JSON.
func encode(p pairs) string {
	b := []byte{'{'}
	for i, x := range p {
		if i > 0 {
			b = append(b, ',')
		}
		key, _ := json.Marshal(x[0])
		value, _ := json.Marshal(x[1])
		b = append(append(append(b, key...), ':'), value...)
	}
	return string(append(b, '}'))
}

// args returns the arguments of a subcommand.
func (c Command) args(sub ...string) []string { return append(slices.Clone(c.Args), sub...) }

// object returns the entry of a server as most agents have it.
func (c Command) object(first ...string) string {
	p := pairs{{"command", c.Path}, {"args", c.args("mcp")}}
	if len(first) == 2 {
		p = append(pairs{{first[0], first[1]}}, p...)
	}
	return encode(p)
}

// hookEntries returns the hooks of agents that have them in the manner of Claude Code.
func (c Command) hookEntries(agent string, events ...string) (all []entry) {
	for _, event := range events {
		command := encode(pairs{{"type", "command"}, {"command", c.shell("hook", agent)}, {"timeout", hookSeconds(agent)}})
		all = append(all, entry{[]string{"hooks", event}, "", `{"hooks":[` + command + `]}`})
	}
	return all
}

// hookSeconds is how long an agent waits for a hook, in its own unit: Gemini CLI counts milliseconds.
func hookSeconds(agent string) int {
	if agent == "gemini" {
		return 5000
	}
	return 5
}

// shell returns the command as a line for a shell.
func (c Command) shell(sub ...string) string {
	line := shellWord(c.Path)
	for _, a := range c.args(sub...) {
		line += " " + shellWord(a)
	}
	return line
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(w string) string {
	safe := true
	for _, r := range w {
		safe = safe && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || slices.Contains([]rune("/._-:\\"), r))
	}
	switch {
	case safe && w != "":
		return w
	case runtime.GOOS == "windows":
		return `"` + w + `"`
	}
	out := "'"
	for _, r := range w {
		if r == '\'' {
			out += `'\''`
			continue
		}
		out += string(r)
	}
	return out + "'"
}
