package index

import (
	"math"
	"sort"

	"lore"
)

// knownDoc is a document that the index already has.
type knownDoc struct {
	in    *segment
	doc   uint32
	facts facts
	title bool
	kept  bool
}

// load reads what the committed segments hold of the conversation.
func (s *Session) load() error {
	s.byID = map[lore.ID]*knownDoc{}
	for _, seg := range s.w.open {
		gone := seg.deleted
		if b := s.w.deleted[seg]; b != nil {
			gone = b
		}
		runs, err := seg.runsOf(uint32(s.row))
		if err != nil {
			return err
		}
		for _, r := range runs {
			for doc := r.first; doc < r.first+r.count; doc++ {
				if gone.has(doc) {
					continue
				}
				k := &knownDoc{in: seg, doc: doc}
				if k.facts, err = seg.factsOf(doc); err != nil {
					return err
				}
				k.title = k.facts.isTitle()
				s.known = append(s.known, k)
				if !k.title {
					s.byID[k.facts.id] = k
					s.ordinals = append(s.ordinals, k.facts.place.ordinal)
				}
			}
		}
	}
	sort.Slice(s.ordinals, func(i, j int) bool { return s.ordinals[i] < s.ordinals[j] })
	return nil
}

// same returns the document that holds exactly this message, at a place after the message before; nil when there is none.
func (s *Session) same(m *lore.Message, evidence int64) *knownDoc {
	k := s.byID[m.ID]
	if k == nil || k.kept || len(m.Origins) == 0 {
		return nil
	}
	x := &k.facts
	if x.content != m.ContentID || (x.flags^flagsOf(m))&sameFlags != 0 || x.nanos != m.At.UnixNano() ||
		x.native != HashNative(m.Native) || x.place.subtype != hashSubtype(m.Subtype) ||
		!x.place.samePlace(&m.Origins[0], evidence) || x.place.ordinal <= s.last {
		return nil
	}
	return k
}

// ordinalStep leaves room between the messages of a conversation for some that are put in later.
const ordinalStep = 1 << 10

// nextOrdinal returns an ordinal between the message before and the known one that follows it. Where no room is left the
// two are equal, and the newer document comes second.
func (s *Session) nextOrdinal() uint32 {
	for s.at < len(s.ordinals) && s.ordinals[s.at] <= s.last {
		s.at++
	}
	if s.at == len(s.ordinals) {
		return uint32(min(uint64(s.last)+ordinalStep, math.MaxUint32-1))
	}
	room := s.ordinals[s.at] - s.last
	if room <= 1 {
		return s.last
	}
	return s.last + min(max(room/16, 1), ordinalStep)
}

// Stand says, right after Begin, that the first n messages of the conversation are as the index has them; the next one
// that is added comes behind them. last is the id of the nth. False: the index does not have them so, and nothing has
// happened.
func (s *Session) Stand(n int, last lore.ID) bool {
	if n == 0 {
		return true
	}
	if s.row == 0 || s.last != 0 || n > len(s.ordinals) || len(s.superseded) > 0 {
		return false
	}
	to := s.ordinals[n-1]
	if k := s.byID[last]; k == nil || k.facts.place.ordinal != to {
		return false
	}
	for i := 1; i <= n && i < len(s.ordinals); i++ {
		if s.ordinals[i] == s.ordinals[i-1] { // which of the two comes first cannot be told
			return false
		}
	}
	// What stands is not looked at again: of a long conversation, only what is new takes memory from here on.
	rest, byID := []*knownDoc(nil), map[lore.ID]*knownDoc{}
	for _, k := range s.known {
		if !k.title && k.facts.place.ordinal <= to {
			continue
		}
		rest = append(rest, k)
		if !k.title {
			byID[k.facts.id] = k
		}
	}
	s.known, s.byID = rest, byID
	s.last, s.change.Kept = to, n
	return true
}
