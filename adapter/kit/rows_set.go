package kit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sort"
)

// ErrRowSet says that a row set is damaged: cut, or written by something else.
var ErrRowSet = errors.New("damaged row set")

// RowSet reads a row set. Its rows are found by an index that grows with what has been read: a mark after every
// 64 rows or 32 KiB, so that memory follows neither the rows nor their size by much. A RowSet is for one goroutine.
type RowSet struct {
	r    io.ReaderAt
	size int64

	marks    []rowMark
	frontier int64 // rows that begin before this offset are known to the marks
	since    int   // rows since the last mark
	rows     int   // rows before the frontier
	last     rowMark
	end      bool // the frontier is the end

	tables []*setTable // of the rows before the frontier
	byCell map[[2]string]columnIndex
	idle   []*rowReader
}

// setTable is what is known of a table once the frontier has reached it.
type setTable struct {
	name, key string
	ranks     [4]bool // the kinds of its keys
}

// rowMark is where a row begins.
type rowMark struct {
	table  string
	key    Cell
	offset int64
}

const (
	rowsAMark  = 64
	bytesAMark = 32 << 10
)

// IsRowSet reports whether a file begins as a row set does.
func IsRowSet(r io.ReaderAt) bool {
	var b [len(rowsBegin)]byte
	n, err := readUpTo(r, b[:], 0)
	return err == nil && string(b[:n]) == rowsBegin
}

// OpenRowSet opens the row set of size bytes in r. ErrRowSet when it does not begin as one or does not end as one.
func OpenRowSet(r io.ReaderAt, size int64) (*RowSet, error) {
	const longestEnd = int64(len(rowsEnd) + len("9223372036854775807}\n"))
	tail := make([]byte, min(size, longestEnd))
	if _, err := readUpTo(r, tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	if !IsRowSet(r) {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrRowSet)
	}
	if i := bytes.LastIndex(tail, []byte(rowsEnd)); i < 0 || !bytes.HasSuffix(tail, []byte("}\n")) {
		return nil, fmt.Errorf("%w: it ends early", ErrRowSet)
	}
	return &RowSet{r: r, size: size, frontier: int64(len(rowsBegin)), byCell: map[[2]string]columnIndex{}}, nil
}

// Tables returns the names of the tables that have rows, sorted. An error in reading ends the list; Rows tells it.
func (s *RowSet) Tables() []string {
	if !s.end {
		s.each(s.last, func(*rowReader) error { return nil })
	}
	var names []string
	for _, t := range s.tables {
		names = append(names, t.name)
	}
	return names
}

// Rows yields the rows that a query asks for; see Query and Rows.Read.
func (s *RowSet) Rows(ctx context.Context, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		err := s.query(ctx, q, func(row Row) error {
			if !yield(row, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Row{}, fmt.Errorf("table %q: %w", q.Table, err))
		}
	}
}

func (s *RowSet) query(ctx context.Context, q Query, f func(Row) error) error {
	q.MaxValue = q.limit()
	t, err := s.table(q.Table)
	if err != nil {
		return err
	}
	own := t.key
	if err := q.refuseSecrets(own); err != nil {
		return err
	}
	give := func(r *rowReader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.line.holdsSecret() {
			return nil
		}
		row, err := r.row(q)
		if err != nil {
			return err
		}
		return f(row)
	}
	if q.KeyColumn != "" && q.KeyColumn != own {
		return s.queryColumn(q, give)
	}
	// Keys of one kind are together, and a range is one of each kind.
	for rank, kind := range []CellKind{NullCell, IntegerCell, TextCell, BlobCell} {
		if s.passed(q.Table) && !t.ranks[rank] {
			continue
		}
		if err := s.queryKind(q, kind, give); err != nil {
			return err
		}
	}
	return nil
}

// passed reports whether every row of a table is before the frontier.
func (s *RowSet) passed(table string) bool {
	return s.end || len(s.tables) > 0 && s.tables[len(s.tables)-1].name > table
}

// queryKind gives the rows of a range whose keys are of one kind.
func (s *RowSet) queryKind(q Query, kind CellKind, give func(*rowReader) error) error {
	from := rowMark{table: q.Table, key: Cell{Kind: kind}}
	if q.From != "" {
		from.key = keyLike(kind, q.From)
	} else if kind == IntegerCell {
		from.key = Cell{Kind: NullCell}
	}
	rank := (Cell{Kind: kind}).rank()
	return s.each(from, func(r *rowReader) error {
		key := r.line.key
		switch {
		case r.line.table != q.Table:
			return pastTable(r.line.table, q.Table)
		case key.rank() > rank:
			return errPast
		case key.rank() < rank || compareCells(key, from.key) < 0:
			return nil
		case !q.holds(key):
			return errPast
		}
		return give(r)
	})
}

// errPast ends a walk over rows.
var errPast = errors.New("past the range")

// each calls f with the rows from a place on, or from some before it, until f returns errPast or another error.
func (s *RowSet) each(from rowMark, f func(*rowReader) error) error {
	i := sort.Search(len(s.marks), func(i int) bool { return compareMarks(s.marks[i], from) >= 0 })
	r := s.reader()
	defer func() { s.idle = append(s.idle, r) }()
	for r.next = s.begin(i); ; {
		at := r.next
		if s.end && at == s.frontier {
			return nil
		}
		more, err := r.read(at)
		if err == nil {
			err = s.learn(r, at, more)
		}
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		// What is before the place is stepped over, not shown.
		if err := f(r); err != nil {
			if errors.Is(err, errPast) {
				return nil
			}
			return err
		}
	}
}

// begin is where to begin for what is not before mark number i.
func (s *RowSet) begin(i int) int64 {
	if i == 0 {
		return int64(len(rowsBegin))
	}
	return s.marks[i-1].offset
}

func compareMarks(a, b rowMark) int {
	if a.table != b.table {
		return cmp.Compare(a.table, b.table)
	}
	return compareCells(a.key, b.key)
}

// learn moves the frontier over the row at an offset.
func (s *RowSet) learn(r *rowReader, at int64, more bool) error {
	if at != s.frontier {
		return nil
	}
	if !more {
		s.end = true
		if r.count != int64(s.rows) {
			return fmt.Errorf("%w: %d rows where there should be %d", ErrRowSet, s.rows, r.count)
		}
		return nil
	}
	mark := rowMark{table: r.line.table, key: r.line.key, offset: at}
	if s.rows > 0 && compareMarks(mark, s.last) < 0 {
		return fmt.Errorf("%w: rows out of order at byte %d", ErrRowSet, at)
	}
	if len(s.tables) == 0 || s.tables[len(s.tables)-1].name != mark.table {
		s.tables = append(s.tables, &setTable{name: mark.table, key: mark.key.Column})
		s.since = rowsAMark
	}
	s.tables[len(s.tables)-1].ranks[mark.key.rank()] = true
	if s.since >= rowsAMark || at-s.marks[len(s.marks)-1].offset >= bytesAMark {
		s.marks = append(s.marks, mark)
		s.since = 0
	}
	s.since++
	s.rows++
	s.last, s.frontier = mark, r.next
	return nil
}

// table returns what is known of a table, at least its first row; nothing when it has no rows.
func (s *RowSet) table(name string) (*setTable, error) {
	known := func() *setTable {
		i := sort.Search(len(s.tables), func(i int) bool { return s.tables[i].name >= name })
		if i < len(s.tables) && s.tables[i].name == name {
			return s.tables[i]
		}
		return nil
	}
	if t := known(); t != nil || s.passed(name) {
		return cmp.Or(t, &setTable{}), nil
	}
	err := s.each(s.last, func(r *rowReader) error {
		if r.line.table >= name {
			return errPast
		}
		return nil
	})
	return cmp.Or(known(), &setTable{}), err
}
