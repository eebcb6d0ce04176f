package kit

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

const (
	sqliteMagic      = "SQLite format 3\x00"
	sqliteHeaderSize = 100
)

// view is a database as it was at one moment, put together from its file, its write-ahead log and its hot journal, page
// by page and on demand. It implements io.ReaderAt. What was read may be used once settle has returned nil after it.
type view struct {
	db, wal, journal beside
	log              *walLog  // nil: no log, or one without a header
	undo             *undoLog // nil: no hot journal

	page  int    // page size
	pages uint32 // size of the database in pages
	head  [sqliteHeaderSize]byte

	// What the database file and a journal that is not hot looked like; compared where no log tells what happens.
	rawHead [sqliteHeaderSize]byte
	size    int64
	time    time.Time
	cold    [journalHeaderSize]byte

	read      bool                // something was read since the last settle
	unsettled []uint32            // pages read from the database's own file since then
	later     map[uint32]struct{} // pages that were committed after the moment of the view
	fault     error               // the last error of a file, which SQLite does not hand on
	moved     error               // why the view can no longer be read; final
	based     bool                // all is noted that movement is measured by
	closed    bool
}

// openView takes a view. An error that wraps ErrMoving says that the database changed meanwhile.
func openView(fsys fs.FS, path string) (*view, error) {
	v := &view{later: map[uint32]struct{}{}, read: true}
	err := v.open(fsys, path)
	if err == nil || v.based {
		// What is wrong with a database while it changes is not wrong with it.
		err = cmp.Or(v.settle(), err)
	}
	if err == nil && v.db.replaced(v.rawHead[:]) {
		err = v.move("another file took its place")
	}
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *view) open(fsys fs.FS, path string) (err error) {
	if v.db, err = openBeside(fsys, path); err != nil {
		return err
	}
	if v.db.file == nil {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if v.wal, err = openBeside(fsys, path+"-wal"); err != nil {
		return err
	}
	if v.journal, err = openBeside(fsys, path+"-journal"); err != nil {
		return err
	}
	if err = v.readLogs(); err != nil {
		return err
	}
	// Only now: what a settle finds unchanged was then so before the logs were read to their end, and since.
	if err = v.readRaw(); err != nil {
		return err
	}
	v.based = true
	if err = v.measure(); err != nil {
		return err
	}
	if _, err = v.ReadAt(v.head[:], 0); err != nil {
		return err
	}
	return checkHeader(v.head[:])
}

// readLogs reads the log and the journal.
func (v *view) readLogs() error {
	var hint [18]byte
	if _, err := readUpTo(v.db.file, hint[:], 0); err != nil {
		return err
	}
	if v.wal.file != nil {
		log, err := readWAL(v.wal.file)
		if err != nil {
			return err
		}
		v.log = log
	}
	if v.journal.file == nil {
		return nil
	}
	undo, err := readJournal(v.journal.file, v.journal.info.Size(), pageSizeOf(hint[:]))
	if err != nil {
		return err
	}
	// A journal beside an empty file is of an older database of that name; one whose shared journal is gone has ended.
	if undo != nil && v.db.info.Size() > 0 && v.db.sibling(undo.super) {
		v.undo = undo
		return nil
	}
	_, err = readUpTo(v.journal.file, v.cold[:], 0)
	v.journal.close() // not to keep its writer from deleting it, where an open file cannot be deleted
	return err
}

// readRaw notes what the database's own file looks like.
func (v *view) readRaw() error {
	if _, err := readUpTo(v.db.file, v.rawHead[:], 0); err != nil {
		return err
	}
	info, err := v.db.handle.Stat()
	if err != nil {
		return err
	}
	v.size, v.time = info.Size(), info.ModTime()
	return nil
}

// measure finds the page size and the number of pages.
func (v *view) measure() error {
	switch {
	case v.log != nil && v.log.frames > 0:
		v.page, v.pages = v.log.page, v.log.pages
		return nil
	case v.undo != nil && v.undo.pages > 0:
		v.page, v.pages = v.undo.page, v.undo.pages
		return nil
	case v.size == 0 || v.undo != nil:
		return ErrEmptyDatabase
	case v.size < sqliteHeaderSize && strings.HasPrefix(sqliteMagic, string(v.rawHead[:min(v.size, 16)])):
		return fmt.Errorf("only %d bytes of the database: %w", v.size, ErrCorrupt)
	}
	if err := checkHeader(v.rawHead[:]); err != nil {
		return err
	}
	v.page = pageSizeOf(v.rawHead[:])
	v.pages = uint32(min(v.size/int64(v.page), 1<<32-2))
	// The count in the header holds when it was written by the last change. A longer file has unused pages at its end; a
	// shorter one is cut, and says so where a page is missing.
	count := binary.BigEndian.Uint32(v.rawHead[28:])
	if count != 0 && string(v.rawHead[24:28]) == string(v.rawHead[92:96]) {
		v.pages = count
	}
	return nil
}

// checkHeader checks what has to be so in the first bytes of any database.
func checkHeader(head []byte) error {
	if string(head[:16]) != sqliteMagic {
		return ErrNotDatabase
	}
	if v, f := head[19], binary.BigEndian.Uint32(head[44:]); v > 2 || f > 4 {
		return fmt.Errorf("file format %d, schema format %d: %w", v, f, ErrNewerFormat)
	}
	if !validPageSize(pageSizeOf(head)) {
		return fmt.Errorf("page size %d: %w", pageSizeOf(head), ErrCorrupt)
	}
	return nil
}

// pageSizeOf reads the page size in a database's header.
func pageSizeOf(head []byte) int {
	n := int(binary.BigEndian.Uint16(head[16:]))
	if n == 1 {
		return largestPage
	}
	return n
}

// ReadAt reads from the database as it was at the moment of the view.
func (v *view) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		page := off/int64(v.page) + 1
		if page > int64(v.pages) {
			return n, io.EOF
		}
		within := off % int64(v.page)
		part := p[n:min(len(p), n+v.page-int(within))]
		if err := v.readPage(part, uint32(page), within); err != nil {
			v.fault = err
			return n, err
		}
		n += len(part)
		off += int64(len(part))
	}
	return n, nil
}

// readPage reads a part of one page.
func (v *view) readPage(part []byte, page uint32, within int64) error {
	if v.closed {
		return fs.ErrClosed
	}
	v.read = true
	file, at := v.db.file, int64(page-1)*int64(v.page)
	logged, undone := false, false
	if v.log != nil {
		var o int64
		if o, logged = v.log.find(page); logged {
			file, at = v.wal.file, o
		}
	}
	if v.undo != nil && !logged {
		var o int64
		if o, undone = v.undo.find(page); undone {
			file, at = v.journal.file, o
		}
	}
	if !logged && !undone {
		v.unsettled = append(v.unsettled, page)
	}
	n, err := readUpTo(file, part, at+within)
	if err == nil && n < len(part) {
		err = fmt.Errorf("page %d of %d lies beyond the end of the file: %w", page, v.pages, ErrCorrupt)
	}
	// These two bytes say that the database keeps a write-ahead log. It is in the view already.
	for o := int64(18); o <= 19 && page == 1; o++ {
		if i := o - within; i >= 0 && i < int64(len(part)) && part[i] == 2 {
			part[i] = 1
		}
	}
	return err
}

func (v *view) close() {
	v.closed = true
	v.db.close()
	v.wal.close()
	v.journal.close()
}

// reason returns why a read failed, when it was for a file and not for what is in it.
func (v *view) reason() error {
	err := v.fault
	v.fault = nil
	return lockedError(err)
}
