package kit

import (
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
type Lines struct{}

// OpenLines opens a file of the input. A zstd file is decoded on the way (several frames, a cut frame, a bound on what
// it may expand to); offsets are then of the decoded content. The error is that of opening; all else is a loss.
func OpenLines(in adapter.Input, path string, o Options) (*Lines, error) { return &Lines{}, nil }

// Close closes the file. Values of the Lines must not be used after it.
func (l *Lines) Close() error { return nil }

// All yields the good records in the order of the file. A Record and its values are valid until the next step. All is
// ranged over once; counts, losses and Tail are final when it has run to its end.
func (l *Lines) All() iter.Seq[*Record] { return func(func(*Record) bool) {} }

// Err returns the error of reading that ended All early, if any: the disk failed or the file vanished.
func (l *Lines) Err() error { return nil }

// At reads again a record that All has yielded, by its Offset and Length. The value is valid until the next At and
// independent of All. Access in rising order is fast, also in a zstd file.
func (l *Lines) At(offset, length int64) (Value, error) { return Value{}, nil }

// Locator says where a record stands.
func (l *Lines) Locator(r *Record) lore.Locator { return lore.Locator{} }

// Loss makes a loss of this file, with Count 1, that the caller reports. Line 0: of the file as a whole.
func (l *Lines) Loss(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
	return lore.Loss{}
}

// Losses returns what was lost while reading lines, in the order of the file.
func (l *Lines) Losses() []lore.Loss { return nil }

// Good returns how many records All has yielded, Damaged how many units it could not decode.
func (l *Lines) Good() int    { return 0 }
func (l *Lines) Damaged() int { return 0 }

// Size returns the number of bytes of decoded content that were read, Tail the offset of the first byte that belongs
// to an unfinished last line; it equals Size when there is none.
func (l *Lines) Size() int64 { return 0 }
func (l *Lines) Tail() int64 { return 0 }

// Whole is a file that holds one JSON document.
type Whole struct {
	Value  Value
	Size   int64 // bytes of the file
	Losses []lore.Loss
}

// Document reads a file that is one JSON document, up to max bytes (0: 256 MiB). A file that is empty or holds only
// white space or NULs has an absent Value and no error. Errors: that of opening or reading; one that wraps
// adapter.ErrMalformed when the bytes are no JSON; one that wraps ErrTooLarge.
func Document(in adapter.Input, path string, max int64) (*Whole, error) { return &Whole{}, nil }
