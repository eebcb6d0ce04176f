package kit

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
)

// Mark is what to remember of a table to find, the next time, what was written since.
type Mark struct {
	Rowid  int64  `json:"rowid"`         // the highest of a row that holds no secret; 0 with an empty Key: there was none
	Key    string `json:"key,omitempty"` // of that row
	Schema uint32 `json:"schema"`        // the schema cookie, which VACUUM and every migration change
}

// Mark returns the mark of a table: the row with its highest rowid. A table without rowids has none: the zero Mark.
func (db *Database) Mark(ctx context.Context, table string) (Mark, error) {
	m := Mark{Schema: db.cookie}
	t, err := db.table(table)
	if err != nil || t.rowid == "" {
		return Mark{}, err
	}
	err = db.rowids(ctx, t, "1", nil, "DESC LIMIT 1", func(row Row) error {
		m.Rowid, m.Key = row.Rowid, row.Key.Text()
		return nil
	})
	return m, err
}

// Changed yields key and rowid, without values, of the rows of a table that may have been written since the mark, lowest
// rowid first. It works for tables whose rows are replaced when they are written again (ON CONFLICT REPLACE), so that a
// changed row has a higher rowid than every older one. Where the marks cannot tell, known is false and nothing is
// yielded: another kind of table, a schema that changed, a VACUUM, the marked row gone. Then all rows have to be
// compared. A row that was deleted is not yielded: that only a list of the keys tells (a Query with Columns of no names,
// which SQLite answers from the index).
func (db *Database) Changed(ctx context.Context, table string, since Mark) (rows iter.Seq2[Row, error], known bool, err error) {
	t, err := db.table(table)
	if err != nil {
		return nil, false, err
	}
	if known, err = db.marks(ctx, t, since); err != nil || !known {
		return func(func(Row, error) bool) {}, known, err
	}
	return func(yield func(Row, error) bool) {
		err := db.rowids(ctx, t, t.rowid+" >= ?1", []driver.Value{since.Rowid}, "", func(row Row) error {
			if !yield(row, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Row{}, fmt.Errorf("table %q: %w", t.name, err))
		}
	}, true, nil
}

// marks reports whether a mark still holds, so that every row written since has a rowid at or above it. The marked row may
// have been written again itself: then it is above.
func (db *Database) marks(ctx context.Context, t *table, since Mark) (bool, error) {
	if !t.replaces() || since.Schema != db.cookie {
		return false, nil
	}
	if since.Rowid == 0 && since.Key == "" {
		return true, nil
	}
	holds := false
	c := quote(t.key) + " COLLATE BINARY"
	err := db.rowids(ctx, t, c+" = ?1", []driver.Value{since.Key}, "", func(row Row) error {
		holds = row.Rowid >= since.Rowid
		return nil
	})
	return holds, err
}

// rowids calls f with key and rowid of the rows of a table for which a condition holds, secret ones left out, by rowid.
func (db *Database) rowids(ctx context.Context, t *table, condition string, args []driver.Value, order string, f func(Row) error) error {
	s := &selection{db: db, t: t}
	if t.settings != "" {
		condition += " AND " + secretFunction + "(" + quote(t.settings) + ") = 0"
	}
	sql := "SELECT " + t.rowid + cellSQL(quote(t.key)) + " FROM " + quote(t.name) + " WHERE " + condition + " ORDER BY " + t.rowid + " " + order
	return db.each(sql, args, func(v []driver.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := Row{Table: t.name, Key: s.cell(t.key, v[1], v[2]), Rowid: v[0].(int64), Nth: -1}
		if row.Key.Left {
			return tooLong(row.Key)
		}
		return f(row)
	})
}
