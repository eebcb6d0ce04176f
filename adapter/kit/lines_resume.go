package kit

import (
	"errors"
	"maps"
	"slices"

	"lore"
	"lore/adapter"
)

// LinesState is how far a file of lines was read: to the end of its last whole line. It can be frozen.
type LinesState struct {
	Offset int64 // behind the last line end
	Line   int   // number of the line that begins there

	good, bad int
	last      cutShort
	losses    []lore.Loss
	counts    map[lore.Code]int
	rest      map[lore.Code]int
	listed    int // of the losses
	broken    bool
}

// note remembers the end of a whole line.
func (l *Lines) note() {
	m := &l.mark
	m.Offset, m.Line, m.good, m.bad, m.last = l.split.offset(), l.here.number, l.good, l.bad, l.last
	m.listed, m.broken = len(l.loss.list), l.broken.open
}

// State returns how far All has come when it has run to its end, and whether reading can go on from there once the file
// has grown. A record in a last line without a line end, a compressed file and a torn line that more follows cannot.
func (l *Lines) State() (LinesState, bool) {
	m := l.mark
	tail := l.loss.list[min(m.listed, len(l.loss.list)):]
	if l.err != nil || l.file.zstd || l.file.fault != nil || m.broken || m.Line == 0 || m.good != l.good || m.bad != l.bad ||
		len(tail) > 0 && len(l.loss.rest) > 0 {
		return LinesState{}, false
	}
	m.losses = slices.Clone(l.loss.list[:m.listed])
	m.counts, m.rest = maps.Clone(l.loss.counts), maps.Clone(l.loss.rest)
	for _, x := range tail { // said of an unfinished line, and said anew when it is whole
		m.counts[x.Code]--
	}
	return m, true
}

// ResumeLines opens a file of which the lines up to a state have been read: All yields those behind it, and counts,
// losses and line numbers are those of the whole file. The caller answers for the bytes before it being as they were.
func ResumeLines(in adapter.Input, path string, o Options, from LinesState) (*Lines, error) {
	l, err := OpenLines(in, path, o)
	if err != nil {
		return nil, err
	}
	if l.file.zstd || l.file.size < from.Offset || from.Line < 1 {
		l.Close()
		return nil, errors.New("the lines cannot be read on from there")
	}
	l.mark, l.good, l.bad, l.last = from, from.good, from.bad, from.last
	l.loss.list, l.loss.counts, l.loss.rest = from.losses, from.counts, from.rest
	return l, nil
}
