package archive

import (
	"context"
	"fmt"

	"lore/internal/fault"
)

// Compact removes what no snapshot needs and gives the space back: the database is written anew, which takes as much free
// space again as it has content. Readers go on meanwhile. It waits for every Keep, and commits. A process that dies in
// it leaves the archive as it was.
func (w *Writer) Compact(ctx context.Context) (Swept, error) {
	s, err := w.Sweep(ctx)
	if err != nil {
		return s, err
	}
	w.keeping.Lock()
	defer w.keeping.Unlock()
	return s, w.do(func(k *clerk) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, query := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
			fault.At("archive: before " + query)
			if _, err := k.c.ExecContext(background, query); err != nil {
				return k.fail("compact", err)
			}
			fault.At("archive: behind " + query)
			k.sums.Committed()
		}
		return nil
	})
}

// Usage says what takes how much of the database, in bytes.
type Usage struct {
	Total   int64 // of the database
	Blocks  int64 // content, compressed, with its rows
	Lists   int64 // block lists, snapshots and files
	Filters int64 // for grep
	Other   int64 // import log, marks, names that changed, and the rest
	Free    int64 // pages that hold nothing: what Compact gives back at least
	Unused  int64 // bytes, decoded, that may have lost their last user: Compact looks and removes them

	Stores []StoreUsage // by content, the largest first
	Months []MonthUsage // the oldest first
}

// StoreUsage is what one store of a source holds.
type StoreUsage struct {
	Source, Store    string
	Files, Snapshots int
	Content          int64 // bytes of the newest snapshots
}

// MonthUsage is what was kept in one month.
type MonthUsage struct {
	Month     string // 2026-03
	Snapshots int
	Content   int64 // bytes by which files grew, or were new
}

// Usage reads through the whole database to tell what takes the room.
func (a *Archive) Usage(ctx context.Context) (u Usage, err error) {
	const sizes = `SELECT CASE
		WHEN name = 'block' OR name LIKE 'sqlite_autoindex_block%' THEN 'block'
		WHEN name IN ('chain', 'snapshot', 'snapshot_file', 'file', 'companion', 'companion_file', 'store') OR name LIKE 'sqlite_autoindex_file%' THEN 'list'
		WHEN name = 'filter' THEN 'filter' ELSE 'other' END AS what, sum(pgsize) FROM dbstat WHERE aggregate = TRUE GROUP BY what`
	rows, err := a.db.QueryContext(ctx, sizes)
	if err != nil {
		return u, explain("look at the archive's size", err)
	}
	defer rows.Close()
	for rows.Next() {
		var what string
		var n int64
		if err := rows.Scan(&what, &n); err != nil {
			return u, explain("look at the archive's size", err)
		}
		*map[string]*int64{"block": &u.Blocks, "list": &u.Lists, "filter": &u.Filters, "other": &u.Other}[what] += n
	}
	if err := rows.Err(); err != nil {
		return u, explain("look at the archive's size", err)
	}
	const rest = `SELECT (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
		(SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size), coalesce((SELECT n FROM counter WHERE name = ?), 0)`
	if err := a.db.QueryRowContext(ctx, rest, garbage).Scan(&u.Total, &u.Free, &u.Unused); err != nil {
		return u, explain("look at the archive's size", err)
	}
	if u.Stores, err = a.storeUsage(ctx); err != nil {
		return u, explain("look at the archive's size", err)
	}
	if u.Months, err = a.monthUsage(ctx); err != nil {
		return u, explain("look at the archive's size", err)
	}
	return u, nil
}

func (a *Archive) storeUsage(ctx context.Context) (all []StoreUsage, err error) {
	rows, err := a.db.QueryContext(ctx, `SELECT t.source, t.name, count(*), sum((SELECT count(*) FROM snapshot WHERE file = f.id)),
		coalesce(sum((SELECT size FROM snapshot WHERE id = f.snapshot)), 0) AS content
		FROM file f JOIN store t ON t.id = f.store GROUP BY t.id ORDER BY content DESC, t.source, t.name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s StoreUsage
		if err := rows.Scan(&s.Source, &s.Store, &s.Files, &s.Snapshots, &s.Content); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func (a *Archive) monthUsage(ctx context.Context) (all []MonthUsage, err error) {
	rows, err := a.db.QueryContext(ctx, `SELECT strftime('%Y-%m', s.at / 1000000000, 'unixepoch') AS month, count(*),
		sum(s.size - coalesce(o.size, 0)) FROM snapshot s LEFT JOIN snapshot o ON o.id = s.extends AND s.extends <> 0
		GROUP BY month ORDER BY month`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m MonthUsage
		if err := rows.Scan(&m.Month, &m.Snapshots, &m.Content); err != nil {
			return nil, fmt.Errorf("snapshots by month: %w", err)
		}
		all = append(all, m)
	}
	return all, rows.Err()
}
