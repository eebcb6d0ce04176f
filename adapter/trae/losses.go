package trae

import (
	"lore"
	"lore/adapter/kit"
)

// losses gathers what is not in a record as it was. Things of one sort in one row are one loss with their count.
type losses struct {
	file string // as locators name it
	list []lore.Loss
	sort map[lossSort]int // index in list
}

type lossSort struct {
	code      lore.Code
	row, what string
}

// one adds a loss that stands for itself.
func (l *losses) one(code lore.Code, severity lore.Severity, row, what string) {
	l.list = append(l.list, lore.Loss{Code: code, Severity: severity, Source: source, File: l.file, Row: row, What: what, Count: 1})
}

// more counts n more of a sort of loss; none when n is 0.
func (l *losses) more(code lore.Code, severity lore.Severity, row, what string, n int) {
	if n <= 0 {
		return
	}
	s := lossSort{code, row, what}
	if i, ok := l.sort[s]; ok {
		l.list[i].Count += n
		return
	}
	if l.sort == nil {
		l.sort = map[lossSort]int{}
	}
	l.sort[s] = len(l.list)
	l.one(code, severity, row, what)
	l.list[len(l.list)-1].Count = n
}

// unknown counts a unit, or a block in one, of a type that this version does not know.
func (l *losses) unknown(row, name string) {
	l.more(lore.UnknownRecord, lore.Info, row, "type "+kit.Clip(name), 1)
}
