package archive

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"lore"
)

// Writer keeps files. There is one at a time in an archive; it holds the import lock. All methods are safe for
// concurrent use. The archive that it embeds sees only what was committed; the snapshots that Keep has returned can be
// opened at once.
//
// An error of the archive itself (ErrFull, ErrDamaged) is final: everything since the last commit is undone, and every
// later call returns the same error.
type Writer struct{ *Archive }

// OpenWriter opens the archive in a folder for writing, and makes both when they are missing. The error is ErrBusy (a
// *BusyError) when another process imports, ErrNewer when a newer version wrote the archive.
func OpenWriter(dir string, o Options) (*Writer, error) { return nil, errors.ErrUnsupported }

// Close commits what is not committed and releases the lock.
func (w *Writer) Close() error { return errors.ErrUnsupported }

// Commit makes all that was done so far durable. Keep commits by itself when enough bytes have come together.
func (w *Writer) Commit() error { return errors.ErrUnsupported }

// KeepRequest asks to keep one file.
type KeepRequest struct {
	// File is the file as the archive knows it, or, with ID 0, the key (Source, Store, Path) of one that may be new.
	// Of is taken over; Stat is what the file system said before Content was opened.
	File File

	// Content is read to its end. When it is an io.ReaderAt too (an *os.File, a *bytes.Reader), a file that has grown
	// is not read from the beginning.
	Content io.Reader

	// Lines says that the content is lines, and grows by lines: it is cut at line ends, and believed to have grown when
	// the blocks before the old end are as they were. Whole compares all of it all the same.
	Lines bool
	Whole bool

	// Zstd says that the content is zstd: its decoded content is kept beside it, as Lines or not.
	Zstd bool
}

// Change says what Keep found.
type Change uint8

// The file is as it was; it is new; it has grown; it holds other bytes.
const (
	Unchanged Change = iota
	Created
	Appended
	Rewritten
)

// Kept is what Keep did.
type Kept struct {
	File     File     // with its id, the new stat facts, InSource set
	Snapshot Snapshot // the newest one now; the one before when nothing changed
	Change   Change
	New      int64 // bytes that were not in the archive before, uncompressed
}

// Keep puts the content of a file into the archive. The same content gives the snapshot that is there. An error of
// Content is returned as it is, and nothing of that file is kept.
func (w *Writer) Keep(ctx context.Context, k KeepRequest) (Kept, error) {
	return Kept{}, errors.ErrUnsupported
}

// Touch sets the stat facts of a file whose content is known to be as it was, and that it is in the source.
func (w *Writer) Touch(file int64, st Stat) error { return errors.ErrUnsupported }

// Gone says of files that an import looked for them and they are not in the source any more.
func (w *Writer) Gone(files ...int64) error { return errors.ErrUnsupported }

// SetReader says with which version of the reading rules a file was last read, and, when store is not empty, of which
// store it turned out to be.
func (w *Writer) SetReader(file int64, version int, store string) error {
	return errors.ErrUnsupported
}

// Import is one line of the import log.
type Import struct {
	ID         int64
	Start, End time.Time
	Program    string          // version of the program
	Report     json.RawMessage // what the import said in the end
}

// LogImport adds a line to the import log and returns its id.
func (w *Writer) LogImport(i Import) (int64, error) { return 0, errors.ErrUnsupported }

// Imports returns the newest n lines of the import log, the newest first. n < 1: all.
func (a *Archive) Imports(n int) ([]Import, error) { return nil, errors.ErrUnsupported }

// Rename says that what was printed as old is now called new. Every earlier rename to old leads to new from now on.
func (w *Writer) Rename(old, new lore.ID) error { return errors.ErrUnsupported }

// Resolve returns the id that a once printed id has now: id itself when it was never renamed.
func (a *Archive) Resolve(id lore.ID) (lore.ID, error) { return id, errors.ErrUnsupported }

// Renames lists all renames, old → new, for marks and the index to follow.
func (a *Archive) Renames() (map[lore.ID]lore.ID, error) { return nil, errors.ErrUnsupported }
