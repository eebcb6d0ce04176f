package archive

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// fileName is the archive's name in its folder.
const fileName = "archive.db"

// background is the context of every query: one that can be cancelled costs the driver a goroutine a query, and the
// queries here are short. Loops over queries look at the caller's context instead.
var background = context.Background()

// dataSource makes the name under which the driver opens a database. The path may hold any character.
func dataSource(path string, query url.Values) string {
	path = filepath.ToSlash(path)
	switch volume := filepath.VolumeName(path); {
	case strings.HasPrefix(volume, "//"):
		path = "//" + path // a share: file:////server/...
	case volume != "":
		path = "/" + path // a drive: file:/C:/...
	}
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + path + "?" + query.Encode()
}

// inspect reads the header of a database file without opening it as one, so that a file which this version must not
// touch stays untouched. An empty file is no archive yet.
func inspect(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %q: run an import first", ErrNone, filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var head [100]byte
	n, err := io.ReadFull(f, head[:])
	if n == 0 && err == io.EOF {
		return fmt.Errorf("%w in %q: run an import first", ErrNone, filepath.Dir(path))
	}
	if err != nil || !bytes.HasPrefix(head[:], []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%q is no database: %w", path, ErrDamaged)
	}
	return admit(path, int64(int32(binary.BigEndian.Uint32(head[60:]))), int64(binary.BigEndian.Uint32(head[68:])))
}

// admit judges the marks of a database: user_version and application_id. Both are 0 before the first commit.
func admit(path string, version, application int64) error {
	switch {
	case application != applicationID && (application != 0 || version != 0):
		return fmt.Errorf("%q is the database of another program: %w", path, ErrDamaged)
	case version > schemaVersion:
		return fmt.Errorf("%q has version %d, this program knows %d: %w; install the newer one",
			path, version, schemaVersion, ErrNewer)
	}
	return nil
}

// openReading opens a database without ever writing to it.
func openReading(path string) (*sql.DB, error) {
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)", "query_only(1)"}}
	db, err := open(path, q)
	if err == nil {
		return db, nil
	}
	if bare, wal := sideless(path, err); wal {
		return nil, fmt.Errorf("the last import was cut short, and finishing it takes a folder that can be written to: "+
			"copy the whole folder to one (%w)", err)
	} else if !bare {
		return nil, err
	}
	// The folder cannot be written to and there is no WAL: the file is all there is.
	q.Set("immutable", "1")
	return open(path, q)
}

// sideless says why opening failed: SQLite could not make the files that it wants beside the database and needs none of
// them (bare), or there is a WAL that it cannot read without making them.
func sideless(path string, err error) (bare, wal bool) {
	switch primary(err) {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
	default:
		return false, false
	}
	info, err := os.Stat(path + "-wal")
	if err == nil {
		return info.Size() == 0, info.Size() > 0
	}
	return errors.Is(err, fs.ErrNotExist), false
}

// open opens a database and reads from it once: SQLite itself opens late.
func open(path string, q url.Values) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dataSource(path, q))
	if err != nil {
		return nil, err
	}
	if err := db.QueryRowContext(background, "SELECT 1 FROM sqlite_schema LIMIT 1").Scan(new(int)); err != nil && !errors.Is(err, sql.ErrNoRows) {
		db.Close()
		return nil, err
	}
	return db, nil
}

// primary returns the primary result code of an SQLite error; 0 for any other.
func primary(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// explain gives an error of the database the kind that callers ask for.
func explain(doing string, err error) error {
	var kind error
	switch primary(err) {
	case sqlite3.SQLITE_FULL:
		kind = ErrFull
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		kind = ErrDamaged
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		kind = ErrBusy
	case sqlite3.SQLITE_IOERR:
		var e *sqlite.Error
		if errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_IOERR_WRITE || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE) {
			kind = ErrFull // a limit of the file's size, or of the user's quota
		}
	}
	switch kind {
	case nil:
		return fmt.Errorf("archive: %s: %w", doing, err)
	case ErrFull:
		return fmt.Errorf("archive: %s: %w (%v); free some and run it again", doing, kind, err)
	}
	return fmt.Errorf("archive: %s: %w (%v)", doing, kind, err)
}

// bulk runs a query on a connection and calls fn for each row, past the conversions of database/sql: they would take
// half of the time of listing 10,000 files. Strings and blobs in the row are fn's to keep.
func bulk(c *sql.Conn, query string, args []any, fn func(row []driver.Value) error) error {
	return c.Raw(func(raw any) error {
		named := make([]driver.NamedValue, len(args))
		for i, a := range args {
			named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
		}
		rows, err := raw.(driver.QueryerContext).QueryContext(background, query, named)
		if err != nil {
			return err
		}
		defer rows.Close()
		row := make([]driver.Value, len(rows.Columns()))
		for {
			if err := rows.Next(row); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			if err := fn(row); err != nil {
				return err
			}
		}
	})
}
