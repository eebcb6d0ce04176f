package chatexport

import (
	"bytes"
	"context"
	"io"

	"lore/adapter/kit"
)

// maxElement is how many bytes one conversation may have. Of a larger one the head is read.
const maxElement = 64 << 20

// chunk is how much is read at once.
const chunk = 256 << 10

// fault says what is wrong with an element.
type fault int

const (
	sound     fault = iota
	damaged         // it is no JSON
	cutOff          // the file ends in it
	oversized       // above the bound
)

// element is one object of the top-level array, or of a file that is one object.
type element struct {
	number int // from 1
	offset int64
	line   int
	fault  fault
	data   []byte    // of a faulty one: a whole object of its head, or nil
	value  kit.Value // of data; valid until the next element
}

// elements reads the objects of a top-level array one after the other. Memory follows the largest one, up to the bound.
type elements struct {
	src   io.Reader
	max   int
	known func(kit.Value) bool // tells an element, to find the next one behind damage

	buf    []byte
	base   int64 // offset of buf[0]
	line   int   // of buf[0]
	number int
	err    error // io.EOF at the end

	bom    bool
	nuls   int
	strays int // runs of bytes that are no object
	stray  int // line of the first
	lost   bool
	barren int64 // no element begins before, in bytes that were searched
	doc    kit.Doc
	value  kit.Value // that was parsed last
}

func newElements(src io.Reader, max int, known func(kit.Value) bool) *elements {
	return &elements{src: src, max: max, known: known, line: 1}
}

// next returns the next element; nil at the end, which Err tells from a fault of reading.
func (e *elements) next(ctx context.Context) *element {
	if !e.seek(ctx) {
		return nil
	}
	e.number++
	el := &element{number: e.number, offset: e.base, line: e.line}
	var w walk
	at, s := 0, inside
	for {
		if at, s = w.take(e.buf, at); s != inside {
			break
		}
		if len(e.buf) > e.max || !e.fill(ctx) {
			break
		}
	}
	switch {
	case s == done && len(e.buf[:at]) <= e.max && e.parses(e.buf[:at]):
		el.data = e.take(at)
		e.lost = false
	case s == inside && e.err == nil || s == done && at > e.max:
		e.large(ctx, el, &w, at, s)
	default:
		e.rescue(ctx, el, at, s)
	}
	if el.data != nil {
		el.value = e.value
	}
	return el
}

// Err returns why reading ended early; nil at the end of the file.
func (e *elements) Err() error {
	if e.err == io.EOF {
		return nil
	}
	return e.err
}

func (e *elements) parses(b []byte) bool {
	var err error
	e.value, err = e.doc.Parse(b)
	return err == nil
}

// seek drops what stands before the next object.
func (e *elements) seek(ctx context.Context) bool {
	inStray := false
	for {
		i := 0
		if e.base == 0 && !e.bom && e.number == 0 {
			for len(e.buf) < 3 && e.fill(ctx) {
			}
			if e.bom = bytes.HasPrefix(e.buf, []byte("\xef\xbb\xbf")); e.bom {
				i = 3
			}
		}
		for ; i < len(e.buf) && e.buf[i] != '{'; i++ {
			switch e.buf[i] {
			case ' ', '\t', '\r', '\n', '[', ']':
			case ',':
				inStray = false
			case 0:
				e.nuls++
			default:
				if !inStray && !e.lost {
					if e.strays++; e.strays == 1 {
						e.stray = e.line + bytes.Count(e.buf[:i], []byte("\n"))
					}
				}
				inStray = true
			}
		}
		e.drop(i)
		if len(e.buf) > 0 {
			return true
		}
		if !e.fill(ctx) {
			return false
		}
	}
}

// large takes the head of an element above the bound and passes by the rest.
func (e *elements) large(ctx context.Context, el *element, w *walk, at int, s state) {
	if s == inside {
		if p := e.search(e.buf); p > 0 { // a string without end, rather
			e.split(el, p)
			return
		}
	}
	if el.fault, el.data = oversized, head(e.buf[:e.max]); !e.parses(el.data) {
		el.data = nil
	}
	for s == inside {
		e.drop(at)
		if at = 0; !e.fill(ctx) {
			return
		}
		at, s = w.take(e.buf, at)
	}
	e.drop(at)
	e.lost = s == broken
}

// rescue goes on behind damage: at the next element that is whole, else where the brackets say.
func (e *elements) rescue(ctx context.Context, el *element, at int, s state) {
	for len(e.buf) <= e.max && e.fill(ctx) {
	}
	if p := e.search(e.buf); p > 0 {
		e.split(el, p)
		return
	}
	el.fault = damaged
	if s == inside {
		el.fault = cutOff
	}
	e.lost = s != done
	el.data = e.headOf(e.take(max(at, 1)))
}

// split ends a damaged element where the next one begins.
func (e *elements) split(el *element, p int) {
	el.fault, el.data = damaged, e.headOf(e.take(p))
}

// headOf returns what of a damaged element decodes.
func (e *elements) headOf(b []byte) []byte {
	h := head(b)
	v, err := e.doc.Parse(h)
	if e.value = v; err == nil {
		return h
	}
	if syntax, ok := err.(*kit.SyntaxError); ok {
		if h = head(b[:min(syntax.Offset, len(b))]); h != nil && e.parses(h) {
			return h
		}
	}
	return nil
}

// take returns the first n bytes and drops them. They stay valid: what is read next goes behind them.
func (e *elements) take(n int) []byte {
	b := e.buf[:n:n]
	e.base += int64(n)
	e.line += bytes.Count(b, []byte("\n"))
	e.buf = e.buf[n:]
	return b
}

func (e *elements) drop(n int) {
	e.base += int64(n)
	e.line += bytes.Count(e.buf[:n], []byte("\n"))
	e.buf = e.buf[n:]
}

// fill reads more. False at the end.
func (e *elements) fill(ctx context.Context) bool {
	if e.err == nil {
		e.err = ctx.Err()
	}
	if e.err != nil {
		return false
	}
	had := len(e.buf)
	if cap(e.buf)-had < chunk {
		e.buf = append(make([]byte, 0, max(2*had, 2*chunk)), e.buf...)
	}
	n, err := io.ReadFull(e.src, e.buf[had:had+chunk])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	e.buf, e.err = e.buf[:had+n], err
	return n > 0
}
