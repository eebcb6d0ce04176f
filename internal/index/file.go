package index

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// segmentFile is an open segment file whose chunks are verified when they are first touched.
type segmentFile struct {
	m        *mapped
	dir      directory
	verified []atomic.Bool // by chunk
	first    sync.Mutex    // held while a chunk is touched for the first time
}

// openSegmentFile opens a file and verifies its footer, directory and checksum table.
func openSegmentFile(path string) (*segmentFile, error) {
	m, err := openMapped(path)
	if err != nil {
		return nil, err
	}
	f := &segmentFile{m: m}
	if err := f.readDirectory(); err != nil {
		m.close()
		return nil, err
	}
	return f, nil
}

func (f *segmentFile) readDirectory() error {
	size := int64(len(f.m.data))
	if size < int64(len(segmentMagic))+footerSize {
		return damaged("%d bytes", size)
	}
	if err := f.m.load(size-footerSize, size); err != nil {
		return err
	}
	foot, err := decodeFooter(f.m.data[size-footerSize:], size)
	if err != nil {
		return err
	}
	if err := f.m.load(foot.at, size-footerSize); err != nil {
		return err
	}
	if f.dir, err = decodeDirectory(f.m.data[foot.at:foot.at+int64(foot.len)], foot); err != nil {
		return err
	}
	if err := f.m.load(f.dir.tableAt, foot.at); err != nil {
		return err
	}
	if crc32.Checksum(f.m.data[f.dir.tableAt:foot.at], castagnoli) != f.dir.tableSum {
		return damaged("checksum of the checksum table")
	}
	f.verified = make([]atomic.Bool, chunks(f.dir.tableAt))
	if err := f.check(0, int64(len(segmentMagic))); err != nil {
		return err
	}
	if string(f.m.data[:len(segmentMagic)]) != segmentMagic {
		return damaged("no segment")
	}
	return nil
}

// check verifies the chunks that hold a range of the grid.
func (f *segmentFile) check(from, to int64) error {
	for c := from / chunkSize; c*chunkSize < to; c++ {
		if !f.verified[c].Load() {
			if err := f.touch(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// touch reads and verifies a chunk, once.
func (f *segmentFile) touch(c int64) error {
	f.first.Lock()
	defer f.first.Unlock()
	if f.verified[c].Load() {
		return nil
	}
	a, z := c*chunkSize, min((c+1)*chunkSize, f.dir.tableAt)
	if err := f.m.load(a, z); err != nil {
		return err
	}
	want := binary.LittleEndian.Uint32(f.m.data[f.dir.tableAt+4*c:])
	if crc32.Checksum(f.m.data[a:z], castagnoli) != want {
		return damaged("checksum of chunk %d", c)
	}
	f.verified[c].Store(true)
	return nil
}

// bytes returns n bytes of a section, verified. The caller must not keep them beyond close.
func (f *segmentFile) bytes(s section, off, n int64) ([]byte, error) {
	sec := f.dir.sections[s]
	if off < 0 || n < 0 || off > sec.len || n > sec.len-off {
		return nil, damaged("section %d has no bytes %d+%d", s, off, n)
	}
	from := sec.off + off
	if err := f.check(from, from+n); err != nil {
		return nil, err
	}
	return f.m.data[from : from+n : from+n], nil
}

// whole returns a section, verified.
func (f *segmentFile) whole(s section) ([]byte, error) { return f.bytes(s, 0, f.dir.sections[s].len) }

// row returns the bytes of one document in a column.
func (f *segmentFile) row(s section, doc uint32) ([]byte, error) {
	w := columnWidth[s]
	return f.bytes(s, int64(doc)*w, w)
}

func (f *segmentFile) close() error { return f.m.close() }
