package kit

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sort"
)

const (
	rowWindow   = 64 << 10 // read ahead
	longestLine = 16 << 20 // a line names columns and a key, which are bounded
)

// rowReader reads the rows of a set one after the other.
type rowReader struct {
	set  *RowSet
	buf  []byte // a window of the file
	at   int64  // where it begins
	line rowLine

	begin, values, next int64 // of the row that was read: its line, its values, the row after it
	count               int64 // what the last line says, when that was read
	cells               []Cell
	text                []byte // holds the values of the row
}

func (s *RowSet) reader() *rowReader {
	if n := len(s.idle); n > 0 {
		r := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return r
	}
	return &rowReader{set: s}
}

// read reads the line of the row at an offset. It is false at the end of the set.
func (r *rowReader) read(at int64) (bool, error) {
	line, err := r.lineAt(at)
	if err != nil {
		return false, err
	}
	r.begin, r.values = at, at+int64(len(line))+1
	if bytes.HasPrefix(line, []byte(rowsEnd)) && r.values == r.set.size {
		p := rowParser{rest: line[len(rowsEnd):]}
		r.count = p.number()
		if p.expect("}"); p.bad || len(p.rest) > 0 {
			return false, damagedAt(at)
		}
		return false, nil
	}
	if r.line.parse(line) != nil {
		return false, damagedAt(at)
	}
	r.next = r.values
	for i := range r.line.cells {
		c := &r.line.cells[i]
		if c.Kind == NullCell || c.Left {
			continue
		}
		c.Offset = r.next
		if c.Size >= r.set.size-r.next {
			return false, damagedAt(at)
		}
		r.next += c.Size + 1
	}
	return true, nil
}

func damagedAt(at int64) error { return fmt.Errorf("%w at byte %d", ErrRowSet, at) }

// lineAt returns the line at an offset without its end, valid until the next call.
func (r *rowReader) lineAt(at int64) ([]byte, error) {
	if at < r.at || at >= r.at+int64(len(r.buf)) {
		if err := r.window(at, rowWindow); err != nil {
			return nil, err
		}
	}
	for {
		have := r.buf[at-r.at:]
		if i := bytes.IndexByte(have, '\n'); i >= 0 {
			return have[:i], nil
		}
		if len(have) >= longestLine {
			return nil, damagedAt(at)
		}
		if err := r.window(at, max(2*len(have), rowWindow)); err != nil {
			return nil, err
		}
		if len(r.buf) == len(have) {
			return nil, damagedAt(at)
		}
	}
}

// window moves the window to an offset.
func (r *rowReader) window(at int64, size int) error {
	if cap(r.buf) < size {
		r.buf = make([]byte, size)
	}
	r.buf, r.at = r.buf[:size], at
	n, err := readUpTo(r.set.r, r.buf, at)
	r.buf = r.buf[:n]
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: %w", ErrRowSet, io.ErrUnexpectedEOF)
	}
	return err
}

// row reads the values that a query asks for.
func (r *rowReader) row(q Query) (Row, error) {
	l := &r.line
	row := Row{Table: l.table, Key: l.key, Nth: l.nth, Offset: r.begin, Length: r.next - r.begin}
	r.cells, r.text = r.cells[:0], r.text[:0]
	if q.Columns == nil {
		r.cells = append(r.cells, l.cells...)
	}
	for _, name := range q.Columns {
		if name != l.key.Column {
			r.cells = append(r.cells, l.cell(name))
		}
	}
	total := int64(0)
	for i, c := range r.cells {
		if c.Kind > NullCell && !c.Left {
			if r.cells[i].Left = c.Size > q.MaxValue && c.Kind >= TextCell; !r.cells[i].Left {
				total += c.Size
			}
		}
	}
	r.text = slices.Grow(r.text, int(total))
	for i := range r.cells {
		if err := r.fill(&r.cells[i]); err != nil {
			return row, err
		}
	}
	row.Cells = r.cells
	return row, nil
}

// cell returns what the line says of a column.
func (l *rowLine) cell(name string) Cell {
	for _, c := range l.cells {
		if c.Column == name {
			return c
		}
	}
	return Cell{Column: name}
}

// fill reads the value of a cell.
func (r *rowReader) fill(c *Cell) error {
	if c.Kind <= NullCell || c.Left {
		return nil
	}
	n := len(r.text)
	r.text = r.text[:n+int(c.Size)]
	b := r.text[n:]
	if end := r.at + int64(len(r.buf)); c.Offset >= r.at && c.Offset+c.Size <= end {
		copy(b, r.buf[c.Offset-r.at:])
	} else if got, err := readUpTo(r.set.r, b, c.Offset); err != nil {
		return err
	} else if got < len(b) {
		return damagedAt(c.Offset)
	}
	if !c.setValue(c.Kind, b) {
		return damagedAt(c.Offset)
	}
	return nil
}

// holdsSecret reports whether a row that should not have been written holds a secret by its key.
func (l *rowLine) holdsSecret() bool {
	return SecretTable(l.table) || l.key.Kind >= TextCell && SecretKey(l.key.Column, string(l.key.Bytes))
}

// columnIndex finds the rows with a value in a column that is not the key.
type columnIndex []columnEntry

type columnEntry struct {
	hash   uint64
	offset int64
}

var columnSeed = maphash.MakeSeed()

// queryColumn gives the rows of a range by another column than the key.
func (s *RowSet) queryColumn(q Query, give func(*rowReader) error) error {
	if q.To == "" && q.From != "" {
		return s.queryExact(q, give)
	}
	return s.each(rowMark{table: q.Table}, func(r *rowReader) error {
		if r.line.table != q.Table {
			return pastTable(r.line.table, q.Table)
		}
		value, err := r.value(q.KeyColumn)
		if err != nil || !q.holds(value) {
			return err
		}
		return give(r)
	})
}

func pastTable(table, wanted string) error {
	if table > wanted {
		return errPast
	}
	return nil
}

// value reads one column of the row.
func (r *rowReader) value(column string) (Cell, error) {
	if r.line.key.Column == column {
		return r.line.key, nil
	}
	row, err := r.row(Query{Columns: []string{column}, MaxValue: longestKey})
	if err != nil {
		return Cell{}, err
	}
	return row.Cells[0], nil
}

// queryExact gives the rows with a value in a column, by an index that is made when it is first asked for.
func (s *RowSet) queryExact(q Query, give func(*rowReader) error) error {
	id := [2]string{q.Table, q.KeyColumn}
	index, ok := s.byCell[id]
	if !ok {
		all := Query{Table: q.Table, KeyColumn: q.KeyColumn}
		err := s.queryColumn(all, func(r *rowReader) error {
			value, err := r.value(q.KeyColumn)
			index = append(index, columnEntry{maphash.String(columnSeed, value.Text()), r.begin})
			return err
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(index, func(a, b columnEntry) int { return cmp.Compare(a.hash, b.hash) })
		s.byCell[id] = index
	}
	hash := maphash.String(columnSeed, q.From)
	i := sort.Search(len(index), func(i int) bool { return index[i].hash >= hash })
	r := s.reader()
	defer func() { s.idle = append(s.idle, r) }()
	for ; i < len(index) && index[i].hash == hash; i++ {
		if _, err := r.read(index[i].offset); err != nil {
			return err
		}
		value, err := r.value(q.KeyColumn)
		if err == nil && q.holds(value) {
			err = give(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
