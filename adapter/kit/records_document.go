package kit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lore"
	"lore/adapter"
)

// DefaultMaxDocument is the size above which a document is not read, in bytes: it is held whole while it is, and an
// import has to stay within its bound. Its bytes are archived whatever their number.
const DefaultMaxDocument = 96 << 20

// Whole is a file that holds one JSON document.
type Whole struct {
	Value  Value
	Size   int64 // bytes of the file, decoded
	Losses []lore.Loss
}

// Document reads a file that is one JSON document, up to max bytes (0: DefaultMaxDocument). A file that is empty or
// holds only white space or NULs has an absent Value and no error. Errors: that of opening or reading; one that wraps
// adapter.ErrMalformed when the bytes are no JSON; one that wraps ErrTooLarge.
func Document(in adapter.Input, path string, max int64) (*Whole, error) {
	if max <= 0 {
		max = DefaultMaxDocument
	}
	b, fault, err := readWhole(in, path, max)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	w := &Whole{Size: int64(len(b))}
	loss := losses{source: in.Source.Product, file: in.Name(path)}
	defer func() { w.Losses = loss.list }()
	if fault != nil {
		loss.add(fault.code, lore.Warning, 0, fault.what)
	}
	if bytes.HasPrefix(b, bom) {
		b = b[len(bom):]
		loss.add(lore.BOMStripped, lore.Info, 0, plural(int64(len(bom)), "byte"))
	}
	doc := &Doc{maxNodes: maxDocumentNodes}
	if n := doc.skipSpace(b, 0); n == len(b) {
		if doc.nuls > 0 {
			loss.add(lore.NulPadding, lore.Warning, 0, plural(int64(doc.nuls), "NUL byte"))
		}
		return w, nil
	}
	if w.Value, err = doc.Parse(b); err != nil {
		return nil, fmt.Errorf("%w: %q: %w", adapter.ErrMalformed, path, err)
	}
	flaws := doc.Flaws()
	if flaws.NULs > 0 {
		loss.add(lore.NulPadding, lore.Warning, 0, plural(int64(flaws.NULs), "NUL byte"))
	}
	if flaws.InvalidUTF8 > 0 {
		loss.add(lore.InvalidUTF8, lore.Warning, 0, plural(int64(flaws.InvalidUTF8), "byte"))
	}
	if flaws.LoneSurrogates > 0 {
		loss.add(lore.LoneSurrogate, lore.Info, 0, plural(int64(flaws.LoneSurrogates), "escape"))
	}
	return w, nil
}

// maxDocumentNodes bounds the tape of a document to about half the size that its bytes may have.
const maxDocumentNodes = DefaultMaxDocument / 2 / 16

// HoldContent reads a whole file, decoded when it is compressed, into memory that is just as large. The error wraps
// ErrTooLarge when it has more than DefaultMaxDocument bytes.
func HoldContent(in adapter.Input, path string) ([]byte, error) {
	b, _, err := readWhole(in, path, DefaultMaxDocument)
	return b, err
}

func readWhole(in adapter.Input, path string, max int64) ([]byte, *fault, error) {
	c, err := openContent(in.FS, path)
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	if !c.zstd && c.size > max {
		return nil, nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, c.size)
	}
	stream, err := c.stream()
	if err != nil {
		return nil, nil, err
	}
	defer stream.Close()
	var buf bytes.Buffer
	if !c.zstd {
		buf.Grow(int(c.size) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(stream, max+1))
	if err == nil && n > max {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, max)
	}
	return buf.Bytes(), c.fault, err
}

// Content opens a file as the stream that offsets are counted in: decoded when it is compressed, up to where it can be.
func Content(in adapter.Input, path string) (io.ReadCloser, error) {
	c, err := openContent(in.FS, path)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	stream, err := c.stream()
	if err != nil {
		c.close()
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	return both{stream, c}, nil
}

// both closes a stream and then the file below it.
type both struct {
	io.ReadCloser
	file *content
}

func (b both) Close() error { return errors.Join(b.ReadCloser.Close(), b.file.close()) }
