package kit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"lore"
)

var bom = []byte("\xef\xbb\xbf")

// readLines goes over the file once. False means that the caller wants no more, or that reading failed.
func (l *Lines) readLines(yield func(*Record) bool) bool {
	s := &l.split
	l.here.number = max(l.mark.Line, 1)
	if s.need(len(bom)); s.offset() == 0 && bytes.HasPrefix(s.rest(), bom) {
		s.consume(len(bom))
		l.loss.add(lore.BOMStripped, lore.Info, 1, plural(int64(len(bom)), "byte"))
	}
	for {
		if rest := s.rest(); len(rest) > 0 && rest[0] == 0 {
			l.here.nuls += s.skipNULs()
		}
		seg, how := s.segment()
		if s.err != nil {
			l.err = fmt.Errorf("read %q: %w", l.name, s.err)
			return false
		}
		n, more := l.readSegment(seg, s.offset(), how, yield)
		if !more {
			return false
		}
		s.consume(n)
		switch how {
		case atLF:
			s.consume(1)
			l.endLine()
			l.here = lineState{number: l.here.number + 1}
			l.note()
		case atNULs:
			l.here.nuls += s.skipNULs()
		case atBound:
			if n == 0 && !l.readOversized(yield) {
				return false
			}
		case atEOF:
			return true
		}
	}
}

// readSegment yields the records of a segment and returns how many bytes it has handled: all of them, unless the
// segment ends at the bound with a value that goes on.
func (l *Lines) readSegment(seg []byte, off int64, how ending, yield func(*Record) bool) (int, bool) {
	i := 0
	l.budget = searchFree + searchCost*len(seg)
	if l.broken.open {
		i = l.mend(seg, off, how)
		if l.broken.open {
			return i, true
		}
	}
	for {
		if i = l.skipBlank(seg, i); i == len(seg) {
			return i, true
		}
		v, n, err := l.doc.ParsePrefix(seg[i:])
		cut := false
		if errors.Is(err, ErrTooLarge) && seg[i] == '{' {
			if v, n, err = l.tooManyValues(seg[i:]); err == nil {
				l.loseOversized(off+int64(i), int64(n))
				cut = true
			}
		}
		if err == nil && v.IsObject() {
			raw := seg[i : i+n]
			l.matchRetry(raw)
			if !l.emit(Record{Value: v, Offset: off + int64(i), Length: int64(n), Hash: xxhash.Sum64(raw), Cut: cut}, yield) {
				return 0, false
			}
			i += n
			continue
		}
		if how == atBound && seg[i] == '{' && endsInside(err) {
			return i, true
		}
		from := searchFrom(seg, i, err)
		if err == nil {
			from = i + n
		}
		i = l.damage(seg, i, from, off, how, err)
		if l.broken.open {
			return i, true
		}
	}
}

// tooManyValues reads an object that has more values than a Doc holds.
func (l *Lines) tooManyValues(b []byte) (Value, int, error) {
	l.cutter.reset(l.opts.MaxRecord, l.doc.nodes())
	n, done := l.cutter.write(b)
	if !done {
		return Value{}, 0, &SyntaxError{len(b), true}
	}
	v, err := l.cutter.parse(&l.doc)
	return v, n, err
}

// skipBlank returns the first byte at or after i that is neither white space nor NUL.
func (l *Lines) skipBlank(seg []byte, i int) int {
	for ; i < len(seg); i++ {
		switch seg[i] {
		case ' ', '\t', '\r':
		case 0:
			l.here.nuls++
		default:
			return i
		}
	}
	return i
}

func endsInside(err error) bool {
	var syntax *SyntaxError
	return errors.As(err, &syntax) && syntax.AtEnd
}

// emit yields a record whose Value is in l.doc.
func (l *Lines) emit(r Record, yield func(*Record) bool) bool {
	flaws := l.doc.Flaws()
	h := &l.here
	if h.records > 0 && h.nuls == h.nulsThen {
		h.joined++
	}
	h.records++
	h.nuls += int64(flaws.NULs)
	h.nulsThen = h.nuls
	h.invalid += flaws.InvalidUTF8
	h.surrogates += flaws.LoneSurrogates
	r.Line = h.number
	l.record = r
	l.good++
	return yield(&l.record)
}

// matchRetry turns the loss of a damaged end of line into that of a retried record, when raw is its retry.
func (l *Lines) matchRetry(raw []byte) {
	if l.last.retriedBy(raw) {
		loss := &l.loss.list[l.last.loss]
		loss.Code, loss.Severity = lore.RetriedRecord, lore.Info
		loss.What = fmt.Sprintf("%s, complete on line %d", plural(int64(l.last.length), "byte"), l.here.number)
	}
	l.last = cutShort{}
}

// readOversized reads the object at hand, which is longer than a record may be, without holding it.
func (l *Lines) readOversized(yield func(*Record) bool) bool {
	s, off, hash, last := &l.split, l.split.offset(), xxhash.New(), byte(0)
	r := &l.cutter
	r.reset(l.opts.MaxRecord, l.doc.nodes())
	for done := false; !done; {
		rest := s.rest()
		lf := bytes.IndexByte(rest, '\n')
		if lf >= 0 {
			rest = rest[:lf]
		}
		var n int
		n, done = r.write(rest)
		hash.Write(rest[:n])
		if n > 0 {
			last = rest[n-1]
		}
		s.consume(n)
		switch {
		case done:
		case lf >= 0 || s.eof && last == 0:
			l.lose(lore.BadJSON, lore.Warning, off, s.offset()-off, nil)
			return true
		case s.eof:
			l.unfinished(off, s.offset()-off)
			return true
		default:
			s.fill()
		}
	}
	length := s.offset() - off
	v, err := r.parse(&l.doc)
	if err != nil {
		l.lose(lore.BadJSON, lore.Warning, off, length, err)
		return true
	}
	l.last = cutShort{}
	l.loseOversized(off, length)
	return l.emit(Record{Value: v, Offset: off, Length: length, Hash: hash.Sum64(), Cut: true}, yield)
}

// lose counts a damaged unit and adds its loss.
func (l *Lines) lose(code lore.Code, severity lore.Severity, off, length int64, err error) int {
	l.bad++
	l.last = cutShort{}
	what := plural(length, "byte")
	switch {
	case code == lore.RetriedRecord:
		what += ", complete on the same line"
	case errors.Is(err, ErrTooDeep):
		code = lore.TooDeep
	case length > l.opts.MaxRecord:
		what += fmt.Sprintf(" from offset %d", off)
	}
	return l.loss.add(code, severity, l.here.number, what)
}

func (l *Lines) loseOversized(off, length int64) {
	l.loss.add(lore.OversizedRecord, lore.Warning, l.here.number,
		fmt.Sprintf("bytes %d to %d (%s); long texts are cut to their heads", off, off+length, plural(length, "byte")))
}

// unfinished notes that the last line is still being written. A compressed file that was cut is told as that.
func (l *Lines) unfinished(off, length int64) {
	l.tail = off
	if l.file.fault == nil {
		l.loss.add(lore.PartialTail, lore.Info, l.here.number, plural(length, "byte"))
	}
}

// endLine turns what the line has shown into losses.
func (l *Lines) endLine() {
	h := &l.here
	if h.nuls > 0 {
		l.loss.add(lore.NulPadding, lore.Warning, h.number, plural(h.nuls, "NUL byte"))
	}
	if h.invalid > 0 {
		l.loss.add(lore.InvalidUTF8, lore.Warning, h.number, plural(int64(h.invalid), "byte"))
	}
	if h.surrogates > 0 {
		l.loss.add(lore.LoneSurrogate, lore.Info, h.number, plural(int64(h.surrogates), "escape"))
	}
	if h.joined > 0 {
		l.loss.add(lore.MissingNewline, lore.Info, h.number, fmt.Sprintf("%d records on one line", h.joined+1))
	}
}

// finish ends the last line and tells what was wrong with the stream.
func (l *Lines) finish() {
	l.endLine()
	if f := l.file.fault; f != nil {
		l.loss.add(f.code, lore.Warning, 0, f.what)
	}
}
