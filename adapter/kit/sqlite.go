package kit

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"modernc.org/sqlite"
)

// What can be wrong with a database. Errors of this file's functions wrap one of these, the error of a file, or the
// context's.
var (
	ErrNotDatabase   = errors.New("not an SQLite database (another format, or encrypted)")
	ErrEmptyDatabase = errors.New("an empty database file")
	ErrCorrupt       = errors.New("the database is damaged")
	ErrNewerFormat   = errors.New("the database is of a newer SQLite format")
	ErrMoving        = errors.New("the database changed while it was read")
	ErrLocked        = errors.New("another program keeps the file to itself")
	ErrNoTable       = errors.New("no such table")
	ErrSecret        = errors.New("holds secrets and is not read")
)

// Database is a consistent, read-only view of a database that another program may have open, as it was when the view was
// taken: its file, the committed frames of its write-ahead log and the original pages of its hot journal together.
//
// Nothing is written, locked, copied or created; the folder may be one that cannot be written. Pages are read when they
// are asked for. When the database moves so that the view can no longer be read, every method says ErrMoving from then
// on; nothing that was yielded before is wrong. A Database is for one goroutine.
type Database struct {
	name     string // of the view in the VFS
	view     *view
	conn     driver.Conn              // nil once closed
	idle     map[string][]driver.Stmt // prepared statements that are not in use
	active   int                      // queries under way
	closed   bool                     // Close was called; the last query under way does it
	tables   map[string]*table
	encoding string // of the pages: "UTF-8", "UTF-16le" or "UTF-16be"
	cookie   uint32 // schema cookie
}

// OpenDatabase takes a view of the database at path. It needs the files path, path-wal and path-journal from fsys where
// they exist, each with io.ReaderAt, and tries again, a bounded number of times, when the database moves meanwhile. No
// file at path is fs.ErrNotExist; a file of zero bytes ErrEmptyDatabase; one without SQLite's magic ErrNotDatabase.
func OpenDatabase(ctx context.Context, fsys fs.FS, path string) (*Database, error) {
	var db *Database
	err := untilStill(ctx, func() (err error) {
		db, err = openDatabase(fsys, path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("database %q: %w", path, err)
	}
	return db, nil
}

// IsDatabase reports whether a file begins like an SQLite database.
func IsDatabase(fsys fs.FS, path string) bool {
	f, err := fsys.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == sqliteMagic
}

// ReadDatabase opens a database and calls read with it; when the database moves while it reads, again with a new view, a
// bounded number of times. So read has to begin anew each time it is called, and has to return the errors it meets. The
// last ErrMoving is returned when it never came through.
func ReadDatabase(ctx context.Context, fsys fs.FS, path string, read func(*Database) error) error {
	err := untilStill(ctx, func() error {
		db, err := openDatabase(fsys, path)
		if err != nil {
			return err
		}
		defer db.Close()
		return read(db)
	})
	if err != nil {
		return fmt.Errorf("database %q: %w", path, err)
	}
	return nil
}

// untilStill tries while the database moves, with growing pauses, for about two seconds of them.
func untilStill(ctx context.Context, try func() error) (err error) {
	const tries = 12
	for i := range tries {
		if err = ctx.Err(); err != nil {
			return err
		}
		if err = try(); !errors.Is(err, ErrMoving) || i == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond << min(i, 8)):
		}
	}
	if errors.Is(err, ErrMoving) {
		return fmt.Errorf("%w, %d times: try again when less is written to it", err, tries)
	}
	return err
}

func openDatabase(fsys fs.FS, path string) (*Database, error) {
	vfsName, err := viewVFS()
	if err != nil {
		return nil, err
	}
	v, err := openView(fsys, path)
	if err != nil {
		return nil, err
	}
	db := &Database{view: v, name: openViews.add(v), idle: map[string][]driver.Stmt{}}
	if err := db.connect(vfsName); err != nil {
		err = db.explain(err)
		db.Close()
		return nil, err
	}
	return db, nil
}

// The connection: everything that could write, run code of the database or grow is off, besides a page cache of 4 MiB.
const connectionOptions = "&mode=ro&immutable=1&_defensive=1&_dqs=0&_error_rc=1&_query_only=1" +
	"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)&_pragma=mmap_size(0)" +
	"&_pragma=cache_size(-4096)&_pragma=automatic_index(0)"

func (db *Database) connect(vfsName string) (err error) {
	if db.conn, err = sqliteDriver.Open("file:" + db.name + "?vfs=" + vfsName + connectionOptions); err != nil {
		return err
	}
	// One transaction for all, so that SQLite keeps its page cache between statements.
	for _, sql := range []string{"BEGIN", "PRAGMA encoding", "PRAGMA schema_version"} {
		err := db.each(sql, nil, func(row []driver.Value) error {
			switch v := row[0].(type) {
			case string:
				db.encoding = v
			case int64:
				db.cookie = uint32(v)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return db.readSchema()
}

// Close gives the files back. A loop over rows that is under way ends with an error at its next row.
func (db *Database) Close() error {
	db.closed = true
	if db.active > 0 {
		return nil
	}
	var err error
	for _, stmts := range db.idle {
		for _, s := range stmts {
			err = errors.Join(err, s.Close())
		}
	}
	db.idle = nil
	if db.conn != nil {
		err = errors.Join(err, db.conn.Close())
		db.conn = nil
	}
	openViews.remove(db.name)
	db.view.close()
	return err
}

// explain says what an error of SQLite comes from: the view that moved, a file that could not be read, or the content.
func (db *Database) explain(err error) error {
	if err == nil {
		return nil
	}
	if moved := db.view.settle(); moved != nil {
		return moved
	}
	if cause := db.view.reason(); cause != nil {
		return cause
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	const corrupt, notDatabase = 11, 26
	switch e.Code() & 0xff {
	case corrupt, notDatabase:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}
