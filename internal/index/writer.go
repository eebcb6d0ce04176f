package index

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"lore"
	"lore/internal/pages"
)

// WriterOptions tunes a writer.
type WriterOptions struct {
	// Memory is how many bytes the builder of one session may hold before it spills to a segment file. 0: 24 MiB.
	Memory int64
}

const defaultMemory = 24 << 20

// Writer changes an index. There is one at a time; the caller holds the archive's import lock. Sessions of it may work
// on different goroutines. Nothing is visible to a reader before Commit, and nothing of a writer that was closed or
// killed before it ever is.
//
// The catalogue's methods answer, on a writer, with what was staged as well as what was committed.
type Writer struct {
	Catalog
	dir    string
	memory int64
	db     *sql.DB

	open       []*segment // committed segments, by seq
	generation int64
	nextRow    int64
	nextSeq    int64
	sums       *pages.Keeper
	committed  bool // by this writer

	staging  bool // a transaction is open
	stage    sync.Mutex
	sessions []*Session
	pending  []*pendingSegment     // written, not committed
	deleted  map[*segment]bitset   // staged deletions in committed segments
	staged   map[int64][]stagedRun // where conversations of this commit are, by row
	active   map[lore.ID]bool      // conversations between Begin and Finish
	paths    map[int64]string      // of evidences, by id
}

// pendingSegment is a segment that no reader sees yet. deleted is guarded by Writer.stage.
type pendingSegment struct {
	name    string
	size    int64
	docs    uint32
	deleted map[uint32]bool
}

// stagedRun is documents of a conversation in a segment that no reader sees yet.
type stagedRun struct {
	in           *pendingSegment
	first, count uint32
}

// OpenWriter opens the index in dir, or makes an empty one. An index of another version or a damaged one is ErrRebuild;
// the caller then opens a writer on a new folder.
func OpenWriter(dir string, o WriterOptions) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the index: %w", err)
	}
	db, err := openCatalog(dir, true)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, memory: o.Memory, db: db}
	if w.memory <= 0 {
		w.memory = defaultMemory
	}
	if err := w.load(); err != nil {
		w.Close()
		return nil, err
	}
	w.sweep()
	return w, nil
}

func (w *Writer) load() (err error) {
	if w.conn, err = w.db.Conn(context.Background()); err != nil {
		return rebuildError(err)
	}
	if err := checkVersion(w.conn); err != nil {
		return err
	}
	w.forget()
	if w.generation, err = w.meta("generation"); err != nil {
		return err
	}
	if w.nextRow, err = w.meta("next_row"); err != nil {
		return err
	}
	w.nextRow = max(w.nextRow, 1)
	w.keepSums()
	return w.openSegments()
}

// forget drops what was staged in memory.
func (w *Writer) forget() {
	w.pending, w.deleted = nil, map[*segment]bitset{}
	w.staged, w.active, w.paths = map[int64][]stagedRun{}, map[lore.ID]bool{}, map[int64]string{}
}

// openSegments opens the files of the manifest that are not open yet and closes those that left it.
func (w *Writer) openSegments() error {
	rows, err := w.segmentRows()
	if err != nil {
		return err
	}
	known := map[string]*segment{}
	for _, s := range w.open {
		known[s.name] = s
	}
	w.open = w.open[:0:0]
	for _, r := range rows {
		s := known[r.name]
		if s == nil {
			if s, err = openSegment(w.dir, r); errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("%v: %w", err, ErrRebuild)
			} else if err != nil {
				return err
			}
		} else if s.deleted, err = bitsetOf(r.docs, r.deletions); err != nil {
			return err
		}
		s.gone = r.deleted
		delete(known, r.name)
		w.open = append(w.open, s)
		w.nextSeq = max(w.nextSeq, r.seq)
	}
	for _, s := range known {
		s.close()
	}
	return nil
}

// sweep removes segment files that the manifest does not name: what a killed import left, and what was merged. A file
// that the system does not let go is removed another time.
func (w *Writer) sweep() {
	names, err := filepath.Glob(filepath.Join(w.dir, "*"+segmentSuffix))
	if err != nil {
		return
	}
	named := map[string]bool{}
	for _, s := range w.open {
		named[s.name] = true
	}
	for _, p := range w.pending {
		named[p.name] = true
	}
	for _, s := range w.sessions {
		if s.into != nil {
			named[s.into.name] = true
		}
	}
	for _, path := range names {
		if !named[filepath.Base(path)] {
			os.Remove(path)
		}
	}
}

const segmentSuffix = ".seg"

// newName returns a name that no segment file had before.
func newName() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:]) + segmentSuffix
}

// Session returns a builder for one worker goroutine. It is used by one goroutine at a time, and until the writer is
// closed.
func (w *Writer) Session() *Session {
	s := &Session{w: w, builder: newBuilder()}
	w.stage.Lock()
	defer w.stage.Unlock()
	w.sessions = append(w.sessions, s)
	return s
}

// begin opens the transaction in which everything is staged.
func (w *Writer) begin() error {
	if w.staging {
		return nil
	}
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.staging = true
	generation, err := w.meta("generation")
	if err == nil && generation != w.generation {
		err = ErrBusy
	}
	if err != nil {
		w.rollback()
	}
	return err
}

func (w *Writer) rollback() {
	w.exec("ROLLBACK")
	w.staging = false
}

// exec runs one statement.
func (w *Writer) exec(query string, args ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.stmt(query)
	if err != nil {
		return err
	}
	_, err = s.Exec(args...)
	return rebuildError(err)
}

// Close drops what was staged and not committed, and closes the catalogue.
func (w *Writer) Close() error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if w.staging {
		w.rollback()
	}
	for _, p := range w.pending {
		os.Remove(filepath.Join(w.dir, p.name))
	}
	for _, s := range w.open {
		s.close()
	}
	w.open, w.sessions = nil, nil
	w.forget()
	w.closeConn()
	w.storeSums()
	return w.db.Close()
}

// evidencePath returns the path of an evidence; "" when it is not known.
func (w *Writer) evidencePath(id int64) string {
	if p, ok := w.paths[id]; ok {
		return p
	}
	var path string
	if err := w.one("SELECT path FROM evidences WHERE id = ?", []any{id}, &path); err != nil && !errors.Is(err, ErrNotFound) {
		return ""
	}
	w.paths[id] = path
	return path
}

// trimLines keeps an error to one line.
func trimLines(s string) string { return strings.Join(strings.Fields(s), " ") }
