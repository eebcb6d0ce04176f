package archive

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
)

// Writer keeps files. There is one at a time in an archive; it holds the import lock. All methods are safe for
// concurrent use. Lists of the archive that it embeds show what is committed; the snapshots that Keep has returned can be
// opened at once.
//
// An error of the archive itself (ErrFull, ErrDamaged) is final: everything since the last commit is undone, and every
// later call returns the same error.
type Writer struct {
	*Archive
	lock  *importLock
	db    *sql.DB
	clerk *clerk
	jobs  chan job
	done  chan struct{}

	keeping sync.RWMutex // held for reading by every Keep: blocks that none refers to yet must not be swept
	blockID *sql.Stmt    // by hash, of what is committed
	closing sync.Once
	result  error // of Close
}

// job is something for the clerk to do: take a block, run (the result goes to reply), or stop.
type job struct {
	stop  bool
	block *newBlock
	run   func(*clerk) error
	reply chan<- error
}

// OpenWriter opens the archive in a folder for writing, and makes both when they are missing. The error is ErrBusy (a
// *BusyError) when another process imports, ErrNewer when a newer version wrote the archive.
func OpenWriter(dir string, o Options) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("archive: make its folder: %w", err)
	}
	path := filepath.Join(dir, fileName)
	if err := inspect(path); err != nil && !errors.Is(err, ErrNone) {
		return nil, err
	}
	lock, err := lockImport(dir)
	if err != nil {
		return nil, err
	}
	w, err := openLocked(dir, lock, o)
	if err != nil {
		lock.release()
		return nil, err
	}
	return w, nil
}

// openLocked opens the archive of which the lock is held.
func openLocked(dir string, lock *importLock, o Options) (*Writer, error) {
	path := filepath.Join(dir, fileName)
	// SQLite would make the file readable for all, and gives its own files the mode of this one.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	f.Close()
	db, err := openWriting(path, o.Pages)
	if err != nil {
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	c, err := db.Conn(background)
	var before int64
	if err == nil {
		before, err = pragma(background, c, "user_version")
	}
	if err == nil {
		err = migrate(background, c, migrations)
	}
	if err != nil {
		db.Close()
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	reading, err := openReading(path)
	if err != nil {
		db.Close()
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	a, err := newArchive(dir, reading, o)
	if err != nil {
		reading.Close()
		db.Close()
		return nil, err
	}
	blockID, err := reading.PrepareContext(background, "SELECT id FROM block WHERE hash = ?")
	if err != nil {
		a.Close()
		db.Close()
		return nil, explain(fmt.Sprintf("open %q", path), err)
	}
	w := &Writer{Archive: a, lock: lock, db: db, blockID: blockID, jobs: make(chan job, 8), done: make(chan struct{})}
	w.clerk = &clerk{c: c, now: a.now, fresh: map[hash]int64{}, sums: a.keepSums(before == 0)}
	a.ahead = func(do func(c *sql.Conn) error) error {
		return w.do(func(k *clerk) error { return do(k.c) })
	}
	go w.work()
	return w, nil
}

// openWriting opens the database with the settings on which the promises rest: a commit is on the disk when it returns.
func openWriting(path string, pages int64) (*sql.DB, error) {
	if pages <= 0 {
		pages = 8 << 20
	}
	return open(path, url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "fullfsync(1)", "checkpoint_fullfsync(1)",
		"journal_size_limit(67108864)", fmt.Sprintf("cache_size(-%d)", pages>>10), "secure_delete(fast)",
	}})
}

// work runs the clerk until Close: one goroutine does all the writing.
func (w *Writer) work() {
	defer close(w.done)
	for j := range w.jobs {
		switch {
		case j.stop:
			return
		case j.block != nil:
			w.clerk.take(j.block)
		case w.clerk.err != nil:
			j.reply <- w.clerk.err
		default:
			j.reply <- j.run(w.clerk)
		}
	}
}

// do has the clerk run something and returns its error.
func (w *Writer) do(run func(*clerk) error) error {
	reply := make(chan error, 1)
	if err := w.send(job{run: run, reply: reply}); err != nil {
		return err
	}
	select {
	case err := <-reply:
		return err
	case <-w.done:
	}
	select {
	case err := <-reply: // the last thing the clerk did
		return err
	default:
		return errClosed
	}
}

// send puts a job behind the others.
func (w *Writer) send(j job) error {
	select {
	case w.jobs <- j:
		return nil
	case <-w.done:
		return errClosed
	}
}

var errClosed = errors.New("archive: the writer is closed")

// Commit makes all that was done so far durable. Keep commits by itself when enough bytes have come together.
func (w *Writer) Commit() error { return w.do((*clerk).commit) }

// Close commits what is not committed and releases the lock. After a failure it returns that failure again.
func (w *Writer) Close() error {
	w.closing.Do(func() {
		w.keeping.Lock() // wait for every Keep
		defer w.keeping.Unlock()
		err := w.do((*clerk).end)
		w.send(job{stop: true})
		<-w.done
		if err == nil && w.clerk.stamped {
			w.storeSums(w.clerk.sums)
		}
		w.result = errors.Join(err, w.Archive.Close(), w.clerk.close(), w.db.Close(), w.lock.release())
	})
	return w.result
}
