package archive

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"lore"
)

// Forgetting is what is to go for good.
type Forgetting struct {
	Tombstones []Tombstone
	Files      []int64   // these go whole, with all their snapshots
	Blanks     []Blank   // of these only some bytes go
	IDs        []lore.ID // conversations and messages: marks on them, and their old names, go too
}

// Blank names bytes of a file that become blanks in all its snapshots.
type Blank struct {
	Snapshot int64 // one that Tops returned
	Spans    []Span
}

// Span is a stretch of bytes.
type Span struct{ From, To int64 }

// unpurged counts that something was forgotten and the index was not made rid of it yet.
const unpurged = "unpurged"

// Tops returns, of each run of snapshots of a file that begin with each other, the last: what it holds all of them hold.
func (a *Archive) Tops(file int64) ([]Snapshot, error) {
	all, err := a.Snapshots(file)
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	var tops []Snapshot
	for _, s := range all { // the newest first, and a chain only grows
		if !seen[s.chain] {
			seen[s.chain] = true
			tops = append(tops, s)
		}
	}
	return tops, nil
}

// Forget removes what it is told, in one commit: the next reader finds all of it gone, or, when the process dies before,
// nothing. What was removed is overwritten in the file. Blocks that other files share stay. A file that is compressed
// cannot be blanked.
func (w *Writer) Forget(ctx context.Context, f Forgetting) error {
	blanked, err := w.blank(ctx, f.Blanks)
	if err != nil {
		return err
	}
	w.keeping.Lock()
	defer w.keeping.Unlock()
	return w.do(func(k *clerk) error {
		if err := k.commit(); err != nil {
			return err
		}
		if _, err := k.c.ExecContext(background, "PRAGMA secure_delete=ON"); err != nil {
			return k.fail("forget", err)
		}
		if err := k.forget(ctx, f, blanked); err != nil {
			return k.giveUp(err)
		}
		if err := k.commit(); err != nil {
			return err
		}
		// What the log holds of the old pages goes too, unless somebody reads from it just now.
		k.c.ExecContext(background, "PRAGMA wal_checkpoint(TRUNCATE)")
		return nil
	})
}

// blankedChain is a chain that was made of another's bytes.
type blankedChain struct {
	file, old int64
	build     *build
	sums      map[int64]uint32 // of snapshots, by size
}

// blank makes the new chains. Until they have snapshots nothing refers to them.
func (w *Writer) blank(ctx context.Context, blanks []Blank) (all []*blankedChain, err error) {
	w.keeping.RLock()
	defer w.keeping.RUnlock()
	for _, b := range blanks {
		top, err := w.Snapshot(b.Snapshot)
		if err != nil {
			return nil, err
		}
		if top.Plain != PlainNone {
			return nil, fmt.Errorf("archive: forget: file %d is compressed", top.File)
		}
		snapshots, err := w.Snapshots(top.File)
		if err != nil {
			return nil, err
		}
		r, err := w.openChain(top.chain, top.Size)
		if err != nil {
			return nil, err
		}
		c := &blankedChain{file: top.File, old: top.chain, build: &build{w: w, lines: true, filtered: true}, sums: map[int64]uint32{}}
		for _, s := range snapshots {
			if s.chain == top.chain {
				c.sums[s.Size] = 0
			}
		}
		blanked := &Blanked{R: r, Spans: b.Spans}
		if err := c.sum(blanked, top.Size); err != nil {
			return nil, err
		}
		if err := c.build.run(ctx, content{r: io.NewSectionReader(blanked, 0, top.Size), size: -1}, 0, false); err != nil {
			return nil, err
		}
		c.build.window.free()
		all = append(all, c)
	}
	return all, nil
}

// Blanked shows some bytes as blanks. Line ends stay.
type Blanked struct {
	R     io.ReaderAt
	Spans []Span // in order
}

// ReadAt implements io.ReaderAt.
func (b *Blanked) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.R.ReadAt(p, off)
	at, _ := slices.BinarySearchFunc(b.Spans, off, func(s Span, off int64) int {
		if s.To <= off {
			return -1
		}
		return 1
	})
	for ; at < len(b.Spans) && b.Spans[at].From < off+int64(n); at++ {
		for i := max(b.Spans[at].From, off); i < min(b.Spans[at].To, off+int64(n)); i++ {
			if c := &p[i-off]; *c != '\n' && *c != '\r' {
				*c = ' '
			}
		}
	}
	return n, err
}

// forget does it all in the open transaction.
func (k *clerk) forget(ctx context.Context, f Forgetting, blanked []*blankedChain) error {
	if err := k.bury(f.Tombstones); err != nil {
		return err
	}
	void, files := map[int64]bool{}, map[int64]bool{} // chains that go, files of which some do
	for _, c := range blanked {
		if err := k.replaceChain(c); err != nil {
			return err
		}
		void[c.old] = true
		files[c.file] = true
	}
	for _, id := range slices.Sorted(maps.Keys(files)) {
		if err := k.renumber(id, void); err != nil {
			return err
		}
	}
	for _, id := range f.Files {
		if err := k.dropFile(id, void); err != nil {
			return err
		}
	}
	for _, id := range f.IDs {
		if _, err := k.exec("forget", "DELETE FROM mark WHERE target = ?1 OR conversation = ?1", id[:]); err != nil {
			return err
		}
		if _, err := k.exec("forget", "DELETE FROM rename WHERE old = ?1 OR new = ?1", id[:]); err != nil {
			return err
		}
	}
	if _, err := k.exec("forget", "INSERT INTO counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET n = 1", unpurged); err != nil {
		return err
	}
	if err := k.dropFilters(void); err != nil {
		return err
	}
	unused, err := k.unused(ctx)
	if err != nil {
		return err
	}
	for _, b := range unused {
		if _, err := k.exec("forget", "DELETE FROM block WHERE id = ?", b.id); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// replaceChain puts a chain in the place of another.
func (k *clerk) replaceChain(c *blankedChain) error {
	id, _, err := c.build.write(k, c.file)
	if err != nil {
		return err
	}
	for size, sum := range c.sums {
		if _, err := k.exec("forget", "UPDATE snapshot SET chain = ?, sum = ? WHERE chain = ? AND size = ?", id, sum, c.old, size); err != nil {
			return err
		}
	}
	_, err = k.exec("forget", "DELETE FROM chain WHERE id = ?", c.old)
	return err
}

// renumber gives all snapshots of a file new ids, in their order: whoever has read one of the old ones has to read again.
// Of two of one moment that have become equal, because another archive had one without blanks, one stays.
func (k *clerk) renumber(file int64, void map[int64]bool) error {
	type row struct{ id, at, size, sum int64 }
	var old []row
	err := bulk(k.c, "SELECT id, at, size, sum FROM snapshot WHERE file = ? ORDER BY at, sum, id", []any{file}, func(v []driver.Value) error {
		old = append(old, row{num(v[0]), num(v[1]), num(v[2]), num(v[3])})
		return nil
	})
	if err != nil {
		return k.fail("forget", err)
	}
	next := int64(0)
	for i, r := range old {
		to := int64(0) // what goes on from a twin that goes stands for itself
		if i == 0 || old[i-1].at != r.at || old[i-1].size != r.size || old[i-1].sum != r.sum {
			if next, err = k.add("forget", `INSERT INTO snapshot (file, at, mtime, lines, size, chain, sum, extends, plain, plain_size, plain_chain, plain_sum)
				SELECT file, at, mtime, lines, size, chain, sum, extends, plain, plain_size, plain_chain, plain_sum FROM snapshot WHERE id = ?`, r.id); err != nil {
				return err
			}
			to = next
		}
		if _, err := k.exec("forget", "UPDATE snapshot SET extends = ? WHERE extends = ?", to, r.id); err != nil {
			return err
		}
		if _, err := k.exec("forget", "DELETE FROM snapshot WHERE id = ?", r.id); err != nil {
			return err
		}
	}
	if _, err := k.exec("forget", "UPDATE file SET snapshot = ? WHERE id = ?", next, file); err != nil {
		return err
	}
	const unused = "FROM chain WHERE file = ?1 AND id NOT IN (SELECT chain FROM snapshot WHERE file = ?1 UNION SELECT plain_chain FROM snapshot WHERE file = ?1)"
	err = bulk(k.c, "SELECT id "+unused, []any{file}, func(v []driver.Value) error {
		void[num(v[0])] = true
		return nil
	})
	if err != nil {
		return k.fail("forget", err)
	}
	_, err = k.exec("forget", "DELETE "+unused, file)
	return err
}

// dropFile removes a file with its snapshots and chains.
func (k *clerk) dropFile(file int64, void map[int64]bool) error {
	rows, err := k.c.QueryContext(background, "SELECT id FROM chain WHERE file = ?", file)
	if err != nil {
		return k.fail("forget", err)
	}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			rows.Close()
			return k.fail("forget", err)
		}
		void[id] = true
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return k.fail("forget", err)
	}
	for _, query := range []string{
		"DELETE FROM snapshot WHERE file = ?", "DELETE FROM chain WHERE file = ?", "DELETE FROM companion WHERE ?1 IN (main, file)",
		"UPDATE file SET main = 0 WHERE main = ?", "DELETE FROM file WHERE id = ?",
	} {
		if _, err := k.exec("forget", query, file); err != nil {
			return err
		}
	}
	return nil
}

// dropFilters takes the filters of chains that go out of their packs: they would still tell which letters stood there.
func (k *clerk) dropFilters(void map[int64]bool) error {
	if err := k.writeFilters(); err != nil {
		return err
	}
	for before := int64(1) << 62; ; {
		var id int64
		var b []byte
		err := k.get("forget", "SELECT id, data FROM filter WHERE id < ? ORDER BY id DESC LIMIT 1", []any{before}, &id, &b)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		before = id
		entries, err := decodePack(b)
		if err != nil {
			continue
		}
		good := slices.DeleteFunc(slices.Clone(entries), func(e filterEntry) bool { return void[e.chain] })
		switch {
		case len(good) == len(entries):
			continue
		case len(good) == 0:
			_, err = k.exec("forget", "DELETE FROM filter WHERE id = ?", id)
		default:
			_, err = k.exec("forget", "UPDATE filter SET entries = ?, data = ? WHERE id = ?", len(good), encodePack(good), id)
		}
		if err != nil {
			return err
		}
		k.packs = nil
	}
}

// Unpurged reports whether something was forgotten since Purged was called last.
func (a *Archive) Unpurged() (bool, error) {
	var n int
	err := a.db.QueryRowContext(background, "SELECT count(*) FROM counter WHERE name = ?", unpurged).Scan(&n)
	if err != nil {
		return false, explain("look for what was forgotten", err)
	}
	return n > 0, nil
}

// Purged says that nothing that was forgotten is left in the index.
func (w *Writer) Purged() error {
	return w.do(func(k *clerk) error {
		_, err := k.exec("forget", "DELETE FROM counter WHERE name = ?", unpurged)
		return err
	})
}
