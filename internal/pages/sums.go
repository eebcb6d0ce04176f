// Package pages knows a checksum of every page of a database, so that a byte which has changed by itself is found wherever
// it is: in content, in the rows of a table, in the structure of a tree, in space that nothing uses. SQLite itself has
// no such sums.
//
// The sums stand in a small file beside the database, with a stamp: a number in the database that every writer changes
// with its first change. So sums that are older than the database, because a writer was killed, are known for what they
// are. A writer follows the log of its own commits and never reads the database again for them.
//
// The package must not know what the pages hold.
package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// ErrUnreadable says that a file of sums holds something else than what was written to it.
var ErrUnreadable = errors.New("sums of pages cannot be read")

// Sums are the checksums of all pages of a database in one state.
type Sums struct {
	Stamp    int64 // the state of the database, in the numbers of its writers
	PageSize int   // bytes
	Pages    []uint32
}

// The encoding: magic, page size, number of pages, stamp, the CRC-32C of each page, CRC-32C of all that.
const (
	magic    = "LORESUM\x01"
	headSize = len(magic) + 4 + 4 + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(page []byte) uint32 { return crc32.Checksum(page, castagnoli) }

// Load reads the sums of a file. The error is fs.ErrNotExist when there is none, ErrUnreadable when it is damaged.
func Load(name string) (*Sums, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if len(b) < headSize+4 || string(b[:len(magic)]) != magic || sum(b[:len(b)-4]) != le.Uint32(b[len(b)-4:]) {
		return nil, fmt.Errorf("%q: %w", name, ErrUnreadable)
	}
	head := b[len(magic):headSize]
	s := &Sums{PageSize: int(le.Uint32(head)), Stamp: int64(le.Uint64(head[8:]))}
	body := b[headSize : len(b)-4]
	if n := int64(le.Uint32(head[4:])); int64(len(body)) != 4*n {
		return nil, fmt.Errorf("%q: %w", name, ErrUnreadable)
	}
	s.Pages = make([]uint32, len(body)/4)
	for i := range s.Pages {
		s.Pages[i] = le.Uint32(body[4*i:])
	}
	return s, nil
}

// Store writes the sums so that a reader sees the old or the new ones whole. They are not synced: what a power cut takes
// is missing or unreadable, and made again.
func (s *Sums) Store(name string) error {
	le := binary.LittleEndian
	b := make([]byte, 0, headSize+4*len(s.Pages)+4)
	b = append(b, magic...)
	b = le.AppendUint32(b, uint32(s.PageSize))
	b = le.AppendUint32(b, uint32(len(s.Pages)))
	b = le.AppendUint64(b, uint64(s.Stamp))
	for _, p := range s.Pages {
		b = le.AppendUint32(b, p)
	}
	b = le.AppendUint32(b, sum(b))
	tmp := name + ".tmp"
	err := os.WriteFile(tmp, b, 0o600)
	if err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("write the sums of pages: %w", err)
	}
	return nil
}

// put sets the sum of a page, which is counted from 1. A page that was never written is zeros.
func (s *Sums) put(page uint32, sum uint32) {
	s.resize(max(len(s.Pages), int(page)))
	s.Pages[page-1] = sum
}

// resize makes the sums those of n pages.
func (s *Sums) resize(n int) {
	if n <= len(s.Pages) {
		s.Pages = s.Pages[:n]
		return
	}
	zeros := sum(make([]byte, s.PageSize))
	for len(s.Pages) < n {
		s.Pages = append(s.Pages, zeros)
	}
}
