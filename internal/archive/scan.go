package archive

import (
	"context"
	"errors"
)

// Needle is what a search in raw bytes looks for.
type Needle struct {
	// Literals are byte strings of which a line has to hold one. None: every line.
	Literals [][]byte

	// FoldCase takes ASCII letters of either case for equal. Other letters' forms have to be literals of their own.
	FoldCase bool

	// Versions looks into older snapshots too; otherwise only into the newest of each file.
	Versions bool

	// Files restricts the search to files by id. Nil: all.
	Files func(f *File) bool
}

// Line is what a search yields: a line that holds a literal. Content that is not kept as lines (documents), and lines
// above MaxLine, are yielded as pieces around each literal.
type Line struct {
	File     *File
	Snapshot int64
	Offset   int64  // of Bytes in the decoded content
	No       int    // physical line number, from 1; 0 for a piece
	Bytes    []byte // without LF; valid until fn returns
	Match    int    // index in Bytes of the first literal; -1 when the needle has none
	Piece    bool   // Bytes is a part of a line, or of a document
}

// MaxLine is the length up to which lines are yielded whole.
const MaxLine = 32 << 20

// Scan is a search that is ready to run: the stretches of content that may hold a literal, by the filters.
type Scan struct {
	Parts []*ScanPart // in the order of file ids and offsets
}

// ScanPart is a stretch of one file of some MiB at most. Parts can be run by several goroutines at once.
type ScanPart struct {
	File     *File
	Snapshot int64
	Bytes    int64 // decoded bytes to look at
}

// Scan plans a search. It reads filters, no content.
func (a *Archive) Scan(ctx context.Context, n Needle) (*Scan, error) {
	return nil, errors.ErrUnsupported
}

// Lines calls fn for each line of the part that holds a literal, in order. An error of fn ends it and is returned.
func (p *ScanPart) Lines(ctx context.Context, fn func(*Line) error) error {
	return errors.ErrUnsupported
}

// SearchRaw runs a Scan on several goroutines. fn is called concurrently, but for lines of one part in order.
func (a *Archive) SearchRaw(ctx context.Context, n Needle, fn func(*Line) error) error {
	return errors.ErrUnsupported
}
