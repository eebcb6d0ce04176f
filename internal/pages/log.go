package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Log follows the write-ahead log of a database of which this process is the only writer, and keeps the sums up with it.
// It is used by one goroutine at a time.
type Log struct {
	Sums *Sums // nil: not known, and not followed

	name string
	salt [8]byte
	pos  int64 // behind the last commit that was seen
}

// The form of a log, from SQLite's documentation of its file format.
const (
	logHead   = 32
	frameHead = 24
)

// Follow starts to follow the log of a database from what is committed in it now, which the sums are of.
func Follow(database string, s *Sums) (*Log, error) {
	l := &Log{name: database + "-wal"}
	if err := l.Committed(); err != nil { // skips what is there
		return nil, err
	}
	l.Sums = s
	return l, nil
}

// Committed reads what was committed since the last call. It has to be called after every commit: SQLite begins the log
// anew as soon as it may. After an error the sums are not known any more.
func (l *Log) Committed() error {
	err := l.read()
	if err != nil {
		l.Sums = nil
		return fmt.Errorf("follow the log of the database: %w", err)
	}
	return nil
}

func (l *Log) read() error {
	f, err := os.Open(l.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var head [logHead]byte
	if n, err := f.ReadAt(head[:], 0); n < len(head) {
		if err == io.EOF {
			return nil
		}
		return err
	}
	if !bytes.Equal(l.salt[:], head[16:24]) {
		l.salt, l.pos = [8]byte(head[16:24]), logHead
	}
	return l.frames(f, int(binary.BigEndian.Uint32(head[8:])))
}

// frames reads the frames of this log behind the last commit, and takes them over commit by commit.
func (l *Log) frames(f *os.File, pageSize int) error {
	if pageSize < 512 || pageSize > 1<<16 {
		return fmt.Errorf("pages of %d bytes", pageSize)
	}
	type frame struct{ page, sum uint32 }
	var open []frame
	r := newReader(f, l.pos)
	frameSize := frameHead + pageSize
	for {
		b, err := r.next(frameSize)
		if err != nil || b == nil || !bytes.Equal(b[8:16], l.salt[:]) {
			return err
		}
		page, pages := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		if page == 0 {
			return errors.New("a frame of no page")
		}
		x := frame{page: page}
		if l.Sums != nil {
			x.sum = sum(b[frameHead:])
		}
		open = append(open, x)
		if pages == 0 {
			continue
		}
		if l.Sums != nil {
			if l.Sums.PageSize != pageSize {
				return fmt.Errorf("pages of %d bytes where %d were", pageSize, l.Sums.PageSize)
			}
			for _, x := range open {
				l.Sums.put(x.page, x.sum)
			}
			l.Sums.resize(int(pages))
		}
		open, l.pos = open[:0], l.pos+int64(r.taken)
		r.taken = 0
	}
}

// reader reads a file in large steps.
type reader struct {
	f     *os.File
	at    int64 // of what comes after buf
	buf   []byte
	room  []byte
	taken int // bytes given out since this was last reset
}

func newReader(f *os.File, at int64) *reader {
	return &reader{f: f, at: at, room: make([]byte, 256<<10)}
}

// next returns n bytes; nil when there are not so many.
func (r *reader) next(n int) ([]byte, error) {
	if len(r.buf) < n {
		have := copy(r.room, r.buf)
		got, err := r.f.ReadAt(r.room[have:], r.at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		r.at += int64(got)
		if r.buf = r.room[:have+got]; len(r.buf) < n {
			return nil, nil
		}
	}
	b := r.buf[:n]
	r.buf = r.buf[n:]
	r.taken += n
	return b, nil
}
