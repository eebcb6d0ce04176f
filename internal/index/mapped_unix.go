//go:build unix

package index

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapped is a read-only file as bytes. Here the system maps it: a page is read when it is first touched.
type mapped struct {
	data []byte
}

func openMapped(path string) (*mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		return &mapped{}, nil
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	return &mapped{data: data}, nil
}

// load makes sure that a range of data can be read.
func (m *mapped) load(from, to int64) error { return nil }

// release gives back the memory of what was read: the system reads it again where it is needed. That it cannot costs
// memory and nothing else.
func (m *mapped) release() {
	if m.data != nil {
		unix.Madvise(m.data, unix.MADV_DONTNEED)
	}
}

func (m *mapped) close() error {
	if m.data == nil {
		return nil
	}
	data := m.data
	m.data = nil
	return syscall.Munmap(data)
}
