package goose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The tables that are read. Their columns come and go with the versions, and are asked for by name.
const (
	tableSessions = "sessions"
	tableMessages = "messages"
)

// ranges are the rows that name the parts of a database: one for each session.
var ranges = []adapter.Range{{Table: tableSessions}}

// split parts a database by session, so that a new message makes one conversation be read again and not all.
var split = adapter.Split{
	Of: func(table, key string) string {
		if table == tableSessions {
			return key
		}
		return ""
	},
	Ranges: func(part string) []adapter.Range {
		return []adapter.Range{{Table: tableSessions, From: part}, {Table: tableMessages, Column: "session_id", From: part}}
	},
	Members: []adapter.Column{{Table: tableMessages, Name: "session_id"}},
}

// reader reads a database, or the rows that are kept of one.
type reader struct {
	ctx  context.Context
	in   adapter.Input
	rows *kit.Rows
	rest *talk // what belongs to no session

	sessions map[string]bool // those with a row
	speaks   map[string]bool // those with messages

	content, other kit.Doc
}

func readDatabase(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	r := &reader{ctx: ctx, in: in, rest: begin(in, session{}, yield), sessions: map[string]bool{}, speaks: map[string]bool{}}
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	switch {
	case errors.Is(err, kit.ErrNotDatabase) && !trusted:
		return adapter.ErrNotMine
	case errors.Is(err, kit.ErrEmptyDatabase) && trusted:
		return r.rest.end()
	case errors.Is(err, kit.ErrEmptyDatabase):
		return adapter.ErrNotMine
	case err != nil:
		return r.broken(err)
	}
	defer rows.Close()
	r.rows = rows
	if !trusted && !r.isMine() {
		return adapter.ErrNotMine
	}
	return r.broken(r.read(yield))
}

// isMine reports whether a database that a user named is one of Goose: others have tables of the same names.
func (r *reader) isMine() bool {
	have := r.rows.Tables()
	for _, table := range []string{"schema_version", tableSessions, tableMessages} {
		if !slices.Contains(have, table) {
			return false
		}
	}
	mine := true
	for _, ask := range []struct{ table, column string }{{tableSessions, "working_dir"}, {tableMessages, "content_json"}} {
		for row, err := range r.rows.Read(r.ctx, kit.Query{Table: ask.table, Columns: []string{ask.column}, MaxValue: 1}) {
			mine = mine && err == nil && row.Get(ask.column).Kind != kit.NoCell
			break
		}
	}
	return mine
}

// query reads rows of a table that may not be there.
func (r *reader) query(q kit.Query, each func(kit.Row) error) error {
	for row, err := range r.rows.Read(r.ctx, q) {
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

// read makes the records: of the sessions in the order of their ids, then of those that have no row.
func (r *reader) read(yield yielder) error {
	if err := r.query(kit.Query{Table: tableSessions, Columns: []string{}}, func(row kit.Row) error {
		r.sessions[row.Key.Text()] = true
		return nil
	}); err != nil {
		return err
	}
	if err := r.query(kit.Query{Table: tableMessages, Columns: []string{"session_id"}}, func(row kit.Row) error {
		id := row.Get("session_id").Text()
		if id == "" {
			r.rest.ledger.Skip("message of no session")
			r.rest.lost.more(lore.MissingParent, lore.Warning, r.rows.Locator(row, ""), "messages that name no session")
			return nil
		}
		r.speaks[id] = true
		return nil
	}); err != nil {
		return err
	}
	if err := r.query(kit.Query{Table: tableSessions}, func(row kit.Row) error {
		if !r.speaks[row.Key.Text()] {
			r.rest.ledger.Skip("session without messages")
			r.rest.lost.more(lore.Empty, lore.Info, r.rows.Locator(row, ""), "no messages")
			return nil
		}
		t := begin(r.in, r.session(row), yield)
		t.heads = 1
		return r.talk(t)
	}); err != nil {
		return err
	}
	for _, id := range r.strays() {
		t := begin(r.in, session{id: id}, yield)
		t.lost.one(lore.MissingParent, lore.Warning, lore.Locator{File: t.place().File, Row: tableSessions + "/" + kit.Clip(id)},
			"the session of these messages is not there")
		if err := r.talk(t); err != nil {
			return err
		}
	}
	switch {
	case len(r.sessions)+len(r.speaks) == 0:
		return r.rest.end()
	case r.rest.ledger.Units > 0:
		return r.rest.facts()
	}
	return nil
}

// strays are the sessions that have messages and no row, sorted.
func (r *reader) strays() (ids []string) {
	for id := range r.speaks {
		if !r.sessions[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// session reads a session's row.
func (r *reader) session(row kit.Row) session {
	text := func(column string) string { return valid(row.Get(column).Text()) }
	s := session{id: row.Key.Text(), dir: text("working_dir"), parent: text("parent_session_id"), kind: kindOf(text("session_type"))}
	name, described := text("name"), text("description")
	switch {
	case row.Get("user_set_name").Text() == "1" && name != "":
		s.title = name
	case described != "":
		s.title = described
	case !isDefaultName(name):
		s.title = name
	}
	s.created, s.updated = utc(row.Get("created_at")), utc(row.Get("updated_at"))
	s.archived = !row.Get("archived_at").IsAbsent()
	if cell := row.Get("model_config_json"); !cell.IsAbsent() {
		if v, err := r.other.Parse(cell.Bytes); err == nil {
			s.model = v.Get("model_name").String()
		}
	}
	s.usage = sums(func(column string) int64 { return row.Get(column).Int })
	return s
}

// talk reads the messages of a session, in the order of their numbers, and makes its record. When the database cannot be
// read further, what was read of it stands.
func (r *reader) talk(t *talk) error {
	q := kit.Query{Table: tableMessages, KeyColumn: "session_id", From: t.session.id}
	err := r.query(q, func(row kit.Row) error { return r.message(t, row) })
	switch {
	case err != nil && (errors.Is(err, kit.ErrStopped) || r.ctx.Err() != nil || t.count == 0):
		return err
	case err != nil:
		return errors.Join(err, t.end())
	}
	return t.end()
}

// message reads a message's row.
func (r *reader) message(t *talk, row kit.Row) error {
	m := message{id: valid(row.Get("message_id").Text()), role: row.Get("role").Text(), unit: r.rows.Locator(row, "")}
	for _, column := range []string{"created_timestamp", "timestamp"} {
		if cell := row.Get(column); m.at.IsZero() && !cell.IsAbsent() && cell.Text() != "0" {
			m.at = utc(cell)
		}
	}
	if cell := row.Get("metadata_json"); !cell.IsAbsent() {
		if v, err := r.other.Parse(cell.Bytes); err == nil {
			m.model = v.Get("model").String()
			m.sight(v)
		}
	}
	m.usage = r.tokens(row.Get("tokens"))
	cell := row.Get("content_json")
	if cell.Left {
		t.ledger.Keep(1)
		t.lost.one(lore.OversizedRecord, lore.Warning, m.unit, "a message of "+plural(int(cell.Size), "byte"))
		role, sub := m.own()
		return t.put(&m, []run{{role, sub, []lore.Part{{Kind: lore.Unknown, Name: "content", Cut: true, Bytes: cell.Size}}}})
	}
	if cell.IsAbsent() {
		t.ledger.Skip("message without content")
		t.lost.more(lore.AbsentValue, lore.Info, m.unit, "messages without content")
		return nil
	}
	v, err := r.content.Parse(cell.Bytes)
	if err != nil {
		t.ledger.Damage(1)
		t.lost.one(lore.BadJSON, lore.Warning, m.unit, reason(err))
		return nil
	}
	t.lost.flaws(m.unit, r.content.Flaws())
	if !v.IsArray() {
		t.ledger.Keep(1)
		t.lost.more(lore.UnexpectedShape, lore.Warning, m.unit, "content that is no list, kept raw")
		role, sub := m.own()
		return t.put(&m, []run{{role, sub, []lore.Part{kit.UnknownPart("content", v)}}})
	}
	m.content = v
	return t.say(&m)
}

// tokens reads what a message took, where input and output are told apart.
func (r *reader) tokens(cell kit.Cell) *lore.Usage {
	if cell.IsAbsent() || cell.Kind == kit.IntegerCell {
		return nil
	}
	v, err := r.other.Parse(cell.Bytes)
	if err != nil || !v.IsObject() {
		return nil
	}
	n := func(key string) int64 { i, _ := v.Get(key).Int(); return max(i, 0) }
	if u := (lore.Usage{Input: n("input"), Output: n("output")}); u != (lore.Usage{}) {
		return &u
	}
	return nil
}

// utc reads a time of the database, which has no zone and is UTC.
func utc(cell kit.Cell) lore.Time {
	t, ok := kit.ParseTimeString(cell.Text())
	if !ok || !t.Naive() {
		return t
	}
	return lore.NewTime(t.UnixNano(), t.Digits(), false)
}

// reason is what is wrong with a document, in one phrase.
func reason(err error) string {
	var syntax *kit.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Error()
	}
	return err.Error()
}

// broken tells a database that cannot be read from a reading that was broken off.
func (r *reader) broken(err error) error {
	switch {
	case err == nil, errors.Is(err, kit.ErrStopped), r.ctx.Err() != nil, errors.Is(err, kit.ErrMoving), errors.Is(err, kit.ErrLocked):
		return err
	}
	return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
}

// valid makes each byte that is not UTF-8 one U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
