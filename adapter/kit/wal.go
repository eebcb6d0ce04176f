package kit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
)

// The write-ahead log: a header of 32 bytes, then frames of 24 bytes and one page each. A frame counts when its salts are
// the header's and its checksum continues that of the frame before; it is committed when it, or one after it, says how
// many pages the database then has. The log is only appended to until it is reset, and a reset writes another header
// first, so what was read under one header stands as long as that header does.
const (
	walHeaderSize = 32
	walFrameSize  = 24
	walMagic      = 0x377f0682 // the lowest bit says that checksums are made of big-endian words
	walVersion    = 3007000
	walScanBuffer = 64 << 10
	smallestPage  = 512
	largestPage   = 65536
)

// walLog is a write-ahead log as it was read, with what it takes to notice that it went on.
type walLog struct {
	file io.ReaderAt
	head [walHeaderSize]byte
	page int  // page size
	big  bool // checksums are made of big-endian words

	frames uint32    // frames up to the last commit
	pages  uint32    // size of the database after that commit, in pages; 0 without one
	sum    [2]uint32 // checksum of the last committed frame

	// valid counts the frames whose checksums hold, committed or not. A later commit has to change the header of frame
	// number frames (from 0), of which first is what was there, or what follows the last valid frame: stop is what there
	// was of it, in its first reach bytes.
	valid       uint32
	first, stop []byte
	reach       int
	look        []byte // room to look again

	newest []uint64 // page<<32 | frame number from 0, for the newest committed frame of each page, sorted
	view   uint32   // frames that newest speaks of
}

// readWAL reads a log to its end. It is nil when there is no valid header: such a log holds nothing.
func readWAL(file io.ReaderAt) (*walLog, error) {
	w := &walLog{file: file}
	n, err := readUpTo(file, w.head[:], 0)
	if err != nil {
		return nil, err
	}
	if n < walHeaderSize || !w.parseHead() {
		return nil, nil
	}
	if v := binary.BigEndian.Uint32(w.head[4:]); v != walVersion {
		return nil, fmt.Errorf("write-ahead log of version %d: %w", v, ErrNewerFormat)
	}
	err = w.advance(func(page, frame uint32) {
		w.newest = append(w.newest, uint64(page)<<32|uint64(frame))
	})
	w.newest = newestFrames(w.newest)
	w.view = w.frames
	return w, err
}

func (w *walLog) parseHead() bool {
	word := func(i int) uint32 { return binary.BigEndian.Uint32(w.head[i:]) }
	if word(0)&^1 != walMagic {
		return false
	}
	w.big = word(0)&1 == 1
	w.page = int(word(8))
	w.sum = walChecksum(w.big, [2]uint32{}, w.head[:24])
	return validPageSize(w.page) && w.sum == [2]uint32{word(24), word(28)}
}

func validPageSize(n int) bool { return n >= smallestPage && n <= largestPage && n&(n-1) == 0 }

// newestFrames keeps the last frame of each page.
func newestFrames(frames []uint64) []uint64 {
	slices.Sort(frames)
	kept := frames[:0]
	for i, f := range frames {
		if i+1 == len(frames) || frames[i+1]>>32 != f>>32 {
			kept = append(kept, f)
		}
	}
	return slices.Clip(kept)
}

// find returns where the content of a page begins in the log.
func (w *walLog) find(page uint32) (int64, bool) {
	i := sort.Search(len(w.newest), func(i int) bool { return uint32(w.newest[i]>>32) >= page })
	if i == len(w.newest) || uint32(w.newest[i]>>32) != page {
		return 0, false
	}
	return w.offset(uint32(w.newest[i])) + walFrameSize, true
}

// offset returns where a frame begins, counted from 0.
func (w *walLog) offset(frame uint32) int64 {
	return walHeaderSize + int64(frame)*int64(walFrameSize+w.page)
}

// advance reads on from the last commit and tells each page of a frame that has been committed since.
func (w *walLog) advance(committed func(page, frame uint32)) error {
	var pending []uint32 // pages of frames without a commit yet
	sum, next := w.sum, w.frames
	size := walFrameSize + w.page
	buf := make([]byte, max(walScanBuffer/size, 1)*size)
	w.first, w.stop = nil, nil
	for {
		n, err := readUpTo(w.file, buf, w.offset(next))
		if err != nil {
			return err
		}
		rest := buf[:n]
		for ; len(rest) >= size && w.follows(&sum, rest[:size]); rest = rest[size:] {
			if len(pending) == 0 {
				w.first = slices.Clone(rest[:walFrameSize])
			}
			pending = append(pending, binary.BigEndian.Uint32(rest))
			next++
			if pages := binary.BigEndian.Uint32(rest[4:]); pages != 0 {
				for i, page := range pending {
					committed(page, w.frames+uint32(i))
				}
				pending, w.first = pending[:0], nil
				w.frames, w.pages, w.sum = next, pages, sum
			}
		}
		if len(rest) > 0 || n < len(buf) {
			w.valid = next
			w.halt(rest)
			return nil
		}
	}
}

// halt remembers what has to change before the log goes on with rest, which does not continue it: the header of a frame
// from before the last reset, else anything in a frame, which was perhaps being written.
func (w *walLog) halt(rest []byte) {
	w.reach = walFrameSize + w.page
	if len(rest) >= walFrameSize && !w.salted(rest) {
		w.reach = walFrameSize
	}
	w.stop = slices.Clone(rest[:min(len(rest), w.reach)])
}

// salted reports whether a frame was written under this log's header.
func (w *walLog) salted(frame []byte) bool { return bytes.Equal(frame[8:16], w.head[16:24]) }

// follows reports whether a frame is of this log and its checksum continues sum, which it then moves on.
func (w *walLog) follows(sum *[2]uint32, frame []byte) bool {
	if !w.salted(frame) || binary.BigEndian.Uint32(frame) == 0 {
		return false
	}
	s := walChecksum(w.big, *sum, frame[:8])
	s = walChecksum(w.big, s, frame[walFrameSize:])
	if s != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
		return false
	}
	*sum = s
	return true
}

// same reports whether the log still has the header under which it was read.
func (w *walLog) same() (bool, error) {
	var head [walHeaderSize]byte
	_, err := readUpTo(w.file, head[:], 0)
	return head == w.head, err
}

// grew tells the pages of frames that were committed since the log was last looked at.
func (w *walLog) grew(committed func(page, frame uint32)) error {
	first, err := w.stands(w.frames, w.first, walFrameSize)
	if err != nil {
		return err
	}
	stop, err := w.stands(w.valid, w.stop, w.reach)
	if err != nil || first && stop {
		return err
	}
	return w.advance(committed)
}

// stands reports whether the first n bytes at a frame are still those that were read. Nothing was read: that is so too.
func (w *walLog) stands(frame uint32, read []byte, n int) (bool, error) {
	if read == nil {
		return true, nil
	}
	w.look = slices.Grow(w.look[:0], n)[:n]
	got, err := readUpTo(w.file, w.look, w.offset(frame))
	return bytes.Equal(w.look[:got], read), err
}

// walChecksum continues a checksum over data, whose length is a multiple of 8.
func walChecksum(big bool, sum [2]uint32, data []byte) [2]uint32 {
	a, b := sum[0], sum[1]
	if big {
		for ; len(data) >= 8; data = data[8:] {
			a += binary.BigEndian.Uint32(data) + b
			b += binary.BigEndian.Uint32(data[4:]) + a
		}
		return [2]uint32{a, b}
	}
	for ; len(data) >= 8; data = data[8:] {
		a += binary.LittleEndian.Uint32(data) + b
		b += binary.LittleEndian.Uint32(data[4:]) + a
	}
	return [2]uint32{a, b}
}

// readUpTo fills buf from off; fewer bytes than asked for mean that the file ends there. (Past the end some file systems
// in memory do not say io.EOF.)
func readUpTo(file io.ReaderAt, buf []byte, off int64) (int, error) {
	n, err := file.ReadAt(buf, off)
	if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrInvalid) {
		err = nil
	}
	return n, err
}
