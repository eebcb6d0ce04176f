package lore

// Ledger accounts for every unit of an evidence, or of a conversation: Units is the sum of the other five.
type Ledger struct {
	Units   int `json:"units"`
	Kept    int `json:"kept"`    // something that only this unit says is in the record
	Merged  int `json:"merged"`  // says again what another unit says
	Skipped int `json:"skipped"` // known, and no conversation; counted by type in Types
	Unknown int `json:"unknown"` // a type that this version does not know, kept raw; counted by name in Types
	Damaged int `json:"damaged"` // could not be decoded; located by a loss

	// Types counts skipped and unknown units by "skipped:TYPE" and "unknown:TYPE". Nil when there are none.
	Types map[string]int `json:"types,omitempty"`
}

// Keep, Merge and Damage count n units each.
func (l *Ledger) Keep(n int)   { l.Units += n; l.Kept += n }
func (l *Ledger) Merge(n int)  { l.Units += n; l.Merged += n }
func (l *Ledger) Damage(n int) { l.Units += n; l.Damaged += n }

// Skip counts one known unit that is no conversation, by its type.
func (l *Ledger) Skip(typ string) {
	l.Units++
	l.Skipped++
	l.count("skipped:" + typ)
}

// Meet counts one unit of an unknown type, by its name.
func (l *Ledger) Meet(typ string) {
	l.Units++
	l.Unknown++
	l.count("unknown:" + typ)
}

func (l *Ledger) count(name string) {
	if l.Types == nil {
		l.Types = map[string]int{}
	}
	l.Types[name]++
}

// Remerge moves n units from kept to merged: a join found that they say again what another evidence says.
func (l *Ledger) Remerge(n int) { l.Kept -= n; l.Merged += n }

// Add adds the counts of m.
func (l *Ledger) Add(m Ledger) {
	l.Units += m.Units
	l.Kept += m.Kept
	l.Merged += m.Merged
	l.Skipped += m.Skipped
	l.Unknown += m.Unknown
	l.Damaged += m.Damaged
	for name, n := range m.Types {
		if l.Types == nil {
			l.Types = map[string]int{}
		}
		l.Types[name] += n
	}
}

// Balanced reports whether every unit has its place.
func (l Ledger) Balanced() bool {
	return l.Units == l.Kept+l.Merged+l.Skipped+l.Unknown+l.Damaged &&
		min(l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged) >= 0
}
