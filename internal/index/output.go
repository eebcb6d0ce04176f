package index

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// output writes a segment file from front to end, section by section, and keeps the checksums of its chunks.
type output struct {
	file    *os.File
	buf     *bufio.Writer
	off     int64
	sum     uint32 // of the chunk that is being filled
	sums    []byte // of the full chunks, as they are written
	dir     directory
	current section
	err     error
}

// createOutput starts a segment file that must not exist yet.
func createOutput(path string) (*output, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot create segment %q: %w", path, err)
	}
	o := &output{file: f, buf: bufio.NewWriterSize(f, 1<<18)}
	o.Write([]byte(segmentMagic))
	return o, nil
}

// begin starts a section. Each is written once and in one piece.
func (o *output) begin(s section) {
	o.current = s
	o.dir.sections[s].off = o.off
}

// Write appends to the section that was begun. The first error is kept and returned by finish.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), int(chunkSize-o.off%chunkSize))]
		o.sum = crc32.Update(o.sum, castagnoli, part)
		if _, o.err = o.buf.Write(part); o.err != nil {
			return 0, o.err
		}
		o.off += int64(len(part))
		if o.off%chunkSize == 0 {
			o.endChunk()
		}
		p = p[len(part):]
	}
	return n, nil
}

func (o *output) endChunk() {
	o.sums = binary.LittleEndian.AppendUint32(o.sums, o.sum)
	o.sum = 0
}

// end ends the section that was begun.
func (o *output) end() {
	s := &o.dir.sections[o.current]
	s.len = o.off - s.off
}

// put writes a whole section.
func (o *output) put(s section, b []byte) {
	o.begin(s)
	o.Write(b)
	o.end()
}

// finish writes table, directory and footer, and syncs and closes the file. On an error the file is removed.
func (o *output) finish() (int64, error) {
	o.dir.tableAt = o.off
	if o.off%chunkSize != 0 {
		o.endChunk()
	}
	o.dir.tableSum = crc32.Checksum(o.sums, castagnoli)
	tail := o.dir.encode(o.dir.tableAt + int64(len(o.sums)))
	if o.err == nil {
		_, o.err = o.buf.Write(o.sums)
	}
	if o.err == nil {
		_, o.err = o.buf.Write(tail)
	}
	if o.err == nil {
		o.err = o.buf.Flush()
	}
	if o.err == nil {
		o.err = o.file.Sync()
	}
	if err := o.file.Close(); o.err == nil {
		o.err = err
	}
	if o.err != nil {
		os.Remove(o.file.Name())
		return 0, fmt.Errorf("cannot write segment: %w", o.err)
	}
	return o.dir.tableAt + int64(len(o.sums)) + int64(len(tail)), nil
}

// abandon removes a file that will not be finished.
func (o *output) abandon() {
	o.file.Close()
	os.Remove(o.file.Name())
}
