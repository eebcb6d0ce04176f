package agents

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// table returns the entry of a server as a table of TOML.
func (c Command) table(name string) string {
	args := make([]string, 0, len(c.Args)+1)
	for _, a := range c.args("mcp") {
		args = append(args, tomlString(a))
	}
	return "[" + name + "]\ncommand = " + tomlString(c.Path) + "\nargs = [" + strings.Join(args, ", ") + "]\n"
}

// tomlString writes a string of TOML. What strconv escapes in other ways than TOML knows is left as it is.
func tomlString(s string) string {
	if strings.Trim(s, "\x00") == s && !strings.ContainsAny(s, "'\n\r") && strings.Contains(s, `\`) {
		return "'" + s + "'" // a path of Windows
	}
	return strconv.Quote(s)
}

// checkTOML reports whether a text is TOML.
func checkTOML(text string) (map[string]any, error) {
	var all map[string]any
	if _, err := toml.Decode(text, &all); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message)
		}
		return nil, err
	}
	return all, nil
}

// insertTable puts a table at the end of a TOML text.
func insertTable(text, name, block string) (after, inserted string, err error) {
	all, err := checkTOML(text)
	if err != nil {
		return "", "", err
	}
	if at, ok := lookup(all, name); ok {
		return "", "", fmt.Errorf("it has %s already (%v)", name, at)
	}
	// Not every reader of TOML refuses to add to a table that stands in braces, as it should.
	parent, _, _ := strings.Cut(name, ".")
	if regexp.MustCompile(`(?m)^\s*"?` + regexp.QuoteMeta(parent) + `"?\s*=\s*\{`).MatchString(text) {
		return "", "", fmt.Errorf("%s stands in braces there, so %s cannot be added; write it as [%s.NAME]", parent, name, parent)
	}
	if text != "" {
		inserted = "\n"
		if !strings.HasSuffix(text, "\n") {
			inserted = "\n\n"
		}
	}
	if inserted += block; strings.Contains(text, "\r\n") {
		inserted = strings.ReplaceAll(inserted, "\n", "\r\n")
	}
	if _, err := checkTOML(text + inserted); err != nil {
		return "", "", fmt.Errorf("%s cannot be added to it: %w", name, err)
	}
	return text + inserted, inserted, nil
}

// lookup returns what stands under a dotted name.
func lookup(all map[string]any, name string) (any, bool) {
	var at any = all
	for _, key := range strings.Split(name, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[key]; !ok {
			return nil, false
		}
	}
	return at, true
}

// withdrawTable takes a table out again: the text that was put in where it stands as it was, else from its header to the
// next one that is not below it.
func withdrawTable(text, inserted, name string) (string, error) {
	if _, err := checkTOML(text); err != nil {
		return "", err
	}
	if inserted != "" && strings.Count(text, inserted) == 1 {
		before, after, _ := strings.Cut(text, inserted)
		_, err := checkTOML(before + after)
		// Keys that were added behind the table belong to it.
		if next := strings.TrimLeft(after, " \t\r\n"); err == nil && (next == "" || next[0] == '[' || next[0] == '#') {
			return before + after, nil
		}
	}
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if header := strings.TrimSpace(line); strings.HasPrefix(header, "[") {
			header = strings.Trim(strings.SplitN(header, "#", 2)[0], "[] \t")
			inside = header == name || strings.HasPrefix(header, name+".")
		}
		if !inside {
			out.WriteString(line)
		}
	}
	if _, err := checkTOML(out.String()); err != nil {
		return "", fmt.Errorf("%s cannot be taken out without breaking the file (%w)", name, err)
	}
	return out.String(), nil
}
