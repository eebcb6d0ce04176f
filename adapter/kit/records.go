package kit

import (
	"fmt"
	"io"
	"iter"

	"lore"
	"lore/adapter"
)

// DefaultMaxRecord is the size above which a record is cut, in bytes.
const DefaultMaxRecord = 32 << 20

// Options says how the lines of a source are read.
type Options struct {
	// TopKeys are keys that stand first in a record of this source. After damage, reading goes on at the next `{"KEY"`
	// that begins a whole record. Empty: only a complete retry of the damaged record is found.
	TopKeys []string

	// MaxRecord is the size above which a record is cut to the heads of its strings (oversized_record).
	// 0: DefaultMaxRecord.
	MaxRecord int64
}

// Record is one record of a JSON lines file: an object.
type Record struct {
	Value  Value  // of kind Object
	Line   int    // 1-based physical line
	Offset int64  // of the record's first byte, in the decoded content
	Length int64  // of the record's own bytes: no white space, NUL, CR or BOM around it
	Hash   uint64 // of these bytes: equal for identical records, the same on every machine
	Cut    bool   // the record was oversized: long strings hold only their heads (see Value.Cut)
}

// Lines reads a JSON lines file: records in order with All, then again, in any order, with At. Memory follows the
// largest record up to MaxRecord, never the file. It is used by one goroutine.
type Lines struct {
	opts Options
	name string // how locators and losses name the file
	file *content
	loss losses

	split  splitter
	doc    Doc
	record Record
	here   lineState
	cutter reducer  // for oversized records
	broken region   // damage that no record has ended yet
	budget int      // what the search for a record behind damage may still cost in this segment
	last   cutShort // the damaged end of the line before, which the next record may retry
	good   int
	bad    int
	tail   int64 // offset of an unfinished last line; -1: none
	err    error
	mark   LinesState // at the end of the last whole line

	again    Doc // for At
	againCut reducer
}

// lineState is what the physical line in hand has shown so far; it becomes losses when the line ends.
type lineState struct {
	number              int
	records, joined     int   // joined: without a line end or NUL before them
	nuls, nulsThen      int64 // nulsThen: as of the last record
	invalid, surrogates int
}

// OpenLines opens a file of the input. A zstd file is decoded on the way (several frames, a cut frame, a bound on what
// it may expand to); offsets are then of the decoded content. The error is that of opening; all else is a loss.
func OpenLines(in adapter.Input, path string, o Options) (*Lines, error) {
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	file, err := openContent(in.FS, path)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	l := &Lines{opts: o, name: in.Name(path), file: file, tail: -1}
	l.loss = losses{source: in.Source.Product, file: l.name}
	return l, nil
}

// Close closes the file. Values of the Lines must not be used after it.
func (l *Lines) Close() error { return l.file.close() }

// All yields the good records in the order of the file. A Record and its values are valid until the next step. All is
// ranged over once; counts, losses and Tail are final when it has run to its end.
func (l *Lines) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		stream, err := l.file.streamFrom(l.mark.Offset)
		if err != nil {
			l.err = err
			return
		}
		defer stream.Close()
		l.split.reset(stream, l.opts.MaxRecord)
		l.split.base = l.mark.Offset
		if l.readLines(yield) {
			l.finish()
		}
	}
}

// Err returns the error of reading that ended All early, if any: the disk failed or the file vanished.
func (l *Lines) Err() error { return l.err }

// At reads again a record that All has yielded, by its Offset and Length. The value is valid until the next At and
// independent of All. Access in rising order is fast, also in a zstd file.
func (l *Lines) At(offset, length int64) (Value, error) {
	if length > l.opts.MaxRecord {
		r, err := l.file.section(offset, length)
		if err != nil {
			return Value{}, fmt.Errorf("read %q at %d: %w", l.name, offset, err)
		}
		v, err := l.againCut.readAll(&l.again, r, l.opts.MaxRecord)
		if err == nil && l.againCut.in != length {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Value{}, fmt.Errorf("read %q at %d: %w", l.name, offset, err)
		}
		return v, nil
	}
	b, err := l.file.bytes(offset, length)
	if err != nil {
		return Value{}, fmt.Errorf("read %q at %d: %w", l.name, offset, err)
	}
	v, err := l.again.Parse(b)
	if err == ErrTooLarge {
		v, err = l.againCut.bytes(&l.again, b, l.opts.MaxRecord)
	}
	if err != nil {
		return Value{}, fmt.Errorf("parse %q at %d: %w", l.name, offset, err)
	}
	return v, nil
}

// Locator says where a record stands.
func (l *Lines) Locator(r *Record) lore.Locator {
	return lore.Locator{File: l.name, Line: r.Line, Offset: r.Offset, Length: r.Length}
}

// Loss makes a loss of this file, with Count 1, that the caller reports. Line 0: of the file as a whole.
func (l *Lines) Loss(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
	return l.loss.make(code, severity, line, what)
}

// Losses returns what was lost while reading lines, in the order of the file.
func (l *Lines) Losses() []lore.Loss { return l.loss.list }

// Good returns how many records All has yielded, Damaged how many units it could not decode.
func (l *Lines) Good() int    { return l.good }
func (l *Lines) Damaged() int { return l.bad }

// Size returns the number of bytes of decoded content that were read, Tail the offset of the first byte that belongs
// to an unfinished last line; it equals Size when there is none.
func (l *Lines) Size() int64 { return l.split.offset() + int64(len(l.split.rest())) }
func (l *Lines) Tail() int64 {
	if l.tail >= 0 {
		return l.tail
	}
	return l.Size()
}
