package archive

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
)

// Swept is what Sweep removed.
type Swept struct {
	Chains, Blocks, Filters int
	Bytes                   int64 // of the blocks, decoded
}

// Sweep removes what no snapshot needs: the small blocks that were joined when a file grew, and what a killed import
// left. It waits for every Keep, and commits. Where a block list cannot be read it removes nothing. The space is used
// again; the file does not shrink. Close sweeps by itself when it is worth it.
func (w *Writer) Sweep(ctx context.Context) (s Swept, err error) {
	w.keeping.Lock()
	defer w.keeping.Unlock()
	err = w.do(func(k *clerk) (err error) {
		s, err = k.sweep(ctx)
		return err
	})
	return s, err
}

func (k *clerk) sweep(ctx context.Context) (s Swept, err error) {
	if err := k.commit(); err != nil {
		return s, err
	}
	r, err := k.exec("sweep", `DELETE FROM chain WHERE id NOT IN (SELECT chain FROM snapshot UNION SELECT plain_chain FROM snapshot)`)
	if err != nil {
		return s, err
	}
	n, _ := r.RowsAffected()
	s.Chains = int(n)
	unused, err := k.unused(ctx)
	if err != nil {
		return s, k.giveUp(err)
	}
	for _, b := range unused {
		if err := ctx.Err(); err != nil {
			return s, k.giveUp(err)
		}
		if _, err := k.exec("sweep", "DELETE FROM block WHERE id = ?", b.id); err != nil {
			return s, err
		}
		s.Blocks++
		s.Bytes += b.size
	}
	if s.Filters, err = k.repack(); err != nil {
		return s, k.giveUp(err)
	}
	if _, err := k.exec("sweep", "DELETE FROM counter WHERE name IN (?, ?)", garbage, stale); err != nil {
		return s, err
	}
	return s, k.commit()
}

// giveUp undoes the open transaction; the clerk goes on.
func (k *clerk) giveUp(err error) error {
	if k.err == nil && k.open {
		if _, e := k.c.ExecContext(background, "ROLLBACK"); e != nil {
			return k.fail("sweep", e)
		}
		k.open, k.packs = false, nil
	}
	return err
}

type sizedBlock struct{ id, size int64 }

// unused lists the blocks that no chain has.
func (k *clerk) unused(ctx context.Context) ([]sizedBlock, error) {
	var used []int64
	err := bulk(k.c, "SELECT list FROM chain", nil, func(row []driver.Value) error {
		l, err := decodeList(blob(row[0]))
		if err != nil {
			return err
		}
		for _, e := range l.entries {
			used = append(used, e.id)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, explain("sweep", err)
	}
	slices.Sort(used)
	var all []sizedBlock
	err = bulk(k.c, "SELECT id, size FROM block ORDER BY id", nil, func(row []driver.Value) error {
		b := sizedBlock{num(row[0]), num(row[1])}
		if _, ok := slices.BinarySearch(used, b.id); !ok {
			all = append(all, b)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, explain("sweep", err)
	}
	return all, nil
}

// repack takes void filters out of the packs of which they are a quarter. It returns how many it dropped.
func (k *clerk) repack() (dropped int, err error) {
	keep, err := k.currentFilters()
	if err != nil {
		return 0, err
	}
	for before := int64(1) << 62; ; {
		var id int64
		var b []byte
		err := k.get("sweep", "SELECT id, data FROM filter WHERE id < ? ORDER BY id DESC LIMIT 1", []any{before}, &id, &b)
		if errors.Is(err, sql.ErrNoRows) {
			return dropped, nil
		}
		if err != nil {
			return dropped, err
		}
		before = id
		entries, err := decodePack(b)
		if err != nil {
			continue // it helps nobody, and harms nobody
		}
		good := slices.DeleteFunc(slices.Clone(entries), func(e filterEntry) bool { return !keep[filterKey{id, e.chain, e.first}] })
		switch void := len(entries) - len(good); {
		case void*4 <= len(entries):
			continue
		case len(good) == 0:
			_, err = k.exec("sweep", "DELETE FROM filter WHERE id = ?", id)
		default:
			_, err = k.exec("sweep", "UPDATE filter SET entries = ?, data = ? WHERE id = ?", len(good), encodePack(good), id)
		}
		if err != nil {
			return dropped, err
		}
		dropped += len(entries) - len(good)
		k.packs = nil
	}
}

// filterKey names a filter: row, chain, first block.
type filterKey struct {
	row, chain int64
	first      int
}

// currentFilters tells which filters are not void. It keeps none of them in memory.
func (k *clerk) currentFilters() (map[filterKey]bool, error) {
	alive := map[int64]bool{}
	err := bulk(k.c, "SELECT id FROM chain", nil, func(row []driver.Value) error {
		alive[num(row[0])] = true
		return nil
	})
	if err != nil {
		return nil, explain("sweep", err)
	}
	var all []filterEntry
	err = bulk(k.c, "SELECT id, data FROM filter ORDER BY id", nil, func(row []driver.Value) error {
		entries, err := decodePack(blob(row[1]))
		for _, e := range entries {
			all = append(all, filterEntry{chain: e.chain, first: e.first, n: int(num(row[0]))})
		}
		_ = err // as if it were not there
		return nil
	})
	if err != nil {
		return nil, explain("sweep", err)
	}
	keep := map[filterKey]bool{}
	for _, e := range current(all) {
		if alive[e.chain] {
			keep[filterKey{int64(e.n), e.chain, e.first}] = true
		}
	}
	return keep, nil
}

// sweepIfWorth sweeps when what could be removed is a tenth of the file.
func (k *clerk) sweepIfWorth() error {
	var bytes, voids, pages, packed int64
	const query = `SELECT
		coalesce((SELECT n FROM counter WHERE name = ?), 0), coalesce((SELECT n FROM counter WHERE name = ?), 0),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size), (SELECT coalesce(sum(entries), 0) FROM filter)`
	if err := k.get("look at the archive's size", query, []any{garbage, stale}, &bytes, &voids, &pages, &packed); err != nil {
		return err
	}
	// Bytes are counted decoded and stored at about a quarter.
	if bytes/4 < max(pages/10, 4<<20) && voids < max(packed/4, 4*packSize) {
		return nil
	}
	_, err := k.sweep(background)
	return err
}

// Stats are figures of an archive.
type Stats struct {
	Files, Snapshots, Blocks int
	Content                  int64 // bytes of the newest snapshots
	Stored                   int64 // bytes of all blocks as they are stored
	Filters                  int64 // bytes of all filters
	Disk                     int64 // bytes of the database, without its WAL
}

// Stats returns the figures of the archive.
func (a *Archive) Stats() (s Stats, err error) {
	const query = `SELECT
		(SELECT count(*) FROM file), (SELECT count(*) FROM snapshot), (SELECT count(*) FROM block),
		(SELECT coalesce(sum(s.size), 0) FROM file f JOIN snapshot s ON s.id = f.snapshot),
		(SELECT coalesce(sum(length(data)), 0) FROM block), (SELECT coalesce(sum(length(data)), 0) FROM filter),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`
	err = a.db.QueryRowContext(background, query).Scan(&s.Files, &s.Snapshots, &s.Blocks, &s.Content, &s.Stored, &s.Filters, &s.Disk)
	if err != nil {
		return s, explain("read the figures", err)
	}
	return s, nil
}
