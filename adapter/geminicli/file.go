package geminicli

import (
	"fmt"
	"io"
	"io/fs"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxValue is the size of one message above which it is cut to the heads of its strings.
const maxValue = kit.DefaultMaxRecord

// ahead is how much is read at once: messages are asked for in the order of the file, mostly.
const ahead = 128 << 10

// file is one file of an evidence, of which values are read by their place.
type file struct {
	name   string // as locators name it
	path   string
	source string
	in     adapter.Input
	open   fs.File
	at     io.ReaderAt
	size   int64
	large  *kit.Lines // for values above maxValue

	doc   kit.Doc
	buf   []byte // bytes of the file from bufAt on
	bufAt int64
}

func openFile(in adapter.Input, path string) (*file, error) {
	open, err := in.FS.Open(path)
	if err != nil {
		return nil, err
	}
	f := &file{name: in.Name(path), path: path, source: in.Source.Product, in: in, open: open}
	info, err := open.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is not a regular file", path)
	}
	if err == nil {
		var ok bool
		if f.at, ok = open.(io.ReaderAt); !ok {
			err = fmt.Errorf("%q cannot be read by place", path)
		}
	}
	if err != nil {
		open.Close()
		return nil, err
	}
	f.size = info.Size()
	return f, nil
}

func (f *file) close() {
	if f == nil {
		return
	}
	if f.large != nil {
		f.large.Close()
	}
	f.open.Close()
}

// bytes returns n bytes, valid until the next call.
func (f *file) bytes(offset, n int64) ([]byte, error) {
	if offset >= f.bufAt && offset+n <= f.bufAt+int64(len(f.buf)) {
		return f.buf[offset-f.bufAt:][:n], nil
	}
	if offset < 0 || n < 0 || offset+n > f.size {
		return nil, io.ErrUnexpectedEOF
	}
	want := min(max(n, ahead), f.size-offset)
	if int64(cap(f.buf)) < want {
		f.buf = make([]byte, want)
	}
	f.buf, f.bufAt = f.buf[:want], offset
	if got, err := f.at.ReadAt(f.buf, offset); int64(got) < want {
		f.buf = f.buf[:0]
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return f.buf[:n], nil
}

// value parses the value at a place. It is valid until the next call. One above the bound has its strings cut.
func (f *file) value(offset, n int64) (kit.Value, error) {
	if n > maxValue {
		if f.large == nil {
			lines, err := kit.OpenLines(f.in, f.path, kit.Options{MaxRecord: maxValue})
			if err != nil {
				return kit.Value{}, err
			}
			f.large = lines
		}
		return f.large.At(offset, n)
	}
	b, err := f.bytes(offset, n)
	if err != nil {
		return kit.Value{}, err
	}
	return f.doc.Parse(b)
}

func (f *file) loss(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
	return lore.Loss{Code: code, Severity: severity, Source: f.source, File: f.name, Line: line, What: what, Count: 1}
}
