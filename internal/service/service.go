// Package service is what the program can do, one file an operation: a request struct in, a result struct out. It knows
// archive, index and ingest and puts them together. It must not know how a request was typed or how a result is shown:
// that is a face's work. The result structs are the JSON of the command, field for field.
package service

import (
	"time"

	"lore/adapter"
)

// Service says where things live and what the world outside is. Every operation is a method of it.
type Service struct {
	Dir      string              // lore's own folder
	Home     string              // the home folder in which sources are looked for, absolute
	OwnHome  bool                // Home was given by the user: the tools' own variables are ignored
	Env      func(string) string // environment; never nil
	Adapters []adapter.Adapter
	Now      func() time.Time
	Zone     *time.Location // in which a query's days begin and end
	Memory   int64          // bytes an import may take at its peak; 0: DefaultMemory
	Build    string         // version of the program
	Letters  int            // of an id that are shown at least, 4 or more; 0: 12
	Config   string         // the configuration file, which need not exist; empty: there is none

	warm *warm // keeps what operations open; nil: each opens for itself

	// Progress is told how far an import is that another operation needs before it can answer; nil: nobody is. The last
	// call has the stage "done".
	Progress func(Progress)
}

// DefaultMemory is the peak memory of an import, in bytes, where nothing else is said.
const DefaultMemory = 256 << 20

// LeastMemory is the least that an import can be bounded to, in bytes. A history of small records stays within half as
// much again; a record is held whole up to 32 MB, and takes 160 MiB then.
const LeastMemory = 64 << 20
