package copilot

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lore/adapter/kit"
)

// errSyntax says that the bytes do not go on as JSON.
var errSyntax = errors.New("no JSON")

// walker reads JSON front to back through a small window: it finds where values begin and end and holds none of them, so
// that a session of any size is laid out in memory as places. It trusts strings to be strings; whether a value is sound
// shows when it is parsed.
type walker struct {
	from io.ReaderAt
	end  int64 // no byte from here on is read
	base int64 // offset of buf[0]
	buf  []byte
	pos  int // in buf
	room []byte
	err  error   // of reading
	doc  kit.Doc // for keys
	key  []byte
}

// windowSize is how much a walker reads at once.
const windowSize = 64 << 10

// reset stands the walker at a place.
func (w *walker) reset(from io.ReaderAt, offset, end int64) {
	if w.room == nil {
		w.room = make([]byte, windowSize)
	}
	w.from, w.base, w.end, w.buf, w.pos, w.err = from, offset, end, nil, 0, nil
}

// at returns the offset of the next byte.
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
			case ' ', '\t', '\r', '\n', 0:
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

// span is the place of a value, and its first byte.
type span struct {
	off, len int64
	kind     byte // '{', '[', '"', or the first byte of another scalar
}

// skip passes by one value.
func (w *walker) skip() (span, error) {
	c := w.peek()
	s := span{off: w.at(), kind: c}
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
		escape := bytes.IndexByte(part, '\\')
		switch {
		case escape >= 0:
			w.pos += escape + 1
			if w.pos >= len(w.buf) && !w.fill() {
				return false
			}
			w.pos++
			continue
		case quote >= 0:
			w.pos += quote + 1
			return true
		}
		if !w.fill() {
			return false
		}
	}
}

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

// array visits the elements of the array that begins here. visit has to pass by the element.
func (w *walker) array(visit func() error) error {
	if !w.accept('[') {
		return w.fault()
	}
	if w.accept(']') {
		return nil
	}
	for {
		if err := visit(); err != nil {
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

// maxKey is how long a member's name may be to be told from others.
const maxKey = 4 << 10

// name reads the key of a member.
func (w *walker) name() (string, error) {
	if w.peek() != '"' {
		return "", w.fault()
	}
	start := w.at()
	whole := w.buf[w.pos:]
	if !w.str() {
		return "", w.fault()
	}
	n := w.at() - start
	if n > maxKey {
		return "", nil
	}
	if n > int64(len(whole)) || w.base > start {
		w.key = append(w.key[:0], make([]byte, n)...)
		if _, err := w.from.ReadAt(w.key, start); err != nil {
			return "", err
		}
		whole = w.key
	}
	raw := whole[:n]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : n-1]), nil
	}
	v, err := w.doc.Parse(raw)
	if err != nil {
		return "", nil
	}
	return v.String(), nil
}
