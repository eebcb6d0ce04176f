package archive

import (
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

// sum computes the sum of the content up to the end of each snapshot.
func (c *blankedChain) sum(content io.ReaderAt, size int64) error {
	buf := make([]byte, 64<<10)
	var sum uint32
	at := int64(0)
	for _, end := range slices.Sorted(maps.Keys(c.sums)) {
		for at < min(end, size) {
			n, err := content.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
			if n == 0 {
				return err
			}
			sum = crc32.Update(sum, castagnoli, buf[:n])
			at += int64(n)
		}
		c.sums[end] = sum
	}
	return nil
}
