package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"lore"
)

// Set makes the values of a key those that are given; none takes the key out of effect.
func Set(name string, k Key, values []string) error {
	return edit(name, k, func([]string) []string { return values })
}

// Add adds values to a key. One that is there already stays once.
func Add(name string, k Key, values []string) error {
	return edit(name, k, func(old []string) []string {
		for _, v := range values {
			if !slices.Contains(old, v) {
				old = append(old, v)
			}
		}
		return old
	})
}

// Remove takes values away from a key. ErrNotThere when one is not there.
func Remove(name string, k Key, values []string) error {
	for _, v := range values {
		c, err := Load(name)
		if err != nil {
			return err
		}
		if !slices.Contains(k.Values(c), v) {
			return fmt.Errorf("%w: %s holds no %q", ErrNotThere, k.Name, v)
		}
	}
	return edit(name, k, func(old []string) []string {
		return slices.DeleteFunc(old, func(v string) bool { return slices.Contains(values, v) })
	})
}

// ErrNotThere says that a value that is to be removed is not in the list.
var ErrNotThere = errors.New("not there")

// edit changes the values of a key and writes the file anew, in one step.
func edit(name string, k Key, change func([]string) []string) error {
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c, err := parse(name, before)
	if err != nil {
		return err
	}
	want := change(slices.Clone(k.Values(c)))
	for _, v := range want {
		if err := check(v); err != nil {
			return err
		}
	}
	after, err := replace(before, k, want)
	if err != nil {
		return err
	}
	// What was written has to say what was meant, or nothing is written.
	if got, err := parse(name, after); err != nil || !slices.Equal(k.Values(got), want) {
		return fmt.Errorf("%s: cannot change %s in this file; change it by hand", name, k.Name)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return write(name, after)
}

// found is where a key stands in a file.
type found struct {
	open, end int      // of its array: after the bracket that opens it, and at the one that closes it
	elements  [][2]int // where each element stands
	table     int      // where a line can be put into the key's table; -1: there is no such table
}

// replace returns the file with other values under the key. Elements that stay, and the comments between them, are not
// touched.
func replace(file []byte, k Key, want []string) ([]byte, error) {
	f, err := find(file, k)
	if err != nil {
		return nil, err
	}
	table, last, _ := strings.Cut(k.Name, ".")
	if f.open == 0 {
		line := last + " = [" + strings.Join(quoted(want), ", ") + "]\n"
		switch {
		case f.table >= 0:
			return slices.Concat(file[:f.table], []byte(line), file[f.table:]), nil
		case len(file) > 0 && file[len(file)-1] != '\n':
			line = "\n\n[" + table + "]\n" + line
		case len(file) > 0:
			line = "\n[" + table + "]\n" + line
		default:
			line = "[" + table + "]\n" + line
		}
		return append(slices.Clone(file), line...), nil
	}
	return f.rewrite(file, want)
}

// rewrite takes elements out of the array and adds others at its end.
func (f *found) rewrite(file []byte, want []string) ([]byte, error) {
	var out []byte
	done := 0
	var have []string
	for i, e := range f.elements {
		value, err := parse("", append([]byte("exclude.sources = ["), append(slices.Clone(file[e[0]:e[1]]), ']')...))
		if err != nil || len(value.Exclude.Sources) != 1 {
			return nil, errors.New("an element of the list is no text")
		}
		v := value.Exclude.Sources[0]
		if slices.Contains(want, v) && !slices.Contains(have, v) {
			have = append(have, v)
			continue
		}
		from, to := e[0], e[1]
		if next := bytes.IndexByte(file[to:f.end], ','); next >= 0 && len(bytes.TrimSpace(file[to:to+next])) == 0 {
			to += next + 1
			for to < f.end && (file[to] == ' ' || file[to] == '\t') {
				to++
			}
		} else if i > 0 { // the last one: the comma before it goes
			if c := bytes.LastIndexByte(file[f.elements[i-1][1]:from], ','); c >= 0 && len(bytes.TrimSpace(file[f.elements[i-1][1]+c+1:from])) == 0 {
				from = f.elements[i-1][1] + c
			}
		}
		out = append(out, file[done:max(done, from)]...)
		done = to
	}
	if !slices.Equal(have, want[:min(len(have), len(want))]) { // another order: the list is written as a whole
		return slices.Concat(file[:f.open], []byte(strings.Join(quoted(want), ", ")), file[f.end:]), nil
	}
	rest := quoted(want[len(have):])
	if len(rest) == 0 {
		return append(out, file[done:]...), nil
	}
	at := f.open
	if n := len(f.elements); n > 0 {
		at = f.elements[n-1][1]
	}
	at = max(at, done)
	out = append(out, file[done:at]...)
	if len(have) > 0 && !bytes.HasSuffix(bytes.TrimRight(out, " \t"), []byte(",")) {
		out = append(out, ", "...)
	}
	out = append(out, strings.Join(rest, ", ")...)
	return append(out, file[at:]...), nil
}

func quoted(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(lore.AppendJSON(nil, v)) // a JSON string is a basic string of TOML
	}
	return out
}

// find looks for a key and for its table.
func find(file []byte, k Key) (*found, error) {
	f := &found{table: -1}
	table, last, _ := strings.Cut(k.Name, ".")
	in := "" // the table of the lines that are read
	var p unstable.Parser
	p.Reset(file)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			var raw unstable.Range
			in, raw = keyOf(e)
			if in == table && e.Kind == unstable.Table {
				f.table = lineAfter(file, int(raw.Offset+raw.Length))
			}
		case unstable.KeyValue:
			name, raw := keyOf(e)
			if in != "" {
				name = in + "." + name
			}
			if name != table+"."+last || e.Value().Kind != unstable.Array {
				continue
			}
			open := bytes.IndexByte(file[raw.Offset+raw.Length:], '[')
			if open < 0 {
				return nil, errors.New("the list has no beginning")
			}
			f.open = int(raw.Offset+raw.Length) + open + 1
			f.end = int(e.Raw.Offset+e.Raw.Length) - 1
			for it := e.Value().Children(); it.Next(); {
				if n := it.Node(); n.Kind != unstable.Comment {
					f.elements = append(f.elements, [2]int{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)})
				}
			}
		}
	}
	return f, p.Error()
}

// keyOf returns a dotted key and where its last part stands.
func keyOf(e *unstable.Node) (string, unstable.Range) {
	var parts []string
	var raw unstable.Range
	for it := e.Key(); it.Next(); {
		parts, raw = append(parts, string(it.Node().Data)), it.Node().Raw
	}
	return strings.Join(parts, "."), raw
}

// lineAfter returns where the line after the one at an offset begins. A last line without an end counts as one.
func lineAfter(file []byte, at int) int {
	if i := bytes.IndexByte(file[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return -1
}

// write writes the file so that a reader sees the old or the new one whole. A link stays a link.
func write(name string, b []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".config-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
