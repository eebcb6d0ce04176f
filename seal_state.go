package lore

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
)

// SealState is what a Sealer knows at the end of a piece. A Sealer that is made from it goes on as the first one would.
// It can be frozen (see adapter/kit); its parts mean nothing to anybody else.
type SealState struct {
	sealer Sealed
	summed []byte // state of the content hash; nil while buf is all of it
	buf    []byte
	some   bool
}

// Sealed is the part of a SealState that is a Sealer's own.
type Sealed struct {
	id      ID
	started bool

	natives  map[halfID]struct{}
	contents map[halfID]int

	messages, users int
	usage           []seenUsage
	title, withheld string
	models          []string
	first, last     Time
}

// State returns a copy of what the Sealer knows. It must not have been finished.
func (s *Sealer) State() (*SealState, error) {
	st := &SealState{sealer: Sealed{s.id, s.started, maps.Clone(s.natives), maps.Clone(s.contents), s.messages, s.users,
		slices.Clone(s.usage), s.title, s.withheld, slices.Clone(s.models), s.first, s.last}}
	d := s.hash.d
	if d == nil {
		return st, nil
	}
	st.some, st.buf = s.hash.some, slices.Clone(d.buf)
	if d.long {
		b, err := d.sum.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			return nil, fmt.Errorf("state of a content hash: %w", err)
		}
		st.summed = b
	}
	return st, nil
}

// Sealer makes a Sealer that goes on from the state, which it takes over.
func (st *SealState) Sealer() (*Sealer, error) {
	x := &st.sealer
	s := &Sealer{id: x.id, started: x.started, natives: x.natives, contents: x.contents, messages: x.messages, users: x.users,
		usage: x.usage, title: x.title, withheld: x.withheld, models: x.models, first: x.first, last: x.last}
	if s.natives == nil || s.contents == nil {
		s.natives, s.contents = map[halfID]struct{}{}, map[halfID]int{}
	}
	if !s.started {
		return s, nil
	}
	s.hash = contentHash{d: newDigest(), some: st.some}
	s.hash.d.buf = append(s.hash.d.buf, st.buf...)
	if st.summed == nil {
		return s, nil
	}
	s.hash.d.long = true
	if err := s.hash.d.sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(st.summed); err != nil {
		return nil, fmt.Errorf("state of a content hash: %w", err)
	}
	return s, nil
}
