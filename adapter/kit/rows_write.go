package kit

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The row set: what the archive keeps of a database. It is text as far as the values are:
//
//	{"lore":"rows","v":1}
//	{"table":"cursorDiskKV","by":"key","key":"bubbleId:a:b","values":[["value","text",13]]}
//	{"text":"hi"}
//	{"table":"messages","by":"id","key":7,"nth":0,"values":[["role","text",4],["at","integer",10],["extra","null"]]}
//	user
//	1767225600
//	{"end":2}
//
// Rows are sorted by table and key. A row is one line that names its columns with type and length, then the bytes of each
// value as they are and a line end. NULL has no bytes, nor has a value that was too long to keep, whose length is
// followed by "left". Integers are decimal, reals the shortest decimal that reads back as the same. A key is a text, a
// number, or an object with its kind and its bytes in hex. Rows, columns and keys are in one order and nothing but
// content is written, so equal content is equal bytes: there is no rowid, no time and no path in a row set. "nth", where
// it was asked for, says as which of its range the row was written last; unlike the rowid it survives VACUUM.
const (
	rowsBegin = `{"lore":"rows","v":1}` + "\n"
	rowsTable = `{"table":`
	rowsEnd   = `{"end":`
)

var cellKinds = map[CellKind]string{
	NullCell: "null", IntegerCell: "integer", RealCell: "real", TextCell: "text", BlobCell: "blob",
}

// RowWriter writes a row set.
type RowWriter struct {
	w     *bufio.Writer
	line  []byte
	rows  int
	last  rowMark
	names []string // of the last row's columns, known to hold no secrets
	text  [32]byte
}

// NewRowWriter begins a row set.
func NewRowWriter(w io.Writer) *RowWriter {
	b := bufio.NewWriterSize(w, 64<<10)
	b.WriteString(rowsBegin) // an error stays in the writer and comes out at Close
	return &RowWriter{w: b}
}

// Write adds a row, which has to come at or after the one before by table and key. ErrSecret when it holds secrets.
func (w *RowWriter) Write(row Row) error {
	mark := rowMark{table: row.Table, key: row.Key}
	if w.rows > 0 && compareMarks(mark, w.last) < 0 {
		return fmt.Errorf("row %q after %q: rows of a set have to be sorted", row.Name(), Row{Table: w.last.table, Key: w.last.key}.Name())
	}
	if err := w.refuseSecrets(row); err != nil {
		return err
	}
	line, err := appendRowLine(w.line[:0], row)
	if err != nil {
		return err
	}
	w.w.Write(line)
	for _, c := range row.Cells {
		if c.Kind == NullCell || c.Kind == NoCell || c.Left {
			continue
		}
		w.w.Write(c.appendValue(w.text[:0]))
		if err := w.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	w.line, w.last = line, mark
	w.last.key.Bytes = slices.Clone(row.Key.Bytes)
	w.rows++
	return nil
}

// Close ends the row set and tells how many rows it has. It does not close the writer below.
func (w *RowWriter) Close() (rows int, err error) {
	fmt.Fprintf(w.w, rowsEnd+"%d}\n", w.rows)
	return w.rows, w.w.Flush()
}

// refuseSecrets looks at names only where they are not those of the row before.
func (w *RowWriter) refuseSecrets(row Row) error {
	if w.rows == 0 || row.Table != w.last.table {
		if SecretTable(row.Table) {
			return fmt.Errorf("table %q: %w", row.Table, ErrSecret)
		}
		w.names = w.names[:0]
	}
	for i, c := range append(row.Cells, row.Key) {
		if i >= len(w.names) || w.names[i] != c.Column {
			if SecretColumn(c.Column) {
				return fmt.Errorf("column %q: %w", c.Column, ErrSecret)
			}
			w.names = append(w.names[:i], c.Column)
		}
		if strings.EqualFold(c.Column, settingsKey) && SecretKey(c.Column, c.Text()) {
			return fmt.Errorf("row %q: %w", row.Table, ErrSecret)
		}
	}
	return nil
}

func appendRowLine(b []byte, row Row) ([]byte, error) {
	b = appendRowString(append(b, rowsTable...), row.Table)
	b = appendRowString(append(b, `,"by":`...), row.Key.Column)
	b = appendRowKey(append(b, `,"key":`...), row.Key)
	if row.Nth >= 0 {
		b = strconv.AppendInt(append(b, `,"nth":`...), int64(row.Nth), 10)
	}
	b = append(b, `,"values":[`...)
	first := true
	for _, c := range row.Cells {
		if c.Kind == NoCell {
			continue
		}
		if c.Kind == RealCell && math.IsNaN(c.Real) || cellKinds[c.Kind] == "" {
			return b, fmt.Errorf("row %q, column %q: not a value of SQLite", row.Name(), c.Column)
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendRowString(append(b, '['), c.Column)
		b = append(append(append(b, `,"`...), cellKinds[c.Kind]...), '"')
		if c.Kind != NullCell {
			b = strconv.AppendInt(append(b, ','), c.length(), 10)
		}
		if c.Left {
			b = append(b, `,"left"`...)
		}
		b = append(b, ']')
	}
	return append(b, "]}\n"...), nil
}

// length is how many bytes the value has in a row set, or would have.
func (c Cell) length() int64 {
	if c.Left {
		return c.Size
	}
	var buf [32]byte
	return int64(len(c.appendValue(buf[:0])))
}

// appendValue returns the bytes of the value: its own, or a number in decimal appended to b.
func (c Cell) appendValue(b []byte) []byte {
	switch c.Kind {
	case IntegerCell:
		return strconv.AppendInt(b, c.Int, 10)
	case RealCell:
		return strconv.AppendFloat(b, c.Real, 'g', -1, 64)
	}
	return c.Bytes
}

func appendRowKey(b []byte, key Cell) []byte {
	switch {
	case key.Kind == NullCell || key.Kind == NoCell:
		return append(b, "null"...)
	case key.Kind == IntegerCell:
		return strconv.AppendInt(b, key.Int, 10)
	case key.Kind == TextCell && utf8.Valid(key.Bytes):
		return appendRowString(b, string(key.Bytes))
	}
	b = append(append(append(b, `{"`...), cellKinds[key.Kind]...), `":"`...)
	return append(hex.AppendEncode(b, key.appendValue(nil)), `"}`...)
}

// appendRowString appends a JSON string in which only what must be escaped is.
func appendRowString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, `\u00`...)
			b = append(b, digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// KeepRows writes the rows of queries, whole and each once, as a row set, and tells how many there were. Columns have to
// be empty. A query with a KeyColumn has to be for one value of it, and the only one for its table. Tables that the
// database does not have are left out. This is what the archive keeps of a database; where the database may move, within ReadDatabase:
//
//	err := kit.ReadDatabase(ctx, fsys, path, func(db *kit.Database) error {
//		begin the evidence anew
//		_, err := kit.KeepRows(ctx, db, queries of source.Ranges, evidence)
//		return err
//	})
func KeepRows(ctx context.Context, db *Database, queries []Query, w io.Writer) (rows int, err error) {
	out := NewRowWriter(w)
	numbers := func(name string) bool {
		t := db.tables[name]
		return t != nil && t.keyIsInt
	}
	queries, err = keepable(queries, numbers)
	if err != nil {
		return 0, err
	}
	for _, q := range queries {
		for row, err := range db.Rows(ctx, q) {
			if errors.Is(err, ErrNoTable) {
				break
			}
			if err == nil {
				err = out.Write(row)
			}
			if err != nil {
				return out.rows, err
			}
		}
	}
	return out.Close()
}

// keepable sorts the queries by which rows are kept, those that overlap joined.
func keepable(queries []Query, numbers func(table string) bool) ([]Query, error) {
	var own, by []Query
	for _, q := range queries {
		switch {
		case q.Columns != nil:
			return nil, fmt.Errorf("table %q: only whole rows can be kept", q.Table)
		case q.KeyColumn == "":
			own = append(own, q)
		case q.From == "" || q.To != "":
			return nil, fmt.Errorf("table %q: rows can be kept by one value of column %q, not by a range", q.Table, q.KeyColumn)
		default:
			by = append(by, q)
		}
	}
	all := mergeQueries(own, numbers)
	for _, q := range by {
		if slices.ContainsFunc(all, func(o Query) bool { return o.Table == q.Table }) {
			return nil, fmt.Errorf("table %q: rows by column %q are kept beside no others of it", q.Table, q.KeyColumn)
		}
		all = append(all, q)
	}
	slices.SortStableFunc(all, func(a, b Query) int { return strings.Compare(a.Table, b.Table) })
	return all, nil
}
