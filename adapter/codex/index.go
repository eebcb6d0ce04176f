package codex

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// readIndex reads the index of titles: facts about conversations that stand elsewhere. Of several rows for one session
// the last counts.
func readIndex(ctx context.Context, in adapter.Input, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"id", "thread_name", "updated_at"}})
	if err != nil {
		return err
	}
	defer lines.Close()
	var order []*lore.Conversation
	known := map[string]*lore.Conversation{}
	rest := losses{make: lines.Loss}
	other := lore.Ledger{}
	for r := range lines.All() {
		id, name := idOf(r.Value.Get("id")), idOf(r.Value.Get("thread_name"))
		if id == "" {
			other.Meet(indexRow)
			rest.unknown(int32(r.Line), indexRow)
			continue
		}
		c := known[id]
		if c == nil {
			c = &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Native: id, Partial: true}
			known[id] = c
			order = append(order, c)
		}
		indexed(c, name, timeOf(r.Value.Get("updated_at")))
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	if len(order) == 0 && lines.Good() > 0 {
		return adapter.ErrNotMine
	}
	for _, c := range order {
		if !yield(c, nil) {
			return errStopped
		}
	}
	return fileEnd(in, lines, other, rest.list, lines.Good() == 0, yield)
}

const indexRow = "session_index row without id"

// indexed counts a row and takes its title. The rows before it said what no longer holds: merged.
func indexed(c *lore.Conversation, name string, at lore.Time) {
	switch {
	case name == "":
		c.Ledger.Skip("session_index")
		return
	case c.Title != "":
		c.Ledger.Merge(1)
	default:
		c.Ledger.Keep(1)
	}
	c.Title, c.TitleFrom, c.TitleAt = name, lore.TitleFromSource, at
}

// fileEnd yields what is to be said of a file of many conversations itself: its damage, its losses, that it is empty. A
// file of which nothing decodes fails.
func fileEnd(in adapter.Input, lines *kit.Lines, ledger lore.Ledger, rest []lore.Loss, empty bool, yield yielder) error {
	ledger.Damage(lines.Damaged())
	list := append(lines.Losses(), rest...)
	if empty && lines.Damaged() == 0 {
		list = append(list, lines.Loss(lore.Empty, lore.Info, 0, "no entries"))
	}
	if ledger.Units > 0 || len(list) > 0 {
		c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Ledger: ledger, Losses: list}
		if !yield(c, nil) {
			return errStopped
		}
	}
	if empty && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}
