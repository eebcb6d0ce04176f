package archive

import (
	"fmt"
	"io"
	"sort"
)

// bundledContent reads the bytes of a snapshot out of a bundle. It holds one decoded block and is used by one goroutine
// at a time.
type bundledContent struct {
	b      *Bundle
	blocks []bundledBlock
	ends   []int64 // where each block ends
	size   int64
	pos    int64
	held   int // number of the block in bytes; -1: none
	bytes  []byte
	stored []byte
}

func (b *Bundle) content(blocks []bundledBlock, size int64) *bundledContent {
	c := &bundledContent{b: b, blocks: blocks, size: size, held: -1, ends: make([]int64, len(blocks))}
	end := int64(0)
	for i := range blocks {
		end += int64(blocks[i].Size)
		c.ends[i] = end
	}
	return c
}

// ReadAt implements io.ReaderAt.
func (c *bundledContent) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		if at >= c.size {
			return n, io.EOF
		}
		i := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > at })
		if err := c.hold(i); err != nil {
			return n, err
		}
		from := at - (c.ends[i] - int64(len(c.bytes)))
		rest := c.bytes[from:]
		n += copy(p[n:], rest[:min(int64(len(rest)), c.size-at)])
	}
	return n, nil
}

// hold decodes a block and compares it with its hash once more: the file may have changed since it was opened.
func (c *bundledContent) hold(i int) error {
	if i == c.held {
		return nil
	}
	block := c.blocks[i]
	s := c.b.blocks[block.Hash]
	c.stored = append(c.stored[:0], make([]byte, s.stored)...)
	if _, err := c.b.file.ReadAt(c.stored, s.off); err != nil {
		return fmt.Errorf("read the block %s of the bundle: %w", block.Hash, err)
	}
	out, err := decompress(c.bytes[:0], c.stored, codecZstd, int(s.size))
	if err != nil || hexHash(hashOf(out)) != block.Hash {
		c.held = -1
		return broken("the block %s has changed since the bundle was checked", block.Hash)
	}
	c.bytes, c.held = out, i
	return nil
}

// Read implements io.Reader.
func (c *bundledContent) Read(p []byte) (int, error) {
	n, err := c.ReadAt(p, c.pos)
	c.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}
