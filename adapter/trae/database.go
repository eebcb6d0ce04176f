package trae

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// reader reads one database, live or as the rows that were kept of it. A chat may stand in several rows, so that all of
// them are parsed before the first chat is told; each is one value of a bounded size.
type reader struct {
	ctx     context.Context
	in      adapter.Input
	rows    *kit.Rows
	yield   yielder
	project lore.Project // of the workspace, when it is one's

	sessions []*session
	byID     map[string]*session
	empty    []emptySession
	facts    []*lore.Conversation
	spoken   map[string]int // what the person said in the chats of this database, by its words

	ledger lore.Ledger // of units that belong to no chat
	losses losses
}

// readState reads a database of the editor.
func readState(ctx context.Context, in adapter.Input, yield yielder) error {
	r := &reader{ctx: ctx, in: in, yield: yield, byID: map[string]*session{}, spoken: map[string]int{}}
	r.losses.file = in.Name(in.Source.Path)
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if errors.Is(err, kit.ErrEmptyDatabase) {
		return r.rest()
	}
	if err == nil {
		r.rows = rows
		err = r.read()
		rows.Close()
	}
	return cause(ctx, err)
}

// cause tells a database that cannot be read from a reading that was broken off.
func cause(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, kit.ErrStopped) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, damage := range []error{kit.ErrNotDatabase, kit.ErrCorrupt, kit.ErrNewerFormat, kit.ErrRowSet} {
		if errors.Is(err, damage) {
			return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
		}
	}
	return err
}

func (r *reader) read() error {
	tables := r.rows.Tables()
	if len(tables) > 0 && !slices.Contains(tables, tableItems) {
		return adapter.ErrNotMine
	}
	r.workspace()
	for _, x := range chatRanges {
		if err := r.each(x, kit.Object, r.chats); err != nil {
			return err
		}
	}
	var prompts *stored
	err := r.each(adapter.Range{Table: tableItems, From: keyPrompts}, kit.Array, func(s *stored) { prompts = s })
	if err == nil {
		err = r.each(adapter.Range{Table: tableItems, From: keyIndex}, kit.Object, r.index)
	}
	if err != nil {
		return err
	}
	for _, s := range r.sessions {
		if err := s.tell(); err != nil {
			return err
		}
	}
	r.bodiless(prompts)
	if prompts != nil {
		if err := r.prompts(prompts); err != nil {
			return err
		}
	}
	for _, f := range r.facts {
		if !r.yield(f, nil) {
			return kit.ErrStopped
		}
	}
	return r.rest()
}

// rest yields what becomes of units that belong to no chat.
func (r *reader) rest() error {
	if r.ledger.Units == 0 && len(r.sessions) == 0 && len(r.losses.list) == 0 {
		r.losses.one(lore.Empty, lore.Info, "", "no chats")
	}
	if r.ledger.Units == 0 && len(r.losses.list) == 0 {
		return nil
	}
	c := &lore.Conversation{Source: source, Store: r.in.Source.Store, Partial: true, Ledger: r.ledger, Losses: r.losses.list}
	if !r.yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// stored is the value of a row.
type stored struct {
	doc   kit.Doc
	bytes []byte
	value kit.Value
	key   string
	where lore.Locator // of the value in kept rows, where offsets are known, else of the row
	from  int          // how far elements have been located
}

// locate says where an element of the value stands. Elements are asked for in the order of the value.
func (s *stored) locate(v kit.Value) lore.Locator {
	at, raw := s.where, v.Raw()
	if at.Offset == 0 {
		return at
	}
	i := bytes.Index(s.bytes[s.from:], raw)
	if i < 0 {
		return at
	}
	i += s.from
	s.from = i + len(raw)
	at.Offset, at.Length = at.Offset+int64(i), int64(len(raw))
	return at
}

// each parses the rows of a range, whose values are to be of a kind or a list, and hands the good ones on.
func (r *reader) each(x adapter.Range, want kit.Kind, take func(*stored)) error {
	for row, err := range r.rows.Read(r.ctx, kit.RangeQuery(x)) {
		switch {
		case errors.Is(err, kit.ErrNoTable):
			return nil
		case err != nil:
			return err
		}
		if s := r.parse(row, want); s != nil {
			take(s)
		}
	}
	return nil
}

func (r *reader) parse(row kit.Row, want kit.Kind) *stored {
	cell, name := row.Get("value"), row.Name()
	switch {
	case cell.IsAbsent():
		r.ledger.Skip("absent value")
		r.losses.one(lore.AbsentValue, lore.Info, name, "a row without a value")
		return nil
	case cell.Left:
		r.ledger.Damage(1)
		r.losses.one(lore.OversizedRecord, lore.Warning, name, fmt.Sprintf("a value of %d bytes", cell.Size))
		return nil
	}
	s := &stored{bytes: bytes.Clone(cell.Bytes), key: row.Key.Text(), where: r.rows.Locator(row, "value")}
	var err error
	if s.value, err = s.doc.Parse(s.bytes); err == nil && s.value.Kind() != want && !s.value.IsArray() {
		err = errors.New("another kind of value")
	}
	if err != nil {
		code := lore.BadJSON
		if errors.Is(err, kit.ErrTooDeep) {
			code = lore.TooDeep
		}
		r.ledger.Damage(1)
		r.losses.one(code, lore.Warning, name, fmt.Sprintf("%d bytes: %v", len(s.bytes), err))
		return nil
	}
	f := s.doc.Flaws()
	r.losses.more(lore.InvalidUTF8, lore.Warning, name, "bytes that are not UTF-8", f.InvalidUTF8)
	r.losses.more(lore.LoneSurrogate, lore.Info, name, "escapes without their other half", f.LoneSurrogates)
	return s
}

// workspace reads workspace.json beside the database: the folder that its chats took place in.
func (r *reader) workspace() {
	name := path.Join(path.Dir(r.in.Source.Path), workspaceFile)
	if r.in.Source.Store != storeWorkspace {
		return
	}
	f, err := r.in.FS.Open(name)
	if err != nil {
		return
	}
	f.Close()
	l := losses{file: r.in.Name(name)}
	whole, err := kit.Document(r.in, name, 1<<20)
	if err != nil {
		r.ledger.Damage(1)
		l.one(lore.BadJSON, lore.Warning, "", "no JSON: the folder of the workspace is not known")
	} else {
		l.list = whole.Losses
		uri := first(whole.Value.Get("folder"), whole.Value.Get("workspace"), whole.Value.Get("configuration"))
		r.project.Dir, _ = kit.FileURI(uri.String())
		r.project.Name = kit.ProjectName(r.project.Dir)
		if r.project.Dir == "" {
			r.ledger.Skip(workspaceFile)
		} else {
			r.ledger.Keep(1)
		}
	}
	r.losses.list = append(r.losses.list, l.list...)
}

// first returns the first value that says something.
func first(list ...kit.Value) kit.Value {
	for _, v := range list {
		if v.Exists() && !v.IsNull() && !v.Is("") {
			return v
		}
	}
	return kit.Value{}
}

// name returns a text or a number as an id or a name.
func name(v kit.Value) string {
	if v.IsNumber() {
		return string(v.Raw())
	}
	return strings.TrimSpace(v.String())
}
