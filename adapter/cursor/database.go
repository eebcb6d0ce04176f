package cursor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// database is one database of the editor while it is read, live or as the rows that were kept of it.
type database struct {
	ctx   context.Context
	in    adapter.Input
	rows  *kit.Rows
	yield yielder
	doc   kit.Doc // of the row in hand
}

// readState reads a database of the editor, or one part of it.
func readState(ctx context.Context, in adapter.Input, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if errors.Is(err, kit.ErrEmptyDatabase) {
		return emptyDatabase(in, yield)
	}
	if err != nil {
		return databaseError(ctx, err)
	}
	defer rows.Close()
	d := &database{ctx: ctx, in: in, rows: rows, yield: yield}
	switch in.Source.Part {
	case "":
		err = d.whole()
	case partItems:
		err = d.items()
	case partBlobs:
		err = d.blobs()
	default:
		err = d.composer(in.Source.Part)
	}
	return databaseError(ctx, err)
}

// emptyDatabase tells of a file of zero bytes. Of a database that is kept in parts, the archive's own row is such a file.
func emptyDatabase(in adapter.Input, yield yielder) error {
	if in.Source.Store == storeGlobal && in.Source.Info != nil && in.Source.Info.Size() > 0 {
		return nil
	}
	return emptyRest(in, yield, "no rows")
}

func emptyRest(in adapter.Input, yield yielder, what string) error {
	l := losses{file: in.Name(in.Source.Path)}
	l.one(lore.Empty, lore.Info, spot{}, what)
	return rest(in.Source.Store, lore.Ledger{}, l.list, yield)
}

// databaseError tells a database that cannot be read from a reading that was broken off.
func databaseError(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStopped) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, damage := range []error{kit.ErrNotDatabase, kit.ErrCorrupt, kit.ErrNewerFormat, kit.ErrRowSet, kit.ErrEmptyDatabase} {
		if errors.Is(err, damage) {
			return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
		}
	}
	return err
}

// whole reads all that the database says: what its lists say, then chat by chat, then the blobs.
func (d *database) whole() error {
	tables := d.rows.Tables()
	if len(tables) > 0 && !slices.Contains(tables, tableKV) && !slices.Contains(tables, tableItems) && !slices.Contains(tables, tableHeaders) {
		return adapter.ErrNotMine
	}
	said, yield := 0, d.yield
	d.yield = func(c *lore.Conversation, err error) bool {
		said++
		return yield(c, err)
	}
	ids, err := d.composers()
	if err != nil {
		return err
	}
	if err := d.items(); err != nil {
		return err
	}
	for _, id := range ids {
		if err := d.composer(id); err != nil {
			return err
		}
	}
	if d.wantsBlobs() {
		if err := d.blobs(); err != nil {
			return err
		}
	}
	if said == 0 {
		return emptyRest(d.in, d.yield, "no chats")
	}
	return nil
}

// wantsBlobs reports whether Find has chosen the blobs of this database.
func (d *database) wantsBlobs() bool {
	return slices.Contains(d.in.Source.Ranges, prefixed(tableKV, keyBlob))
}

// composers returns the ids of the chats that have a head or a bubble, sorted.
func (d *database) composers() ([]string, error) {
	known := map[string]bool{}
	for _, r := range []adapter.Range{prefixed(tableKV, keyComposer), prefixed(tableKV, keyBubble)} {
		err := d.each(kit.Query{Table: r.Table, From: r.From, To: r.To, Columns: []string{}}, func(row kit.Row) error {
			if id := composerOf(row.Key.Text()); id != "" {
				known[id] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	ids := make([]string, 0, len(known))
	for id := range known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// each calls f with the rows of a query; a table that is not there has none.
func (d *database) each(q kit.Query, f func(kit.Row) error) error {
	return eachRow(d.ctx, d.rows, q, f)
}

func eachRow(ctx context.Context, rows *kit.Rows, q kit.Query, f func(kit.Row) error) error {
	for row, err := range rows.Read(ctx, q) {
		switch {
		case errors.Is(err, kit.ErrNoTable):
			return nil
		case err != nil:
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// rowState says what became of the value of a row.
type rowState uint8

const (
	rowGood rowState = iota
	rowAbsent
	rowDamaged
)

// value parses the value of a row, which is to be of a kind, and puts what is wrong with it into the ledger and the
// losses. Bytes that are looked at longer than the row lives have to be copied before.
func value(doc *kit.Doc, cell kit.Cell, want kit.Kind, name string, ledger *lore.Ledger, l *losses) (kit.Value, rowState) {
	at := spot{row: name}
	switch {
	case cell.IsAbsent():
		ledger.Skip("absent value")
		l.more(lore.AbsentValue, lore.Info, at, "rows without a value", 1)
		return kit.Value{}, rowAbsent
	case cell.Left:
		ledger.Damage(1)
		l.one(lore.OversizedRecord, lore.Warning, at, fmt.Sprintf("a value of %d bytes", cell.Size))
		return kit.Value{}, rowDamaged
	}
	v, err := doc.Parse(cell.Bytes)
	if err == nil && v.Kind() != want {
		err = errors.New("another kind of value")
	}
	if err != nil {
		code := lore.BadJSON
		if errors.Is(err, kit.ErrTooDeep) {
			code = lore.TooDeep
		}
		ledger.Damage(1)
		l.one(code, lore.Warning, at, fmt.Sprintf("%d bytes: %v", len(cell.Bytes), err))
		return kit.Value{}, rowDamaged
	}
	f := doc.Flaws()
	l.flaws(at, f.InvalidUTF8, f.LoneSurrogates)
	return v, rowGood
}
