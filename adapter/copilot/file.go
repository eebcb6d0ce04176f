package copilot

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"lore/adapter"
	"lore/adapter/kit"
)

// file is one file of an evidence, of which values are read by their place.
type file struct {
	name  string // as locators name it
	open  fs.File
	at    io.ReaderAt
	size  int64
	in    adapter.Input
	path  string
	large *kit.Lines // for values above maxValue

	buf   []byte // bytes of the file from bufAt on
	bufAt int64
}

// maxValue is the size of a value, of one part mostly, above which it is cut to the heads of its strings.
const maxValue = kit.DefaultMaxRecord

// ahead is how much is read at once: values are asked for in the order of the file, mostly.
const ahead = 256 << 10

func openFile(in adapter.Input, path string) (*file, error) {
	open, err := in.FS.Open(path)
	if err != nil {
		return nil, err
	}
	f := &file{name: in.Name(path), open: open, in: in, path: path}
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

// reduced reads a value above maxValue with its strings cut. Its bytes are valid until the next call.
func (f *file) reduced(s span) (kit.Value, error) {
	if f.large == nil {
		lines, err := kit.OpenLines(f.in, f.path, kit.Options{MaxRecord: maxValue})
		if err != nil {
			return kit.Value{}, err
		}
		f.large = lines
	}
	return f.large.At(s.off, s.len)
}

// head returns the first n bytes of a string above the bound, as a string of its own.
func (f *file) head(s span, n int64) ([]byte, error) {
	b, err := f.bytes(s.off, min(s.len, n))
	if err != nil {
		return nil, err
	}
	end := wholeEscapes(b)
	for back := 1; back <= utf8.UTFMax && back < end; back++ {
		if c := b[end-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[end-back : end]) {
				end -= back
			}
			break
		}
	}
	return append(append(make([]byte, 0, end+1), b[:end]...), '"'), nil
}

// wholeEscapes returns how much of the beginning of a string can stand without cutting an escape, or a pair of them.
func wholeEscapes(b []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(b[i:], '\\')
		if next < 0 {
			return len(b)
		}
		at := i + next
		switch {
		case at+1 < len(b) && b[at+1] != 'u':
			i = at + 2
		case at+12 <= len(b):
			i = at + 6
			if c := b[at+3]; (b[at+2]|0x20) == 'd' && (c == '8' || c == '9' || c|0x20 == 'a' || c|0x20 == 'b') {
				i = at + 12
			}
		default:
			return at
		}
	}
}
