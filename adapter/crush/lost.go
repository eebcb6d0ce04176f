package crush

import (
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// lost gathers what is not in a record as it was. Things of one sort are one loss with their count, at the first unit
// where they were met.
type lost struct {
	list  []lore.Loss
	sorts map[lossSort]int // index in list
}

type lossSort struct {
	code lore.Code
	what string
}

// one adds a loss that stands for itself.
func (l *lost) one(code lore.Code, severity lore.Severity, at lore.Locator, what string) {
	l.list = append(l.list, lore.Loss{Code: code, Severity: severity, Source: source, File: at.File, Line: at.Line, Row: at.Row, What: what, Count: 1})
}

// more counts one more of a sort.
func (l *lost) more(code lore.Code, severity lore.Severity, at lore.Locator, what string) {
	key := lossSort{code, what}
	if i, ok := l.sorts[key]; ok {
		l.list[i].Count++
		return
	}
	if l.sorts == nil {
		l.sorts = map[lossSort]int{}
	}
	l.sorts[key] = len(l.list)
	l.one(code, severity, at, what)
}

// flaws tells what in a row's text is not UTF-8.
func (l *lost) flaws(at lore.Locator, f kit.Flaws) {
	if f.InvalidUTF8 > 0 {
		l.one(lore.InvalidUTF8, lore.Warning, at, plural(f.InvalidUTF8, "byte"))
	}
	if f.LoneSurrogates > 0 {
		l.one(lore.LoneSurrogate, lore.Info, at, plural(f.LoneSurrogates, "escape"))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
