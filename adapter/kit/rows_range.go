package kit

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// compareCells orders keys as SQLite does: NULL, numbers, texts, blobs.
func compareCells(a, b Cell) int {
	if x, y := a.rank(), b.rank(); x != y || x == 0 {
		return cmp.Compare(x, y)
	}
	switch {
	case a.Kind == IntegerCell && b.Kind == IntegerCell:
		return cmp.Compare(a.Int, b.Int)
	case a.rank() == 1:
		return cmp.Compare(a.number(), b.number())
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

func (c Cell) rank() int {
	switch c.Kind {
	case IntegerCell, RealCell:
		return 1
	case TextCell:
		return 2
	case BlobCell:
		return 3
	}
	return 0
}

func (c Cell) number() float64 {
	if c.Kind == RealCell {
		return c.Real
	}
	return float64(c.Int)
}

// keyLike reads a bound of a query as a key of the given kind. A bound that is no number is above every number.
func keyLike(kind CellKind, bound string) Cell {
	if kind == IntegerCell || kind == RealCell {
		if n, err := strconv.ParseInt(bound, 10, 64); err == nil {
			return Cell{Kind: IntegerCell, Int: n}
		}
		kind = TextCell
	}
	return Cell{Kind: kind, Bytes: []byte(bound)}
}

// whole reports whether the query is for every row.
func (q Query) whole() bool { return q.From == "" && q.To == "" }

// limit is how many bytes a value may have to be read.
func (q Query) limit() int64 {
	if q.MaxValue > 0 {
		return q.MaxValue
	}
	return DefaultMaxValue
}

// holds reports whether a key is in the query's range.
func (q Query) holds(key Cell) bool {
	switch {
	case q.whole():
		return true
	case key.rank() == 0:
		return false
	case q.To == "":
		return compareCells(key, keyLike(key.Kind, q.From)) == 0
	}
	return (q.From == "" || compareCells(key, keyLike(key.Kind, q.From)) >= 0) && compareCells(key, keyLike(key.Kind, q.To)) < 0
}

// mergeQueries sorts queries for whole rows by table and range and joins those that overlap, so that no row is asked for
// twice. Numbers reports whether the keys of a table are numbers.
func mergeQueries(queries []Query, numbers func(table string) bool) []Query {
	kind := func(q Query) CellKind {
		if numbers(q.Table) {
			return IntegerCell
		}
		return TextCell
	}
	queries = slices.Clone(queries)
	slices.SortStableFunc(queries, func(a, b Query) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), compareFrom(a, b, kind(a)))
	})
	var merged []Query
	for _, q := range queries {
		if len(merged) > 0 && merged[len(merged)-1].join(q, kind(q)) {
			continue
		}
		merged = append(merged, q)
	}
	return merged
}

// compareFrom orders ranges by their beginning, the longer one first.
func compareFrom(a, b Query, kind CellKind) int {
	open := func(q Query) bool { return q.From == "" } // whole, or from the first key on
	if open(a) || open(b) {
		switch {
		case open(a) && open(b):
			return -compareTo(a, b, kind)
		case open(a):
			return -1
		}
		return 1
	}
	return cmp.Or(compareCells(keyLike(kind, a.From), keyLike(kind, b.From)), -compareTo(a, b, kind))
}

// compareTo orders ranges that begin alike by their end.
func compareTo(a, b Query, kind CellKind) int {
	rank := func(q Query) int { // exact key, range, everything
		switch {
		case q.whole():
			return 2
		case q.To != "":
			return 1
		}
		return 0
	}
	if x, y := rank(a), rank(b); x != y || x != 1 {
		return cmp.Compare(x, y)
	}
	return compareCells(keyLike(kind, a.To), keyLike(kind, b.To))
}

// join makes q wider by a range that begins at or after its beginning, when the two overlap.
func (q *Query) join(next Query, kind CellKind) bool {
	if q.Table != next.Table {
		return false
	}
	overlap := q.whole() || next.From == "" || q.holds(keyLike(kind, next.From))
	if !overlap {
		return false
	}
	if !q.whole() && q.To != "" && next.To != "" && compareCells(keyLike(kind, next.To), keyLike(kind, q.To)) > 0 {
		q.To = next.To
	}
	q.Order = q.Order || next.Order
	q.MaxValue = max(q.limit(), next.limit())
	return true
}
