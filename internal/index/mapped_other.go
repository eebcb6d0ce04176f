//go:build !unix

package index

import "os"

// mapped is a read-only file as bytes. Here each range is read when it is first asked for: the memory is only touched
// where the file was.
type mapped struct {
	data []byte
	file *os.File
}

func openMapped(path string) (*mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &mapped{data: make([]byte, info.Size()), file: f}, nil
}

// load makes sure that a range of data can be read. Each is asked for once, before anybody reads it.
func (m *mapped) load(from, to int64) error {
	_, err := m.file.ReadAt(m.data[from:to], from)
	return err
}

// release does nothing: what was read is in memory of our own until the file is closed.
func (m *mapped) release() {}

func (m *mapped) close() error {
	if m.file == nil {
		return nil
	}
	f := m.file
	m.file, m.data = nil, nil
	return f.Close()
}
