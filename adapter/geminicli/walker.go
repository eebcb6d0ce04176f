package geminicli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lore/adapter/kit"
)

// errSyntax says that the bytes do not go on as JSON.
var errSyntax = errors.New("no JSON")

// windowSize is how much a walker reads at once.
const windowSize = 64 << 10

// maxKey is how long the name of a member may be to be told from others.
const maxKey = 1 << 10

// walker finds where the values of a document begin and end, through a small window, so that the messages of a document
// of any size are known by their places. It trusts strings to be strings; whether a value is sound shows when it is
// parsed.
type walker struct {
	from io.ReaderAt
	end  int64 // no byte from here on is read
	base int64 // offset of buf[0]
	buf  []byte
	pos  int // in buf
	room []byte
	line int   // physical line of the next byte, counted from where the walk began
	nuls int   // NUL bytes that peek passed by
	err  error // of reading
	doc  kit.Doc
	key  []byte
}

func newWalker(from io.ReaderAt, offset, end int64, line int) *walker {
	return &walker{from: from, base: offset, end: end, line: line, room: make([]byte, windowSize)}
}

// span is the place of a value, its line and its first byte.
type span struct {
	off, len int64
	line     int32
	kind     byte
}

func (w *walker) at() int64 { return w.base + int64(w.pos) }

// fill reads on. False: there is no more.
func (w *walker) fill() bool {
	w.base += int64(len(w.buf))
	w.pos = 0
	n := min(int64(windowSize), w.end-w.base)
	if n <= 0 || w.err != nil {
		w.buf = nil
		return false
	}
	got, err := w.from.ReadAt(w.room[:n], w.base)
	w.buf = w.room[:got]
	if err != nil && err != io.EOF {
		w.err = err
	}
	return got > 0
}

// peek returns the next byte that is no white space; 0 at the end. NULs between values are padding.
func (w *walker) peek() byte {
	for {
		for ; w.pos < len(w.buf); w.pos++ {
			switch c := w.buf[w.pos]; c {
			case '\n':
				w.line++
			case 0:
				w.nuls++
			case ' ', '\t', '\r':
			default:
				return c
			}
		}
		if !w.fill() {
			return 0
		}
	}
}

// accept consumes a byte when it is the next one.
func (w *walker) accept(c byte) bool {
	if w.peek() == c {
		w.pos++
		return true
	}
	return false
}

// fault says where the bytes cease to be JSON, or why they cannot be read.
func (w *walker) fault() error {
	if w.err != nil {
		return w.err
	}
	if w.peek() == 0 {
		return fmt.Errorf("%w: ends inside of a value at byte %d", errSyntax, w.at())
	}
	return fmt.Errorf("%w from byte %d on", errSyntax, w.at())
}

// skip passes by one value.
func (w *walker) skip() (span, error) {
	c := w.peek()
	s := span{off: w.at(), line: int32(w.line), kind: c}
	ok := false
	switch c {
	case '{', '[':
		ok = w.container()
	case '"':
		ok = w.str()
	case 0, '}', ']', ',', ':':
	default:
		ok = w.scalar()
	}
	if !ok {
		return s, w.fault()
	}
	s.len = w.at() - s.off
	return s, nil
}

// container passes by an object or array, whatever nests in it.
func (w *walker) container() bool {
	depth := 0
	for {
		for w.pos < len(w.buf) {
			switch w.buf[w.pos] {
			case '"':
				if !w.str() {
					return false
				}
				continue
			case '\n':
				w.line++
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					w.pos++
					return true
				}
			}
			w.pos++
		}
		if !w.fill() {
			return false
		}
	}
}

// str passes by a string; the next byte is its quote.
func (w *walker) str() bool {
	w.pos++
	for {
		rest := w.buf[w.pos:]
		quote := bytes.IndexByte(rest, '"')
		part := rest
		if quote >= 0 {
			part = rest[:quote]
		}
		if escape := bytes.IndexByte(part, '\\'); escape >= 0 {
			w.line += bytes.Count(part[:escape], newline)
			w.pos += escape + 1
			if w.pos >= len(w.buf) && !w.fill() {
				return false
			}
			w.pos++
			continue
		}
		w.line += bytes.Count(part, newline)
		if quote >= 0 {
			w.pos += quote + 1
			return true
		}
		if !w.fill() {
			return false
		}
	}
}

var newline = []byte{'\n'}

func (w *walker) scalar() bool {
	for {
		for ; w.pos < len(w.buf); w.pos++ {
			switch w.buf[w.pos] {
			case ',', '}', ']', ':', ' ', '\t', '\r', '\n', 0, '"', '{', '[':
				return true
			}
		}
		if !w.fill() {
			return w.err == nil
		}
	}
}

// object visits the members of the object that begins here. visit has to pass by the member's value.
func (w *walker) object(visit func(key string) error) error {
	if !w.accept('{') {
		return w.fault()
	}
	if w.accept('}') {
		return nil
	}
	for {
		key, err := w.name()
		if err != nil {
			return err
		}
		if !w.accept(':') {
			return w.fault()
		}
		if err := visit(key); err != nil {
			return err
		}
		if w.accept('}') {
			return nil
		}
		if !w.accept(',') {
			return w.fault()
		}
	}
}

// array visits the places of the elements of the array that begins here.
func (w *walker) array(visit func(span) error) error {
	if !w.accept('[') {
		return w.fault()
	}
	if w.accept(']') {
		return nil
	}
	for {
		s, err := w.skip()
		if err != nil {
			return err
		}
		if err := visit(s); err != nil {
			return err
		}
		if w.accept(']') {
			return nil
		}
		if !w.accept(',') {
			return w.fault()
		}
	}
}

// name reads the key of a member; "" for one that no reader could know.
func (w *walker) name() (string, error) {
	if w.peek() != '"' {
		return "", w.fault()
	}
	start := w.at()
	if !w.str() {
		return "", w.fault()
	}
	n := w.at() - start
	if n > maxKey {
		return "", nil
	}
	if cap(w.key) < int(n) {
		w.key = make([]byte, maxKey)
	}
	w.key = w.key[:n]
	if got, err := w.from.ReadAt(w.key, start); got < int(n) {
		return "", err
	}
	v, err := w.doc.Parse(w.key)
	if err != nil {
		return "", nil
	}
	return v.String(), nil
}
