package archive

import (
	"context"
	"io"
	"unsafe"
)

// Finder looks for the literals of a needle in bytes that are no part of an archive: a file at its source, a text that
// was read out of it. It may be used by several goroutines.
type Finder struct{ f *finder }

// Finder returns the finder of the needle's literals.
func (n Needle) Finder() *Finder { return &Finder{newFinder(n.Literals, n.FoldCase)} }

// Any reports whether there is nothing to look for, so that everything may match.
func (f *Finder) Any() bool { return len(f.f.literals) == 0 }

// Occurrences is where the literals stand in one text. It goes forward only, and is used by one goroutine.
type Occurrences struct{ s *finding }

// In starts a search in a text.
func (f *Finder) In(s string) Occurrences {
	// The bytes are only read, so they need not be copied.
	return Occurrences{f.f.in(unsafe.Slice(unsafe.StringData(s), len(s)))}
}

// From returns where the first literal at or after pos begins, -1 when there is none. pos never goes back.
func (o Occurrences) From(pos int) int {
	if at, _ := o.s.from(pos); at < len(o.s.b) {
		return at
	}
	return -1
}

// streamWindow is how many bytes of a stream are looked at together.
const streamWindow = 1 << 20

// Holds reports whether one of the literals stands in a stream. It reads no further than the first one.
func (f *Finder) Holds(ctx context.Context, r io.Reader) (bool, error) {
	if f.Any() {
		return true, nil
	}
	buf := make([]byte, streamWindow)
	kept := 0
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := io.ReadFull(r, buf[kept:])
		b := buf[:kept+n]
		if at, _ := f.f.in(b).from(0); at < len(b) {
			return true, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(buf, b[len(b)-min(len(b), f.f.longest-1):])
	}
}
