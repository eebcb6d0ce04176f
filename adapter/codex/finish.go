package codex

import (
	"sort"

	"lore"
)

// finish settles what can be told only when the whole file is known: which unit says a call and which its result, which
// turns were taken back, whose twin each unit is, which answer took which tokens.
func (s *scan) finish() {
	s.settleRuns()
	s.settleOwners()
	s.settleBacks()
	s.settleUsage()
	for i := range s.units {
		if s.units[i].owner == int32(i) {
			s.ledger.Keep(1)
		} else {
			s.ledger.Merge(1)
		}
	}
	if s.ordinals.odd.count > 0 {
		s.losses.one(lore.DuplicateOrdinal, lore.Info, s.ordinals.odd.line, "ordinals repeat or are missing")
		s.losses.list[len(s.losses.list)-1].Count = int(s.ordinals.odd.count)
	}
}

// settleOwners points each twin at the unit that stands in the end, and lists the twins of that one in their order.
func (s *scan) settleOwners() {
	for i := range s.units {
		at := int32(i)
		for s.units[at].owner != at {
			at = s.units[at].owner
		}
		s.units[i].owner = at
	}
	for i := len(s.units) - 1; i >= 0; i-- {
		if owner := s.units[i].owner; owner != int32(i) {
			s.units[i].next = s.units[owner].twin
			s.units[owner].twin = int32(i)
		}
	}
}

// settleUsage gives what was spent to messages of the assistant: to that of the unit, or the one before it.
func (s *scan) settleUsage() {
	for i := range s.usage.spent {
		at := s.usage.spent[i].unit
		if owner := s.units[at].owner; owner > at && s.units[owner].assistant() {
			at = owner
		}
		for at >= 0 && (s.units[at].owner != at || !s.units[at].assistant() || s.units[at].flags&inherited != 0) {
			at--
		}
		s.usage.loose = s.usage.loose || at < 0
		s.usage.spent[i].unit = at
	}
	sort.SliceStable(s.usage.spent, func(a, b int) bool { return s.usage.spent[a].unit < s.usage.spent[b].unit })
}

// spentAt returns what was spent by the message of a unit. It is asked in rising order.
func (u *usage) spentAt(unit int32) *lore.Usage {
	for len(u.spent) > 0 && u.spent[0].unit < unit {
		u.spent = u.spent[1:]
	}
	var sum *lore.Usage
	for len(u.spent) > 0 && u.spent[0].unit == unit {
		if sum == nil {
			sum = new(lore.Usage)
		}
		plus(sum, u.spent[0].usage)
		u.spent = u.spent[1:]
	}
	return sum
}
