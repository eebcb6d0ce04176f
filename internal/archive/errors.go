package archive

import (
	"errors"
	"fmt"
)

// ErrNone says that there is no archive in the folder.
var ErrNone = errors.New("no archive")

// ErrNewer says that a newer version of the program wrote the archive. It was not touched.
var ErrNewer = errors.New("archive of a newer version")

// ErrDamaged says that the archive holds something else than what was put into it. The message names the place.
var ErrDamaged = errors.New("damaged archive")

// ErrBusy says that another process is importing. The error is a *BusyError.
var ErrBusy = errors.New("archive is busy")

// ErrFull says that the disk, or the limit of a file's size, did not let a write through. What was not committed is
// undone; nothing is half-written.
var ErrFull = errors.New("no space left for the archive")

// ErrUnknown says that an id names no file or snapshot of this archive.
var ErrUnknown = errors.New("not in the archive")

// ErrConflict says that a file has a newer snapshot than the one that Keep was told to compare with.
var ErrConflict = errors.New("file was kept by somebody else meanwhile")

// BusyError names the process that holds the import lock.
type BusyError struct {
	Dir string // folder of the archive
	PID int    // process id of the holder; 0 when it could not be read
}

// Error tells who holds the lock.
func (e *BusyError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("archive %q is busy: another import is running; wait for it and run again", e.Dir)
	}
	return fmt.Sprintf("archive %q is busy: process %d is importing; wait for it and run again", e.Dir, e.PID)
}

// Is makes errors.Is(err, ErrBusy) true.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// ErrOlder says that an older version of the program wrote the archive: the next import brings it up.
var ErrOlder = errors.New("archive of an older version")
