package archive

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
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

// content is what a chain is brought up to.
type content struct {
	r    io.Reader
	size int64 // what the file system said; -1: not known
}

// section returns the content from an offset on; nil when it cannot be read from there.
func (c content) section(off int64) io.Reader {
	at, ok := c.r.(io.ReaderAt)
	if !ok {
		return nil
	}
	return io.NewSectionReader(at, off, math.MaxInt64-off)
}

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

// compare finds how many blocks of the old list the content begins with, and leaves the window behind them.
func (b *build) compare(ctx context.Context, c content, sum uint32, trust bool) (Change, error) {
	whole := c.section(0)
	if whole == nil {
		whole = c.r
	}
	if b.old == nil {
		b.window.start(whole, 0)
		return Created, nil
	}
	n := len(b.old.entries)
	if trust && n > 0 && c.size > b.old.size() {
		if ok, err := b.grown(c); err != nil {
			return 0, err
		} else if ok {
			b.window.start(c.section(b.old.size()), sum)
			if err := b.window.fill(1); err != nil {
				return 0, err
			}
			if len(b.window.bytes()) > 0 {
				b.same = n
				return Appended, nil
			}
		}
	}
	b.window.start(whole, 0)
	for b.same = 0; b.same < n; b.same++ {
		e := b.old.entries[b.same]
		if err := b.fill(ctx, e.size); err != nil {
			return 0, err
		}
		if len(b.window.bytes()) < e.size {
			return Rewritten, nil
		}
		if ok, err := b.w.isBlock(e.id, b.window.bytes()[:e.size]); err != nil {
			return 0, err
		} else if !ok {
			return Rewritten, nil
		}
		b.window.pass(e.size)
	}
	if err := b.window.fill(1); err != nil {
		return 0, err
	}
	if len(b.window.bytes()) == 0 {
		return Unchanged, nil
	}
	return Appended, nil
}

// fill fills the window, unless the caller has given up.
func (b *build) fill(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.window.fill(n)
}

// grown reports whether the first block and the last ones, of a full block's size together, stand in the content where
// they stood.
func (b *build) grown(c content) (bool, error) {
	at, ok := c.r.(io.ReaderAt)
	if !ok {
		return false, nil
	}
	entries := b.old.entries
	buf := make([]byte, maxBlock)
	for i, n := len(entries)-1, 0; i >= 0; i-- {
		if n >= lineMax {
			i = 0
		}
		e := entries[i]
		n += e.size
		got, err := at.ReadAt(buf[:e.size], e.off)
		if got < e.size {
			if err == io.EOF {
				err = nil
			}
			return false, err
		}
		if same, err := b.w.isBlock(e.id, buf[:e.size]); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// isBlock reports whether bytes are those of a block.
func (a *Archive) isBlock(id int64, bytes []byte) (bool, error) {
	var want []byte
	err := a.committedOrAhead(fmt.Sprintf("block %d", id), func(q querier) error {
		return q.QueryRowContext(background, "SELECT hash FROM block WHERE id = ?", id).Scan(&want)
	})
	if errors.Is(err, ErrUnknown) {
		// Worse than a change at the source, but for Keep the same: it stores the block again.
		return false, nil
	}
	return string(want) == string(hashSlice(bytes)), err
}

func hashSlice(b []byte) []byte { h := hashOf(b); return h[:] }

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
