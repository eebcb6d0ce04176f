package archive

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
)

// filters checks that each chain has the filters that it was given. A wrong one costs time, not content.
func (k *checker) filters() error {
	var all []filterEntry
	err := bulk(k.c, "SELECT id, data FROM filter ORDER BY id", nil, func(row []driver.Value) error {
		entries, err := decodePack(blob(row[1]))
		if err != nil {
			k.fault(Fault{What: "filter", ID: num(row[0]), Detail: err.Error()})
		}
		for _, e := range entries {
			e.n, e.filter = int(fingerprint(e.first, e.n, e.filter)), nil // the print is all that is needed
			all = append(all, e)
		}
		return k.ctx.Err()
	})
	if err != nil {
		return err
	}
	folds := map[int64]uint64{}
	for _, e := range current(all) {
		folds[e.chain] ^= uint64(e.n)
	}
	for _, id := range k.chainIDs {
		if c := k.chainRows[id]; int64(folds[id]) != c.prints {
			k.fault(Fault{What: "filter", ID: id, Files: k.of(c.file), Detail: "a chain's filters are missing or wrong; it is searched without them"})
		}
	}
	return nil
}

// contents reads all that a snapshot needs, when the check is a full one.
func (k *checker) contents() error {
	if !k.full {
		return nil
	}
	bad := map[int64]*Fault{} // by block: one fault, however many files suffer
	for _, id := range k.chainIDs {
		if c := k.chainRows[id]; c.list != nil {
			if err := k.content(id, c, bad); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(bad)) {
		k.fault(*bad[id])
	}
	return nil
}

// content reads one chain and compares blocks with their hashes, snapshots with their sums, filters with the bytes.
func (k *checker) content(id int64, c *checkedChain, bad map[int64]*Fault) error {
	var sum uint32
	ends, broken := c.ends, false
	maker := new(filterMaker)
	maker.start(0, nil)
	for _, e := range c.list.entries {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		b, detail, err := k.block(e)
		if err != nil {
			return err
		}
		if detail != "" {
			k.suffers(bad, e, c, detail)
			broken = true
			break // sums behind it mean nothing
		}
		maker.add(b)
		for len(ends) > 0 && ends[0].size <= e.end() {
			if crc32.Update(sum, castagnoli, b[:max(0, ends[0].size-e.off)]) != ends[0].sum {
				k.fault(Fault{What: "snapshot", ID: ends[0].snapshot, Files: k.of(c.file), Snapshot: ends[0].snapshot, Detail: "its bytes have another sum"})
			}
			ends = ends[1:]
		}
		sum = crc32.Update(sum, castagnoli, b)
	}
	if broken || c.prints == 0 {
		return nil
	}
	maker.cut()
	var fold uint64
	for _, g := range maker.out {
		fold ^= g.print()
	}
	if int64(fold) != c.prints {
		k.fault(Fault{What: "filter", ID: id, Files: k.of(c.file), Detail: "the filters of a chain do not fit its bytes"})
	}
	return nil
}

// suffers notes that a file needs a bad block.
func (k *checker) suffers(bad map[int64]*Fault, e entry, c *checkedChain, detail string) {
	f := bad[e.id]
	if f == nil {
		f = &Fault{What: "block", ID: e.id, Snapshot: c.firstWith(e.off), Detail: detail}
		bad[e.id] = f
	}
	if p := k.of(c.file); p != nil && !slices.Contains(f.Files, p[0]) {
		f.Files = append(f.Files, p[0])
	}
}

// block reads a block and says what is wrong with it; "" when nothing is.
func (k *checker) block(e entry) (b []byte, detail string, err error) {
	var want, data []byte
	var size, codec int
	err = k.c.QueryRowContext(background, "SELECT hash, size, codec, data FROM block WHERE id = ?", e.id).Scan(&want, &size, &codec, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "it is missing", nil
	}
	if err != nil {
		return nil, "", err
	}
	b, err = decompress(nil, data, codec, size)
	if err != nil {
		return nil, err.Error(), nil
	}
	switch {
	case !bytes.Equal(hashSlice(b), want):
		return nil, fmt.Sprintf("its bytes do not have the hash %x", want), nil
	case len(b) != e.size || bytes.Count(b, []byte{'\n'}) != e.lines || (b[len(b)-1] == '\n') != e.eol:
		return nil, "it is another block than the list says", nil
	}
	return b, "", nil
}
