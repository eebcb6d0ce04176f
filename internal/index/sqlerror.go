package index

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// The primary result codes of SQLite that say something about the index as a whole.
const (
	sqliteBusy    = 5
	sqliteLocked  = 6
	sqliteCorrupt = 11
	sqliteNotADB  = 26
)

// rebuildError turns what SQLite says into the package's errors: damage is ErrRebuild, a lock is ErrBusy.
func rebuildError(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqliteCorrupt, sqliteNotADB, 1: // 1: a table is not there
		return fmt.Errorf("catalogue: %v: %w", err, ErrRebuild)
	case sqliteBusy, sqliteLocked:
		return fmt.Errorf("catalogue: %v: %w", err, ErrBusy)
	}
	return fmt.Errorf("catalogue: %w", err)
}
