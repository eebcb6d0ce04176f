package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"lore/internal/fault"
)

// Purge writes every segment and the catalogue anew, so that nothing of deleted messages is left in the files, and the
// space is given back. Every segment: one that was merged may hold texts of messages that it does not know any more. Nothing may be staged. A process that dies in it leaves the index as it was, or
// some of its segments written anew.
func (w *Writer) Purge(ctx context.Context) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if w.staging || len(w.pending) > 0 || len(w.active) > 0 {
		return errors.New("index: a purge while something is staged")
	}
	for _, old := range slices.Clone(w.open) {
		name := newName()
		path := filepath.Join(w.dir, name)
		chosen := []*segment{old}
		size, docs, err := mergeSegments(ctx, path, chosen, true)
		if err != nil {
			return err
		}
		if err := w.swap(chosen, name, size, docs); err != nil {
			os.Remove(path)
			return err
		}
		if docs == 0 {
			os.Remove(path)
		}
	}
	for _, query := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		fault.At("index: before " + query)
		if err := w.plain(query); err != nil {
			return err
		}
		fault.At("index: behind " + query)
		w.sums.Committed()
	}
	w.committed = true
	return nil
}

// plain runs a statement that no prepared statement may be open beside.
func (w *Writer) plain(query string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.stmts {
		s.Close()
	}
	w.stmts = nil
	_, err := w.conn.ExecContext(context.Background(), query)
	return rebuildError(err)
}

// Bytes returns the size of the index's files in a folder, in bytes.
func Bytes(dir string) (sum int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum, nil
}
