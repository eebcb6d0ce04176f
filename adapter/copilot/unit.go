package copilot

import "lore"

// unit is one of the smallest things that the tool wrote: a line of a log or a transcript, a request of a document.
type unit struct {
	src      *file
	off, len int64
	line     int32
	fate     fate
	name     string // its sort, for the ledger
	child    string // call of the sub-agent whose conversation it is of; empty: the session's own
	counted  bool   // a message has it among its kept units
}

// fate is what became of a unit.
type fate uint8

const (
	fateOpen    fate = iota // merged, unless a message or the head of the record shows it
	fateFlag                // skipped, unless the record shows it
	fateKept                // the record shows what only this unit says
	fateSkipped             // known, and no conversation
	fateUnknown             // of a sort that this version does not know
	fateDamaged
)

// units are all units of an evidence, whatever file they stand in.
type units struct{ list []unit }

func (u *units) add(x unit) int32 {
	u.list = append(u.list, x)
	return int32(len(u.list) - 1)
}

// show notes that the record shows what a unit says.
func (u *units) show(i int32) {
	if i >= 0 && (u.list[i].fate == fateOpen || u.list[i].fate == fateFlag || u.list[i].fate == fateSkipped) {
		u.list[i].fate = fateKept
	}
}

// pass notes that something of a unit stands in the final state and is no conversation.
func (u *units) pass(i int32, name string) {
	if i >= 0 && u.list[i].fate == fateOpen {
		u.list[i].fate, u.list[i].name = fateSkipped, name
	}
}

// count returns whether a message is the first to count a unit as kept because of it.
func (u *units) count(i int32) bool {
	if i < 0 || u.list[i].counted {
		return false
	}
	u.list[i].counted = true
	return true
}

func (u *units) locate(i int32) lore.Locator {
	x := &u.list[i]
	return lore.Locator{File: x.src.name, Line: int(x.line), Offset: x.off, Length: x.len}
}

// ledger counts the units of one conversation by their fates.
func (u *units) ledger(l *lore.Ledger, child string) {
	for i := range u.list {
		x := &u.list[i]
		if x.child != child {
			continue
		}
		switch x.fate {
		case fateKept:
			l.Keep(1)
		case fateFlag, fateSkipped:
			l.Skip(x.name)
		case fateUnknown:
			l.Meet(x.name)
		case fateDamaged:
			l.Damage(1)
		default:
			l.Merge(1)
		}
	}
}
