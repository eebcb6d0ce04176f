package kit

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	packChunk  = 64 << 10 // bytes that are frozen or thawed at a time
	mostAtOnce = 1 << 16  // elements for which memory is asked for before they are there
)

// spare is room behind a slice that was thawed: the first that comes behind it must not have it copied.
func spare(n int) int {
	if n < 1<<10 {
		return 0
	}
	return n / 32
}

// Pack writes what Freeze would, compressed, as it is made: memory follows neither. The error is one of w.
func Pack(w io.Writer, v any) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
	if err != nil {
		return err
	}
	f := &freezing{to: func(b []byte) {
		if err == nil {
			_, err = z.Write(b)
		}
	}}
	f.freeze(v)
	f.to(f.b)
	if cerr := z.Close(); err == nil {
		err = cerr
	}
	return err
}

// Unpack fills *v from what Pack has written of a value of the same type.
func Unpack(r io.Reader, v any) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	t := &thawing{from: z}
	t.thaw(v)
	if t.need(1); t.short || len(t.rest) > 0 {
		return errFrozen
	}
	return nil
}

// PackBytes returns what Pack writes.
func PackBytes(v any) []byte {
	var b bytes.Buffer
	Pack(&b, v) // a buffer takes everything
	return bytes.Clone(b.Bytes())
}

// State is the state of a reading in two parts: what was packed of the whole, and, frozen, where the reading stands.
// Layout tells the types of both from others.
func State(layout uint64, packed []byte, place any) []byte {
	at := Freeze(nil, place)
	b := make([]byte, 0, 16+len(packed)+len(at))
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, layout), uint64(len(packed)))
	return append(append(b, packed...), at...)
}

// OpenState fills *whole and *place from a State of that layout. False: it is of another, or not whole.
func OpenState(state []byte, layout uint64, whole, place any) bool {
	if len(state) < 16 || binary.LittleEndian.Uint64(state) != layout {
		return false
	}
	n := binary.LittleEndian.Uint64(state[8:])
	if n > uint64(len(state)-16) {
		return false
	}
	if Unpack(bytes.NewReader(state[16:16+n]), whole) != nil {
		return false
	}
	_, err := Thaw(state[16+n:], place)
	return err == nil
}
