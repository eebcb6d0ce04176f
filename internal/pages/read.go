package pages

import (
	"context"
	"database/sql"
	"fmt"
)

// Querier is a connection to a database, or a transaction in it.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// lockByte is where SQLite locks a file; the page that holds it is never used.
const lockByte = 1 << 30

// Of computes the sums of the state that a connection sees, by reading every page. The connection should not be the one
// that writes: what it has in memory of a page that it freed is not what the file holds.
func Of(ctx context.Context, q Querier) (*Sums, error) {
	s := &Sums{}
	err := each(ctx, q, func(size int, page uint32, got uint32) {
		s.PageSize = size
		s.put(page, got)
	})
	return s, err
}

// Compare reads every page of the state that a connection sees and returns the numbers, from 1, of those that are not as
// the sums say; a page that is missing or too many is one of them. Whether the stamps fit is for the caller to know.
func (s *Sums) Compare(ctx context.Context, q Querier) (bad []uint32, err error) {
	last := uint32(0)
	err = each(ctx, q, func(size int, page uint32, got uint32) {
		last = page
		if size != s.PageSize || int(page) > len(s.Pages) || s.Pages[page-1] != got {
			bad = append(bad, page)
		}
	})
	for page := int(last) + 1; err == nil && page <= len(s.Pages); page++ {
		if !locked(s.PageSize, uint32(page)) {
			bad = append(bad, uint32(page))
		}
	}
	return bad, err
}

func locked(size int, page uint32) bool { return size > 0 && page == lockByte/uint32(size)+1 }

// each calls f with the sum of every page.
func each(ctx context.Context, q Querier, f func(size int, page uint32, sum uint32)) error {
	rows, err := q.QueryContext(context.Background(), "SELECT pgno, data FROM sqlite_dbpage")
	if err != nil {
		return fmt.Errorf("read the pages: %w", err)
	}
	defer rows.Close()
	var page uint32
	var data sql.RawBytes
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := rows.Scan(&page, &data); err != nil {
			return fmt.Errorf("read the pages: %w", err)
		}
		if !locked(len(data), page) {
			f(len(data), page, sum(data))
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the pages: %w", err)
	}
	return nil
}
