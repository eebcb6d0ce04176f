// Package archive is the truth on disk: the bytes that sources wrote, kept by hash, as they were at each import. What it
// holds can be taken out again byte for byte, long after the source has deleted or rewritten it; everything else that
// lore stores is computed from here and can be thrown away.
//
// One SQLite file, archive.db, holds blocks (SHA-256, zstd), chains (block lists that only grow), snapshots (how far a
// chain reached at one moment), files with their stat facts, trigram filters that let grep skip blocks, the import log,
// renamed ids, and what users add. docs/STORAGE.md tells the layout and what each promise rests on.
//
// An Archive reads and never waits for a writer. A Writer, of which there is one at a time on a machine, keeps files and
// is safe for use by several goroutines.
//
// The package knows no format of any source: content is bytes, at most bytes in lines. It does not know what a
// conversation is, and imports nothing of the program but the id that it can rename.
package archive
