package index

import (
	"encoding/binary"
)

// group is one hit: a document and its copies in other conversations. Two messages of one conversation are never in one
// group.
//
// There are as many as hits, so that it has no pointers, and what ranking asks of every one of them at hand.
type group struct {
	score float64 // see searching.recent
	first int32   // the best of them: its place in searching.found
	conv  uint32  // of the best
	also  int32   // the newest of its copies, +1; 0: none
	next  int32   // the group with the same words that was made after this one, +1; 0: none
}

// copied is a copy in a chain.
type copied struct {
	at   int32 // place in searching.found
	next int32 // +1; 0: none
}

// foldPart is about how many candidates are folded at once: as many as the processor's cache has room for.
const foldPart = 1 << 13

// keyed is a candidate as a group of its own, and the key that its copies have too: 64 bits of a content id, which is a
// digest, mixed with the family for texts that are only folded inside of one.
type keyed struct {
	key uint64
	group
}

// fold puts copies together: equal content ids, where the texts are long enough or lineage links the conversations. A
// common word has hundreds of thousands of hits: they are divided by their keys, and each part is folded for itself. The
// groups come in no order.
func (s *searching) fold(found []candidate) ([]group, error) {
	s.found = found
	parts, alone, err := s.divide(found)
	if err != nil {
		return nil, err
	}
	groups := make([]group, len(found))
	starts, at := make([]int, len(parts)), len(alone)
	copy(groups, alone)
	for i, p := range parts {
		starts[i], at = at, at+len(p)
	}
	folders := make([]folder, len(parts))
	err = s.onAllCores(len(parts), func(i int) error {
		folders[i] = folder{r: s.r, found: found, groups: groups[starts[i] : starts[i] : starts[i]+len(parts[i])]}
		folders[i].fold(parts[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	n := len(alone)
	s.copies = s.copies[:0]
	for i := range folders {
		n += copy(groups[n:], s.adopt(&folders[i]))
	}
	return groups[:n], nil
}

// adopt takes over the copies of a part and returns its groups.
func (s *searching) adopt(f *folder) []group {
	if before := int32(len(s.copies)); before > 0 && len(f.copies) > 0 {
		for i := range f.groups {
			if f.groups[i].also != 0 {
				f.groups[i].also += before
			}
		}
		for i := range f.copies {
			if f.copies[i].next != 0 {
				f.copies[i].next += before
			}
		}
	}
	s.copies = append(s.copies, f.copies...)
	return f.groups
}

// divide puts the candidates that may have copies into parts, by their keys; the others are alone.
func (s *searching) divide(found []candidate) (parts [][]keyed, alone []group, err error) {
	linked, err := s.r.lineage()
	if err != nil {
		return nil, nil, err
	}
	contents, err := s.contents(len(found))
	if err != nil {
		return nil, nil, err
	}
	shift := 64
	for n := len(found); n > foldPart; n /= 2 {
		shift--
	}
	parts = make([][]keyed, 1<<(64-shift))
	for i := range parts {
		parts[i] = make([]keyed, 0, len(found)/len(parts)*9/8+8)
	}
	for i := range found {
		c := &found[i]
		g := group{score: s.recent(c), first: int32(i), conv: c.conv}
		line := uint32(0)
		if int(c.conv) < len(linked) {
			line = linked[c.conv]
		}
		if c.kinds&titleBit != 0 || c.flags&flagLong == 0 && line == 0 {
			alone = append(alone, g)
			continue
		}
		if c.flags&flagLong != 0 {
			line = 0 // wherever it stands
		}
		content, err := contents(c)
		if err != nil {
			return nil, nil, err
		}
		key := binary.LittleEndian.Uint64(content) ^ uint64(line)*0x9e3779b97f4a7c15
		p := &parts[key>>shift]
		*p = append(*p, keyed{key, g})
	}
	return parts, alone, nil
}

// fewFound is how many hits are sooner read one by one than with the content ids of all messages.
const fewFound = 512

// contents returns how the first bytes of the content id of a candidate are found, of which there are n.
func (s *searching) contents(n int) (func(c *candidate) ([]byte, error), error) {
	if n < fewFound {
		return func(c *candidate) ([]byte, error) { return s.r.segments[c.seg].row(secContentKey, c.doc) }, nil
	}
	all := make([][]byte, len(s.r.segments))
	for i, seg := range s.r.segments {
		var err error
		if all[i], err = seg.whole(secContentKey); err != nil {
			return nil, err
		}
	}
	return func(c *candidate) ([]byte, error) { return all[c.seg][contentKey*c.doc:], nil }, nil
}

// folder folds one part of the candidates.
type folder struct {
	r      *Reader
	found  []candidate
	groups []group // it has room for as many as there are candidates
	copies []copied
}

// fold puts the candidates of a part into groups. Its table is by open addressing, twice as large as it may become full.
func (f *folder) fold(part []keyed) {
	size := 16
	for size < 2*len(part) {
		size *= 2
	}
	first := make([]int32, size) // by key: the first group with it, +1
	keys := make([]uint64, 0, len(part))
	for i := range part {
		key := part[i].key
		at := key & uint64(size-1)
		for first[at] != 0 && keys[first[at]-1] != key {
			at = (at + 1) & uint64(size-1)
		}
		place := &first[at]
		for *place != 0 && !f.take(&f.groups[*place-1], &part[i].group) {
			place = &f.groups[*place-1].next
		}
		if *place == 0 {
			f.groups, keys = append(f.groups, part[i].group), append(keys, key)
			*place = int32(len(f.groups))
		}
	}
}

// take adds a copy, unless the group has a message of that conversation. The better scored one leads; of equals the one
// that was said first.
func (f *folder) take(g, other *group) bool {
	if g.conv == other.conv {
		return false
	}
	for i := g.also; i != 0; i = f.copies[i-1].next {
		if f.found[f.copies[i-1].at].conv == other.conv {
			return false
		}
	}
	copied := copied{other.first, g.also}
	if c, d := &f.found[other.first], &f.found[g.first]; c.score > d.score || c.score == d.score && f.r.before(c, d) {
		copied.at = g.first
		g.first, g.conv, g.score = other.first, other.conv, other.score
	}
	f.copies = append(f.copies, copied)
	g.also = int32(len(f.copies))
	return true
}

// before reports whether a candidate was said before another; by time, then by id.
func (r *Reader) before(c, d *candidate) bool {
	if c.flags&flagTimed != 0 && d.flags&flagTimed != 0 && c.nanos != d.nanos {
		return c.nanos < d.nanos
	}
	return r.compareIDs(c, d) < 0
}

// missing marks the number that stands for a conversation that is not here.
const missing = 1 << 31

// lineage returns, by conversation, the number of the family in which lineage links it with others; 0: in none.
func (r *Reader) lineage() ([]uint32, error) {
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
				parent = int64(binary.LittleEndian.Uint32(of) | missing)
			}
			for _, x := range []uint32{uint32(child), uint32(parent)} {
				if _, known := family[x]; !known {
					family[x] = x
				}
			}
			family[root(uint32(child))] = root(uint32(parent))
			return nil
		})
	last := uint32(0)
	for x := range family {
		if x < missing {
			last = max(last, x)
		}
	}
	if len(family) == 0 || err != nil {
		return nil, err
	}
	of := make([]uint32, last+1)
	for x := range family {
		if x < missing {
			of[x] = root(x)
		}
	}
	return of, nil
}
