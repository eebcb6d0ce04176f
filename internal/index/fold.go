package index

import (
	"encoding/binary"
)

// group is one hit: a document and its copies in other conversations. Two messages of one conversation are never in one
// group.
type group struct {
	first candidate // the best of them
	also  int32     // the newest of its copies, +1; 0: none
	next  int32     // the group with the same words that was made after this one, +1; 0: none
}

// copied is a copy in a chain.
type copied struct {
	candidate
	next int32 // +1; 0: none
}

// fold puts copies together: equal content ids, where the texts are long enough or lineage links the conversations.
func (s *searching) fold(found []candidate) ([]group, error) {
	s.found = found
	linked, err := s.r.lineage()
	if err != nil {
		return nil, err
	}
	contents, err := s.contents(len(found))
	if err != nil {
		return nil, err
	}
	s.copies = s.copies[:0]
	groups := make([]group, 0, len(found))
	table := newFoldTable(len(found))
	for i := range found {
		c := &found[i]
		line := uint32(0)
		if len(linked) > 0 {
			line = linked[c.conv]
		}
		if c.kinds&titleBit != 0 || c.flags&flagLong == 0 && line == 0 {
			groups = append(groups, group{first: *c})
			continue
		}
		if c.flags&flagLong != 0 {
			line = 0 // wherever it stands
		}
		content, err := contents(c)
		if err != nil {
			return nil, err
		}
		key := binary.LittleEndian.Uint64(content) ^ uint64(line)*0x9e3779b97f4a7c15
		made := int32(len(groups) + 1)
		g := table.find(key, made)
		for g != made && !s.take(&groups[g-1], c) {
			if groups[g-1].next == 0 {
				groups[g-1].next = made
			}
			g = groups[g-1].next
		}
		if g == made {
			groups = append(groups, group{first: *c})
		}
	}
	return groups, nil
}

// fewFound is how many hits are sooner read one by one than with the content ids of all messages.
const fewFound = 512

// contents returns how the content id of a candidate is found, of which there are n.
func (s *searching) contents(n int) (func(c *candidate) ([]byte, error), error) {
	if n < fewFound {
		return func(c *candidate) ([]byte, error) { return s.r.segments[c.seg].row(secContent, c.doc) }, nil
	}
	all := make([][]byte, len(s.r.segments))
	for i, seg := range s.r.segments {
		var err error
		if all[i], err = seg.whole(secContent); err != nil {
			return nil, err
		}
	}
	return func(c *candidate) ([]byte, error) { return all[c.seg][32*c.doc:], nil }, nil
}

// take adds a copy, unless the group has a message of that conversation. The better scored one leads; of equals the one
// that was said first.
func (s *searching) take(g *group, c *candidate) bool {
	if g.first.conv == c.conv {
		return false
	}
	for i := g.also; i != 0; i = s.copies[i-1].next {
		if s.copies[i-1].conv == c.conv {
			return false
		}
	}
	other := *c
	if f := &g.first; c.score > f.score || c.score == f.score && s.r.before(c, f) {
		other, g.first = g.first, other
	}
	s.copies = append(s.copies, copied{other, g.also})
	g.also = int32(len(s.copies))
	return true
}

// before reports whether a candidate was said before another; by time, then by id.
func (r *Reader) before(c, d *candidate) bool {
	if c.flags&flagTimed != 0 && d.flags&flagTimed != 0 && c.nanos != d.nanos {
		return c.nanos < d.nanos
	}
	return r.compareIDs(c, d) < 0
}

// lineage returns, for each conversation that lineage links with others, the number of its family.
func (r *Reader) lineage() (map[uint32]uint32, error) {
	family := map[uint32]uint32{}
	root := func(x uint32) uint32 {
		for family[x] != x {
			x = family[x]
		}
		return x
	}
	err := r.rows("SELECT c.row, coalesce(p.row, 0), c.lineage FROM conversations c LEFT JOIN conversations p ON p.id = c.lineage WHERE c.lineage IS NOT NULL",
		nil, func(scan func(...any) error) error {
			var child, parent int64
			var of []byte
			if err := scan(&child, &parent, &of); err != nil {
				return err
			}
			if parent == 0 && len(of) >= 4 {
				// The original is not here: its children are a family all the same.
				parent = int64(binary.LittleEndian.Uint32(of) | 1<<31)
			}
			for _, x := range []uint32{uint32(child), uint32(parent)} {
				if _, known := family[x]; !known {
					family[x] = x
				}
			}
			family[root(uint32(child))] = root(uint32(parent))
			return nil
		})
	for x := range family {
		family[x] = root(x)
	}
	return family, err
}

// foldTable maps keys to groups by open addressing: a common word has tens of thousands of hits, and the memory that a
// table of them touches for the first time is what it costs. A key is 64 bits of a content id, which is a digest, mixed
// with the family for texts that are only folded inside of one.
type foldTable struct {
	slots []foldSlot
	keys  []uint64 // of the groups that were the first with theirs, in the order in which they were made
}

// foldSlot is a group and where its key is.
type foldSlot struct {
	group int32 // the first group with these words, +1; 0: none
	key   int32
}

func newFoldTable(n int) *foldTable {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &foldTable{slots: make([]foldSlot, size), keys: make([]uint64, 0, n)}
}

// find returns the first group with a key. Where there is none, it is the one that is made now. The table is never full: it
// has twice the places of what it is made for.
func (t *foldTable) find(key uint64, made int32) int32 {
	mask := uint64(len(t.slots) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.group == 0 {
			*s = foldSlot{made, int32(len(t.keys))}
			t.keys = append(t.keys, key)
			return made
		}
		if t.keys[s.key] == key {
			return s.group
		}
	}
}
