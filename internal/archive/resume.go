package archive

import (
	"bytes"
	"fmt"
)

// A content that grows little by little makes small blocks. They are cut anew, as one, when there is enough for a full
// block or when there are many.
const openMost = 64

// mostOpen is the length up to which the end of a content is never cut.
func (b *build) mostOpen() int {
	if b.lines {
		return lineMax
	}
	return gearMin
}

// resume decides which of the blocks that are the same stay, puts the others back into the window, and starts the
// filters at the group that changes.
func (b *build) resume() error {
	b.ids = &blockIDs{}
	if b.change != Appended {
		b.id = 0
	}
	if b.filtered {
		b.maker = filterMakers.Get().(*filterMaker)
	}
	if b.old == nil {
		return b.startFilters()
	}
	b.stay = min(b.same, b.old.closed())
	if b.change == Appended {
		small, err := b.staySmall()
		if err != nil {
			return err
		}
		if small {
			b.stay = b.same
		}
	}
	b.entries = append(make([]entry, 0, b.stay+16), b.old.entries[:b.stay]...)
	for i := b.same - 1; i >= b.stay; i-- {
		block, err := b.w.checked(b.old.entries[i])
		if err != nil {
			return err
		}
		b.window.back(block)
	}
	return b.startFilters()
}

// staySmall reports whether what was appended becomes one more small block.
func (b *build) staySmall() (bool, error) {
	closed := b.old.closed()
	open := len(b.old.entries) - closed
	if open == 0 {
		return false, nil // nothing small is there
	}
	room := b.mostOpen() - int(b.old.size()-b.old.entries[closed].off)
	if room <= 0 || open >= openMost {
		return false, nil
	}
	if err := b.window.fill(room + 1); err != nil {
		return false, err
	}
	return len(b.window.bytes()) <= room, nil
}

// startFilters begins with the group that the first new block falls into.
func (b *build) startFilters() error {
	if !b.filtered {
		return nil
	}
	from, closed := b.stay, 0
	groups(b.entries, func(first, to int) {
		if size := b.entries[to-1].end() - b.entries[first].off; size < groupMin {
			from = first
		} else {
			closed++
		}
	})
	if b.change == Appended && closed <= len(b.old.prints) {
		b.closed = closed
		b.prints = append(b.prints, b.old.prints[:closed]...)
	} else {
		from = 0 // filters are another chain's and do not come along
	}
	var before []byte
	for i := from - 1; i >= 0 && len(before) < filterReach-1; i-- {
		block, err := b.w.checked(b.entries[i])
		if err != nil {
			return err
		}
		before = append(bytes.Clone(block[max(0, len(block)-filterReach+1):]), before...)
	}
	b.maker.start(from, before[max(0, len(before)-filterReach+1):])
	for _, e := range b.entries[from:] {
		block, err := b.w.checked(e)
		if err != nil {
			return err
		}
		b.maker.add(block)
	}
	return nil
}

// checked returns the bytes of a block of a list.
func (a *Archive) checked(e entry) ([]byte, error) {
	b := a.cache.get(e.id)
	if b == nil {
		var err error
		if b, err = a.decoded(nil, e.id); err != nil {
			return nil, err
		}
	}
	if len(b) != e.size {
		return nil, fmt.Errorf("archive: block %d has %d bytes where %d should be: %w", e.id, len(b), e.size, ErrDamaged)
	}
	return b, nil
}
