package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

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
