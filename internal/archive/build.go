package archive

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"sync"
)

// build brings one chain up to a content: it compares what is there with the content, keeps the blocks that still fit,
// cuts, hashes and compresses the rest, and makes the filters. It runs on the goroutine of Keep; only ids come from the
// clerk.
type build struct {
	w        *Writer
	lines    bool
	filtered bool
	old      *list // nil: there is none
	window   window
	change   Change
	same     int // blocks of old that the content begins with

	id      int64   // of the chain; 0: it is a new one, and the clerk has not made it yet
	made    bool    // the clerk has made it
	entries []entry // blocks of old that stay, then new ones, whose ids are in ids
	stay    int
	prints  []uint64
	closed  int // prints of old that stay
	maker   *filterMaker
	ids     *blockIDs
	filters []filterEntry // not handed to the clerk yet
	held    int           // bytes of them
	fresh   int64         // bytes that no block of the archive held
}

var filterMakers = sync.Pool{New: func() any { return new(filterMaker) }}

func (b *build) free() {
	b.window.free()
	if b.maker != nil {
		filterMakers.Put(b.maker)
		b.maker = nil
	}
}

// run does it all and says what it found. With sum, the CRC of the old content, and trust, a content that has grown is
// believed to begin with the old one when its first and last blocks are the same.
func (b *build) run(ctx context.Context, c content, sum uint32, trust bool) (err error) {
	if b.change, err = b.compare(ctx, c, sum, trust); err != nil || b.change == Unchanged {
		return err
	}
	if err := b.resume(); err != nil {
		return err
	}
	return b.cut(ctx)
}

// cut makes blocks of what is in the window and comes after it.
func (b *build) cut(ctx context.Context) error {
	next := cutterFor(b.lines)
	for {
		if err := b.fill(ctx, maxBlock); err != nil {
			return err
		}
		bytes := b.window.bytes()
		if len(bytes) == 0 {
			break
		}
		n := next(bytes)
		if err := b.emit(bytes[:n], b.window.end && n == len(bytes)); err != nil {
			return err
		}
		b.window.pass(n)
	}
	if b.filtered {
		b.maker.cut()
	}
	b.takeFilters()
	return nil
}

// filtersHeld is how many bytes of filters wait for the end of a chain. Those of a longer one go to the clerk before it.
const filtersHeld = 4 << 20

// takeFilters moves the filters that are ready from the maker.
func (b *build) takeFilters() {
	if !b.filtered {
		return
	}
	for _, g := range b.maker.out {
		b.prints = append(b.prints, g.print())
		if len(g.filter) > 0 {
			b.filters = append(b.filters, filterEntry{first: g.first, n: g.n, filter: g.filter})
			b.held += len(g.filter)
		}
	}
	b.maker.out = nil
}

// emit hands one block to the clerk.
func (b *build) emit(block []byte, open bool) error {
	nb := &newBlock{to: b.ids, hash: hashOf(block), size: len(block)}
	var err error
	if nb.id, err = b.w.known(nb.hash); err != nil {
		return err
	}
	if nb.id == 0 {
		nb.data = compress((*dataBuffers.Get().(*[]byte))[:0], block)
		b.fresh += int64(len(block))
	}
	b.entries = append(b.entries, entry{
		size: len(block), lines: bytes.Count(block, []byte{'\n'}), open: open, eol: block[len(block)-1] == '\n',
	})
	if b.filtered {
		b.maker.add(block)
		b.takeFilters()
		if b.held >= filtersHeld {
			if err := b.w.do(b.spill); err != nil {
				return err
			}
		}
	}
	return b.w.send(job{block: nb})
}

// known returns the id of a block that the archive holds; 0 when it does not, or not yet.
func (w *Writer) known(h hash) (id int64, err error) {
	if id = w.clerk.freshID(h); id != 0 {
		return id, nil
	}
	err = w.blockID.QueryRowContext(background, h[:]).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, explain("look for a block", err)
	}
	return id, nil
}
