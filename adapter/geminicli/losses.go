package geminicli

import "lore"

// losses gathers what is not in the record as it was. Things of one sort are one loss with their count, at the first line
// where it happened.
type losses struct {
	list []lore.Loss
	kind map[lossKind]int // index in list
}

type lossKind struct {
	code lore.Code
	file string
	what string
}

// maxLosses bounds how many losses are told one by one.
const maxLosses = 1000

// one adds a loss that stands for itself.
func (l *losses) one(f *file, code lore.Code, severity lore.Severity, line int, what string) {
	if len(l.list) >= maxLosses {
		l.more(f, code, severity, line, "further ones", 1)
		return
	}
	l.list = append(l.list, f.loss(code, severity, line, what))
}

// more counts n more of a sort of loss.
func (l *losses) more(f *file, code lore.Code, severity lore.Severity, line int, what string, n int) {
	if n <= 0 {
		return
	}
	k := lossKind{code, f.name, what}
	if at, ok := l.kind[k]; ok {
		l.list[at].Count += n
		return
	}
	if l.kind == nil {
		l.kind = map[lossKind]int{}
	}
	l.kind[k] = len(l.list)
	loss := f.loss(code, severity, line, what)
	loss.Count = n
	l.list = append(l.list, loss)
}

// clip keeps a name from a source short enough for a line.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}
