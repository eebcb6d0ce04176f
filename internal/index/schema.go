package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"modernc.org/sqlite"
)

// catalogName is the file of the catalogue in an index folder.
const catalogName = "catalog.db"

// schema is the catalogue. Wide texts (headers, ledgers, losses) stand in tables of their own or at the end of a row, so
// that a filter over all conversations reads few pages. Numbers of conversations are never used again.
const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE conversations (
	row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, hash BLOB NOT NULL,
	source TEXT NOT NULL, store TEXT NOT NULL, native TEXT NOT NULL, place TEXT NOT NULL,
	dir TEXT NOT NULL, project TEXT NOT NULL, branch TEXT NOT NULL, remote TEXT NOT NULL, kind TEXT NOT NULL,
	at INTEGER NOT NULL, started INTEGER, ended INTEGER, archived INTEGER NOT NULL, in_source INTEGER NOT NULL,
	messages INTEGER NOT NULL, losses INTEGER NOT NULL, evidences INTEGER NOT NULL,
	parent BLOB, parent_native TEXT NOT NULL, lineage BLOB, lineage_native TEXT NOT NULL, title TEXT NOT NULL);
CREATE INDEX conversations_native ON conversations (native, source);
CREATE INDEX conversations_at ON conversations (at DESC, id) WHERE messages > 0;
CREATE INDEX conversations_parent ON conversations (parent) WHERE parent IS NOT NULL;
CREATE INDEX conversations_lineage ON conversations (lineage) WHERE lineage IS NOT NULL;
CREATE TABLE headers (row INTEGER PRIMARY KEY, header BLOB NOT NULL);
CREATE TABLE links (
	conversation INTEGER NOT NULL, evidence INTEGER NOT NULL, rank INTEGER NOT NULL, digest BLOB, partial INTEGER NOT NULL,
	messages INTEGER NOT NULL, ledger TEXT NOT NULL, losses TEXT NOT NULL,
	PRIMARY KEY (conversation, evidence)) WITHOUT ROWID;
CREATE INDEX links_evidence ON links (evidence);
CREATE TABLE evidences (
	id INTEGER PRIMARY KEY, source TEXT NOT NULL, store TEXT NOT NULL, path TEXT NOT NULL, snapshot INTEGER NOT NULL,
	reader INTEGER NOT NULL, rests_on INTEGER NOT NULL, settled INTEGER NOT NULL, failure TEXT NOT NULL, ledger TEXT NOT NULL,
	losses TEXT NOT NULL);
CREATE INDEX evidences_path ON evidences (path);
CREATE INDEX evidences_unsettled ON evidences (id) WHERE NOT settled;
CREATE TABLE facts (
	evidence INTEGER NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, native TEXT NOT NULL, about TEXT NOT NULL,
	data BLOB);
CREATE INDEX facts_evidence ON facts (evidence);
CREATE INDEX facts_native ON facts (native, source) WHERE native <> '';
CREATE INDEX facts_about ON facts (about, source) WHERE about <> '';
CREATE TABLE segments (
	seq INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, docs INTEGER NOT NULL, deleted INTEGER NOT NULL,
	bytes INTEGER NOT NULL, deletions BLOB);
`

// openCatalog opens catalog.db. A writer makes it when there is none.
func openCatalog(dir string, write bool) (*sql.DB, error) {
	path := filepath.Join(dir, catalogName)
	_, err := os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	if fresh && !write {
		return nil, fmt.Errorf("%q: %w", dir, ErrNone)
	}
	if fresh {
		// The file is made here so that it is the user's alone from its first byte on.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("cannot create the index: %w", err)
		}
		f.Close()
	}
	db, err := sql.Open("sqlite", dataSource(path, write))
	if err != nil {
		return nil, err
	}
	if !write {
		return db, nil
	}
	if err := prepareCatalog(db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// sealed reports whether a catalogue could not be opened only because nothing can be written beside it: SQLite wants to make
// its log's files there, and without a log it needs none.
func sealed(dir string, err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Code()&0xff != sqliteReadOnly && e.Code()&0xff != sqliteCantOpen {
		return false
	}
	log, err := os.Stat(filepath.Join(dir, catalogName+"-wal"))
	return errors.Is(err, os.ErrNotExist) || err == nil && log.Size() == 0
}

// openSealed opens a catalogue that is not written to and has no log: the file is all there is.
func openSealed(dir string) (*sql.DB, error) {
	return sql.Open("sqlite", dataSource(filepath.Join(dir, catalogName), false)+"&mode=ro&immutable=1")
}

func dataSource(path string, write bool) string {
	q := url.Values{}
	q.Add("_pragma", "busy_timeout(5000)")
	if write {
		q.Add("_pragma", "journal_mode(wal)")
		q.Add("_pragma", "synchronous(full)")
		q.Add("_txlock", "immediate")
	} else {
		q.Add("_pragma", "query_only(1)")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// prepareCatalog makes the tables of a fresh catalogue.
func prepareCatalog(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return rebuildError(err)
	}
	if version != 0 {
		return nil
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return rebuildError(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(schema + "PRAGMA user_version = " + strconv.Itoa(Version)); err != nil {
		return rebuildError(err)
	}
	return tx.Commit()
}

// checkVersion returns ErrRebuild for a catalogue of another version.
func checkVersion(q querier) error {
	var version int
	if err := q.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version); err != nil {
		return rebuildError(err)
	}
	if version != Version {
		return fmt.Errorf("index of version %d, this is %d: %w", version, Version, ErrRebuild)
	}
	return nil
}

// querier is what a connection and a transaction have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
