package opencode

import (
	"errors"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// session reads a session's row.
func (d *database) session(row kit.Row) (session, lore.Locator) {
	text := func(column string) string { return valid(row.Get(column).Text()) }
	s := session{id: row.Key.Text(), title: text("title"), dir: text("directory"), parent: text("parent_id")}
	s.worktree = d.worktrees[row.Get("project_id").Text()]
	s.created, s.updated = timeIn(row, "time_created"), timeIn(row, "time_updated")
	s.archived = !timeIn(row, "time_archived").IsZero()
	if cell := row.Get("revert"); !cell.IsAbsent() {
		if v, err := d.doc.Parse(cell.Bytes); err == nil {
			s.revert(v)
		}
	}
	return s, d.rows.Locator(row, "")
}

// load reads the document of a row.
func (d *database) load(row kit.Row, u *unit, doc *kit.Doc) {
	u.id, u.at, u.time = row.Key.Text(), d.rows.Locator(row, ""), timeIn(row, "time_created")
	cell := row.Get("data")
	switch {
	case cell.Left:
		u.state, u.size = left, cell.Size
	case cell.IsAbsent():
		u.state = blank
	default:
		v, err := doc.Parse(cell.Bytes)
		u.judge(v, err)
		u.flaws = doc.Flaws()
	}
}

// partsOf reads the parts of a message in the order of their ids.
func (d *database) partsOf(m *message) parts {
	return func(yield func(*unit, error) bool) {
		q := kit.Query{Table: tablePart, KeyColumn: "message_id", From: m.id, Columns: []string{"time_created", "data"}, MaxValue: maxUnit}
		stopped := errors.New("stopped")
		err := d.query(q, func(row kit.Row) error {
			var u unit
			d.load(row, &u, &d.partDoc)
			if !yield(&u, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(nil, err)
		}
	}
}

// timeIn reads a time that a column holds.
func timeIn(row kit.Row, column string) lore.Time {
	cell := row.Get(column)
	if cell.IsAbsent() {
		return lore.Time{}
	}
	t, _ := kit.ParseTimeString(cell.Text())
	return t
}

// valid makes each byte that is not UTF-8 one U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
