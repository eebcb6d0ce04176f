package crush

import (
	"cmp"
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

	doc kit.Doc
}

func readDatabase(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	r := &reader{ctx: ctx, in: in, rest: begin(in, session{}, yield), sessions: map[string]bool{}, speaks: map[string]bool{}}
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	switch {
	case !trusted && (errors.Is(err, kit.ErrNotDatabase) || errors.Is(err, kit.ErrEmptyDatabase)):
		return adapter.ErrNotMine
	case errors.Is(err, kit.ErrEmptyDatabase):
		return r.rest.end()
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

// isMine reports whether a database that a user named is one of Crush: others have tables of the same names.
func (r *reader) isMine() bool {
	have := r.rows.Tables()
	for _, table := range []string{"files", tableSessions, tableMessages} {
		if !slices.Contains(have, table) {
			return false
		}
	}
	mine := true
	for _, ask := range []struct{ table, column string }{{tableSessions, "completion_tokens"}, {tableMessages, "parts"}} {
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

// survey notes which sessions there are, and which have messages.
func (r *reader) survey() error {
	if err := r.query(kit.Query{Table: tableSessions, Columns: []string{}}, func(row kit.Row) error {
		r.sessions[row.Key.Text()] = true
		return nil
	}); err != nil {
		return err
	}
	return r.query(kit.Query{Table: tableMessages, Columns: []string{"session_id"}}, func(row kit.Row) error {
		if id := row.Get("session_id").Text(); id != "" && row.Key.Text() != "" {
			r.speaks[id] = true
			return nil
		}
		r.rest.ledger.Skip("message of no session")
		r.rest.lost.more(lore.MissingParent, lore.Warning, r.rows.Locator(row, ""), "messages that name no session")
		return nil
	})
}

// read makes the records: of the sessions in the order of their ids, then of those that have no row.
func (r *reader) read(yield yielder) error {
	if err := r.survey(); err != nil {
		return err
	}
	if err := r.query(kit.Query{Table: tableSessions}, func(row kit.Row) error {
		if !r.speaks[row.Key.Text()] {
			r.rest.ledger.Skip("session without messages")
			r.rest.lost.more(lore.Empty, lore.Info, r.rows.Locator(row, ""), "no messages")
			return nil
		}
		t := begin(r.in, sessionOf(row), yield)
		t.headed = true
		return r.talk(t)
	}); err != nil {
		return err
	}
	for _, id := range r.strays() {
		t := begin(r.in, session{id: id}, yield)
		t.lost.one(lore.MissingParent, lore.Warning, t.place(), "the session of these messages is not there")
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

// talk reads the messages of a session in order and makes its record. When the database cannot be read further, what was
// read of it stands.
func (r *reader) talk(t *talk) error {
	ids, err := r.order(t.session.id)
	for _, id := range ids {
		if err != nil {
			break
		}
		err = r.query(kit.Query{Table: tableMessages, From: id}, func(row kit.Row) error { return r.message(t, row) })
	}
	switch {
	case err != nil && (errors.Is(err, kit.ErrStopped) || r.ctx.Err() != nil || t.count == 0):
		return err
	case err != nil:
		return errors.Join(err, t.end())
	}
	return t.end()
}

// order lists the ids of a session's messages as they were written: ids are random, and their times are of seconds. Where
// it is not known, by time and id.
func (r *reader) order(session string) ([]string, error) {
	type place struct {
		id  string
		nth int
		at  int64
	}
	var list []place
	q := kit.Query{Table: tableMessages, KeyColumn: "session_id", From: session, Columns: []string{"created_at"}, Order: true}
	err := r.query(q, func(row kit.Row) error {
		if row.Key.Text() != "" {
			list = append(list, place{row.Key.Text(), row.Nth, timeIn(row, "created_at").UnixNano()})
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b place) int {
		if a.nth >= 0 && b.nth >= 0 {
			return cmp.Compare(a.nth, b.nth)
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	return ids, err
}

// sessionOf reads a session's row.
func sessionOf(row kit.Row) session {
	text := func(column string) string { return valid(row.Get(column).Text()) }
	s := session{id: row.Key.Text(), title: text("title"), parent: text("parent_session_id"), summary: text("summary_message_id"), dir: text("workspace_cwd")}
	s.created, s.updated = timeIn(row, "created_at"), timeIn(row, "updated_at")
	s.archived = !timeIn(row, "archived_at").IsZero()
	if u := (lore.Usage{Input: max(row.Get("prompt_tokens").Int, 0), Output: max(row.Get("completion_tokens").Int, 0)}); u != (lore.Usage{}) {
		s.usage = &u
	}
	return s
}

// message reads a message's row.
func (r *reader) message(t *talk, row kit.Row) error {
	m := message{id: row.Key.Text(), role: row.Get("role").Text(), at: timeIn(row, "created_at"), model: valid(row.Get("model").Text()), unit: r.rows.Locator(row, "")}
	m.summary = m.id == t.session.summary || row.Get("is_summary_message").Int != 0
	switch cell := row.Get("parts"); {
	case cell.Left:
		t.ledger.Keep(1)
		t.lost.one(lore.OversizedRecord, lore.Warning, m.unit, "a message of "+plural(int(cell.Size), "byte"))
		role, sub := m.own()
		m.runs = []run{{role, sub, []lore.Part{{Kind: lore.Unknown, Name: "parts", Cut: true, Bytes: cell.Size}}}}
	case cell.IsAbsent():
		t.ledger.Skip("message without parts")
		t.lost.more(lore.AbsentValue, lore.Info, m.unit, "messages without parts")
		return nil
	default:
		v, err := r.doc.Parse(cell.Bytes)
		if err != nil {
			t.ledger.Damage(1)
			t.lost.one(lore.BadJSON, lore.Warning, m.unit, reason(err))
			return nil
		}
		t.ledger.Keep(1)
		t.lost.flaws(m.unit, r.doc.Flaws())
		t.blocks(&m, v)
	}
	return t.put(&m)
}

// timeIn reads a time that a column holds, in seconds or milliseconds; 0 is none.
func timeIn(row kit.Row, column string) lore.Time {
	cell := row.Get(column)
	if cell.IsAbsent() || cell.Kind == kit.IntegerCell && cell.Int == 0 {
		return lore.Time{}
	}
	t, _ := kit.ParseTimeString(cell.Text())
	return t
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
