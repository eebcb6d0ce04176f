package kit

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Name string
	Type string // as declared, in the words of the source; SQLite holds any type of value in any column
}

// table is what the schema says of a table.
type table struct {
	name     string
	sql      string
	columns  []Column // in declared order; secret and computed ones are not in it
	key      string   // the column whose value names a row; rowid when none does
	keyIsInt bool     // the key is the rowid, by whatever name
	keyType  string   // declared type of the key
	rowid    string   // a name of the rowid that no column has; "" for a table without one
	settings string   // the column that is named "key"; "" when there is none
}

// Tables returns the names of the tables that can be read, sorted: the source's own, without views, virtual tables,
// SQLite's own, and those that hold secrets by their name.
func (db *Database) Tables() []string { return slices.Sorted(maps.Keys(db.tables)) }

// Columns returns the columns of a table in declared order, without computed ones and those that hold secrets. A table
// that Tables does not name is ErrNoTable, or ErrSecret.
func (db *Database) Columns(table string) ([]Column, error) {
	t, err := db.table(table)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.columns), nil
}

// KeyColumn returns the column whose value names a row of a table: the integer primary key, the one column of the primary
// key or of a unique index, "rowid" when there is none. A table that Tables does not name is ErrNoTable, or ErrSecret.
func (db *Database) KeyColumn(table string) (string, error) {
	t, err := db.table(table)
	if err != nil {
		return "", err
	}
	return t.key, nil
}

func (db *Database) table(name string) (*table, error) {
	t := db.tables[name]
	switch {
	case t != nil:
		return t, nil
	case SecretTable(name):
		return nil, fmt.Errorf("table %q: %w", name, ErrSecret)
	}
	return nil, fmt.Errorf("table %q: %w", name, ErrNoTable)
}

func (db *Database) readSchema() error {
	db.tables = map[string]*table{}
	const ordinary = `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	err := db.each(ordinary, nil, func(row []driver.Value) error {
		t := &table{name: string(bytesOf(row[0])), sql: string(bytesOf(row[1]))}
		if !SecretTable(t.name) {
			db.tables[t.name] = t
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, t := range db.tables {
		if err := db.describe(t); err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
	}
	return nil
}

// describe reads the columns of a table and finds its key.
func (db *Database) describe(t *table) error {
	var primary []Column
	taken := map[string]bool{}
	args := []driver.Value{t.name}
	const columns = `SELECT name, type, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid`
	err := db.each(columns, args, func(row []driver.Value) error {
		c := Column{string(bytesOf(row[0])), string(bytesOf(row[1]))}
		taken[strings.ToLower(c.Name)] = true
		if strings.EqualFold(c.Name, settingsKey) {
			t.settings = c.Name
		}
		if pk, _ := row[2].(int64); pk == 1 {
			primary = append(primary, c)
		}
		if hidden, _ := row[3].(int64); hidden == 0 && !SecretColumn(c.Name) {
			t.columns = append(t.columns, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	without := false
	err = db.each(`SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'`, args, func(row []driver.Value) error {
		without = row[0] == int64(1)
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if !without && t.rowid == "" && !taken[name] {
			t.rowid = name
		}
	}
	return db.findKey(t, primary)
}

// findKey chooses the column that names a row. An index has to compare bytes for its order to be ours.
func (db *Database) findKey(t *table, primary []Column) error {
	var pk, unique, first string
	const indexes = `SELECT l.origin, l.partial, x.name, x.coll,
		(SELECT count(*) FROM pragma_index_xinfo(l.name) y WHERE y.key) FROM pragma_index_list(?) l
		JOIN pragma_index_xinfo(l.name) x WHERE l."unique" AND x.seqno = 0 ORDER BY l.seq DESC`
	err := db.each(indexes, []driver.Value{t.name}, func(row []driver.Value) error {
		column := string(bytesOf(row[2]))
		single := row[4] == int64(1)
		if row[1] != int64(0) || string(bytesOf(row[3])) != "BINARY" || column == "" {
			return nil
		}
		switch isPK := string(bytesOf(row[0])) == "pk"; {
		case isPK && single:
			pk = column
		case isPK:
			first = column
		case single && unique == "":
			unique = column
		}
		return nil
	})
	if err != nil {
		return err
	}
	indexed := pk != "" || first != ""
	switch {
	case t.rowid != "" && len(primary) == 1 && !indexed && strings.EqualFold(primary[0].Type, "INTEGER"):
		t.key, t.keyIsInt = primary[0].Name, true
	case pk != "":
		t.key = pk
	case unique != "" && t.rowid != "":
		t.key = unique
	case t.rowid != "":
		t.key, t.keyIsInt = t.rowid, true
	default:
		t.key = first // the rows of a table without rowid are in the order of its primary key
	}
	for _, c := range t.columns {
		if c.Name == t.key {
			t.keyType = c.Type
		}
	}
	return nil
}

// replaces reports whether a row that is written again under its key gets a new rowid, the highest so far.
func (t *table) replaces() bool {
	sql := strings.Join(strings.Fields(strings.ToUpper(t.sql)), " ")
	return strings.Contains(sql, "ON CONFLICT REPLACE") && t.rowid != "" && !t.keyIsInt && !strings.Contains(sql, "AUTOINCREMENT")
}
