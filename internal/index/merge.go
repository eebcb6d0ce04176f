package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"lore/internal/fault"
)

// MergeOptions bounds a merge.
type MergeOptions struct {
	// Bytes is how many bytes of segments one call may read. 0: no bound.
	Bytes int64
}

// Segments are merged when mergeWidth of them are of one size class, where each class is mergeWidth times the one
// before. Above maxMerged a segment is left alone, so that no merge takes long.
const (
	mergeWidth = 4
	smallest   = 256 << 10
	maxMerged  = 1 << 30
)

// Merge puts small segments together and drops deleted messages from them, and makes that visible. It is for after a
// commit, when nobody waits: readers that are open go on with the old files. It reports whether more could be merged.
// Nothing may be staged.
func (w *Writer) Merge(ctx context.Context, o MergeOptions) (more bool, err error) {
	w.stage.Lock()
	defer w.stage.Unlock()
	if w.staging || len(w.pending) > 0 || len(w.active) > 0 {
		return false, errors.New("index: a merge while something is staged")
	}
	for _, s := range w.open {
		s.m.release()
	}
	chosen := chooseMerge(w.open, o.Bytes)
	if len(chosen) == 0 {
		return false, nil
	}
	name := newName()
	path := filepath.Join(w.dir, name)
	size, docs, err := mergeSegments(ctx, path, chosen, false)
	if err != nil {
		return false, err
	}
	if err := w.swap(chosen, name, size, docs); err != nil {
		os.Remove(path)
		return false, err
	}
	return len(chooseMerge(w.open, 0)) > 0, nil
}

// swap makes a merged segment visible in the place of those that it was made of.
func (w *Writer) swap(old []*segment, name string, size int64, docs uint32) error {
	syncDir(w.dir)
	if err := w.begin(); err != nil {
		return err
	}
	defer func() {
		if w.staging {
			w.rollback()
		}
	}()
	seq := int64(0)
	for _, s := range old {
		if err := w.exec("DELETE FROM segments WHERE seq = ?", s.seq); err != nil {
			return err
		}
		seq = max(seq, s.seq)
	}
	if docs > 0 {
		// The newest of the numbers: documents of equal ordinal stay in the order in which they were put.
		if err := w.exec("INSERT INTO segments (seq, name, docs, deleted, bytes, deletions) VALUES (?,?,?,0,?,NULL)",
			seq, name, docs, size); err != nil {
			return err
		}
	}
	if err := w.firstPage(); err != nil {
		return err
	}
	if err := w.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('generation', ?)", w.generation+1); err != nil {
		return err
	}
	fault.At("index: before a merge is committed")
	if err := w.exec("COMMIT"); err != nil {
		return err
	}
	fault.At("index: behind the commit of a merge")
	w.done()
	if err := w.openSegments(); err != nil {
		return err
	}
	w.sweep()
	return nil
}

// chooseMerge picks the segments to merge: the first size class that has enough of them, or one that is half dead.
func chooseMerge(open []*segment, bound int64) []*segment {
	classes := map[int][]*segment{}
	for _, s := range open {
		if s.gone*3 > int(s.docs) && s.size <= maxMerged {
			return []*segment{s}
		}
		if s.size < maxMerged {
			c := sizeClass(s.size)
			classes[c] = append(classes[c], s)
		}
	}
	for c := 0; c <= sizeClass(maxMerged); c++ {
		if len(classes[c]) < mergeWidth {
			continue
		}
		var chosen []*segment
		sum := int64(0)
		for _, s := range open {
			if sizeClass(s.size) > c || s.size >= maxMerged {
				continue
			}
			if sum += s.size; sum > 2*maxMerged || bound > 0 && sum > bound {
				break
			}
			chosen = append(chosen, s)
		}
		if len(chosen) > 1 {
			return chosen
		}
	}
	return nil
}

func sizeClass(size int64) int {
	c := 0
	for limit := int64(smallest); size > limit; limit *= mergeWidth {
		c++
	}
	return c
}
