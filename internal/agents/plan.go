package agents

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Change is what becomes of one file.
type Change struct {
	Agent   string
	Path    string
	Before  []byte
	After   []byte
	Existed bool   // before
	Gone    bool   // after: the file is removed
	Note    string // why nothing is done about it; empty where something is

	mode  os.FileMode
	trace *Trace // what is remembered of it after an install
}

// Changed reports whether anything is written.
func (c *Change) Changed() bool {
	return c.Gone || !c.Existed || !bytes.Equal(c.Before, c.After)
}

// Trace is what has to be known of an install to take it out again byte for byte.
type Trace struct {
	Agent    string   `json:"agent"`
	Path     string   `json:"path"`
	Created  bool     `json:"created,omitempty"`  // there was no file
	Dirs     []string `json:"dirs,omitempty"`     // folders that were made for it, the outermost first
	Base     string   `json:"base,omitempty"`     // what a new file began with
	Inserted []string `json:"inserted,omitempty"` // the texts that were put in, in order; of a whole file: all of it
	Entries  []string `json:"entries,omitempty"`  // path and key of each, to find them where the text was changed
	Values   []string `json:"values,omitempty"`
	Left     bool     `json:"left,omitempty"` // it had an entry of that name before, which is not lore's to take out
}

// Install plans what has to be written so that an agent has lore. Nothing is written. An agent that has it already gets no
// change; one that has an older form of it gets the new one.
func Install(a *Agent, m *Machine, c Command, hooks bool, traces []Trace) ([]Change, error) {
	var all []Change
	for _, e := range a.edits(a.home(m), c, hooks && a.Hooks) {
		ch, err := e.install(a.Name, traceOf(traces, a.Name, e.path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w; nothing was written", a.Title, err)
		}
		all = append(all, *ch)
	}
	return all, nil
}

// Uninstall plans what has to be written so that an agent is as if lore had never been put into it.
func Uninstall(a *Agent, m *Machine, traces []Trace) ([]Change, error) {
	var all []Change
	for _, e := range a.edits(a.home(m), Command{Path: "lore"}, true) {
		ch, err := e.uninstall(a.Name, traceOf(traces, a.Name, e.path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w; nothing was written", a.Title, err)
		}
		if ch != nil {
			all = append(all, *ch)
		}
	}
	return all, nil
}

func traceOf(traces []Trace, agent, path string) *Trace {
	i := slices.IndexFunc(traces, func(t Trace) bool { return t.Agent == agent && t.Path == path })
	if i < 0 {
		return nil
	}
	t := traces[i] // a copy: the list is changed while it is applied
	return &t
}

// ownNote says why a file with an entry that no install made is not touched.
const ownNote = "has an entry named lore of its own; it is left as it is"

// install plans one file: what lore has put in before is taken out in thought, and what it wants now is put in.
func (e *edit) install(agent string, old *Trace) (*Change, error) {
	content, mode, exists, err := readFile(e.path)
	if err != nil {
		return nil, err
	}
	ch := &Change{Agent: agent, Path: e.path, Before: content, Existed: exists, mode: mode}
	if old != nil && old.Left {
		old = nil // nothing was put in
	}
	t := &Trace{Agent: agent, Path: e.path, Created: !exists, Dirs: missingDirs(e.path)}
	if old != nil && exists {
		t.Created, t.Dirs, t.Base = old.Created, old.Dirs, old.Base
	}
	if e.whole != "" {
		return e.installWhole(ch, t, old)
	}
	text := string(content)
	if exists && old != nil {
		if text, err = old.withdraw(text, e); err != nil {
			return nil, fmt.Errorf("%q is not valid: %w", e.path, err)
		}
	} else if exists && e.own(text) {
		ch.After, ch.Note = content, ownNote
		if e.values(text) != e.wanted() { // else an install wrote it of which nothing is known any more
			ch.trace = &Trace{Agent: agent, Path: e.path, Left: true}
		}
		return ch, nil
	}
	if !exists && e.entries != nil {
		if text = e.base; text == "" {
			text = "{}\n"
		}
		t.Base = text
	} else if e.entries != nil && strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%q is empty, which is not valid JSON; remove it or write {} into it", e.path)
	}
	for _, x := range e.entries {
		after, inserted, err := insert(text, x)
		if err != nil {
			return nil, fmt.Errorf("%q is not valid: %w", e.path, err)
		}
		text = after
		t.add(x, inserted)
	}
	if e.table != "" {
		after, inserted, err := insertTable(text, e.table, e.block)
		if err != nil {
			return nil, fmt.Errorf("%q is not valid: %w", e.path, err)
		}
		text = after
		t.Inserted = append(t.Inserted, inserted)
	}
	ch.After, ch.trace = []byte(text), t
	if old != nil && !slices.Equal(old.Inserted, t.Inserted) && string(content) == text {
		ch.trace = old // the text is what it was; so is what is known of it
	}
	return ch, nil
}

func (t *Trace) add(x entry, inserted string) {
	t.Inserted = append(t.Inserted, inserted)
	t.Entries = append(t.Entries, strings.Join(append(slices.Clone(x.path), x.key), "\x00"))
	t.Values = append(t.Values, x.value)
}

// entryAt returns an entry that was put in.
func (t *Trace) entryAt(i int) entry {
	path := strings.Split(t.Entries[i], "\x00")
	return entry{path: path[:len(path)-1], key: path[len(path)-1], value: t.Values[i]}
}

// withdraw takes out of a text what an install has put in, the last first.
func (t *Trace) withdraw(text string, e *edit) (string, error) {
	if e.table != "" {
		inserted := ""
		if len(t.Inserted) > 0 {
			inserted = t.Inserted[0]
		}
		return withdrawTable(text, inserted, e.table)
	}
	for i := len(t.Entries) - 1; i >= 0; i-- {
		var err error
		if text, err = withdraw(text, t.Inserted[i], t.entryAt(i)); err != nil {
			return "", err
		}
	}
	return text, nil
}

// installWhole plans a file that is lore's alone.
func (e *edit) installWhole(ch *Change, t, old *Trace) (*Change, error) {
	if ch.Existed && string(ch.Before) != e.whole && !(old != nil && slices.Contains(old.Inserted, string(ch.Before))) {
		if old == nil {
			return nil, fmt.Errorf("%q is there and is not lore's; move it away", ch.Path)
		}
		ch.After, ch.Note, ch.trace = ch.Before, "was changed by hand; it is left as it is", old
		return ch, nil
	}
	ch.After, ch.trace = []byte(e.whole), t
	t.Inserted = []string{e.whole}
	return ch, nil
}

// uninstall plans the way back of one file; nil where there is nothing to do.
func (e *edit) uninstall(agent string, old *Trace) (*Change, error) {
	content, mode, exists, err := readFile(e.path)
	if err != nil {
		if old == nil {
			return nil, nil // never touched, so no business of ours
		}
		return nil, err
	}
	if old == nil && exists {
		old = e.unknown(agent, string(content))
	}
	if old == nil {
		return nil, nil
	}
	if !exists { // told, so that nothing of it is remembered: a later file there is another one
		return &Change{Agent: agent, Path: e.path, Note: "is not there any more", trace: old}, nil
	}
	ch := &Change{Agent: agent, Path: e.path, Before: content, After: content, Existed: true, mode: mode, trace: old}
	if old.Left && e.own(string(content)) {
		ch.Note = ownNote
		return ch, nil
	}
	if e.whole != "" {
		if ch.Gone = slices.Contains(old.Inserted, string(content)); !ch.Gone {
			ch.Note = "was changed by hand; it is left as it is"
		}
		return ch, nil
	}
	text, err := old.withdraw(string(content), e)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid: %w", e.path, err)
	}
	ch.After = []byte(text)
	ch.Gone = old.Created && text == old.Base
	return ch, nil
}

// Apply writes changes, all or as far as they go, and returns what is to be remembered of installs.
func Apply(changes []Change, traces []Trace, uninstall bool) ([]Trace, error) {
	for i := range changes {
		c := &changes[i]
		if c.Changed() && c.Note == "" {
			if err := writeFile(c); err != nil {
				return traces, err
			}
		}
		if c.trace == nil {
			continue
		}
		traces = slices.DeleteFunc(traces, func(t Trace) bool { return t.Agent == c.Agent && t.Path == c.Path })
		if !uninstall {
			traces = append(traces, *c.trace)
			continue
		}
		if c.Gone {
			for _, dir := range slices.Backward(c.trace.Dirs) {
				if os.Remove(dir) != nil { // something else is in it by now
					break
				}
			}
		}
	}
	return traces, nil
}
