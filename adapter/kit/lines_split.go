package kit

import (
	"bytes"
	"encoding/binary"
	"io"
)

const (
	firstBuffer = 64 << 10
	longRun     = 64 << 10 // a run of NULs from this length on ends a segment, so that no run is ever buffered
)

// ending says what stands behind a segment.
type ending uint8

const (
	atLF    ending = iota // a line feed
	atNULs                // a long run of NULs; the line goes on behind it
	atEOF                 // the end of the file
	atBound               // nothing yet: the segment is as long as a record may be
)

// splitter cuts a stream into segments: physical lines, or the pieces of one that long runs of NULs leave. Where it
// cuts depends on the bytes alone, never on how they arrive.
type splitter struct {
	r          io.Reader
	max        int64 // longest segment
	buf        []byte
	start, end int   // what is read and not consumed is buf[start:end]
	base       int64 // offset of buf[0] in the content
	eof        bool
	err        error
}

func (s *splitter) reset(r io.Reader, max int64) {
	*s = splitter{r: r, max: max, buf: make([]byte, firstBuffer)}
}

// offset returns the place of the first byte that is not consumed.
func (s *splitter) offset() int64 { return s.base + int64(s.start) }

// rest returns what is read and not consumed.
func (s *splitter) rest() []byte { return s.buf[s.start:s.end] }

// consume moves on by n bytes of rest.
func (s *splitter) consume(n int) { s.start += n }

// segment returns the next segment without consuming it. It is valid until the next call of a method that reads.
func (s *splitter) segment() ([]byte, ending) {
	scanned, nul := 0, 0 // relative to start: up to where there is no LF, and no long run
	for {
		rest := s.rest()
		bounded := rest[:min(int64(len(rest)), s.max+1)]
		stop, how := len(bounded), atEOF
		if lf := bytes.IndexByte(bounded[scanned:], '\n'); lf >= 0 {
			stop, how = scanned+lf, atLF
		}
		run, open := findRun(bounded[:stop], nul)
		if run >= 0 {
			return bounded[:run], atNULs
		}
		switch {
		case how == atLF:
			return bounded[:stop], atLF
		case int64(len(bounded)) > s.max:
			return bounded[:s.max], atBound
		case s.eof:
			return bounded, atEOF
		}
		scanned, nul = stop, open
		s.fill()
	}
}

// findRun returns where the first long run of NULs at or after i begins, -1 when there is none, and then also the place
// up to which nothing needs to be looked at again: the start of a run that ends b and is still short.
func findRun(b []byte, i int) (run, open int) {
	for {
		n := bytes.IndexByte(b[i:], 0)
		if n < 0 {
			return -1, len(b)
		}
		i += n
		n = leadingNULs(b[i:])
		if n >= longRun {
			return i, i
		}
		if i+n == len(b) {
			return -1, i
		}
		i += n
	}
}

// leadingNULs returns how many NULs b begins with.
func leadingNULs(b []byte) int {
	n := 0
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:]) == 0 {
		n += 8
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// skipNULs consumes NULs, however many follow, and returns their number.
func (s *splitter) skipNULs() int64 {
	total := int64(0)
	for {
		n := leadingNULs(s.rest())
		s.consume(n)
		total += int64(n)
		if s.start < s.end || s.eof {
			return total
		}
		s.fill()
	}
}

// need reads until n bytes are at hand, or the stream ends.
func (s *splitter) need(n int) {
	for s.end-s.start < n && !s.eof {
		s.fill()
	}
}

// fill reads more. The buffer grows only when all of it is in use.
func (s *splitter) fill() {
	if s.start > 0 && (s.start == s.end || s.end == len(s.buf)) {
		s.base += int64(s.start)
		s.end = copy(s.buf, s.rest())
		s.start = 0
	}
	if s.end == len(s.buf) {
		grown := make([]byte, min(int64(2*len(s.buf)), s.max+firstBuffer))
		s.end = copy(grown, s.rest())
		s.buf = grown
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
			return
		}
		if n > 0 {
			return
		}
	}
	s.eof, s.err = true, io.ErrNoProgress
}
