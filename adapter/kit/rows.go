package kit

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"strconv"

	"lore"
	"lore/adapter"
)

// DefaultMaxValue is how many bytes a text or blob may have to be read.
const DefaultMaxValue = 32 << 20

// Query asks for the rows of a table whose key lies in a range. Keys are compared byte by byte, integers by number, and
// rows come in the order of the table's own key, alike from a database and from a row set. Rows whose keys hold secrets
// are never among them.
type Query struct {
	Table string

	// From and To: From <= key < To. An empty To asks for the exact key From; with both empty, for every row.
	From, To string

	// KeyColumn is the column that From and To speak of; empty for the table's own key. Where it is another, ask for exact
	// values of an indexed column: the keys of all rows that match are held in memory, to sort them.
	KeyColumn string

	// Columns are the columns to read; nil for all. One that the table does not have is a NoCell in the row.
	Columns []string

	// MaxValue is how many bytes a text or blob may have to be read; a longer one is told by its size alone. 0:
	// DefaultMaxValue.
	MaxValue int64

	// Order asks for Row.Nth. It takes 8 bytes of memory for each row of the range.
	Order bool
}

// RangeQuery is the query for the whole rows of a range that an adapter has found.
func RangeQuery(r adapter.Range) Query {
	return Query{Table: r.Table, From: r.From, To: r.To, KeyColumn: r.Column}
}

// Row is one row. It is valid until the next one is asked for.
type Row struct {
	Table string
	Key   Cell // the table's own key

	// Rowid is the number under which a database keeps the row. It is not part of a row set, because a row that is written
	// again, and VACUUM, change it: 0 there, and for a table without rowids.
	Rowid int64

	// Nth says as which of its range, from 0, the row was written last, when the query asked for the order, of a row set
	// also when the query by which it was kept did. -1 when it is not known.
	Nth int

	Cells []Cell // in the order of the query's columns, else of the table's, without the key

	// Offset and Length are the place of the row in a row set, header and values. 0 in a database.
	Offset, Length int64
}

// CellKind says what SQLite holds in a column of a row, whatever type the column was declared with.
type CellKind uint8

// The kinds of cell. NoCell is a column that the table does not have.
const (
	NoCell CellKind = iota
	NullCell
	IntegerCell
	RealCell
	TextCell
	BlobCell
)

// Cell is the value of one column of a row.
type Cell struct {
	Column string
	Kind   CellKind
	Int    int64   // of an IntegerCell
	Real   float64 // of a RealCell

	// Bytes is a text or a blob. A text is UTF-8 unless the source wrote otherwise; one of a UTF-16 database has its lone
	// surrogates as three bytes. Nil when Left.
	Bytes []byte

	// Size is the size of a text or blob in bytes, as the source stores it when it is Left.
	Size int64

	// Left is true when the value was longer than the query's MaxValue, or that of the query by which it was kept.
	Left bool

	// Offset is the place of the value in a row set. 0 in a database.
	Offset int64
}

// Get returns the value of a column, also of the key's. It is a NoCell when the row does not have it.
func (r Row) Get(column string) Cell {
	if r.Key.Column == column {
		return r.Key
	}
	for _, c := range r.Cells {
		if c.Column == column {
			return c
		}
	}
	return Cell{Column: column}
}

// Name names the row in locators and losses: "table/key".
func (r Row) Name() string { return r.Table + "/" + r.Key.Text() }

// IsAbsent reports whether the cell says nothing: no such column, NULL, an empty text or blob, or the text "null".
func (c Cell) IsAbsent() bool {
	switch c.Kind {
	case NoCell, NullCell:
		return true
	case TextCell, BlobCell:
		return !c.Left && (len(c.Bytes) == 0 || string(c.Bytes) == "null")
	}
	return false
}

// Text returns a text or blob as a string and a number in decimal; "" for what is absent.
func (c Cell) Text() string {
	switch c.Kind {
	case IntegerCell:
		return strconv.FormatInt(c.Int, 10)
	case RealCell:
		return strconv.FormatFloat(c.Real, 'g', -1, 64)
	}
	return string(c.Bytes)
}

// Rows reads the rows of one evidence, be it a database as its program left it or has it open, or the row set that was
// kept from it: the same queries give the same rows.
type Rows struct {
	name string // how locators name the evidence
	db   *Database
	set  *RowSet
	file fs.File // that set reads
}

// OpenRows opens the database or the row set at path in the input. What is neither is ErrNotDatabase; further errors are
// those of OpenDatabase and OpenRowSet.
func OpenRows(ctx context.Context, in adapter.Input, path string) (*Rows, error) {
	r := &Rows{name: in.Name(path)}
	b, err := openBeside(in.FS, path)
	if err != nil {
		return nil, err
	}
	if b.file != nil && IsRowSet(b.file) {
		r.file = b.handle
		if r.set, err = OpenRowSet(b.file, b.info.Size()); err != nil {
			b.close()
			return nil, fmt.Errorf("rows %q: %w", path, err)
		}
		return r, nil
	}
	b.close()
	r.db, err = OpenDatabase(ctx, in.FS, path)
	return r, err
}

// Close gives the files back.
func (r *Rows) Close() error {
	if r.db != nil {
		return r.db.Close()
	}
	return r.file.Close()
}

// Tables returns the names of the tables that can be read, sorted; of a row set, of those that rows were kept from.
func (r *Rows) Tables() []string {
	if r.db != nil {
		return r.db.Tables()
	}
	return r.set.Tables()
}

// Read yields the rows that a query asks for. An error ends it: ErrNoTable, ErrSecret when the query is for a key, table
// or column that holds secrets, ErrMoving or ErrCorrupt when the evidence cannot be read further. A row set does not know
// of a table that no row was kept from: it yields nothing.
func (r *Rows) Read(ctx context.Context, q Query) iter.Seq2[Row, error] {
	if r.db != nil {
		return r.db.Rows(ctx, q)
	}
	return r.set.Rows(ctx, q)
}

// Locator says where a row stands, or where the value of a column does when column is not empty.
func (r *Rows) Locator(row Row, column string) lore.Locator {
	l := lore.Locator{File: r.name, Row: row.Name(), Offset: row.Offset, Length: row.Length}
	if c := row.Get(column); column != "" && c.Offset > 0 {
		l.Offset, l.Length = c.Offset, c.length()
	}
	return l
}
