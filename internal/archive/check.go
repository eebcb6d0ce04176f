package archive

import (
	"context"
	"errors"
)

// Fault is one thing that is wrong in an archive.
type Fault struct {
	What     string // "block", "chain", "snapshot", "file", "filter", "database"
	Name     string // hash or id of the thing
	Files    []string
	Snapshot int64 // first snapshot that suffers; 0: none
	Detail   string
}

// Report is what Check found.
type Report struct {
	Files, Snapshots, Blocks int
	Bytes                    int64 // of all blocks, decoded
	Unused                   int   // blocks that no snapshot needs any more
	Faults                   []Fault
}

// Check walks the archive: every file, snapshot and block list, that every block is there; when full is set it also
// decodes and hashes every block and recomputes every sum and filter. Faults are in the report, an error means that the
// walk itself could not be done.
func (a *Archive) Check(ctx context.Context, full bool) (Report, error) {
	return Report{}, errors.ErrUnsupported
}

// Stats are figures of an archive.
type Stats struct {
	Files, Snapshots, Blocks int
	Content                  int64 // bytes of the newest snapshots
	Stored                   int64 // bytes of all blocks as they are stored
	Disk                     int64 // bytes of archive.db and its WAL
}

// Stats returns the figures of the archive.
func (a *Archive) Stats() (Stats, error) { return Stats{}, errors.ErrUnsupported }
