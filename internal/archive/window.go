package archive

import (
	"errors"
	"hash/crc32"
	"io"
	"sync"
)

// window is the stretch of a content that Keep looks at: what was read and not kept yet.
type window struct {
	src  io.Reader
	room []byte
	from int
	to   int
	end  bool   // src has ended
	sum  uint32 // CRC-32C of all that was read, and of what sum was set to before
	read int64  // bytes read from src
}

// Room for what is read, and in front of it for the small blocks before it that are cut anew.
const (
	windowRoom = 1 << 20
	windowBack = maxBlock
)

var windowRooms = sync.Pool{New: func() any { return make([]byte, windowRoom) }}

// start begins with another content.
func (w *window) start(src io.Reader, sum uint32) {
	if w.room == nil {
		w.room = windowRooms.Get().([]byte)
	}
	*w = window{src: src, room: w.room, from: windowBack, to: windowBack, sum: sum}
}

// free gives the room back.
func (w *window) free() {
	if w.room != nil {
		windowRooms.Put(w.room)
		w.room = nil
	}
}

// bytes is what was read and not passed yet.
func (w *window) bytes() []byte { return w.room[w.from:w.to] }

// pass goes on behind the first n bytes.
func (w *window) pass(n int) { w.from += n }

// back puts bytes before the others again. They are not counted anew.
func (w *window) back(b []byte) {
	w.from -= copy(w.room[w.from-len(b):], b)
}

// fill reads until there are n bytes or the content has ended. n is at most maxBlock.
func (w *window) fill(n int) error {
	for idle := 0; w.to-w.from < n && !w.end; {
		if len(w.room)-w.to < n {
			w.to = windowBack + copy(w.room[windowBack:], w.bytes())
			w.from = windowBack
		}
		got, err := w.src.Read(w.room[w.to:])
		if idle++; got > 0 {
			idle = 0
			w.sum = crc32.Update(w.sum, castagnoli, w.room[w.to:w.to+got])
			w.read += int64(got)
			w.to += got
		}
		switch {
		case errors.Is(err, io.EOF):
			w.end = true
		case err != nil:
			return err
		case idle > 100:
			return io.ErrNoProgress
		}
	}
	return nil
}
