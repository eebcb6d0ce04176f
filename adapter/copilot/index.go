package copilot

import (
	"context"
	"errors"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The one row that is read of an editor's database.
const (
	stateFile  = "state.vscdb"
	stateTable = "ItemTable"
	indexKey   = "chat.ChatSessionStore.index"
)

var indexRange = adapter.Range{Table: stateTable, From: indexKey}

// readIndex reads the editor's list of its sessions: facts about sessions that stand in files of their own.
func readIndex(ctx context.Context, in adapter.Input, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if err != nil {
		return unread(err)
	}
	defer rows.Close()
	for row, err := range rows.Read(ctx, kit.RangeQuery(indexRange)) {
		switch {
		case errors.Is(err, kit.ErrNoTable):
			return adapter.ErrNotMine
		case err != nil:
			return unread(err)
		}
		if err := readIndexRow(in, rows, row, yield); err != nil {
			return err
		}
	}
	return nil
}

// unread says what it means that a database cannot be opened or read.
func unread(err error) error {
	switch {
	case errors.Is(err, kit.ErrNotDatabase), errors.Is(err, kit.ErrEmptyDatabase):
		return fmt.Errorf("%w: %w", adapter.ErrNotMine, err)
	case errors.Is(err, kit.ErrCorrupt), errors.Is(err, kit.ErrNewerFormat), errors.Is(err, kit.ErrRowSet):
		return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
	}
	return err
}

// readIndexRow yields a fact for each entry of the list. An entry of a session without messages says nothing.
func readIndexRow(in adapter.Input, rows *kit.Rows, row kit.Row, yield yielder) error {
	at := rows.Locator(row, "value")
	rest := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true}
	loss := func(code lore.Code, severity lore.Severity, what string) {
		rest.Losses = append(rest.Losses, lore.Loss{Code: code, Severity: severity, Source: in.Source.Product, File: at.File, Row: at.Row, What: what, Count: 1})
	}
	cell := row.Get("value")
	var doc kit.Doc
	var v kit.Value
	var err error
	switch {
	case cell.IsAbsent():
		rest.Ledger.Skip("index without a value")
		loss(lore.AbsentValue, lore.Info, "the list of sessions has no value")
	case cell.Left:
		rest.Ledger.Damage(1)
		loss(lore.OversizedRecord, lore.Warning, fmt.Sprintf("the list of sessions has %d bytes and was not read", cell.Size))
	default:
		if v, err = doc.Parse(cell.Bytes); err != nil || !v.IsObject() {
			rest.Ledger.Damage(1)
			loss(lore.BadJSON, lore.Warning, "the list of sessions is no JSON")
		}
	}
	for id, entry := range v.Get("entries").Fields() {
		title := entry.Get("title").String()
		if id == "" || title == "" || entry.Get("isEmpty").Bool() || entry.Get("isExternal").Bool() {
			rest.Ledger.Skip("index entry")
			continue
		}
		c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Native: id, Partial: true,
			Title: title, TitleFrom: lore.TitleFromSource}
		c.Ledger.Keep(1)
		if !yield(c, nil) {
			return kit.ErrStopped
		}
	}
	if rest.Ledger.Units == 0 && len(rest.Losses) == 0 {
		return nil
	}
	if !yield(rest, nil) {
		return kit.ErrStopped
	}
	return nil
}
