package opencode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The tables that are read. Their columns come and go with the versions.
const (
	tableProject = "project"
	tableSession = "session"
	tableMessage = "message"
	tablePart    = "part"
)

// database is a database while it is read. Of its rows nothing is kept in memory but the ids of messages, hashed, and
// what is known of the messages of one session.
type database struct {
	ctx  context.Context
	in   adapter.Input
	rows *kit.Rows

	worktrees map[string]string // by project
	sessions  map[string]bool   // those with a row
	speaks    map[string]bool   // those that a message or part names
	messages  map[uint64]bool   // hashes of their ids
	strays    map[string]string // by the id of a message that is not there, the session that its first part names

	doc, partDoc kit.Doc // of messages, of parts
}

// readDatabase reads a database, or the rows that are kept of one.
func readDatabase(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if !trusted && (errors.Is(err, kit.ErrNotDatabase) || errors.Is(err, kit.ErrEmptyDatabase)) {
		return adapter.ErrNotMine
	}
	d := &database{ctx: ctx, in: in, rows: rows, worktrees: map[string]string{}, sessions: map[string]bool{},
		speaks: map[string]bool{}, messages: map[uint64]bool{}, strays: map[string]string{}}
	rest := begin(in, session{}, yield)
	switch {
	case errors.Is(err, kit.ErrEmptyDatabase):
		return d.whole(rest)
	case err != nil:
		return d.broken(err)
	}
	defer rows.Close()
	if !trusted && !d.isMine() {
		return adapter.ErrNotMine
	}
	if project, ok := strings.CutPrefix(in.Source.Part, projectPart); ok {
		return d.broken(d.project(project, rest))
	}
	if err := d.survey(rest); err != nil {
		return d.broken(err)
	}
	return d.broken(d.read(rest, yield))
}

// isMine reports whether a database that a user named has the tables of this format.
func (d *database) isMine() bool {
	have := d.rows.Tables()
	for _, table := range []string{tableSession, tableMessage, tablePart} {
		if !slices.Contains(have, table) {
			return false
		}
	}
	return true
}

// query reads rows of a table that may not be there.
func (d *database) query(q kit.Query, each func(kit.Row) error) error {
	for row, err := range d.rows.Read(d.ctx, q) {
		switch {
		case errors.Is(err, kit.ErrNoTable):
			return nil
		case err != nil:
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

// survey notes which sessions there are, which of them have messages, and which parts have none. Documents are not read.
func (d *database) survey(rest *talk) error {
	if err := d.query(kit.Query{Table: tableProject, Columns: []string{"worktree"}}, func(row kit.Row) error {
		d.worktrees[row.Key.Text()] = valid(row.Get("worktree").Text())
		rest.ledger.Skip(tableProject)
		return nil
	}); err != nil {
		return err
	}
	if err := d.query(kit.Query{Table: tableSession, Columns: []string{}}, func(row kit.Row) error {
		d.sessions[row.Key.Text()] = true
		return nil
	}); err != nil {
		return err
	}
	if err := d.query(kit.Query{Table: tableMessage, Columns: []string{"session_id"}}, func(row kit.Row) error {
		session := row.Get("session_id").Text()
		if session == "" || row.Key.Text() == "" {
			d.nobodys(rest, row)
			return nil
		}
		d.messages[xxhash.Sum64String(row.Key.Text())] = true
		d.speaks[session] = true
		return nil
	}); err != nil {
		return err
	}
	return d.query(kit.Query{Table: tablePart, Columns: []string{"message_id", "session_id"}}, func(row kit.Row) error {
		session, message := row.Get("session_id").Text(), row.Get("message_id").Text()
		switch _, known := d.strays[message]; {
		case message == "", known && d.strays[message] == "":
			d.nobodys(rest, row)
		case known || d.messages[xxhash.Sum64String(message)]:
		case session == "":
			d.strays[message] = ""
			d.nobodys(rest, row)
		default:
			d.strays[message] = session
			d.speaks[session] = true
		}
		return nil
	})
}

// nobodys counts a row that names no session to belong to.
func (d *database) nobodys(rest *talk, row kit.Row) {
	rest.ledger.Skip(row.Table + " of no session")
	rest.lost.more(lore.MissingParent, lore.Warning, d.rows.Locator(row, ""), row.Table+" rows that name no session")
}

// read makes the records: of the sessions in the order of their ids, then of those that have no row.
func (d *database) read(rest *talk, yield yielder) error {
	err := d.query(kit.Query{Table: tableSession}, func(row kit.Row) error {
		s, at := d.session(row)
		if !d.speaks[s.id] {
			rest.noWords(&unit{id: s.id, at: at})
			return nil
		}
		t := begin(d.in, s, yield)
		t.ledger.Keep(1)
		t.headed = true
		return d.talk(t)
	})
	if err != nil {
		return err
	}
	for _, id := range sorted(d.speaks) {
		if d.sessions[id] {
			continue
		}
		t := begin(d.in, session{id: id}, yield)
		t.lost.one(lore.MissingParent, lore.Warning, lore.Locator{File: t.place().File, Row: tableSession + "/" + kit.Clip(id)},
			"the session of these messages is not there")
		if err := d.talk(t); err != nil {
			return err
		}
	}
	if rest.ledger.Units > 0 || len(d.speaks) == 0 {
		return d.whole(rest)
	}
	return nil
}

// talk reads the messages of a session and makes its record. When the database cannot be read further, what was read of
// it stands.
func (d *database) talk(t *talk) error {
	list, err := d.list(t.session.id)
	if err == nil {
		err = t.messages(list, d.partsOf)
	}
	if err != nil && !errors.Is(err, kit.ErrStopped) && d.ctx.Err() == nil && t.count > 0 {
		return errors.Join(err, t.end())
	}
	if err != nil {
		return err
	}
	return t.end()
}

// list reads the messages of a session, without their parts, and makes one of those that only parts name.
func (d *database) list(session string) ([]message, error) {
	var list []message
	q := kit.Query{Table: tableMessage, KeyColumn: "session_id", From: session, Columns: []string{"time_created", "data"}, MaxValue: maxUnit}
	err := d.query(q, func(row kit.Row) error {
		if row.Key.Text() == "" {
			return nil
		}
		m := message{there: true}
		d.load(row, &m.unit, &d.doc)
		m.read(m.unit.value)
		m.id, m.unit.value = m.unit.id, kit.Value{}
		if m.time.IsZero() {
			m.time = m.unit.time
		}
		if m.order = m.unit.time; m.order.IsZero() {
			m.order = m.time
		}
		list = append(list, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range sorted(d.strays) {
		if d.strays[id] == session {
			list = append(list, message{id: id})
		}
	}
	return list, nil
}

// whole yields what is to be said of the database itself.
func (d *database) whole(rest *talk) error {
	if len(d.sessions)+len(d.speaks) == 0 {
		rest.lost.more(lore.Empty, lore.Info, rest.place(), "no sessions")
	}
	c := facts(d.in)
	c.Ledger, c.Losses = rest.ledger, rest.lost.list
	if !rest.yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// broken tells a database that cannot be read from a reading that was broken off.
func (d *database) broken(err error) error {
	switch {
	case err == nil, errors.Is(err, kit.ErrStopped), d.ctx.Err() != nil,
		errors.Is(err, kit.ErrMoving), errors.Is(err, kit.ErrLocked), errors.Is(err, adapter.ErrMalformed):
		return err
	}
	return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
}
