package index

import (
	"context"

	"lore"
)

// WriterOptions tunes a writer.
type WriterOptions struct {
	// Memory is how many bytes the builder of one session may hold before it spills to a segment file. 0: 24 MiB.
	Memory int64
}

// Writer changes an index. There is one at a time; the caller holds the archive's import lock. Sessions of it may work
// on different goroutines. Nothing is visible to a reader before Commit, and nothing of a writer that was closed or
// killed before it ever is.
//
// The catalogue's methods answer, on a writer, with what was staged as well as what was committed.
type Writer struct {
	Catalog
}

// OpenWriter opens the index in dir, or makes an empty one. An index of another version or a damaged one is ErrRebuild;
// the caller then opens a writer on a new folder.
func OpenWriter(dir string, o WriterOptions) (*Writer, error) { return nil, ErrNone }

// Session returns a builder for one worker goroutine. It is used by one goroutine at a time.
func (w *Writer) Session() *Session { return &Session{w: w} }

// PutEvidence stages what was read of an evidence, in the place of what was known of it.
func (w *Writer) PutEvidence(e Evidence) error { return nil }

// DropEvidence stages that an evidence is no longer in the archive: its row, its links and its facts go. Conversations
// stay until they are put again or removed.
func (w *Writer) DropEvidence(id int64) error { return nil }

// PutFacts stages the facts that one evidence says about conversations of other evidences, in the place of all that it
// said before.
func (w *Writer) PutFacts(evidence int64, facts []Fact) error { return nil }

// SetInSource stages whether a conversation is still at its source, without reading it again.
func (w *Writer) SetInSource(conv lore.ID, in bool) error { return nil }

// Remove stages that a conversation is gone, with its messages, links and columns.
func (w *Writer) Remove(conv lore.ID) error { return nil }

// Commit writes what the sessions hold to segment files, syncs them, and makes all that was staged visible in one
// transaction. The writer and its sessions can be used on. No session may be between Begin and Finish.
func (w *Writer) Commit(ctx context.Context, s Stamp) error { return nil }

// MergeOptions bounds a merge.
type MergeOptions struct {
	// Bytes is how many bytes of segments one call may read. 0: no bound.
	Bytes int64
}

// Merge puts small segments together and drops deleted messages from them, and makes that visible. It is for after a
// commit, when nobody waits: readers that are open go on with the old files. It reports whether more could be merged.
// Nothing may be staged.
func (w *Writer) Merge(ctx context.Context, o MergeOptions) (more bool, err error) { return false, nil }

// Close drops what was staged and not committed, and closes the catalogue.
func (w *Writer) Close() error { return nil }
