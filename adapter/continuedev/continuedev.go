// Package continuedev reads the sessions of Continue: one document a session, and an index that has the times and titles.
// (A Go package cannot have the product's own name.)
//
// A document is read whole, up to a bound; each entry of its history is one unit, decoded by itself, so that what stands
// before a cut is read although the document as a whole is no JSON. The package must not know how records are kept, joined
// with other evidences or given ids. FORMAT.md says what is read, and how.
package continuedev

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its store.
const (
	source = "continue"
	store  = "sessions"
)

// indexFile is the list of sessions beside them.
const indexFile = "sessions.json"

type continuedev struct{}

// New returns the adapter.
func New() adapter.Adapter { return continuedev{} }

// Info implements adapter.Adapter.
func (continuedev) Info() adapter.Info {
	return adapter.Info{
		Name:    "continuedev",
		Title:   "Continue",
		Version: 1,
		Stores:  []adapter.Store{{Source: source, Name: store, What: "sessions, with the index beside them"}},
		Roots:   []adapter.Root{{Source: source, Path: ".continue", Env: "CONTINUE_GLOBAL_DIR"}},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, reasoning, calls with their input as written, results, images by digest",
				"files and code that were attached, as system; summaries of compactions, as system",
				"title, folder, model, tokens where the session tells them",
			},
			Leaves: []string{
				"the log of whole requests beside an answer: it repeats the history with the system prompt",
				"the editor's rich form of a prompt: the same words",
				"configuration, indexes and caches beside the sessions: no conversation",
			},
			Notes: []string{
				"a session has no times; that of the index stands in for its beginning, marked as inherited",
				"editing an earlier prompt cuts the session off behind it: what was there is only in older snapshots",
			},
		},
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (continuedev) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		in.Source.Product = source
		err := read(ctx, in, yield)
		if err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	losses := kit.NewTally(in, in.Source.Path)
	f, err := openFile(in, losses)
	if err != nil {
		return err
	}
	trusted := in.Source.Store != ""
	named := path.Base(in.Source.Path) == indexFile
	switch {
	case f.empty && (trusted || named):
		losses.One(lore.Empty, lore.Info, 0, "nothing in it")
		return last(yield, &lore.Conversation{Source: source, Store: store, Partial: true, Losses: losses.List()})
	case f.start == '[' && (trusted && named || f.isIndex()):
		return f.readIndex(losses, yield)
	case f.start == '{' && f.listed && f.isMine():
		return f.readSession(ctx, in, losses, yield)
	case f.fault != nil && (trusted || f.head["sessionId"].len > 0 && f.head["workspaceDirectory"].len > 0):
		return fmt.Errorf("%w: %v", adapter.ErrMalformed, f.fault)
	}
	return adapter.ErrNotMine
}

func last(yield yielder, c *lore.Conversation) error {
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// isIndex reports whether a list is one of sessions.
func (f *file) isIndex() bool {
	for i := range min(len(f.elements), 16) {
		v := f.value(f.elements[i])
		if v.Get("sessionId").IsString() && v.Get("dateCreated").Exists() && v.Get("title").Exists() {
			return true
		}
	}
	return false
}

// isMine reports whether a document with a history is a session: its entries hold messages, and it says which it is.
func (f *file) isMine() bool {
	for i := range min(len(f.elements), 16) {
		if f.value(f.elements[i]).Get("message", "role").IsString() {
			return true
		}
	}
	return len(f.elements) == 0 && f.head["sessionId"].len > 0 && f.head["workspaceDirectory"].len > 0
}

// readIndex reads the list of sessions: facts about conversations that stand elsewhere.
func (f *file) readIndex(losses *kit.Tally, yield yielder) error {
	var rest lore.Ledger
	rest.Damage(f.damaged)
	for _, s := range f.elements {
		v := f.value(s)
		f.flaws(losses)
		id := v.Get("sessionId").String()
		if id == "" {
			rest.Meet("entry without id")
			losses.Unknown(0, "entry without id")
			continue
		}
		c := &lore.Conversation{Source: source, Store: store, Native: id, Partial: true}
		c.StartedAt = created(v.Get("dateCreated"))
		describe(c, v.Get("title").String(), v.Get("workspaceDirectory").String())
		c.Ledger.Keep(1)
		if err := last(yield, c); err != nil {
			return err
		}
	}
	if len(f.elements) == 0 && f.fault == nil {
		losses.One(lore.Empty, lore.Info, 0, "no sessions")
	}
	if list := losses.List(); rest.Units > 0 || len(list) > 0 {
		return last(yield, &lore.Conversation{Source: source, Store: store, Partial: true, Ledger: rest, Losses: list})
	}
	return nil
}

// created reads the time of an index: milliseconds, as a text or a number, or a date.
func created(v kit.Value) lore.Time {
	if text := v.String(); text != "" && strings.Trim(text, "0123456789") == "" {
		var doc kit.Doc
		if n, err := doc.Parse([]byte(text)); err == nil {
			t, _ := kit.ParseTime(n)
			return t
		}
	}
	t, _ := kit.ParseTime(v)
	return t
}

// describe fills a title and a folder into a record. What the product writes before it has a title is none.
func describe(c *lore.Conversation, title, dir string) {
	if title != "" && title != "New Session" {
		c.Title, c.TitleFrom = title, lore.TitleFromSource
	}
	dir, _ = kit.FileURI(dir)
	c.Project = lore.Project{Dir: dir, Name: kit.ProjectName(dir)}
}
