package copilot

import (
	"lore"
)

// losses gathers what is not in the record as it was. Things of one sort in one file are one loss with their count, at the
// line where the first of them is.
type losses struct {
	list []lore.Loss
	kind map[lossKind]int // index in list
}

type lossKind struct {
	src  *file
	code lore.Code
	what string
}

// one adds a loss that stands for itself.
func (l *losses) one(src *file, code lore.Code, severity lore.Severity, line int32, what string) {
	l.list = append(l.list, src.loss(code, severity, int(line), what))
}

// more counts n more of a sort of loss.
func (l *losses) more(src *file, code lore.Code, severity lore.Severity, line int32, what string, n int) {
	if n <= 0 {
		return
	}
	k := lossKind{src, code, what}
	if at, ok := l.kind[k]; ok {
		l.list[at].Count += n
		return
	}
	if l.kind == nil {
		l.kind = map[lossKind]int{}
	}
	l.kind[k] = len(l.list)
	l.one(src, code, severity, line, what)
	l.list[len(l.list)-1].Count = n
}

// unknown counts a unit, or a piece of one, of a sort that this version does not know.
func (l *losses) unknown(src *file, line int32, name string) {
	l.more(src, lore.UnknownRecord, lore.Info, line, name, 1)
}

// clip keeps a name from a source short enough for a line.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}
