// Package notes reads what agents and people asked lore to remember: one JSON line for each note, appended to a file that
// only the archive has. It is a source like any other, so that a note is evidence, has an id, is searched and travels as a
// conversation does. The package must not know how notes are written, kept or given ids. FORMAT.md says what is read.
package notes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its store.
const (
	source = "lore"
	store  = "notes"
)

// byPerson is what the field "by" says of a note that a person wrote.
const byPerson = "person"

type notes struct{}

// New returns the adapter.
func New() adapter.Adapter { return notes{} }

// Info implements adapter.Adapter.
func (notes) Info() adapter.Info {
	return adapter.Info{
		Name:    "notes",
		Title:   "Notes kept by lore",
		Version: 1,
		Stores:  []adapter.Store{{Source: source, Name: store, What: "what `lore remember`, or an agent over MCP, wrote down"}},
		Roots:   []adapter.Root{{Source: source}}, // in the archive; on a disk only where a person names an exported file
		Fidelity: adapter.Fidelity{
			Keeps: []string{"each note as a conversation of one message: its words, author, time, project and what it refers to"},
			Leaves: []string{
				"tags: they become tags of the conversation, which can be taken off again",
			},
			Notes: []string{"a note is never changed or removed by another one: each stands with its author and time"},
		},
	}
}

// Find implements adapter.Adapter.
func (notes) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		for src, err := range kit.ListFiles(ctx, at.FS, ".", isNotes) {
			if err == nil && !mine(at.FS, src.Path) {
				continue
			}
			src.Product, src.Store = source, store
			if !yield(src, err) {
				return
			}
		}
	}
}

func isNotes(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "notes-") && strings.HasSuffix(base, ".jsonl")
}

// mine looks at the first bytes of a file: its name alone is nobody's.
func mine(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name)
	if err != nil {
		return true // reading it says why
	}
	defer f.Close()
	const opening = `{"note":`
	head := make([]byte, len(opening))
	n, _ := f.Read(head)
	return string(head[:n]) == opening
}

// Read implements adapter.Adapter.
func (notes) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		r := &reading{trusted: in.Source.Store != "", yield: yield, seen: map[string]uint64{}}
		in.Source.Product, in.Source.Store = source, store
		if err := r.file(ctx, in); err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// reading is one file while it is read.
type reading struct {
	trusted bool // the archive knows the file as one of notes
	yield   func(*lore.Conversation, error) bool
	lines   *kit.Lines
	tally   *kit.Tally
	seen    map[string]uint64 // ids of notes, with the hashes of their lines
	whole   lore.Ledger       // of units that are no note
}

func (r *reading) file(ctx context.Context, in adapter.Input) (err error) {
	if r.lines, err = kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"note"}}); err != nil {
		return err
	}
	defer r.lines.Close()
	r.tally = kit.NewTally(in, in.Source.Path)
	for line := range r.lines.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.line(line); err != nil {
			return err
		}
	}
	if err := r.lines.Err(); err != nil {
		return err
	}
	if len(r.seen) == 0 && !r.trusted {
		return adapter.ErrNotMine
	}
	c := &lore.Conversation{Source: source, Store: store, Kind: lore.Main, Partial: true, Ledger: r.whole}
	c.Ledger.Damage(r.lines.Damaged())
	c.Losses = append(r.lines.Losses(), r.tally.List()...)
	if c.Ledger.Units > 0 || len(c.Losses) > 0 {
		r.yield(c, nil)
	}
	return nil
}

// line yields a note, or counts what is none.
func (r *reading) line(line *kit.Record) error {
	id := line.Value.Get("note").String()
	if id == "" {
		if len(r.seen) == 0 && !r.trusted {
			return adapter.ErrNotMine // nothing was yielded yet
		}
		r.whole.Meet("line without a note")
		r.tally.Unknown(line.Line, "line without a note")
		return nil
	}
	if hash, again := r.seen[id]; again {
		if hash == line.Hash {
			r.whole.Merge(1)
			r.tally.More(lore.DuplicateLine, lore.Info, line.Line, "a note that stands before it too")
			return nil
		}
		r.whole.Meet("note under the id of another")
		r.tally.Unknown(line.Line, "note under the id of another")
		return nil
	}
	r.seen[id] = line.Hash
	if !r.yield(r.note(id, line), nil) {
		return kit.ErrStopped
	}
	return nil
}

// note makes the conversation of one note.
func (r *reading) note(id string, line *kit.Record) *lore.Conversation {
	v := line.Value
	c := &lore.Conversation{Source: source, Store: store, Native: id, Kind: lore.Automation, Title: v.Get("title").String()}
	if c.Title != "" {
		c.TitleFrom = lore.TitleFromSource
	}
	if dir := v.Get("project").String(); dir != "" {
		c.Project = lore.Project{Dir: dir, Name: kit.ProjectName(dir)}
	}
	m := lore.Message{Native: id, Role: lore.Assistant, AtFrom: lore.FromNone, Model: v.Get("author").String(), Active: true,
		Subtype: "note", Units: 1, Parts: []lore.Part{kit.TextPart(lore.Text, v.Get("text"))}, Origins: []lore.Locator{r.lines.Locator(line)}}
	if v.Get("by").String() == byPerson {
		m.Role, m.Model, c.Kind = lore.User, "", lore.Main
	}
	if at, ok := kit.ParseTime(v.Get("at")); ok {
		m.At, m.AtFrom = at, kit.TimeFrom(at)
	}
	if refs := referred(v.Get("refs")); refs != "" {
		m.Parts = append(m.Parts, lore.Part{Kind: lore.Text, Text: refs})
	}
	c.Messages = []lore.Message{m}
	c.Ledger.Keep(1)
	return c
}

// referred says what a note is about in words, so that it is found by the id that it names.
func referred(refs kit.Value) string {
	var ids []string
	for ref := range refs.Items() {
		if s := ref.String(); s != "" {
			ids = append(ids, s)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "refers to " + strings.Join(ids, ", ")
}
