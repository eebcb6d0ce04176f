package codex

import "lore"

// tallied counts things of one sort and remembers the line of the first.
type tallied struct{ count, line int32 }

func (t *tallied) add(line int32) {
	if t.count == 0 {
		t.line = line
	}
	t.count++
}

// losses gathers what is not in the record as it was. Things of one sort are one loss with their count, at the first
// line where it happened.
type losses struct {
	make func(code lore.Code, severity lore.Severity, line int, what string) lore.Loss
	list []lore.Loss
	kind map[lossKind]int // index in list
}

type lossKind struct {
	code lore.Code
	what string
}

// one adds a loss that stands for itself.
func (l *losses) one(code lore.Code, severity lore.Severity, line int32, what string) {
	l.list = append(l.list, l.make(code, severity, int(line), what))
}

// more counts one more of a sort of loss.
func (l *losses) more(code lore.Code, severity lore.Severity, line int32, what string) {
	k := lossKind{code, what}
	if at, ok := l.kind[k]; ok {
		l.list[at].Count++
		return
	}
	if l.kind == nil {
		l.kind = map[lossKind]int{}
	}
	l.kind[k] = len(l.list)
	l.one(code, severity, line, what)
}

// unknown counts a unit, or a block in one, of a type that this version does not know.
func (l *losses) unknown(line int32, name string) {
	l.more(lore.UnknownRecord, lore.Info, line, "type "+clip(name))
}

// clip keeps a name from a source short enough for a line.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80]
	}
	return name
}

func (l *losses) unpaired(t tallied, what string) {
	if t.count > 0 {
		l.one(lore.UnpairedCall, lore.Info, t.line, what)
		l.list[len(l.list)-1].Count = int(t.count)
	}
}
