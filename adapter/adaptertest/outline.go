package adaptertest

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// Read reads one evidence out of files that a test has written, by name, and returns its records, their pieces joined and
// sealed, and the error that ended it. Place is "~/place"; what is wrong with how they are yielded fails the test.
func Read(t testing.TB, a adapter.Adapter, src adapter.Source, files map[string]string) ([]*lore.Conversation, error) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: fileTime}
	}
	info, err := fs.Stat(fsys, src.Path)
	if err != nil {
		t.Fatal(err)
	}
	src.Info = info
	r := read(a, adapter.Input{Source: src, FS: fsys, Place: "~/place"})
	if r.panicked != "" {
		t.Fatal(r.panicked)
	}
	for _, p := range r.problems {
		t.Error(p)
	}
	var list []*lore.Conversation
	for _, rec := range r.records {
		if !rec.Ledger.Balanced() {
			t.Errorf("record %q: the ledger does not add up: %+v", rec.Native, rec.Ledger)
		}
		list = append(list, rec.Conversation)
	}
	return list, r.err
}

// Outline tells the messages of a record, one a line: "user: hi", "assistant: <thinking why> hello <call ls {}>",
// "system/notice: stopped". One that is not active stands in brackets.
func Outline(c *lore.Conversation) []string {
	var list []string
	for i := range c.Messages {
		m := &c.Messages[i]
		line := string(m.Role)
		if m.Subtype != "" {
			line += "/" + m.Subtype
		}
		line += ":"
		for _, p := range m.Parts {
			line += " " + outlinePart(p)
		}
		if !m.Active {
			line = "[" + line + "]"
		}
		list = append(list, line)
	}
	return list
}

func outlinePart(p lore.Part) string {
	if p.Kind == lore.Text {
		return p.Text
	}
	s := "<" + string(p.Kind)
	if p.Name != "" {
		s += " " + p.Name
	}
	if p.IsError {
		s += " failed"
	}
	if p.Unreadable {
		s += " unreadable"
	}
	if p.Text != "" {
		s += " " + p.Text
	}
	return s + ">"
}

// Counts returns units, kept, merged, skipped, unknown and damaged of a ledger.
func Counts(l lore.Ledger) [6]int {
	return [6]int{l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged}
}

// Lost tells the losses of a record, one a line: "bad_json@3", "missing_parent@2 x5", "empty".
func Lost(c *lore.Conversation) []string {
	var list []string
	for _, l := range c.Losses {
		s := string(l.Code)
		if l.Line > 0 {
			s += fmt.Sprintf("@%d", l.Line)
		}
		if l.Count > 1 {
			s += fmt.Sprintf(" x%d", l.Count)
		}
		list = append(list, s)
	}
	return list
}
