package agents

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
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
	if err := toml.Unmarshal([]byte(text), &all); err != nil {
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, _ := bad.Position()
			return nil, fmt.Errorf("line %d: %s", line, strings.TrimPrefix(bad.Error(), "toml: "))
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
	if all, err = checkTOML(text + inserted); err != nil {
		return "", "", fmt.Errorf("%s cannot be added to it: %w", name, err)
	}
	if _, ok := lookup(all, name); !ok {
		return "", "", fmt.Errorf("%s is no table there, so %s cannot be added", parent, name)
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

// withdrawTable takes a table out again, with what was added to it by hand: the text that was put in where it stands as it
// was, else from its header to the next one that is not below it. Nothing else may become another: then it is left to the
// person whose file it is.
func withdrawTable(text, inserted, name string) (string, error) {
	all, err := checkTOML(text)
	if err != nil {
		return "", err
	}
	if _, there := lookup(all, name); !there {
		return text, nil
	}
	without(all, name)
	if inserted != "" && strings.Count(text, inserted) == 1 {
		if out := strings.Replace(text, inserted, "", 1); isTOML(out, all) {
			return out, nil
		}
	}
	if out := cutTable(text, name, strings.TrimLeft(inserted, "\r\n") != inserted); isTOML(out, all) {
		return out, nil
	}
	return "", fmt.Errorf("%s cannot be taken out without changing what stands around it; remove it by hand", name)
}

// cutTable leaves out the lines of a table and of those below it, and the empty line before it where lore wrote that. Empty
// lines behind them belong to what follows.
func cutTable(text, name string, spaced bool) string {
	var kept, empty []string
	inside := false
	for line := range strings.Lines(text) {
		if header, ok := headerOf(line); ok {
			was := inside
			inside = header == name || strings.HasPrefix(header, name+".")
			if last := len(kept) - 1; spaced && inside && !was && last >= 0 && strings.TrimSpace(kept[last]) == "" {
				kept = kept[:last]
			}
			if was && !inside {
				kept = append(kept, empty...)
			}
		}
		switch {
		case !inside:
			kept = append(kept, line)
		case strings.TrimSpace(line) == "":
			empty = append(empty, line)
		default:
			empty = nil
		}
	}
	return strings.Join(kept, "")
}

// headerOf returns the name in the header of a table, without the blanks and quotes that may stand in it.
func headerOf(line string) (name string, ok bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "[")
	if !ok {
		return "", false
	}
	inner, _, _ = strings.Cut(strings.TrimPrefix(inner, "["), "]")
	keys := strings.Split(inner, ".")
	for i, k := range keys {
		k = strings.TrimSpace(k)
		if n := len(k); n > 1 && k[0] == k[n-1] && (k[0] == '"' || k[0] == '\'') {
			k = k[1 : n-1]
		}
		keys[i] = k
	}
	return strings.Join(keys, "."), true
}

// without takes what stands under a dotted name out of what a text says, and tables that hold nothing then.
func without(all map[string]any, name string) {
	key, rest, deeper := strings.Cut(name, ".")
	if !deeper {
		delete(all, key)
		return
	}
	if inner, ok := all[key].(map[string]any); ok {
		without(inner, rest)
		if len(inner) == 0 {
			delete(all, key)
		}
	}
}

// isTOML reports whether a text says what is expected, where tables that hold nothing say nothing.
func isTOML(text string, want map[string]any) bool {
	got, err := checkTOML(text)
	if err != nil {
		return false
	}
	return fmt.Sprint(withoutEmpty(got)) == fmt.Sprint(withoutEmpty(want)) // not DeepEqual: no nan is like another
}

func withoutEmpty(all map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range all {
		if table, ok := value.(map[string]any); ok {
			if table = withoutEmpty(table); len(table) == 0 {
				continue
			}
			value = table
		}
		out[key] = value
	}
	return out
}
