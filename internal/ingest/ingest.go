// Package ingest takes what sources wrote into the archive and the index: find, keep, read, join, seal, put. It is the
// only place that knows this order. It knows no format (adapters read) and no surface (a report is data).
package ingest

import (
	"time"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/config"
)

// Options says what to import and with what.
type Options struct {
	Dir      string // lore's own folder
	Machine  Machine
	Adapters []adapter.Adapter
	Paths    []string // what a user named; empty: look for every source
	Verify   bool     // read and compare also what seems unchanged
	Reindex  bool     // compute the index anew from the archive
	Memory   int64    // bytes at the peak; 0: 256 MiB
	Exclude  config.Exclude
	Program  string // version of the program, for the import log
	Now      func() time.Time
	Progress func(Progress) // may be nil; called by one goroutine at a time

	// Changed names the folders of which something has changed, home-collapsed, with the paths below them that have: no
	// more than these is looked at. A folder without paths is looked at as a whole. Nil: nothing is known.
	Changed map[string][]string

	// Within lets only what the archive holds be read: no source is looked at.
	Within bool

	// Before puts something into the archive before anything is looked at, under the same lock. Nil: nothing is.
	Before func(*archive.Writer) error

	resume int64 // size of a file from which on a resume point is kept; 0: resumeFrom
	step   int64 // bytes between two places where one could be; 0: adapter.DefaultStep
}

// Progress is how far an import is.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
	Conversations     int
}

// Report is what an import did.
type Report struct {
	Sources  []SourceReport // in the order of the names
	Losses   []lore.Loss
	Failures []Failure

	BytesRead int64
	Total     int // conversations in the end
	New       int
	Changed   int
	Kept      int  // conversations that their source has deleted
	Looked    bool // at least one source exists on this machine, or in what was named
}

// SourceReport counts one source.
type SourceReport struct {
	Source        string
	Found         int // evidences
	Read          int
	Unchanged     int
	Failed        int
	Excluded      int // evidences, or places, that the configuration leaves out
	Conversations int // that were put
	Messages      int // of these
}

// Failure is an evidence, or a place, that could not be read.
type Failure struct {
	Source string
	File   string // home-collapsed
	Err    error
}

// memory returns the bound on what an import holds.
func (o Options) memory() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	return 256 << 20
}
