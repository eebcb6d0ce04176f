package kit

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	maxHead   = 8 << 20 // what is kept of a string in an oversized record
	lateHead  = 4 << 10 // what is kept of a string when most of the room is used
	maxScalar = 4 << 10 // what is kept of a run of digits or white space
)

// reducer copies an object of any size into a small one that is whole JSON: long strings are cut to their heads, and
// where that is not enough the rest of a nested container is left out, so that the members behind it (an id, a time)
// are still read. It takes the bytes as they come and keeps no more than its room.
//
// It trusts the bytes to be JSON; whether they were is found when its result is parsed.
type reducer struct {
	head, room int // longest string, and the size of out beyond which nested containers are closed
	most       int // likewise the number of values
	out        []byte
	cuts       []cut
	in         int64 // bytes taken
	values     int

	open  []level // containers that out has open
	depth int     // containers that the input has open
	skip  int     // while above 0: nothing is copied until the input's depth falls below it

	inString, dropping bool
	length             int // bytes of the string or scalar so far
	pending            []byte
}

// level is an open container: its closing byte, and the length of out up to which its members are whole.
type level struct {
	closer byte
	whole  int
}

// reset makes the reducer ready for a value of which max bytes, in a Doc of nodes, are too many.
func (r *reducer) reset(max int64, nodes int) {
	*r = reducer{
		head: int(min(max/4, maxHead)), room: int(max / 2), most: nodes / 2,
		out: r.out[:0], cuts: r.cuts[:0], open: r.open[:0], pending: r.pending[:0],
	}
}

// bytes reduces a value that is at hand and parses the result.
func (r *reducer) bytes(doc *Doc, b []byte, max int64) (Value, error) {
	r.reset(max, doc.nodes())
	r.write(b)
	return r.parse(doc)
}

// readAll reduces a value out of a reader and parses the result.
func (r *reducer) readAll(doc *Doc, from io.Reader, max int64) (Value, error) {
	r.reset(max, doc.nodes())
	chunk := make([]byte, firstBuffer)
	for {
		n, err := from.Read(chunk)
		if _, done := r.write(chunk[:n]); done {
			return r.parse(doc)
		}
		if errors.Is(err, io.EOF) {
			return Value{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return Value{}, err
		}
	}
}

func (r *reducer) parse(doc *Doc) (Value, error) {
	v, err := doc.Parse(r.out)
	doc.cuts = r.cuts
	return v, err
}

// write takes bytes and returns how many, and whether the object has ended: then the rest was not taken.
func (r *reducer) write(b []byte) (int, bool) {
	for i := 0; i < len(b); {
		if r.inString {
			n := r.writeString(b[i:])
			i += n
			r.in += int64(n)
			continue
		}
		r.writeByte(b[i])
		i++
		r.in++
		if r.depth == 0 && !r.inString {
			return i, true
		}
	}
	return len(b), false
}

// writeByte takes one byte outside of strings. r.in does not count it yet.
func (r *reducer) writeByte(c byte) {
	switch c {
	case '"':
		r.endScalar()
		r.count()
		r.copyByte(c)
		r.inString, r.dropping, r.length = true, r.skip > 0, 0
	case '{', '[':
		r.endScalar()
		r.depth++
		r.count()
		if r.skip == 0 && (r.full() || len(r.open) >= MaxDepth-1) {
			r.startSkip()
		}
		if r.skip == 0 {
			r.copyByte(c)
			r.open = append(r.open, level{c + 2, len(r.out)})
		}
	case '}', ']':
		r.endScalar()
		r.depth--
		r.close(c)
	case ',':
		r.endScalar()
		r.count()
		if r.skip == 0 && len(r.open) > 0 {
			r.open[len(r.open)-1].whole = len(r.out)
			if r.full() {
				r.startSkip()
			}
		}
		r.copyByte(c)
	case ':':
		r.endScalar()
		r.copyByte(c)
	default:
		if r.length++; r.length <= maxScalar {
			r.copyByte(c)
		}
	}
}

// count counts the values that out holds, some of them twice.
func (r *reducer) count() {
	if r.skip == 0 {
		r.values++
	}
}

func (r *reducer) copyByte(c byte) {
	if r.skip == 0 {
		r.out = append(r.out, c)
	}
}

// endScalar notes that digits or white space were left out.
func (r *reducer) endScalar() {
	if r.length > maxScalar && r.skip == 0 {
		r.noteCut()
	}
	r.length = 0
}

// full reports whether no more may be copied where out stands: beyond the room only members of the object itself are,
// and beyond twice of it none.
func (r *reducer) full() bool {
	size := len(r.out)
	if len(r.open) > 1 {
		return size > r.room || r.values > r.most
	}
	return len(r.open) == 1 && (size > 2*r.room || r.values > r.most*3/2)
}

// startSkip closes containers, the object itself only when it is the one that is full, and copies nothing until the
// input has closed them too.
func (r *reducer) startSkip() {
	keep := 1
	if len(r.open) == 1 {
		keep = 0
	}
	r.skip = keep + 1
	r.out = r.out[:r.open[len(r.open)-1].whole]
	for len(r.cuts) > 0 && int(r.cuts[len(r.cuts)-1].at) > len(r.out) {
		r.cuts = r.cuts[:len(r.cuts)-1]
	}
	for len(r.open) > keep {
		r.out = append(r.out, r.open[len(r.open)-1].closer)
		r.open = r.open[:len(r.open)-1]
	}
}

// close takes a closing byte. r.depth does not count its container any more.
func (r *reducer) close(c byte) {
	if r.skip > 0 {
		if r.depth < r.skip {
			r.skip = 0
			r.in++ // the closing byte itself is among what was left out
			r.noteCut()
			r.in--
		}
		return
	}
	r.copyByte(c)
	if len(r.open) > 0 {
		r.open = r.open[:len(r.open)-1]
	}
}

// noteCut notes that what was taken and is neither in out nor in an earlier cut is missing here.
func (r *reducer) noteCut() {
	dropped := r.in - int64(len(r.out))
	for _, c := range r.cuts {
		dropped -= c.dropped
	}
	if dropped > 0 {
		r.cuts = append(r.cuts, cut{uint32(len(r.out)), dropped})
	}
}

// writeString takes bytes inside of a string and returns how many.
func (r *reducer) writeString(b []byte) int {
	if len(r.pending) > 0 {
		return r.writeEscape(b)
	}
	n := len(b)
	if i := bytes.IndexByte(b, '"'); i >= 0 {
		n = i
	}
	if i := bytes.IndexByte(b[:n], '\\'); i >= 0 {
		n = i
	}
	if n > 0 {
		r.keep(b[:n])
		return n
	}
	if b[0] == '\\' {
		r.pending = append(r.pending, '\\')
		return 1
	}
	if r.dropping && r.skip == 0 {
		r.noteCut()
	}
	r.copyByte('"')
	r.inString, r.length = false, 0
	return 1
}

// writeEscape gathers an escape whose bytes may come apart.
func (r *reducer) writeEscape(b []byte) int {
	r.pending = append(r.pending, b[0])
	want := 2
	if r.pending[1] == 'u' {
		want = 6
	}
	if len(r.pending) == want {
		r.keep(r.pending)
		r.pending = r.pending[:0]
	}
	return 1
}

// keep copies text of a string as long as there is room for it, and never half a character.
func (r *reducer) keep(b []byte) {
	if r.dropping {
		return
	}
	limit := r.head
	if len(r.out) > r.room {
		limit = min(limit, lateHead)
	}
	if r.length+len(b) <= limit {
		r.out = append(r.out, b...)
		r.length += len(b)
		return
	}
	r.dropping = true
	if b[0] != '\\' {
		r.out = append(r.out, b[:max(limit-r.length, 0)]...)
		r.out = trimHalfRune(r.out)
		return
	}
	if n := len(r.out) - 6; len(b) == 6 && r.length >= 6 && r.out[n] == '\\' && r.out[n+1] == 'u' && pairedWith(hex4(r.out[n+2:]), b) != 0 {
		r.out = r.out[:n]
	}
}

// trimHalfRune cuts the start of a character off that does not end in b.
func trimHalfRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}
