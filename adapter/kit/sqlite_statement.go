package kit

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// statement takes a prepared statement that is not in use, or prepares one.
func (db *Database) statement(sql string) (driver.Stmt, error) {
	if idle := db.idle[sql]; len(idle) > 0 {
		db.idle[sql] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	return db.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), sql)
}

// release gives a statement back.
func (db *Database) release(sql string, s driver.Stmt) {
	db.idle[sql] = append(db.idle[sql], s)
}

// leave ends a query, and the database with the last one when it was closed meanwhile.
func (db *Database) leave() {
	if db.active--; db.active == 0 && db.closed {
		db.Close()
	}
}

// errStop ends each early; whoever uses it takes it for no error.
var errStop = errors.New("stop")

var errClosed = errors.New("the database was closed")

// each calls f with every row of a query once the pages that it was read from are known to be of the view. The row is
// valid until f returns. An error of f ends the query and is returned.
func (db *Database) each(sql string, args []driver.Value, f func(row []driver.Value) error) error {
	if db.closed {
		return errClosed
	}
	if db.view.moved != nil {
		return db.view.moved
	}
	db.active++
	defer db.leave()
	stmt, err := db.statement(sql)
	if err != nil {
		return db.explain(err)
	}
	defer db.release(sql, stmt)
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	// The driver would start a goroutine for a context that can end, at each statement: callers look between rows.
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), named)
	if err != nil {
		return db.explain(err)
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return db.view.settle()
		case err != nil:
			return db.explain(err)
		}
		if err := db.view.settle(); err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
		if db.closed {
			return errClosed
		}
	}
}

// quote makes a name of a table or column safe in SQL.
func quote(name string) string {
	b := make([]byte, 0, len(name)+2)
	b = append(b, '"')
	for i := range len(name) {
		if name[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, name[i])
	}
	return string(append(b, '"'))
}

// bytesOf returns a text or blob as the driver hands it out.
func bytesOf(v driver.Value) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	case nil:
		return nil
	}
	return fmt.Append(nil, v)
}
