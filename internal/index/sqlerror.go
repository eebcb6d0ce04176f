package index

import (
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
)

// The primary result codes of SQLite that say something about the index as a whole.
const (
	sqliteBusy    = 5
	sqliteLocked  = 6
	sqliteCorrupt = 11
	sqliteNotADB  = 26

	sqliteReadOnly = 8
	sqliteCantOpen = 14

	sqliteFull    = 13
	sqliteWrite   = 10 | 3<<8  // extended: a write failed
	sqliteShmSize = 10 | 19<<8 // extended: the file of the log's index could not be made larger
)

// IsFull reports whether an error says that a write did not go through for want of space: of the disk, of the user's
// quota, or of a limit of the file's size. Nothing of that commit is visible.
func IsFull(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case sqliteFull, sqliteWrite, sqliteShmSize:
			return true
		}
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT)
}

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
