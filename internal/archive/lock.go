package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockName is the file whose lock an import holds. The lock is the system's own and dies with the process that holds it;
// the process id inside is there for people.
const lockName = "import.lock"

// errHeld says that another process holds a lock.
var errHeld = errors.New("held by another process")

// importLock is the held lock.
type importLock struct{ f *os.File }

// lockImport takes the import lock of a folder, or returns a *BusyError.
func lockImport(dir string) (*importLock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("import lock: %w", err)
	}
	err = lockFile(f)
	if errors.Is(err, errHeld) {
		busy := &BusyError{Dir: dir, PID: readPID(f)}
		f.Close()
		return nil, busy
	}
	if err == nil {
		err = writePID(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("import lock %q: %w", path, err)
	}
	return &importLock{f}, nil
}

// release gives the lock back. The file stays: removing it would let two processes lock two files of one name.
func (l *importLock) release() error {
	err := l.f.Truncate(0)
	return errors.Join(err, l.f.Close())
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(f *os.File) int {
	var b [20]byte
	n, _ := f.ReadAt(b[:], 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	return pid
}

// Importing reports whether another process holds the import lock of a folder now. It takes the lock for a moment to find
// out: do not ask without need.
func Importing(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f), errHeld)
}
