package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Line is what a search yields: a line that holds a literal. Content that is not kept as lines (documents), and lines
// above MaxLine, are yielded as pieces.
type Line struct {
	File     *File
	Snapshot int64
	Offset   int64  // of Bytes in the decoded content
	No       int64  // physical line number, from 1; 0 for a piece
	Bytes    []byte // without LF; valid until fn returns
	Match    int    // index in Bytes of the first literal; -1 when the needle has none

	// Piece says that Bytes is a part of a document, or of a very long line: what stands around a literal, or, without
	// one, the next stretch. Pieces overlap by PieceContext bytes; the same offset in two of them is the same byte.
	Piece bool
}

// MaxLine is the length up to which lines are yielded whole. PieceContext is how many bytes before and behind a literal
// are in a piece, where there are so many; of several literals that stand close, the last has at least half as many behind
// it.
const (
	MaxLine      = 32 << 20
	PieceContext = 4 << 10
)

// Lines calls fn for each line of the part that holds a literal, in order. An error of fn ends it and is returned, but
// for SkipFile.
func (p *ScanPart) Lines(ctx context.Context, fn func(*Line) error) error {
	s := &lineScan{p: p, fn: fn, line: Line{File: p.File, Snapshot: p.Snapshot}}
	if p.lines {
		s.finder = p.finder.withoutBreaks()
		if len(p.finder.literals) > 0 && len(s.finder.literals) == 0 {
			return nil // no line holds a line end
		}
		s.long = !p.list.lineStart(p.from)
	} else {
		s.finder, s.long = p.finder, true
	}
	err := s.run(ctx)
	if errors.Is(err, SkipFile) {
		p.skip.Store(true)
		return nil
	}
	return err
}

// lineScan is a part that is being searched.
type lineScan struct {
	p      *ScanPart
	finder *finder
	fn     func(*Line) error
	line   Line

	// carry is what was read of a line that goes on in the next block, from offset off; no is its number.
	carry []byte
	off   int64
	no    int64

	// long says that carry is of a document or of a line above MaxLine: it is yielded in pieces, and done is the offset
	// from which on nothing was looked at.
	long bool
	done int64
}

// run goes through the blocks.
func (s *lineScan) run(ctx context.Context) error {
	l := s.p.list
	var buf []byte
	s.off, s.done = s.p.from, s.p.from
	for at := s.p.from; at < s.p.to && !s.p.skip.Load(); {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		e := l.entries[l.at(at)]
		b, err := s.p.a.decoded(buf, e.id)
		if errors.Is(err, ErrUnknown) {
			// The small blocks of a growing chain were joined since the scan was planned. Bytes keep their places.
			if l, err = s.p.again(e.id); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if len(b) != e.size {
			return fmt.Errorf("archive: block %d has %d bytes where %d should be: %w", e.id, len(b), e.size, ErrDamaged)
		}
		buf = b[:0]
		skip := at - e.off
		no := e.line + int64(bytes.Count(b[:skip], []byte{'\n'})) + 1
		if err := s.take(b[skip:min(int64(len(b)), s.p.to-e.off)], at, no); err != nil {
			return err
		}
		at = e.end()
	}
	if s.p.skip.Load() {
		return nil
	}
	if s.p.to < s.p.list.size() && !s.p.list.lineStart(s.p.to) && !s.long {
		s.long, s.done = true, s.off // the line goes on, too long to be followed
	}
	return s.finish()
}

// lineStart reports whether a line, or the content, begins at the border of blocks at offset off.
func (l *list) lineStart(off int64) bool {
	if off == 0 {
		return true
	}
	i := l.at(off - 1)
	return i < len(l.entries) && l.entries[i].end() == off && l.entries[i].eol
}

// again reads the block list anew. It must not hold the block that was missing.
func (p *ScanPart) again(missing int64) (*list, error) {
	l, err := p.a.list(p.chain)
	if err != nil {
		return nil, err
	}
	for _, e := range l.entries {
		if e.id == missing {
			return nil, fmt.Errorf("archive: chain %d: block %d is missing: %w", p.chain, missing, ErrDamaged)
		}
	}
	if l.size() < p.to {
		return nil, fmt.Errorf("archive: chain %d has %d bytes where %d should be: %w", p.chain, l.size(), p.to, ErrDamaged)
	}
	return l, nil
}

// take searches the next bytes, which begin at offset off in line no.
func (s *lineScan) take(b []byte, off, no int64) error {
	if s.long || len(s.carry) > 0 {
		end := -1
		if s.p.lines {
			end = bytes.IndexByte(b, '\n')
		}
		if end < 0 {
			s.carry = append(s.carry, b...)
			if s.p.lines && !s.long && len(s.carry) > MaxLine {
				s.long, s.done = true, s.off
			}
			if s.long {
				return s.pieces(false)
			}
			return nil
		}
		s.carry = append(s.carry, b[:end]...)
		if err := s.finish(); err != nil {
			return err
		}
		b, off, no = b[end+1:], off+int64(end)+1, no+1
	}
	body := b[:bytes.LastIndexByte(b, '\n')+1]
	no, err := s.body(body, off, no)
	s.carry, s.off, s.no = append(s.carry[:0], b[len(body):]...), off+int64(len(body)), no
	return err
}

// body searches whole lines, and returns the number of the line behind them.
func (s *lineScan) body(b []byte, off, no int64) (int64, error) {
	f := s.finder.in(b)
	from := 0 // line no begins there
	for from < len(b) {
		at, match := from, -1
		if len(s.finder.literals) > 0 {
			if at, _ = f.from(from); at == len(b) {
				break
			}
			start := bytes.LastIndexByte(b[from:at], '\n') + 1 + from
			no += int64(bytes.Count(b[from:start], []byte{'\n'}))
			from, match = start, at-start
		}
		end := at + bytes.IndexByte(b[at:], '\n')
		if err := s.yield(b[from:end], off+int64(from), no, match); err != nil {
			return 0, err
		}
		from, no = end+1, no+1
	}
	return no + int64(bytes.Count(b[from:], []byte{'\n'})), nil
}

func (s *lineScan) yield(b []byte, off, no int64, match int) error {
	s.line.Bytes, s.line.Offset, s.line.No, s.line.Match, s.line.Piece = b, off, no, match, no == 0
	return s.fn(&s.line)
}

// finish searches what is carried: the line is complete, or the content has ended.
func (s *lineScan) finish() error {
	if s.long {
		err := s.pieces(true)
		s.long, s.carry = !s.p.lines, s.carry[:0]
		return err
	}
	if len(s.carry) == 0 {
		return nil
	}
	match := -1
	if len(s.finder.literals) > 0 {
		if match, _ = s.finder.in(s.carry).from(0); match == len(s.carry) {
			s.carry = s.carry[:0]
			return nil
		}
	}
	err := s.yield(s.carry, s.off, s.no, match)
	s.carry = s.carry[:0]
	return err
}

// pieces searches what is carried of something that is not yielded whole, and keeps only what the next pieces need. Until
// the end is there, what stands too near to it waits for what comes behind.
func (s *lineScan) pieces(end bool) error {
	last := len(s.carry)
	if !end {
		last -= s.finder.longest + PieceContext
	}
	f := s.finder.in(s.carry)
	for int(s.done-s.off) < last {
		at, match, n := int(s.done-s.off), -1, 0
		if len(s.finder.literals) > 0 {
			if at, n = f.from(at); at >= last {
				s.done = s.off + int64(last)
				break
			}
			match = 0
		} else {
			n = last - at
		}
		from, to := max(0, at-PieceContext), min(len(s.carry), at+n+PieceContext)
		if match == 0 {
			match = at - from
		}
		if err := s.yield(s.carry[from:to], s.off+int64(from), 0, match); err != nil {
			return err
		}
		switch {
		case to == len(s.carry) && end:
			s.done = s.off + int64(to)
		case match < 0:
			s.done = s.off + int64(at+n)
		default:
			s.done = s.off + int64(max(at+n, to-PieceContext/2))
		}
	}
	if drop := int(s.done-s.off) - PieceContext; drop > 0 {
		s.carry = append(s.carry[:0], s.carry[drop:]...)
		s.off += int64(drop)
	}
	return nil
}

// withoutBreaks is the finder without the literals that hold a line end.
func (f *finder) withoutBreaks() *finder {
	out := &finder{longest: f.longest}
	for _, l := range f.literals {
		if bytes.IndexByte(l.bytes, '\n') < 0 {
			out.literals = append(out.literals, l)
		}
	}
	return out
}
