package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A segment file is
//
//	magic, sections, checksum table, directory, footer
//
// The bytes before the checksum table are a grid of chunks, each with a CRC-32C in the table, so that a reader verifies
// only what it touches. The directory names the sections and carries the checksum of the table; the footer has a fixed
// size and the checksum of the directory. All numbers are little endian.
const (
	segmentMagic = "LORESEG\x01"
	footerMagic  = "GESEROL\x01"
	chunkSize    = 1 << 12 // a page: what is read of a column at a place costs no more
	footerSize   = 32
)

// section numbers a section of a segment file. The numbers are part of the format.
type section uint32

const (
	secPostings    section = iota // posting lists, in the order of the terms
	secTerms                      // blocks of the dictionary
	secTermIndex                  // where each block begins
	secConv                       // column: row of the conversation, 4 bytes
	secFlags                      // column: see flags, 2 bytes
	secKinds                      // column: Kinds, 1 byte
	secLength                     // column: quantised length in words, 1 byte
	secTime                       // column: nanoseconds, 8 bytes
	secMessage                    // column: message id, 32 bytes
	secContentKey                 // column: the first 8 bytes of the content id, by which copies are found
	secNative                     // column: hash of the native id, 8 bytes
	secPlace                      // column: see place
	secRuns                       // where the documents of a conversation are, see run
	secByMessage                  // documents in the order of their message ids, 4 bytes each
	secByNative                   // documents with a native id in the order of its hash, 4 bytes each
	secStore                      // compressed blocks of the document store
	secStoreIndex                 // where each block begins, 8 bytes each, and the end
	secContentRest                // column: the other 24 bytes of the content id
	sectionCount
)

// span is a range of bytes in a file.
type span struct{ off, len int64 }

// directory is what a segment file says of itself.
type directory struct {
	docs      uint32
	terms     uint32
	words     uint64 // sum of the lengths of the documents, for the average
	newest    int64  // time of the newest message
	tableAt   int64  // offset of the checksum table: the end of the grid
	tableSum  uint32
	sections  [sectionCount]span
	formatVer uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is wrapped by every error about a segment's bytes.
var errDamaged = fmt.Errorf("damaged segment: %w", ErrRebuild)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errDamaged)
}

// encode returns directory and footer; at is the file offset where they will stand.
func (d *directory) encode(at int64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, Version)
	b = le.AppendUint32(b, d.docs)
	b = le.AppendUint32(b, d.terms)
	b = le.AppendUint64(b, d.words)
	b = le.AppendUint64(b, uint64(d.newest))
	b = le.AppendUint64(b, uint64(d.tableAt))
	b = le.AppendUint32(b, d.tableSum)
	b = le.AppendUint32(b, uint32(sectionCount))
	for _, s := range d.sections {
		b = le.AppendUint64(b, uint64(s.off))
		b = le.AppendUint64(b, uint64(s.len))
	}
	n := len(b)
	sum := crc32.Checksum(b, castagnoli)
	b = le.AppendUint64(b, uint64(at))
	b = le.AppendUint32(b, uint32(n))
	b = le.AppendUint32(b, sum)
	b = le.AppendUint64(b, uint64(at)+uint64(n)+footerSize)
	return append(b, footerMagic...)
}

// directorySize is the length of the encoded directory without the footer.
const directorySize = 4*3 + 8*3 + 4*2 + 16*int(sectionCount)

// footer says where the directory stands.
type footer struct {
	at  int64
	len int
	sum uint32
}

func decodeFooter(b []byte, size int64) (footer, error) {
	le := binary.LittleEndian
	if len(b) != footerSize || string(b[24:]) != footerMagic {
		return footer{}, damaged("no footer")
	}
	f := footer{at: int64(le.Uint64(b)), len: int(le.Uint32(b[8:])), sum: le.Uint32(b[12:])}
	if int64(le.Uint64(b[16:])) != size || f.at < int64(len(segmentMagic)) || f.len < 4 || f.len > 1<<16 ||
		f.at+int64(f.len)+footerSize != size {
		return footer{}, damaged("footer does not fit %d bytes", size)
	}
	return f, nil
}

func decodeDirectory(b []byte, f footer) (directory, error) {
	le := binary.LittleEndian
	var d directory
	if crc32.Checksum(b, castagnoli) != f.sum {
		return d, damaged("checksum of the directory")
	}
	if d.formatVer = le.Uint32(b); d.formatVer != Version {
		return d, fmt.Errorf("segment of version %d, this is %d: %w", d.formatVer, Version, ErrRebuild)
	}
	if len(b) != directorySize || le.Uint32(b[40:]) != uint32(sectionCount) {
		return d, damaged("directory of %d bytes", len(b))
	}
	d.docs, d.terms = le.Uint32(b[4:]), le.Uint32(b[8:])
	d.words, d.newest = le.Uint64(b[12:]), int64(le.Uint64(b[20:]))
	d.tableAt, d.tableSum = int64(le.Uint64(b[28:])), le.Uint32(b[36:])
	if d.tableAt < 0 || d.tableAt+4*chunks(d.tableAt) != f.at {
		return d, damaged("checksum table at %d", d.tableAt)
	}
	for i := range d.sections {
		p := b[44+16*i:]
		s := span{int64(le.Uint64(p)), int64(le.Uint64(p[8:]))}
		if s.off < 0 || s.len < 0 || s.off+s.len < s.off || s.off+s.len > d.tableAt {
			return d, damaged("section %d", i)
		}
		d.sections[i] = s
	}
	return d, d.checkColumns()
}

// columnWidth is the bytes of one document in each column.
var columnWidth = map[section]int64{
	secConv: 4, secFlags: 2, secKinds: 1, secLength: 1, secTime: 8, secMessage: 32, secContentKey: 8, secContentRest: 24, secNative: 8,
	secPlace: placeSize, secByMessage: 4,
}

func (d *directory) checkColumns() error {
	for s, width := range columnWidth {
		if d.sections[s].len != width*int64(d.docs) {
			return damaged("column %d holds %d bytes for %d documents", s, d.sections[s].len, d.docs)
		}
	}
	return nil
}

// chunks is how many chunks n bytes are.
func chunks(n int64) int64 { return (n + chunkSize - 1) / chunkSize }

// errShort says that a list ended inside of a number.
var errShort = errors.New("ends early")
