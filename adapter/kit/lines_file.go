package kit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"

	"lore"
)

const (
	// What a compressed file may expand to. Histories shrink to a fifth or a twentieth; a file beyond these is a bomb.
	expandFree  = 64 << 20
	expandRatio = 256
	maxWindow   = 32 << 20

	window      = 256 << 10 // read at once when access goes forward
	smallWindow = 16 << 10  // and when it jumps
	keepDecoded = 16 << 20  // a compressed file whose content is this small is held once access jumps back
)

// content is a file, decoded when it is compressed: as a stream from its start, and by place.
type content struct {
	file  fs.File
	at    io.ReaderAt
	size  int64 // of the file when it was opened: what is appended later is not read
	zstd  bool
	fault *fault // found by the stream

	buf      []byte // bytes of the content from bufAt on
	bufAt    int64
	next     io.ReadCloser // continues behind buf in a compressed file
	buffered bool
}

// fault says how a compressed file ends early.
type fault struct {
	code lore.Code
	what string
}

func openContent(fsys fs.FS, path string) (*content, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	c := &content{file: file}
	if err := c.inspect(); err != nil {
		file.Close()
		return nil, err
	}
	return c, nil
}

// inspect finds out the size and, by its first bytes, whether the file is compressed: an archive may hold the decoded
// content under the compressed file's name.
func (c *content) inspect() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	at, ok := c.file.(io.ReaderAt)
	if !ok {
		return fmt.Errorf("%T cannot be read by place", c.file)
	}
	c.at, c.size = at, info.Size()
	var head [4]byte
	n, err := at.ReadAt(head[:min(c.size, 4)], 0)
	if err != nil && err != io.EOF {
		return err
	}
	c.zstd = IsZstd(head[:n])
	return nil
}

// IsZstd reports whether the bytes begin a zstd frame, or a skippable one. JSON begins with neither.
func IsZstd(b []byte) bool {
	magic, skippable := []byte{0x28, 0xb5, 0x2f, 0xfd}, []byte{0x2a, 0x4d, 0x18}
	if len(b) < 4 {
		return len(b) >= 2 && bytes.HasPrefix(magic, b)
	}
	return bytes.Equal(b, magic) || b[0]&0xf0 == 0x50 && bytes.Equal(b[1:], skippable)
}

func (c *content) close() error {
	if c.next != nil {
		c.next.Close()
	}
	return c.file.Close()
}

// stream reads the content from its start.
func (c *content) stream() (io.ReadCloser, error) {
	return c.streamFrom(0)
}

// streamFrom reads the content from an offset on; what is compressed, only from its start.
func (c *content) streamFrom(offset int64) (io.ReadCloser, error) {
	raw := io.NewSectionReader(c.at, offset, c.size-offset)
	if !c.zstd {
		return io.NopCloser(raw), nil
	}
	dec, err := zstd.NewReader(bufio.NewReaderSize(raw, 64<<10),
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &decoded{c: c, dec: dec, left: expandFree + expandRatio*c.size}, nil
}

// decoded reads a zstd file. An early end is the end, with a fault noted: what comes before it is good.
type decoded struct {
	c    *content
	dec  *zstd.Decoder
	done int64
	left int64
}

func (d *decoded) Close() error {
	d.dec.Close()
	return nil
}

func (d *decoded) Read(p []byte) (int, error) {
	if d.left <= 0 {
		if n, _ := d.dec.Read(p[:min(len(p), 1)]); n > 0 {
			d.c.fault = &fault{lore.DecompressionLimit, fmt.Sprintf("read up to %d bytes of a file of %d", d.done, d.c.size)}
		}
		return 0, io.EOF
	}
	n, err := d.dec.Read(p[:min(int64(len(p)), d.left)])
	d.done += int64(n)
	d.left -= int64(n)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		d.c.fault = &fault{lore.DecompressionLimit, fmt.Sprintf("a frame wants a window above %d bytes; read up to %d bytes", maxWindow, d.done)}
	case errors.As(err, new(*fs.PathError)):
		return n, err
	default:
		d.c.fault = &fault{lore.TruncatedStream, fmt.Sprintf("ends after %d decoded bytes: %v", d.done, err)}
	}
	return n, io.EOF
}

// section reads length bytes from offset on as a stream.
func (c *content) section(offset, length int64) (io.Reader, error) {
	if !c.zstd {
		return io.NewSectionReader(c.at, offset, min(length, max(c.size-offset, 0))), nil
	}
	if err := c.rewind(offset); err != nil {
		return nil, err
	}
	c.buf, c.bufAt = c.buf[:0], offset
	return io.LimitReader(&consuming{c}, length), nil
}

// consuming reads on in a compressed file and keeps the place that content knows right.
type consuming struct{ c *content }

func (r *consuming) Read(p []byte) (int, error) {
	n, err := r.c.next.Read(p)
	r.c.bufAt += int64(n)
	return n, err
}

// bytes returns length bytes from offset on, valid until the next call.
func (c *content) bytes(offset, length int64) ([]byte, error) {
	end := offset + length
	if offset >= c.bufAt && end <= c.bufAt+int64(len(c.buf)) {
		return c.buf[offset-c.bufAt : end-c.bufAt], nil
	}
	if c.zstd {
		return c.decodedBytes(offset, length)
	}
	if offset < 0 || length < 0 || end > c.size {
		return nil, io.ErrUnexpectedEOF
	}
	want := int64(smallWindow)
	if had := c.bufAt + int64(len(c.buf)); offset >= c.bufAt && offset < had+window {
		want = window
	}
	n := min(max(want, length), c.size-offset)
	if int64(cap(c.buf)) < n {
		c.buf = make([]byte, n)
	}
	c.buf, c.bufAt = c.buf[:n], offset
	if got, err := c.at.ReadAt(c.buf, offset); int64(got) < n {
		c.buf = c.buf[:0]
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return c.buf[:length], nil
}

// rewind stands the decoder at offset, at or behind the end of buf. Going back means to decode from the start again.
func (c *content) rewind(offset int64) error {
	if c.next == nil || offset < c.bufAt+int64(len(c.buf)) {
		if c.next != nil {
			c.next.Close()
		}
		next, err := c.stream()
		if err != nil {
			return err
		}
		c.next, c.buf, c.bufAt = next, c.buf[:0], 0
	}
	skip := offset - c.bufAt - int64(len(c.buf))
	_, err := io.CopyN(io.Discard, c.next, skip)
	return err
}

// decodedBytes is bytes for a compressed file: a window over the decoded stream that moves forward, or, once access
// has jumped back in a small file, all of it.
func (c *content) decodedBytes(offset, length int64) ([]byte, error) {
	if c.next == nil {
		if err := c.rewind(0); err != nil {
			return nil, err
		}
	}
	if offset < c.bufAt && !c.buffered {
		c.buffered = true
		if err := c.rewind(0); err != nil {
			return nil, err
		}
		if err := c.refill(keepDecoded); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, err
		}
		if offset+length <= int64(len(c.buf)) {
			return c.buf[offset : offset+length], nil
		}
	}
	had := c.bufAt + int64(len(c.buf))
	if offset < c.bufAt || offset > had {
		if err := c.rewind(offset); err != nil {
			return nil, err
		}
		c.buf, c.bufAt = c.buf[:0], offset
	} else { // the record begins in the window and ends behind it
		c.buf, c.bufAt = c.buf[:copy(c.buf, c.buf[offset-c.bufAt:])], offset
	}
	err := c.refill(int(max(length, window)))
	if int64(len(c.buf)) < length {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return c.buf[:length], nil
}

// refill decodes until buf holds n bytes.
func (c *content) refill(n int) error {
	had := len(c.buf)
	if cap(c.buf) < n {
		c.buf = append(make([]byte, 0, n), c.buf...)
	}
	if n <= had {
		return nil
	}
	got, err := io.ReadFull(c.next, c.buf[had:n])
	c.buf = c.buf[:had+got]
	return err
}
