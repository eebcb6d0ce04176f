package archive

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Options are the settings of an archive. The zero value is good.
type Options struct {
	Cache int64            // bytes of decoded blocks that readers keep in memory; 0: 16 MiB
	Pages int64            // bytes of pages that the database of a Writer keeps in memory; 0: 8 MiB
	Now   func() time.Time // clock; nil: time.Now
}

// Archive reads an archive. It is safe for concurrent use, and never waits for a Writer.
type Archive struct {
	dir   string
	db    *sql.DB
	block *sql.Stmt // by id
	cache cache
	now   func() time.Time

	named sync.Once
	name  string // see ByMachine

	// ahead asks the writer for what is not committed yet; nil in an archive that only reads.
	ahead func(do func(c *sql.Conn) error) error
}

// Open opens the archive in a folder for reading. It works in a folder that cannot be written to. The error is ErrNone
// when there is no archive, ErrNewer or ErrOlder when this version cannot read it, ErrDamaged when it is not an archive
// at all.
func Open(dir string, o Options) (*Archive, error) {
	path := filepath.Join(dir, fileName)
	if err := inspect(path); err != nil {
		return nil, err
	}
	db, err := openReading(path)
	if err != nil {
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	a, err := newArchive(dir, db, o)
	if err != nil {
		db.Close()
		return nil, err
	}
	return a, nil
}

// newArchive takes over an open database, if it is one that this version reads.
func newArchive(dir string, db *sql.DB, o Options) (*Archive, error) {
	path := filepath.Join(dir, fileName)
	var version, application int64
	// Two pragmas: the same as one query takes two virtual tables, and those a millisecond.
	err := db.QueryRowContext(background, "PRAGMA user_version").Scan(&version)
	if err == nil {
		err = db.QueryRowContext(background, "PRAGMA application_id").Scan(&application)
	}
	if err != nil {
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	if err := admit(path, version, application); err != nil {
		return nil, err
	}
	switch {
	case version == 0:
		return nil, fmt.Errorf("%w in %q: run an import first", ErrNone, dir)
	case version < schemaVersion:
		return nil, fmt.Errorf("%q has version %d: %w; run an import to bring it up", path, version, ErrOlder)
	}
	block, err := db.PrepareContext(background, blockByID)
	if err != nil {
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	if o.Cache <= 0 {
		o.Cache = 16 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Archive{dir: dir, db: db, block: block, cache: cache{max: o.Cache}, now: o.Now}, nil
}

// Close releases the archive. Readers that it gave are dead afterwards.
func (a *Archive) Close() error { return a.db.Close() }

// view calls fn with a connection on which every query sees the same state.
func (a *Archive) view(doing string, fn func(c *sql.Conn) error) error {
	c, err := a.db.Conn(background)
	if err != nil {
		return explain(doing, err)
	}
	defer c.Close()
	if _, err := c.ExecContext(background, "BEGIN"); err != nil {
		return explain(doing, err)
	}
	defer c.ExecContext(background, "ROLLBACK")
	if err := fn(c); err != nil {
		return explain(doing, err)
	}
	return nil
}

// Files lists all files in the order of their ids.
func (a *Archive) Files() ([]File, error) {
	var files []File
	err := a.view("list files", func(c *sql.Conn) (err error) {
		files, err = listFiles(c)
		return err
	})
	return files, err
}

func listFiles(c *sql.Conn) ([]File, error) { return selectFiles(c, "ORDER BY id") }

// selectFiles returns the files that a condition names.
func selectFiles(c *sql.Conn, where string, args ...any) ([]File, error) {
	type store struct{ source, name string }
	stores := map[int64]store{}
	err := bulk(c, "SELECT id, source, name FROM store", nil, func(row []driver.Value) error {
		stores[num(row[0])] = store{text(row[1]), text(row[2])}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var files []File
	const query = `SELECT id, store, path, main, size, mtime, ctime, inode, snapshot, in_source, reader, place FROM file `
	err = bulk(c, query+where, args, func(row []driver.Value) error {
		s := stores[num(row[1])]
		path := text(row[2])
		files = append(files, File{
			ID: num(row[0]), Source: s.source, Store: s.name, Path: path, Of: num(row[3]),
			Stat:     Stat{Size: num(row[4]), MTime: num(row[5]), CTime: num(row[6]), Inode: uint64(num(row[7]))},
			Snapshot: num(row[8]), InSource: num(row[9]) != 0, Reader: int(num(row[10])),
			Place: path[:min(max(0, int(num(row[11]))), len(path))],
		})
		return nil
	})
	return files, err
}

// num and text take a column that the schema declares so; STRICT tables hold nothing else there.
func num(v driver.Value) int64   { n, _ := v.(int64); return n }
func text(v driver.Value) string { s, _ := v.(string); return s }
func blob(v driver.Value) []byte { b, _ := v.([]byte); return b }

// snapshotColumns are what scanSnapshot reads.
const snapshotColumns = `id, file, size, at, mtime, lines, sum, extends, plain, plain_size, chain, plain_chain`

func scanSnapshot(scan func(...any) error) (Snapshot, error) {
	var s Snapshot
	var at, mtime int64
	err := scan(&s.ID, &s.File, &s.Size, &at, &mtime, &s.Lines, &s.Sum, &s.Extends, &s.Plain, &s.PlainSize, &s.chain, &s.plainChain)
	s.At = time.Unix(0, at)
	if mtime != 0 {
		s.ModTime = time.Unix(0, mtime)
	}
	return s, err
}

// Snapshots lists the snapshots of a file, the newest first.
func (a *Archive) Snapshots(file int64) ([]Snapshot, error) {
	rows, err := a.db.QueryContext(background, "SELECT "+snapshotColumns+" FROM snapshot WHERE file = ? ORDER BY at DESC, sum DESC, id DESC", file)
	if err != nil {
		return nil, explain("list snapshots", err)
	}
	defer rows.Close()
	var all []Snapshot
	for rows.Next() {
		s, err := scanSnapshot(rows.Scan)
		if err != nil {
			return nil, explain("list snapshots", err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		return nil, explain("list snapshots", err)
	}
	return all, nil
}

// Snapshot returns one snapshot. The error is ErrUnknown when there is none of that id.
func (a *Archive) Snapshot(id int64) (s Snapshot, err error) {
	err = a.committedOrAhead(fmt.Sprintf("snapshot %d", id), func(q querier) (err error) {
		s, err = scanSnapshot(q.QueryRowContext(background, "SELECT "+snapshotColumns+" FROM snapshot WHERE id = ?", id).Scan)
		return err
	})
	return s, err
}

// committedOrAhead runs a query for one row on the committed state and, where it finds none, on that of the writer. No
// row at all is ErrUnknown.
func (a *Archive) committedOrAhead(doing string, query func(q querier) error) error {
	err := query(a.db)
	if errors.Is(err, sql.ErrNoRows) && a.ahead != nil {
		err = a.ahead(func(c *sql.Conn) error { return query(c) })
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("archive: %s: %w", doing, ErrUnknown)
	case err != nil:
		return explain(doing, err)
	}
	return nil
}
