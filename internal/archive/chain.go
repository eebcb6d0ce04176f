package archive

// The counters that tell when it is worth to sweep.
const (
	garbage = "garbage" // bytes, decoded, of blocks that may have lost their last user
	stale   = "stale"   // filters that later ones made void
)

// begin makes the row of a new chain. Until write it belongs to no file.
func (b *build) begin(k *clerk) (err error) {
	if b.id != 0 {
		return nil
	}
	b.id, err = k.add("keep a chain", "INSERT INTO chain (file, size, blocks, prints, list) VALUES (0, 0, 0, 0, ?)", (&list{}).encode())
	b.made = err == nil
	return err
}

// hand gives the filters that are ready to the clerk.
func (b *build) hand(k *clerk) {
	for _, f := range b.filters {
		f.chain = b.id
		k.filters = append(k.filters, f)
		k.bytes += int64(len(f.filter))
	}
	b.filters, b.held = nil, 0
}

// spill gives filters to the clerk before the chain is finished.
func (b *build) spill(k *clerk) error {
	if err := b.begin(k); err != nil {
		return err
	}
	b.hand(k)
	return nil
}

// write makes the chain's row, or brings it up, and hands over the filters. It returns the chain's id and size.
func (b *build) write(k *clerk, file int64) (id, size int64, err error) {
	if b.change == Unchanged {
		return b.id, b.old.size(), nil
	}
	l := &list{entries: make([]entry, 0, len(b.entries)), prints: b.prints}
	for i, e := range b.entries {
		if i >= b.stay {
			e.id = b.ids.ids[i-b.stay]
		}
		l.add(e)
	}
	if err := b.begin(k); err != nil {
		return 0, 0, err
	}
	b.hand(k)
	if b.change == Appended {
		for _, e := range b.old.entries[b.stay:] {
			k.count(garbage, int64(e.size))
		}
		k.count(stale, int64(len(b.old.prints)-b.closed))
	}
	_, err = k.exec("keep a chain", "UPDATE chain SET file = ?, size = ?, blocks = ?, prints = ?, list = ? WHERE id = ?",
		file, l.size(), len(l.entries), l.fold(), l.encode(), b.id)
	return b.id, l.size(), err
}

// abandon undoes what a chain that was not finished has left.
func (b *build) abandon(k *clerk) error {
	k.count(garbage, b.fresh)
	if !b.made {
		return nil
	}
	_, err := k.exec("give up a chain", "DELETE FROM chain WHERE id = ?", b.id)
	return err
}
