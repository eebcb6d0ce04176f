package copilotcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// turn is a row of the table of turns, by its place.
type turn struct {
	key   string
	index int64
}

// database is the store that repeats some of the sessions.
type database struct {
	ctx   context.Context
	in    adapter.Input
	rows  *kit.Rows
	turns map[string][]turn // by session
	order []string          // sessions, those of the table first
	other lore.Ledger       // rows of no session
}

// readDatabase reads the database: its turns are twins of what the logs of events say, in order and by their words, and
// make a conversation where there is no log.
func readDatabase(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if errors.Is(err, kit.ErrEmptyDatabase) {
		l := losses{in: in}
		l.one(lore.Empty, lore.Info, 0, "an empty database")
		return put(yield, account(in, lore.Ledger{}, l.list))
	}
	if err != nil {
		return databaseError(ctx, err, trusted)
	}
	defer rows.Close()
	d := &database{ctx: ctx, in: in, rows: rows, turns: map[string][]turn{}}
	if err := d.index(); err != nil {
		return databaseError(ctx, err, trusted)
	}
	heads := map[string]bool{}
	for row, err := range rows.Read(ctx, kit.Query{Table: tableSessions}) {
		if err != nil {
			return databaseError(ctx, err, trusted)
		}
		id := row.Get("id").Text()
		if id == "" || heads[id] {
			d.other.Skip("session without id")
			continue
		}
		heads[id] = true
		if err := d.session(id, head(row), yield); err != nil {
			return err
		}
	}
	for _, id := range d.order {
		if !heads[id] {
			if err := d.session(id, lore.Conversation{}, yield); err != nil {
				return err
			}
		}
	}
	l := losses{in: in}
	if len(heads)+len(d.order) == 0 {
		l.one(lore.Empty, lore.Info, 0, "no sessions")
	}
	if d.other.Units > 0 || len(l.list) > 0 {
		return put(yield, account(in, d.other, l.list))
	}
	return nil
}

// index finds which turns a session has, without their words.
func (d *database) index() error {
	for row, err := range d.rows.Read(d.ctx, kit.Query{Table: tableTurns, Columns: []string{"session_id", "turn_index"}}) {
		if err != nil {
			return err
		}
		id := row.Get("session_id").Text()
		if id == "" {
			d.other.Skip("turn without session")
			continue
		}
		if _, known := d.turns[id]; !known {
			d.order = append(d.order, id)
		}
		d.turns[id] = append(d.turns[id], turn{row.Key.Text(), row.Get("turn_index").Int})
	}
	for _, list := range d.turns {
		slices.SortStableFunc(list, func(a, b turn) int { return cmp.Compare(a.index, b.index) })
	}
	return nil
}

// head makes the facts that a row of the sessions tells.
func head(row kit.Row) lore.Conversation {
	c := lore.Conversation{Project: lore.Project{Dir: row.Get("cwd").Text(), Branch: row.Get("branch").Text(), Remote: row.Get("repository").Text()}}
	c.Project.Name = kit.ProjectName(c.Project.Dir)
	if title := row.Get("summary").Text(); title != "" {
		c.Title, c.TitleFrom = title, lore.TitleFromSource
		c.TitleAt, _ = kit.ParseTimeString(row.Get("updated_at").Text())
	}
	c.StartedAt, _ = kit.ParseTimeString(row.Get("created_at").Text())
	c.Ledger.Keep(1)
	return c
}

// session yields one session: its turns, or, where it has none, what is known of it.
func (d *database) session(id string, c lore.Conversation, yield yielder) error {
	c.Source, c.Store, c.Native = d.in.Source.Product, d.in.Source.Store, id
	turns := d.turns[id]
	if len(turns) == 0 {
		c.Partial, c.StartedAt = true, lore.Time{}
		return put(yield, &c)
	}
	c.Kind = lore.Main
	ledger, size := c.Ledger, int64(0)
	c.Ledger = lore.Ledger{}
	for _, t := range turns {
		if size >= d.in.PieceBound() {
			piece := c
			piece.More = true
			if err := put(yield, &piece); err != nil {
				return err
			}
			c.Messages, size = nil, 0
		}
		for row, err := range d.rows.Read(d.ctx, kit.Query{Table: tableTurns, From: t.key}) {
			if err != nil {
				return databaseError(d.ctx, err, true)
			}
			list := d.turn(row)
			if len(list) == 0 {
				ledger.Skip("turn without words")
				continue
			}
			ledger.Keep(1)
			list[0].Units = 1
			for _, m := range list {
				size += int64(len(m.Parts[0].Text)) + 256
			}
			c.Messages = append(c.Messages, list...)
		}
	}
	c.Ledger = ledger
	return put(yield, &c)
}

// turn makes the messages of one turn. They have no ids: a turn is named by its number.
func (d *database) turn(row kit.Row) []lore.Message {
	at, _ := kit.ParseTimeString(row.Get("timestamp").Text())
	var list []lore.Message
	for _, said := range []struct {
		role   lore.Role
		column string
	}{{lore.User, "user_message"}, {lore.Assistant, "assistant_response"}} {
		cell := row.Get(said.column)
		if cell.IsAbsent() {
			continue
		}
		p := lore.Part{Kind: lore.Text, Text: cell.Text()}
		if cell.Left {
			p.Cut, p.Bytes = true, cell.Size
		}
		list = append(list, lore.Message{Role: said.role, Active: true, At: at, AtFrom: kit.TimeFrom(at), Parts: []lore.Part{p},
			Origins: []lore.Locator{d.rows.Locator(row, "")}})
	}
	return list
}

// databaseError tells a database that cannot be read from a reading that was broken off, and from another's database.
func databaseError(ctx context.Context, err error, trusted bool) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, kit.ErrNoTable), errors.Is(err, kit.ErrNotDatabase) && !trusted:
		return adapter.ErrNotMine
	}
	for _, damage := range []error{kit.ErrNotDatabase, kit.ErrCorrupt, kit.ErrNewerFormat, kit.ErrRowSet} {
		if errors.Is(err, damage) {
			return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
		}
	}
	return err
}
