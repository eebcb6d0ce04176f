package antigravity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The tables of a conversation of agy.
const (
	tableMeta  = "trajectory_meta"
	tableSteps = "steps"
)

func ranges() []adapter.Range { return []adapter.Range{{Table: tableSteps}, {Table: tableMeta}} }

// readDatabase counts the steps of a database of agy. Their payloads have a form that is not known: what they say stands in
// the transcript, where there is one.
func readDatabase(ctx context.Context, in adapter.Input, yield yielder) error {
	l := kit.NewTally(in, in.Source.Path)
	c := &lore.Conversation{Source: source, Store: storeDB, Partial: true, Native: stem(in.Source.Path)}
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if err == nil {
		err = countSteps(ctx, rows, c)
		rows.Close()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, kit.ErrEmptyDatabase):
	case err != nil:
		for _, damage := range []error{kit.ErrNotDatabase, kit.ErrCorrupt, kit.ErrNewerFormat, kit.ErrRowSet} {
			if errors.Is(err, damage) {
				return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
			}
		}
		return err
	}
	l.Many(lore.UnknownRecord, lore.Info, 0, c.Ledger.Unknown, "steps whose payload is in a form that is not known")
	if c.Ledger.Unknown == 0 {
		l.One(lore.Empty, lore.Info, 0, "no steps")
	}
	c.Losses = l.List()
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

func countSteps(ctx context.Context, rows *kit.Rows, c *lore.Conversation) error {
	if t := rows.Tables(); len(t) > 0 && !slices.Contains(t, tableSteps) && !slices.Contains(t, tableMeta) {
		return adapter.ErrNotMine
	}
	for _, table := range []string{tableSteps, tableMeta} {
		for row, err := range rows.Read(ctx, kit.Query{Table: table}) {
			switch {
			case errors.Is(err, kit.ErrNoTable):
			case err != nil:
				return err
			case table == tableMeta:
				c.Ledger.Skip(tableMeta)
			default:
				c.Ledger.Meet(strings.TrimSpace("step " + row.Get("step_type").Text()))
			}
		}
	}
	return nil
}
