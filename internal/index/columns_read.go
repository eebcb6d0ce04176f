package index

import "encoding/binary"

// columns are the columns of a segment that a search reads for every document that answers.
type columns struct {
	conv, flags, kinds, lengths, times []byte
}

func (f *segmentFile) columns() (c columns, err error) {
	for s, b := range map[section]*[]byte{
		secConv: &c.conv, secFlags: &c.flags, secKinds: &c.kinds, secLength: &c.lengths, secTime: &c.times,
	} {
		if *b, err = f.whole(s); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *columns) convOf(doc uint32) uint32 { return binary.LittleEndian.Uint32(c.conv[4*doc:]) }
func (c *columns) flagsOf(doc uint32) flags {
	return flags(binary.LittleEndian.Uint16(c.flags[2*doc:]))
}
func (c *columns) timeOf(doc uint32) int64 { return int64(binary.LittleEndian.Uint64(c.times[8*doc:])) }
