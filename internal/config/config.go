// Package config reads and changes the configuration file: what a person has decided about this machine. It knows the file
// and its keys; what they do is the business of others. A file that is not there is a configuration that says nothing.
//
// The file is TOML. A change touches the value that it is about and leaves every other byte as it is: comments, order and
// keys of other versions stay.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"lore"
)

// Config is what the file says.
type Config struct {
	Exclude Exclude `toml:"exclude"`
}

// Exclude says what is not imported. In a pattern * stands for anything but a slash, ** for anything, ? for one character.
type Exclude struct {
	Sources  []string `toml:"sources" json:"sources"`   // names of sources
	Projects []string `toml:"projects" json:"projects"` // names of projects, or their folders with all below
	Folders  []string `toml:"folders" json:"folders"`   // folders of histories with all below, or files; ~ is the home folder
}

// Key is a key of the file.
type Key struct {
	Name string // "exclude.sources"
	What string // what its values are, one phrase
	list func(*Config) *[]string
}

// Keys are all that this version knows. Each is a list of strings.
var Keys = []Key{
	{"exclude.sources", "agents that are not imported, e.g. cursor", func(c *Config) *[]string { return &c.Exclude.Sources }},
	{"exclude.projects", "projects that are not imported: a name, or a folder with all below it", func(c *Config) *[]string { return &c.Exclude.Projects }},
	{"exclude.folders", "folders of histories that are not looked at, with all below, or files", func(c *Config) *[]string { return &c.Exclude.Folders }},
}

// KeyOf returns a key by its name; false when there is none.
func KeyOf(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// Values returns what a configuration says under the key; never nil.
func (k Key) Values(c *Config) []string {
	if v := *k.list(c); v != nil {
		return v
	}
	return []string{}
}

// Load reads a file. One that is not there is an empty configuration. The error of one that is no TOML, or where a key has
// another type, names the line.
func Load(name string) (*Config, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(name, b)
}

func parse(name string, b []byte) (*Config, error) {
	var c Config
	if err := toml.Unmarshal(b, &c); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := known(name, b); err != nil {
		return nil, err
	}
	for _, k := range Keys {
		for _, v := range k.Values(&c) {
			if err := check(v); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, k.Name, err)
			}
		}
	}
	return &c, nil
}

// known refuses keys below exclude that this program does not know: one that was mistyped would leave out nothing, and what
// it names would be imported. Other keys are those of another version, and are let be.
func known(name string, b []byte) error {
	var c Config
	var unknown *toml.StrictMissingError
	if !errors.As(toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields().Decode(&c), &unknown) {
		return nil
	}
	for i := range unknown.Errors {
		if key := unknown.Errors[i].Key(); len(key) > 0 && key[0] == "exclude" {
			line, _ := unknown.Errors[i].Position()
			return fmt.Errorf("%s:%d: %q is no key of this lore; `lore config` shows the keys", name, line, strings.Join(key, "."))
		}
	}
	return nil
}

// check refuses a pattern that would exclude everything, or nothing, by mistake.
func check(pattern string) error {
	if strings.Trim(pattern, "/ ") == "" {
		return fmt.Errorf("the pattern %q names nothing", pattern)
	}
	return nil
}

// Source reports whether a source is excluded.
func (e *Exclude) Source(name string) bool {
	for _, p := range e.Sources {
		if match(p, name) {
			return true
		}
	}
	return false
}

// Folder reports whether a file is excluded, by its path with the home folder as "~" and slashes forward. The home folder
// is given so that a pattern may name it either way.
func (e *Exclude) Folder(file, home string) bool {
	for _, p := range e.Folders {
		if below(collapse(p, home), file) {
			return true
		}
	}
	return false
}

// Project reports whether a project is excluded, by its name or its folder.
func (e *Exclude) Project(p lore.Project, home string) bool {
	dir := strings.ReplaceAll(p.Dir, `\`, "/")
	for _, pattern := range e.Projects {
		switch {
		case strings.ContainsAny(pattern, `/\`):
			if dir != "" && below(collapse(pattern, home), collapse(dir, home)) {
				return true
			}
		case p.Name != "" && match(pattern, p.Name), p.Name == "" && dir != "" && match(pattern, path.Base(dir)):
			return true
		}
	}
	return false
}

// collapse writes the home folder as "~", slashes forward, without one at the end.
func collapse(p, home string) string {
	p = strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/")
	if home = strings.TrimRight(strings.ReplaceAll(home, `\`, "/"), "/"); home != "" && (p == home || strings.HasPrefix(p, home+"/")) {
		return "~" + p[len(home):]
	}
	return p
}

// below reports whether a pattern matches a path, or a folder above it.
func below(pattern, name string) bool {
	if match(pattern, name) {
		return true
	}
	for i := 1; i < len(name); i++ {
		if name[i] == '/' && match(pattern, name[:i]) {
			return true
		}
	}
	return false
}

// match reports whether a pattern matches a whole text. The work is bounded by the product of both lengths.
func match(pattern, s string) bool {
	// reached[j] says that the pattern so far matches s[:j].
	reached := make([]bool, len(s)+1)
	reached[0] = true
	for i := 0; i < len(pattern); i++ {
		next := make([]bool, len(s)+1)
		switch c := pattern[i]; c {
		case '*':
			any := i+1 < len(pattern) && pattern[i+1] == '*'
			if any {
				i++
			}
			for j := range reached {
				next[j] = reached[j] || j > 0 && next[j-1] && (any || s[j-1] != '/')
			}
		default:
			for j := range s {
				next[j+1] = reached[j] && (c == s[j] || c == '?' && s[j] != '/')
			}
		}
		reached = next
	}
	return reached[len(s)]
}
