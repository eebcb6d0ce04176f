package archive

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// Options are the settings of an archive. The zero value is good.
type Options struct {
	Cache int64            // bytes of decoded blocks that readers keep in memory; 0: 16 MiB
	Now   func() time.Time // clock; nil: time.Now
}

// Archive reads an archive. It is safe for concurrent use, and never waits for a Writer.
type Archive struct{}

// Open opens the archive in a folder for reading. It works in a folder that cannot be written to. The error is ErrNone
// when there is no archive, ErrNewer when this version cannot read it, ErrDamaged when it is not an archive at all.
func Open(dir string, o Options) (*Archive, error) { return nil, errors.ErrUnsupported }

// Close releases the archive. Readers that it gave are dead afterwards.
func (a *Archive) Close() error { return errors.ErrUnsupported }

// Files lists all files in the order of their ids.
func (a *Archive) Files() ([]File, error) { return nil, errors.ErrUnsupported }

// Snapshots lists the snapshots of a file, the newest first.
func (a *Archive) Snapshots(file int64) ([]Snapshot, error) { return nil, errors.ErrUnsupported }

// Snapshot returns one snapshot. The error is ErrUnknown when there is none of that id.
func (a *Archive) Snapshot(id int64) (Snapshot, error) { return Snapshot{}, errors.ErrUnsupported }

// OpenSnapshot opens the bytes of a snapshot as the source wrote them.
func (a *Archive) OpenSnapshot(id int64) (*SnapshotReader, error) {
	return nil, errors.ErrUnsupported
}

// OpenPlain opens the decoded content of a snapshot: what offsets in records and grep mean. It is the bytes themselves
// for a file that is not compressed.
func (a *Archive) OpenPlain(id int64) (*SnapshotReader, error) { return nil, errors.ErrUnsupported }

// SnapshotReader reads the bytes of a snapshot. ReadAt is safe for concurrent use; Read and Seek are not. Decoded blocks
// are shared between the readers of an archive and bounded by Options.Cache. There is nothing to close.
type SnapshotReader struct{}

// Size returns the number of bytes.
func (r *SnapshotReader) Size() int64 { return 0 }

// ReadAt implements io.ReaderAt.
func (r *SnapshotReader) ReadAt(p []byte, off int64) (int, error) { return 0, errors.ErrUnsupported }

// Read implements io.Reader.
func (r *SnapshotReader) Read(p []byte) (int, error) { return 0, errors.ErrUnsupported }

// Seek implements io.Seeker.
func (r *SnapshotReader) Seek(offset int64, whence int) (int64, error) {
	return 0, errors.ErrUnsupported
}

// WriteTo implements io.WriterTo.
func (r *SnapshotReader) WriteTo(w io.Writer) (int64, error) { return 0, errors.ErrUnsupported }

// FS makes a file system of snapshots: path below the place → snapshot id. Files hold the bytes as the source wrote
// them, implement io.ReaderAt and io.Seeker, and carry the time that the file had when it was kept.
func (a *Archive) FS(snapshots map[string]int64) fs.FS { return nil }
