package ingest

import (
	"runtime/debug"

	"lore/internal/archive"
	"lore/internal/index"
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

// held is the size up to which a file is read once into memory, kept from there and read from there, in bytes. A larger
// one is streamed into the archive and read from it.
func (o Options) held() int64 { return min(16<<20, o.memory()/16) }

// archiveOptions gives the archive its share of the memory.
func (o Options) archiveOptions() archive.Options {
	return archive.Options{Now: o.Now, Cache: min(16<<20, o.memory()/32), Pages: min(8<<20, o.memory()/32)}
}

// indexOptions gives each builder of the index its share of the memory.
func (o Options) indexOptions() index.WriterOptions {
	return index.WriterOptions{Memory: min(24<<20, o.memory()/10)}
}

// isHeavy reports whether reading an evidence may take so much memory that two at a time are too many: a document is held
// whole, and a file of lines may hold a line as long as a record may be.
func (r *run) isHeavy(j *job) bool {
	if j.source.Info == nil || len(j.source.Ranges) > 0 {
		return false
	}
	return j.source.Info.Size() > r.o.held()
}
