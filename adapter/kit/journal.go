package kit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"sort"
)

// The rollback journal: segments of a header (one sector) and records. A record is a page number, the page as it was
// before the transaction, and a checksum. A header's count of records, and its magic, are written only after the records
// have reached the disk, and the database is written only after that: a segment without them has changed nothing yet.
const (
	journalMagic      = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journalHeaderSize = 28
	journalNoSync     = 0xffffffff // the count of a writer that never waits for the disk: as many as there are
	pendingByte       = 0x40000000 // the page that holds this byte is never used
	longestSuperName  = 4096
)

// undoLog is a hot rollback journal: what a transaction that has not ended has overwritten.
type undoLog struct {
	file  io.ReaderAt
	size  int64  // of the file
	page  int    // page size
	pages uint32 // size of the database before the transaction, in pages

	undo []undoPage // sorted by page

	// head is the first header, and tail what stood, at next, where another header or, when the writer does not sync,
	// another record would be: as long as both stay, no page but those in undo has been overwritten.
	head  [journalHeaderSize]byte
	tail  []byte
	next  int64
	reach int    // bytes that tail was read from; it is shorter at the file's end
	super string // path of the journal that binds several databases into one transaction; "" as a rule
}

type undoPage struct {
	page   uint32
	offset int64 // of the page's content in the journal
}

// readJournal reads a journal of size bytes. It is nil when there is no valid header: such a journal undoes nothing.
// Page is the page size of the database, for journals that do not name theirs.
func readJournal(file io.ReaderAt, size int64, page int) (*undoLog, error) {
	j := &undoLog{file: file, size: size, page: page}
	n, err := readUpTo(file, j.head[:], 0)
	if err != nil || n < journalHeaderSize || string(j.head[:8]) != journalMagic {
		return nil, err
	}
	sector := int64(binary.BigEndian.Uint32(j.head[20:]))
	if named := binary.BigEndian.Uint32(j.head[24:]); named != 0 {
		j.page = int(named)
	}
	if sector < 32 || sector > largestPage || sector&(sector-1) != 0 || !validPageSize(j.page) {
		return nil, nil
	}
	j.pages = binary.BigEndian.Uint32(j.head[16:])
	if err := j.segments(sector); err != nil {
		return nil, err
	}
	j.super, err = j.superName()
	return j, err
}

// segments reads every segment that is complete.
func (j *undoLog) segments(sector int64) error {
	head := make([]byte, journalHeaderSize)
	for at := int64(0); ; {
		at = (at + sector - 1) / sector * sector
		n, err := readUpTo(j.file, head, at)
		if err != nil {
			return err
		}
		j.next, j.tail, j.reach = at, slices.Clone(head[:n]), journalHeaderSize
		if n < journalHeaderSize || string(head[:8]) != journalMagic || binary.BigEndian.Uint32(head[8:]) == 0 {
			break
		}
		end, whole, err := j.records(at+sector, binary.BigEndian.Uint32(head[8:]), binary.BigEndian.Uint32(head[12:]))
		if err != nil {
			return err
		}
		if at = end; !whole {
			break
		}
	}
	// The first record of a page is the oldest, and that is the one to go back to.
	slices.SortStableFunc(j.undo, func(a, b undoPage) int { return cmp.Compare(a.page, b.page) })
	j.undo = slices.CompactFunc(j.undo, func(a, b undoPage) bool { return a.page == b.page })
	return nil
}

// records reads count records from at on. It says where they end, and whether all of them were there.
func (j *undoLog) records(at int64, count, nonce uint32) (end int64, whole bool, err error) {
	buf := make([]byte, j.page+8)
	for range count {
		n, err := readUpTo(j.file, buf, at)
		if err != nil {
			return at, false, err
		}
		if n < len(buf) || !j.record(buf, at, nonce) {
			if count == journalNoSync {
				j.next, j.tail, j.reach = at, buf[:n], len(buf)
			}
			return at, false, nil
		}
		at += int64(len(buf))
	}
	return at, true, nil
}

// record takes one record, and reports whether it is one.
func (j *undoLog) record(buf []byte, at int64, nonce uint32) bool {
	page := binary.BigEndian.Uint32(buf)
	switch {
	case page == 0 || page == uint32(pendingByte/j.page)+1:
		return false
	case page > j.pages:
		return true
	case journalChecksum(nonce, buf[4:4+j.page]) != binary.BigEndian.Uint32(buf[4+j.page:]):
		return false
	}
	j.undo = append(j.undo, undoPage{page, at + 4})
	return true
}

// superName reads the name at the journal's end of the journal that several databases share.
func (j *undoLog) superName() (string, error) {
	var tail [16]byte
	if j.size < int64(len(tail)) {
		return "", nil
	}
	if _, err := readUpTo(j.file, tail[:], j.size-16); err != nil || string(tail[8:]) != journalMagic {
		return "", err
	}
	length := int64(binary.BigEndian.Uint32(tail[:]))
	if length == 0 || length > longestSuperName || length > j.size-16 {
		return "", nil
	}
	name := make([]byte, length)
	if _, err := readUpTo(j.file, name, j.size-16-length); err != nil {
		return "", err
	}
	var sum uint32
	for _, c := range name {
		sum += uint32(int32(int8(c)))
	}
	if sum != binary.BigEndian.Uint32(tail[4:]) || bytes.IndexByte(name, 0) == 0 {
		return "", nil
	}
	return string(bytes.TrimRight(name, "\x00")), nil
}

// find returns where the original content of a page begins in the journal.
func (j *undoLog) find(page uint32) (int64, bool) {
	i := sort.Search(len(j.undo), func(i int) bool { return j.undo[i].page >= page })
	if i == len(j.undo) || j.undo[i].page != page {
		return 0, false
	}
	return j.undo[i].offset, true
}

// same reports whether the journal still undoes the same pages.
func (j *undoLog) same() (bool, error) {
	tail := make([]byte, j.reach)
	n, err := readUpTo(j.file, tail, j.next)
	if err != nil || !bytes.Equal(tail[:n], j.tail) {
		return false, err
	}
	// Last, because the header is what a commit wipes out.
	var head [journalHeaderSize]byte
	_, err = readUpTo(j.file, head[:], 0)
	return head == j.head, err
}

// journalChecksum sums every 200th byte of a page, from its end.
func journalChecksum(nonce uint32, page []byte) uint32 {
	for i := len(page) - 200; i > 0; i -= 200 {
		nonce += uint32(page[i])
	}
	return nonce
}
