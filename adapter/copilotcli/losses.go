package copilotcli

import (
	"lore"
	"lore/adapter"
)

// losses gathers what is not in the record as it was. Things of one sort are one loss with their count, at the first line
// where it happened.
type losses struct {
	in   adapter.Input
	list []lore.Loss
	kind map[lossKind]int // index in list
}

type lossKind struct {
	code lore.Code
	what string
}

// more counts n more of a sort of loss.
func (l *losses) more(code lore.Code, severity lore.Severity, line int, what string, n int) {
	if n <= 0 {
		return
	}
	k := lossKind{code, what}
	if at, ok := l.kind[k]; ok {
		l.list[at].Count += n
		return
	}
	if l.kind == nil {
		l.kind = map[lossKind]int{}
	}
	l.kind[k] = len(l.list)
	l.list = append(l.list, lore.Loss{Code: code, Severity: severity, Source: l.in.Source.Product, File: l.in.Name(l.in.Source.Path),
		Line: line, What: what, Count: n})
}

// one adds a loss.
func (l *losses) one(code lore.Code, severity lore.Severity, line int, what string) {
	l.more(code, severity, line, what, 1)
}

// account is a record that only says what became of units.
func account(in adapter.Input, ledger lore.Ledger, list []lore.Loss) *lore.Conversation {
	return &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Ledger: ledger, Losses: list}
}

// clip keeps a name from a source short enough for a line.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}
