package ingest

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"lore/internal/archive"
)

// What an evidence was read as rests on more than its own snapshot: on its companions, and on whether it is still at its
// source. An import that dies between the commit of the archive and that of the index has changed these in the archive
// alone, and nothing at the source would ever tell. So the index keeps a sum of them with each reading, and one that has
// another sum is read again. So is one whose import died before it had done what needs more than one evidence: it is not
// settled.

// restsOn returns the sum for a file and its companions. Most files have none: an import that finds nothing new asks for each.
func restsOn(f *archive.File, companions []archive.File) int64 {
	sum := int64(0)
	if f.InSource {
		sum = 1
	}
	if len(companions) == 0 {
		return sum
	}
	companions = slices.SortedFunc(slices.Values(companions), func(a, b archive.File) int { return cmp.Compare(a.ID, b.ID) })
	var b []byte
	for i, c := range companions {
		if c.Snapshot != 0 && (i == 0 || companions[i-1].ID != c.ID) {
			b = binary.LittleEndian.AppendUint64(b, uint64(c.ID))
			b = binary.LittleEndian.AppendUint64(b, uint64(c.Snapshot))
		}
	}
	if len(b) == 0 {
		return sum
	}
	return int64(xxhash.Sum64(binary.LittleEndian.AppendUint64(b, uint64(sum))))
}

// unsettled reports whether the import that has read an evidence died before it had done what needs more than one.
func (r *run) unsettled(file int64) bool {
	state, known := r.known.states[file]
	return known && !state.Settled
}

// companionsByMain returns the companions of every file that has some.
func companionsByMain(a *archive.Archive, files []archive.File) (map[int64][]archive.File, error) {
	pairs, err := a.Pairs()
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*archive.File, len(files))
	for i := range files {
		byID[files[i].ID] = &files[i]
	}
	of := map[int64][]archive.File{}
	for _, p := range pairs {
		if f := byID[p.File]; f != nil {
			of[p.Main] = append(of[p.Main], *f)
		}
	}
	return of, nil
}
