package cursor

import "lore"

// spot is where a unit stands: a line of a file, or a row of a database.
type spot struct {
	line int
	row  string
}

// losses gathers what is not in the record as it was. Things of one sort are one loss with their count, at the first
// place where it happened.
type losses struct {
	file string // as locators name it
	list []lore.Loss
	kind map[lossKind]int // index in list
}

type lossKind struct {
	code lore.Code
	what string
}

// one adds a loss that stands for itself.
func (l *losses) one(code lore.Code, severity lore.Severity, at spot, what string) {
	l.list = append(l.list, lore.Loss{Code: code, Severity: severity, Source: source, File: l.file, Line: at.line, Row: at.row, What: what, Count: 1})
}

// more counts n more of a sort of loss.
func (l *losses) more(code lore.Code, severity lore.Severity, at spot, what string, n int) {
	if n <= 0 {
		return
	}
	k := lossKind{code, what}
	if i, ok := l.kind[k]; ok {
		l.list[i].Count += n
		return
	}
	if l.kind == nil {
		l.kind = map[lossKind]int{}
	}
	l.kind[k] = len(l.list)
	l.one(code, severity, at, what)
	l.list[len(l.list)-1].Count = n
}

// unknown counts a unit, or a block in one, of a type that this version does not know.
func (l *losses) unknown(at spot, name string) {
	l.more(lore.UnknownRecord, lore.Info, at, "type "+clip(name), 1)
}

// flaws counts bytes that are no text.
func (l *losses) flaws(at spot, invalid, surrogates int) {
	l.more(lore.InvalidUTF8, lore.Warning, at, "bytes that are not UTF-8", invalid)
	l.more(lore.LoneSurrogate, lore.Info, at, "escapes without their other half", surrogates)
}

// clip keeps a name from a source short enough for a line.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}
