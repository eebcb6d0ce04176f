package kit

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// longestKey is how many bytes a key may have.
const longestKey = 1 << 20

// Rows yields the rows that a query asks for; see Query and Rows.Read.
func (db *Database) Rows(ctx context.Context, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		s, err := db.plan(q)
		if err == nil {
			err = s.run(ctx, func(row Row) error {
				if !yield(row, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Row{}, fmt.Errorf("table %q: %w", q.Table, err))
		}
	}
}

// selection is a query in terms of the table.
type selection struct {
	db      *Database
	t       *table
	q       Query
	columns []Column // to read; one without a type and a name of its own is not there
	known   []bool   // which of them the table has
	filter  string   // the column that From and To speak of
	sorted  bool     // SQLite gives the rows in our order
	rowids  []int64  // of the range, sorted, when the order is asked for
	row     Row
}

// plan checks a query.
func (db *Database) plan(q Query) (*selection, error) {
	t, err := db.table(q.Table)
	if err != nil {
		return nil, err
	}
	q.MaxValue = q.limit()
	if err := q.refuseSecrets(t.key); err != nil {
		return nil, err
	}
	if t.key == "" {
		return nil, errors.New("no key that is ordered by its bytes")
	}
	s := &selection{db: db, t: t, q: q, filter: t.key}
	if q.KeyColumn != "" {
		if s.filter = q.KeyColumn; s.filter != t.key && !t.has(s.filter) {
			return nil, fmt.Errorf("no column %q", q.KeyColumn)
		}
	}
	s.sorted = t.rowid == "" || s.filter == t.key && s.cuts(t.key)
	s.choose()
	return s, nil
}

// refuseSecrets returns an error for a query that names what holds secrets.
func (q Query) refuseSecrets(key string) error {
	if SecretTable(q.Table) {
		return ErrSecret
	}
	if q.KeyColumn == "" {
		q.KeyColumn = key
	}
	if q.To == "" && SecretKey(q.KeyColumn, q.From) {
		return fmt.Errorf("key %q: %w", q.From, ErrSecret)
	}
	for _, c := range append([]string{q.KeyColumn}, q.Columns...) {
		if SecretColumn(c) {
			return fmt.Errorf("column %q: %w", c, ErrSecret)
		}
	}
	return nil
}

func (t *table) has(column string) bool {
	return slices.ContainsFunc(t.columns, func(c Column) bool { return c.Name == column })
}

// choose lists the columns to read, besides the key.
func (s *selection) choose() {
	for _, c := range s.t.columns {
		if s.q.Columns == nil && c.Name != s.t.key {
			s.columns, s.known = append(s.columns, c), append(s.known, true)
		}
	}
	for _, name := range s.q.Columns {
		if name != s.t.key {
			s.columns, s.known = append(s.columns, Column{Name: name}), append(s.known, s.t.has(name))
		}
	}
	s.row = Row{Table: s.t.name, Key: Cell{Column: s.t.key}, Nth: -1, Cells: make([]Cell, len(s.columns))}
}

// run calls f with each row.
func (s *selection) run(ctx context.Context, f func(Row) error) error {
	give := func(values []driver.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.fill(values); err != nil {
			return err
		}
		return f(s.row)
	}
	if !s.sorted {
		return s.runByRowid(ctx, give)
	}
	where, args := s.where()
	if s.q.Order && s.t.rowid != "" {
		err := s.db.each("SELECT "+s.t.rowid+" FROM "+quote(s.t.name)+where, args, func(row []driver.Value) error {
			s.rowids = append(s.rowids, row[0].(int64))
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		slices.Sort(s.rowids)
	}
	return s.db.each(s.selectValues()+where+" ORDER BY "+quote(s.t.key), args, give)
}

// runByRowid finds the keys first, sorts them, and reads one row after the other.
func (s *selection) runByRowid(ctx context.Context, give func([]driver.Value) error) error {
	type place struct {
		key   Cell
		rowid int64
	}
	var places []place
	where, args := s.where()
	sql := "SELECT " + s.t.rowid + cellSQL(quote(s.t.key)) + cellSQL(quote(s.filter)) + " FROM " + quote(s.t.name) + where
	err := s.db.each(sql, args, func(row []driver.Value) error {
		key, by := s.cell(s.t.key, row[1], row[2]), s.cell(s.filter, row[3], row[4])
		if key.Left {
			return tooLong(key)
		}
		if s.q.holds(by) {
			places = append(places, place{key, row[0].(int64)})
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(compareCells(a.key, b.key), cmp.Compare(a.rowid, b.rowid))
	})
	if s.q.Order {
		for _, p := range places {
			s.rowids = append(s.rowids, p.rowid)
		}
		slices.Sort(s.rowids)
	}
	one := s.selectValues() + " WHERE " + s.t.rowid + " = ?2"
	for _, p := range places {
		if err := s.db.each(one, []driver.Value{s.q.MaxValue, p.rowid}, give); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the row out of what selectValues selects.
func (s *selection) fill(values []driver.Value) error {
	s.row.Rowid = values[0].(int64)
	if s.row.Key = s.cell(s.t.key, values[1], values[2]); s.row.Key.Left {
		return tooLong(s.row.Key)
	}
	if s.rowids != nil {
		s.row.Nth, _ = slices.BinarySearch(s.rowids, s.row.Rowid)
	}
	at := 3
	for i, c := range s.columns {
		s.row.Cells[i] = Cell{Column: c.Name}
		if s.known[i] {
			s.row.Cells[i] = s.cell(c.Name, values[at], values[at+1])
			at += 2
		}
	}
	return nil
}

func tooLong(key Cell) error { return fmt.Errorf("a key of %d bytes", key.Size) }

// Values yields the different values of a column, as texts; not NULL, and none that is empty or too long for a key. SQLite
// answers it from an index of the column where there is one. A table without the column has none.
func (db *Database) Values(ctx context.Context, table, column string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := db.values(ctx, table, column, func(value string) error {
			if !yield(value, nil) {
				return errStop
			}
			return ctx.Err()
		})
		if err != nil && !errors.Is(err, errStop) {
			yield("", fmt.Errorf("table %q: %w", table, err))
		}
	}
}

func (db *Database) values(ctx context.Context, table, column string, give func(string) error) error {
	t, err := db.table(table)
	if err != nil || column != t.key && !t.has(column) {
		return err
	}
	if err := (Query{Table: table, KeyColumn: column, From: column, To: column}).refuseSecrets(t.key); err != nil {
		return err
	}
	s := &selection{db: db, t: t}
	c := quote(column)
	distinct := "SELECT DISTINCT " + c + " FROM " + quote(t.name) + " WHERE octet_length(" + c + ") BETWEEN 1 AND " + strconv.Itoa(longestKey)
	return db.each("SELECT ''"+cellSQL(c)+" FROM ("+distinct+")", nil, func(v []driver.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return give(s.cell(column, v[1], v[2]).Text())
	})
}
