package ingest

import (
	"runtime/debug"

	"lore/adapter/kit"
)

// boundMemory sets the collector for an import that is to stay below a bound, and returns how to undo it. What an import
// holds is bounded by what it reads at a time; this is a net below that, and spares the heap that an idle collector
// would let grow. With arenas, collecting more often costs next to nothing.
func boundMemory(bytes int64) (undo func()) {
	percent := debug.SetGCPercent(50)
	limit := debug.SetMemoryLimit(bytes * 5 / 8) // the rest is SQLite's and the runtime's own
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// heavy reports whether reading an evidence may take so much memory that two at a time are too many: a document is held
// whole, and a file of lines may hold a line as long as a record may be.
func (j *job) heavy() bool {
	if j.source.Info == nil || len(j.source.Ranges) > 0 {
		return false
	}
	if isLines(j.source.Path) {
		return j.source.Info.Size() > kit.DefaultMaxRecord
	}
	return j.source.Info.Size() > heldWhole
}
