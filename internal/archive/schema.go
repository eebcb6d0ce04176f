package archive

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"

	"lore"
)

// The version of archive.db is its user_version:
//
//	1  the first one
//	2  marks as a log, a name for the archive: bundles can be put together
//
// An older archive is brought up by OpenWriter, one step a version, each in one transaction; Open asks for that with
// ErrOlder. A newer one is refused by both. testdata keeps an archive of every version that was ever written.
const schemaVersion = 2

// Version is the version of archive.db that this program writes.
const Version = schemaVersion

// applicationID marks the file as an archive of this program: "lore" in ASCII.
const applicationID = 0x6c6f7265

// migrations[v] brings an archive of version v to v+1. Version 0 is an empty file.
var migrations = []func(ctx context.Context, tx *sql.Tx) error{
	0: func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, schema1)
		return err
	},
	1: func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema2); err != nil {
			return err
		}
		var name lore.ID
		rand.Read(name[:])
		_, err := tx.ExecContext(ctx, "INSERT INTO fact (name, value) VALUES (?, ?)", machineFact, name.Short())
		return err
	},
}

// schema1 makes the tables. Ids are never used again (AUTOINCREMENT): a reader that holds an old block list must find a
// block missing, not another in its place. Columns that are read in bulk stand before blobs, so that SQLite need not
// walk over these.
const schema1 = `
CREATE TABLE store (
	id INTEGER PRIMARY KEY,
	source TEXT NOT NULL,
	name TEXT NOT NULL,
	UNIQUE (source, name)
) STRICT;

CREATE TABLE file (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	store INTEGER NOT NULL REFERENCES store,
	path TEXT NOT NULL,                 -- home-collapsed
	place INTEGER NOT NULL DEFAULT 0,   -- how many bytes of path name the folder that was searched
	main INTEGER NOT NULL DEFAULT 0,    -- the evidence that this one is a companion of
	size INTEGER NOT NULL DEFAULT 0,
	mtime INTEGER NOT NULL DEFAULT 0,   -- ns since 1970
	ctime INTEGER NOT NULL DEFAULT 0,   -- ns since 1970; 0: not known
	inode INTEGER NOT NULL DEFAULT 0,   -- 0: not known
	snapshot INTEGER NOT NULL DEFAULT 0,-- the newest; 0: none
	in_source INTEGER NOT NULL DEFAULT 1,
	reader INTEGER NOT NULL DEFAULT 0,  -- version of the reading rules
	UNIQUE (path, store)
) STRICT;

CREATE TABLE companion (
	main INTEGER NOT NULL,              -- an evidence
	file INTEGER NOT NULL,              -- that is read together with it; several evidences can share one
	PRIMARY KEY (main, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX companion_file ON companion (file);

CREATE TABLE snapshot (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	file INTEGER NOT NULL REFERENCES file,
	at INTEGER NOT NULL,                -- ns since 1970
	mtime INTEGER NOT NULL,             -- of the file then
	lines INTEGER NOT NULL,
	size INTEGER NOT NULL,              -- it is the first size bytes of
	chain INTEGER NOT NULL REFERENCES chain, -- this one
	sum INTEGER NOT NULL,               -- CRC-32C of them
	extends INTEGER NOT NULL,           -- the snapshot before, when this one begins with it
	plain INTEGER NOT NULL,             -- 0 not compressed, 1 decoded whole, 2 cut, 3 limited
	plain_size INTEGER NOT NULL,
	plain_chain INTEGER NOT NULL,       -- the decoded content: first plain_size bytes of this chain
	plain_sum INTEGER NOT NULL
) STRICT;
CREATE INDEX snapshot_file ON snapshot (file, id);

CREATE TABLE chain (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	file INTEGER NOT NULL REFERENCES file,
	size INTEGER NOT NULL,
	blocks INTEGER NOT NULL,            -- how many
	prints INTEGER NOT NULL,            -- fingerprints of its filters, folded; 0: it has none
	list BLOB NOT NULL                  -- see list.go
) STRICT;

CREATE TABLE block (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	hash BLOB NOT NULL UNIQUE,          -- SHA-256 of the decoded bytes
	size INTEGER NOT NULL,              -- decoded
	codec INTEGER NOT NULL,             -- 1 zstd
	data BLOB NOT NULL
) STRICT;

CREATE TABLE filter (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	entries INTEGER NOT NULL,
	data BLOB NOT NULL                  -- see pack.go
) STRICT;

CREATE TABLE import (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	start INTEGER NOT NULL,             -- ns since 1970
	stop INTEGER NOT NULL,
	program TEXT NOT NULL,
	report TEXT NOT NULL                -- JSON
) STRICT;

CREATE TABLE rename (
	old BLOB PRIMARY KEY,
	new BLOB NOT NULL,
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rename_new ON rename (new);

CREATE TABLE mark (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	target BLOB NOT NULL,               -- id of a conversation or message
	kind TEXT NOT NULL,                 -- bookmark, tag, note
	value TEXT NOT NULL,
	at INTEGER NOT NULL,
	UNIQUE (target, kind, value)
) STRICT;

CREATE TABLE tombstone (
	target BLOB PRIMARY KEY,            -- id of what was forgotten
	at INTEGER NOT NULL,
	note TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
	name TEXT PRIMARY KEY,
	n INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// schema2 lets two archives be put together: what was done to marks and when, instead of what they are; when facts were
// set; and a name for this archive. No program wrote marks of version 1.
const schema2 = `
ALTER TABLE file ADD COLUMN seen INTEGER NOT NULL DEFAULT 0; -- when its stat facts and in_source were last set, ns since 1970
ALTER TABLE import ADD COLUMN machine TEXT NOT NULL DEFAULT ''; -- name of the archive that it brought up; empty: this one

-- Of two archives the later row counts. One whose new is its old says that the name has come back.
DROP INDEX rename_new;

DROP TABLE mark;
CREATE TABLE mark (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	target BLOB NOT NULL,               -- id of a conversation or message
	conversation BLOB NOT NULL,         -- that target belongs to, or is
	kind TEXT NOT NULL,                 -- star, tag, note
	value TEXT NOT NULL,
	at INTEGER NOT NULL,                -- ns since 1970
	gone INTEGER NOT NULL,              -- 1: it was taken away then
	UNIQUE (kind, value, target, at, gone)
) STRICT;

CREATE TABLE fact (
	name TEXT PRIMARY KEY,              -- machine: the name of this archive among those that are put together
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

// migrate brings the database up to the version that steps leads to. Each step and the version it reaches become durable
// together.
func migrate(ctx context.Context, c *sql.Conn, steps []func(context.Context, *sql.Tx) error) error {
	for {
		have, err := pragma(ctx, c, "user_version")
		if err != nil {
			return err
		}
		if have >= int64(len(steps)) {
			return nil
		}
		tx, err := c.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := step(ctx, tx, steps[have], have+1); err != nil {
			tx.Rollback()
			return fmt.Errorf("bring the archive to version %d: %w", have+1, err)
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
}

func step(ctx context.Context, tx *sql.Tx, do func(context.Context, *sql.Tx) error, version int64) error {
	if err := do(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, version))
	return err
}

// pragma reads a number.
func pragma(ctx context.Context, c *sql.Conn, name string) (n int64, err error) {
	err = c.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}
