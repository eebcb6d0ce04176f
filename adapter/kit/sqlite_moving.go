package kit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
)

// beside is a file of a database (itself, its log, its journal), held open.
type beside struct {
	fsys   fs.FS
	path   string
	handle fs.File     // nil: there is none
	file   io.ReaderAt // the same
	info   fs.FileInfo // as it was when it was opened
}

// openBeside opens a file. One that is not there is no error; one that is no file, or that another program keeps to itself,
// is. A pipe is not opened: that would wait for a writer.
func openBeside(fsys fs.FS, path string) (beside, error) {
	b := beside{fsys: fsys, path: path}
	info, err := fs.Stat(fsys, path)
	if err == nil && !info.Mode().IsRegular() {
		return b, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err == nil {
		b.handle, err = fsys.Open(path)
	}
	if err == nil {
		b.info, err = b.handle.Stat()
	}
	if errors.Is(err, fs.ErrNotExist) {
		b.close()
		return b, nil
	}
	var ok bool
	if b.file, ok = b.handle.(io.ReaderAt); !ok && err == nil {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("no random access")}
	}
	if err != nil {
		b.close()
	}
	return b, lockedError(err)
}

func (b *beside) close() {
	if b.handle != nil {
		b.handle.Close()
	}
	b.handle, b.file = nil, nil
}

// replaced reports whether the path leads to another file by now, or to none. Where the file system does not tell files
// apart, it goes by their first bytes, which have to be head.
func (b *beside) replaced(head []byte) bool {
	info, err := fs.Stat(b.fsys, b.path)
	if err != nil {
		return true
	}
	if os.SameFile(b.info, b.info) {
		return !os.SameFile(b.info, info)
	}
	now := make([]byte, len(head))
	return b.peek(now) != nil || !bytes.Equal(now, head)
}

// peek reads the first bytes of whatever is at the path now; zero bytes stand for what is not there.
func (b *beside) peek(head []byte) error {
	now, err := openBeside(b.fsys, b.path)
	if err != nil || now.file == nil {
		return err
	}
	defer now.close()
	_, err = readUpTo(now.file, head, 0)
	return err
}

// sibling reports whether a file named like the given path, on whatever machine, lies in the same folder; so it is for
// an empty name.
func (b *beside) sibling(name string) bool {
	if name == "" {
		return true
	}
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	_, err := fs.Stat(b.fsys, path.Join(path.Dir(b.path), name))
	return err == nil
}

// lockedError says of an error that another program keeps the file to itself, when that is what it means.
func lockedError(err error) error {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return err
	}
	const sharingViolation, lockViolation = 32, 33 // of Windows
	locked := no == syscall.EBUSY || no == syscall.EAGAIN
	if runtime.GOOS == "windows" {
		locked = no == sharingViolation || no == lockViolation
	}
	if locked {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}

// settle returns nil when all that was read so far is of one moment, else an error that wraps ErrMoving, for good. It
// goes by the order in which SQLite writes: a commit reaches the log, or the original page the journal, before the
// database file changes, so a look at these after a page was read tells whether that page was still the old one.
func (v *view) settle() error {
	if v.moved != nil || !v.read {
		return v.moved
	}
	why, err := v.movement()
	if err != nil {
		return lockedError(err)
	}
	if why != "" {
		return v.move(why)
	}
	v.read, v.unsettled = false, v.unsettled[:0]
	return nil
}

func (v *view) move(why string) error {
	v.moved = fmt.Errorf("%w: %s", ErrMoving, why)
	return v.moved
}

// movement says what moved, "" for nothing.
func (v *view) movement() (why string, err error) {
	if v.undo != nil {
		same, err := v.undo.same()
		if err != nil || !same || v.journal.replaced(v.undo.head[:]) {
			return "the transaction in its journal ended", err
		}
	}
	if v.log != nil {
		return v.logMovement()
	}
	if v.undo != nil {
		return "", nil // the transaction may change the file as it likes: what it overwrites is in the journal
	}
	return v.fileMovement()
}

// fileMovement looks for a transaction where there is no log and was no journal. By the header it would be found in a
// log, whose first bytes come before all others, or in a journal: one that has not ended has it still, one that ended in
// between has changed the counter in the header. (To pass from log to journal or back changes the header too.)
func (v *view) fileMovement() (string, error) {
	if v.rawHead[19] == 2 {
		var log walLog
		if err := v.wal.peek(log.head[:]); err != nil {
			return "", err
		}
		if log.parseHead() {
			return "a write-ahead log was begun", nil
		}
	} else {
		var journal [journalHeaderSize]byte
		if err := v.journal.peek(journal[:]); err != nil {
			return "", err
		}
		if string(journal[:8]) == journalMagic && journal != v.cold {
			return "a transaction began", nil
		}
	}
	var head [sqliteHeaderSize]byte
	if _, err := readUpTo(v.db.file, head[:], 0); err != nil {
		return "", err
	}
	info, err := v.db.handle.Stat()
	if err != nil {
		return "", err
	}
	if head != v.rawHead || info.Size() != v.size || !info.ModTime().Equal(v.time) {
		return "a transaction changed the file", nil
	}
	return "", nil
}

// logMovement looks at the log. That it grows moves nothing. But a page that was committed after the view was taken, and
// that was then read from the database's own file, may have been checkpointed into it.
func (v *view) logMovement() (string, error) {
	if err := v.log.grew(func(page, _ uint32) { v.later[page] = struct{}{} }); err != nil {
		return "", err
	}
	doubt := false
	for _, page := range v.unsettled {
		_, later := v.later[page]
		doubt = doubt || later
	}
	if doubt && v.checkpointed() {
		return "pages were checkpointed while they were read", nil
	}
	// Last, because it vouches for all that was read of the log until now.
	same, err := v.log.same()
	if err != nil || !same || v.wal.replaced(v.log.head[:]) {
		return "the write-ahead log was reset", err
	}
	return "", nil
}

// checkpointed reports whether frames that the view does not hold may have been copied into the database. The shared
// index of the log, where there is a live one, knows how far a checkpoint has come; it is only read.
func (v *view) checkpointed() bool {
	const size, attemptedAt = 136, 128
	var b [size]byte
	index := beside{fsys: v.db.fsys, path: v.db.path + "-shm"}
	if index.peek(b[:]) != nil {
		return true
	}
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	// An index that knows every commit we know is in use, and not left from before a crash.
	live := word(0) == walVersion && b[12] == 1 && string(b[32:40]) == string(v.log.head[16:24]) && word(16) >= v.log.frames
	copied, attempted := word(96), word(attemptedAt)
	return !live || copied > attempted || attempted > v.log.view
}
