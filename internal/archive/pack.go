package archive

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Filters are packed many to a row, so that a search reads few rows. Rows are written in the order of their ids and
// never changed; small ones at the end are joined with what comes next. Where a chain has grown, the filter of its last
// group is written anew: a later entry of a chain makes earlier ones from the same block on void. Whether a chain's
// filters are all there, and the right ones, tells the fold of their fingerprints in its row; where it does not fit,
// the chain is searched without.
const packSize = 64

// filterEntry is a group's filter in a pack.
type filterEntry struct {
	chain    int64
	first, n int // blocks
	filter   []byte
}

// packVersion is the first byte of a pack. After it: the number of entries; for each chain, first block, blocks, bytes
// of its filter; then the filters.
const packVersion = 1

func encodePack(entries []filterEntry) []byte {
	size := 16
	for _, e := range entries {
		size += 16 + len(e.filter)
	}
	b := append(make([]byte, 0, size), packVersion)
	b = binary.AppendUvarint(b, uint64(len(entries)))
	for _, e := range entries {
		b = binary.AppendUvarint(b, uint64(e.chain))
		b = binary.AppendUvarint(b, uint64(e.first))
		b = binary.AppendUvarint(b, uint64(e.n))
		b = binary.AppendUvarint(b, uint64(len(e.filter)))
	}
	for _, e := range entries {
		b = append(b, e.filter...)
	}
	return b
}

// decodePack reads what encodePack wrote. The filters are parts of b.
func decodePack(b []byte) ([]filterEntry, error) {
	if len(b) < 2 || b[0] != packVersion {
		return nil, fmt.Errorf("filters: unknown form: %w", ErrDamaged)
	}
	v := varints{b: b[1:]}
	count := v.next()
	if count > uint64(len(b)) {
		return nil, fmt.Errorf("filters: wrong length: %w", ErrDamaged)
	}
	entries := make([]filterEntry, count)
	sizes := make([]uint64, count)
	for i := range entries {
		e := &entries[i]
		e.chain = int64(v.next())
		first, n := v.next(), v.next()
		if sizes[i] = v.next(); v.bad || first > 1<<40 || n > 1<<40 || sizes[i] > maxFilter {
			return nil, fmt.Errorf("filters: impossible entry: %w", ErrDamaged)
		}
		e.first, e.n = int(first), int(n)
	}
	rest := v.b
	for i, n := range sizes {
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("filters: wrong length: %w", ErrDamaged)
		}
		entries[i].filter, rest = rest[:n:n], rest[n:]
	}
	return entries, nil
}

// maxFilter is more than the filter of any group takes.
const maxFilter = 64 << 10

// current drops the entries that a later one makes void.
func current(entries []filterEntry) []filterEntry {
	least := map[int64]int{}
	var keep []filterEntry
	for _, e := range slices.Backward(entries) {
		if first, ok := least[e.chain]; ok && e.first >= first {
			continue
		}
		least[e.chain] = e.first
		keep = append(keep, e)
	}
	slices.Reverse(keep)
	return keep
}

// packRow is a row of filters that further ones may be joined with.
type packRow struct {
	id int64
	n  int
}

// writeFilters writes the filters that were made, joined with the rows at the end that are not larger: so the rows stay
// few, and a filter is written again only as often as its row doubles.
func (k *clerk) writeFilters() error {
	if len(k.filters) == 0 {
		return nil
	}
	if err := k.loadPacks(); err != nil {
		return err
	}
	batch := k.filters
	for n := len(k.packs); n > 0 && k.packs[n-1].n < packSize && k.packs[n-1].n <= len(batch); n = len(k.packs) {
		var b []byte
		if err := k.get("read filters", "SELECT data FROM filter WHERE id = ?", []any{k.packs[n-1].id}, &b); err != nil {
			return err
		}
		// Filters that cannot be read help nobody: their chains are searched without them from now on.
		if entries, err := decodePack(b); err == nil {
			batch = append(entries, batch...)
		}
		if _, err := k.exec("join filters", "DELETE FROM filter WHERE id = ?", k.packs[n-1].id); err != nil {
			return err
		}
		k.packs = k.packs[:n-1]
	}
	for part := range slices.Chunk(current(batch), packSize) {
		id, err := k.add("write filters", "INSERT INTO filter (entries, data) VALUES (?, ?)", len(part), encodePack(part))
		if err != nil {
			return err
		}
		k.packs = append(k.packs, packRow{id, len(part)})
	}
	k.filters = nil
	return nil
}

// loadPacks learns which rows stand at the end.
func (k *clerk) loadPacks() error {
	if k.packs != nil {
		return nil
	}
	k.packs = []packRow{}
	for before := int64(1) << 62; len(k.packs) < packSize; {
		var r packRow
		err := k.get("read filters", "SELECT id, entries FROM filter WHERE id < ? ORDER BY id DESC LIMIT 1", []any{before}, &r.id, &r.n)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		k.packs = append(k.packs, r)
		if before = r.id; r.n >= packSize {
			break
		}
	}
	slices.Reverse(k.packs)
	return nil
}
