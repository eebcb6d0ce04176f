package index

import (
	"context"
	"path/filepath"
	"strconv"

	"lore/internal/pages"
)

// sumsName is the file of the sums of the catalogue's pages: see the package pages. Their stamp is the generation.
const sumsName = "catalog.sums"

// keepSums begins to keep the sums. Those of an empty catalogue are computed at once.
func (w *Writer) keepSums() {
	var all func() (*pages.Sums, error)
	if w.generation == 0 {
		all = func() (*pages.Sums, error) { return pages.Of(context.Background(), w.db) }
	}
	w.sums = pages.Keep(filepath.Join(w.dir, catalogName), filepath.Join(w.dir, sumsName), w.generation, all)
}

// done follows a commit.
func (w *Writer) done() {
	w.staging, w.committed = false, true
	w.generation++
	w.sums.Committed()
	w.forget()
}

// storeSums writes the file of sums. A failure is none of the index's: the file then has an old stamp.
func (w *Writer) storeSums() {
	if !w.committed {
		return
	}
	var generation int64
	err := w.db.QueryRow("SELECT value FROM meta WHERE key = 'generation'").Scan(&generation)
	if err == nil {
		w.sums.Close(context.Background(), w.db, generation)
	}
}

// firstPage writes the first page of the catalogue, though to the same: so a new generation changes two pages, and a
// flipped byte one.
func (w *Writer) firstPage() error { return w.exec("PRAGMA user_version = " + strconv.Itoa(Version)) }
