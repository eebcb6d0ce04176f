package cursor

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The tables of a database of cursor-agent: blobs under the hashes of their bytes, and one row that says which of them is
// the root.
const (
	tableBlobs = "blobs"
	tableMeta  = "meta"
)

// chatReader reads one chat of cursor-agent.
type chatReader struct {
	ctx  context.Context
	in   adapter.Input
	rows *kit.Rows
	w    *writer
	doc  kit.Doc
	meta kit.Value // of the database; absent

	root   string
	model  string
	blobs  []blob
	byID   map[string]int
	budget int64
}

// readChat reads a database of cursor-agent.
func readChat(ctx context.Context, in adapter.Input, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if errors.Is(err, kit.ErrEmptyDatabase) {
		return emptyRest(in, yield, "no rows")
	}
	if err != nil {
		return databaseError(ctx, err)
	}
	defer rows.Close()
	tables := rows.Tables()
	if len(tables) > 0 && !slices.Contains(tables, tableBlobs) && !slices.Contains(tables, tableMeta) {
		return adapter.ErrNotMine
	}
	r := &chatReader{ctx: ctx, in: in, rows: rows, w: newWriter(in, yield, storeCLI, ""), byID: map[string]int{}, budget: in.PieceBound()}
	return databaseError(ctx, r.read())
}

func (r *chatReader) read() error {
	if err := r.describe(); err != nil {
		return err
	}
	if err := r.look(); err != nil {
		return err
	}
	order := r.order()
	last := 0 // of those that the root lists
	for i, n := range order {
		if r.blobs[n].listed {
			last = i
		}
	}
	for i, n := range order {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.say(&r.blobs[n], i >= last); err != nil {
			return err
		}
	}
	if r.w.put == 0 {
		r.w.losses.one(lore.Empty, lore.Info, spot{}, "a chat without messages")
	}
	return r.w.finish()
}

// describe reads who the chat is: the row of the database, and the file beside it.
func (r *chatReader) describe() error {
	doc := new(kit.Doc)
	err := eachRow(r.ctx, r.rows, kit.Query{Table: tableMeta}, func(row kit.Row) error {
		cell := row.Get("value")
		if b, err := hex.DecodeString(strings.TrimSpace(cell.Text())); err == nil && len(b) > 0 {
			cell.Bytes = b
		} else {
			cell.Bytes = bytes.Clone(cell.Bytes)
		}
		v, state := value(doc, cell, kit.Object, row.Name(), &r.w.ledger, &r.w.losses)
		switch {
		case state != rowGood:
		case r.meta.Exists() || !v.Get("agentId").Exists() && !v.Get("latestRootBlobId").Exists():
			r.w.ledger.Skip("meta")
		default:
			r.meta, doc = v, new(kit.Doc)
			r.w.ledger.Keep(1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	beside := r.beside()
	h := &r.w.head
	h.Native = first(r.meta.Get("agentId"), beside.Get("agentId")).String()
	if h.Native == "" {
		if h.Native = path.Base(path.Dir(r.in.Name(r.in.Source.Path))); path.Base(r.in.Source.Path) != chatFile {
			h.Native = stem(r.in.Source.Path)
		}
	}
	if title := first(r.meta.Get("name"), beside.Get("title")).String(); strings.TrimSpace(title) != "" {
		h.Title, h.TitleFrom = title, lore.TitleFromSource
	}
	h.Project.Dir, _ = kit.FileURI(first(beside.Get("cwd"), r.meta.Get("cwd")).String())
	h.Project.Name = kit.ProjectName(h.Project.Dir)
	if beside.Get("isSubagent").Bool() || r.meta.Get("subagentInfo").IsObject() {
		h.Kind = lore.Subagent
	}
	if parent := parentOf(r.meta); parent != "" && parent != h.Native {
		h.Parent = &lore.Parent{Native: parent}
	}
	r.root = r.meta.Get("latestRootBlobId").String()
	r.model = modelName(r.meta.Get("lastUsedModel"))
	r.w.clock.begin, _ = kit.ParseTime(first(r.meta.Get("createdAt"), beside.Get("createdAtMs")))
	r.w.clock.end, _ = kit.ParseTime(beside.Get("updatedAtMs"))
	return nil
}

// beside reads meta.json, which knows the folder.
func (r *chatReader) beside() kit.Value {
	name := path.Join(path.Dir(r.in.Source.Path), metaFile)
	if !exists(r.in, name) {
		return kit.Value{}
	}
	whole, err := kit.Document(r.in, name, 1<<20)
	switch {
	case err != nil:
		r.w.ledger.Damage(1)
		r.w.losses.list = append(r.w.losses.list, lore.Loss{Code: lore.BadJSON, Severity: lore.Warning, Source: source,
			File: r.in.Name(name), What: "no JSON: the folder of the chat is not known", Count: 1})
		return kit.Value{}
	case !whole.Value.IsObject():
		r.w.ledger.Skip(metaFile)
		return kit.Value{}
	}
	r.w.losses.list = append(r.w.losses.list, whole.Losses...)
	r.w.ledger.Keep(1)
	return whole.Value
}

// say puts the messages of a blob.
func (r *chatReader) say(b *blob, final bool) error {
	where := lore.Locator{File: r.in.Name(r.in.Source.Path), Row: tableBlobs + "/" + b.id, Offset: b.offset, Length: b.length}
	if b.held == nil {
		err := eachRow(r.ctx, r.rows, kit.Query{Table: tableBlobs, From: b.id}, func(row kit.Row) error {
			b.held = bytes.Clone(row.Get("data").Bytes)
			return nil
		})
		if err != nil {
			return err
		}
	}
	v, ok := r.open(b.held)
	if !ok {
		return fmt.Errorf("row %q: %w", where.Row, kit.ErrMoving)
	}
	at := spot{row: where.Row}
	f := r.doc.Flaws()
	r.w.losses.flaws(at, f.InvalidUTF8, f.LoneSurrogates)
	s := speech{losses: &r.w.losses, at: at}
	role := v.Get("role").String()
	s.said(role, v.Get("content"))
	if len(s.runs) == 0 {
		s.runs.add(own(role), "", lore.Part{Kind: lore.Text})
	}
	s.runs.name(b.id, own(role))
	model := modelName(first(v.Get("providerOptions", "cursor", "modelName"), v.Get("model")))
	if model == "" {
		model = r.model
	}
	r.w.ledger.Keep(1)
	for i := range s.runs {
		m := &s.runs[i]
		m.Active, m.Origins = b.listed, []lore.Locator{where}
		r.w.clock.stamp(m, s.time, final)
		if m.Role == lore.Assistant {
			m.Model = model
		}
		if i == 0 {
			m.Units = 1
		}
	}
	b.held = nil
	return r.w.add(s.runs...)
}
