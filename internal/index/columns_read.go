package index

import "encoding/binary"

// contentKey is how many bytes of a content id stand in a column of their own: 64 bits of a digest tell texts apart, and a
// search for a common word reads them of every message that answers.
const contentKey = 8

// columns are the columns of a segment that a search reads for every document that answers.
type columns struct {
	conv, flags, kinds, lengths, times []byte
	rows                               *segmentFile // whose rows are verified one by one, see need; nil: all are
}

// ordered are the columns that columns has, in the order of its fields.
var ordered = [...]section{secConv, secFlags, secKinds, secLength, secTime}

// columns returns them whole and verified.
func (f *segmentFile) columns() (columns, error) {
	for _, s := range ordered {
		if _, err := f.whole(s); err != nil {
			return columns{}, err
		}
	}
	c := f.columnsUnread()
	c.rows = nil
	return c, nil
}

// rowsWorth is for which share of all documents it is worth to verify the columns as a whole.
const rowsWorth = 64

// columnsOf returns the columns for so many documents. Each has to be asked for with need before it is read.
func (f *segmentFile) columnsOf(n int) (columns, error) {
	if n*rowsWorth >= int(f.dir.docs) {
		return f.columns()
	}
	return f.columnsUnread(), nil
}

func (f *segmentFile) columnsUnread() columns {
	of := func(s section) []byte { x := f.dir.sections[s]; return f.m.data[x.off : x.off+x.len : x.off+x.len] }
	return columns{of(secConv), of(secFlags), of(secKinds), of(secLength), of(secTime), f}
}

// need verifies the row of a document.
func (c *columns) need(doc uint32) error {
	if c.rows == nil {
		return nil
	}
	for _, s := range ordered {
		if _, err := c.rows.row(s, doc); err != nil {
			return err
		}
	}
	return nil
}

func (c *columns) convOf(doc uint32) uint32 { return binary.LittleEndian.Uint32(c.conv[4*doc:]) }
func (c *columns) flagsOf(doc uint32) flags {
	return flags(binary.LittleEndian.Uint16(c.flags[2*doc:]))
}
func (c *columns) timeOf(doc uint32) int64 { return int64(binary.LittleEndian.Uint64(c.times[8*doc:])) }
