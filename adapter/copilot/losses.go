package copilot

import (
	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// losses gathers what is not in the record as it was, in whatever file of the evidence it is.
type losses struct {
	tally *kit.Tally
	lines []lore.Loss // what the kit lost while it read lines
}

func newLosses(in adapter.Input) *losses {
	return &losses{tally: kit.NewTally(in, in.Source.Path)}
}

// one adds a loss that stands for itself.
func (l *losses) one(src *file, code lore.Code, severity lore.Severity, line int32, what string) {
	l.tally.In(src.name)
	l.tally.One(code, severity, int(line), what)
}

// more counts n more of a sort of loss.
func (l *losses) more(src *file, code lore.Code, severity lore.Severity, line int32, what string, n int) {
	l.tally.In(src.name)
	l.tally.Many(code, severity, int(line), n, what)
}

// unknown counts a unit, or a piece of one, of a sort that this version does not know.
func (l *losses) unknown(src *file, line int32, name string) {
	l.more(src, lore.UnknownRecord, lore.Info, line, name, 1)
}

// list returns all losses: of lines first.
func (l *losses) list() []lore.Loss {
	return append(append([]lore.Loss(nil), l.lines...), l.tally.List()...)
}
