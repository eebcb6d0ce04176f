package archive

import (
	"bytes"
	"encoding/binary"
)

// Sizes of blocks. A block of lines ends at a line end between lineMin and lineMax, whichever looks the smallest to a
// hash, so that the cuts fall in place again after lines were inserted or the head fell off. Where lines are too long
// for that, any line end up to maxBlock will do, and at last none.
const (
	maxBlock = 256 << 10

	lineMin = 96 << 10
	lineMax = 160 << 10
	lineLow = 32 << 10 // no cut before this one in favour of a line end

	gearMin = 64 << 10
	gearMid = 128 << 10
)

// A cutter returns the length of the first block of b, which holds at least maxBlock bytes or all that is left of a
// content. Where it returns len(b), the end of the content may be what cut the block.
type cutter func(b []byte) int

func cutterFor(lines bool) cutter {
	if lines {
		return cutLines
	}
	return cutGear
}

// cutLines cuts after a line end.
func cutLines(b []byte) int {
	if len(b) <= lineMax {
		return len(b)
	}
	cut, least := 0, uint64(0)
	for at := lineMin; ; {
		i := bytes.IndexByte(b[at:lineMax], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		if h := lineHash(b[:at]); cut == 0 || h < least {
			cut, least = at, h
		}
		if at == lineMax {
			break
		}
	}
	if cut > 0 {
		return cut
	}
	b = b[:min(len(b), maxBlock)]
	if i := bytes.IndexByte(b[lineMax:], '\n'); i >= 0 {
		return lineMax + i + 1
	}
	if i := bytes.LastIndexByte(b[:lineMin], '\n'); i >= lineLow {
		return i + 1
	}
	return len(b)
}

// lineHash hashes the last bytes of a line. They are a record's most varied ones or its end; either way two places with
// the same bytes before them get the same hash, and that is all that is asked of it.
func lineHash(b []byte) uint64 {
	h := uint64(0)
	for tail := b[len(b)-48:]; len(tail) >= 8; tail = tail[8:] {
		h = (h ^ binary.LittleEndian.Uint64(tail)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// cutGear cuts where a rolling hash of the last 64 bytes says so (FastCDC: a harder condition before gearMid, an easier
// one after it).
func cutGear(b []byte) int {
	if len(b) <= gearMin {
		return len(b)
	}
	b = b[:min(len(b), maxBlock)]
	mid := min(gearMid, len(b))
	var h uint64
	for i, c := range b[gearMin:mid] {
		h = h<<1 + gear[c]
		if h>>(64-18) == 0 {
			return gearMin + i + 1
		}
	}
	for i, c := range b[mid:] {
		h = h<<1 + gear[c]
		if h>>(64-15) == 0 {
			return mid + i + 1
		}
	}
	return len(b)
}

// gear is a random number for each byte. It is part of the format in a weak sense: another table would find fewer of the
// blocks that are there.
var gear = func() (t [256]uint64) {
	x := uint64(0x6c6f7265)
	for i := range t {
		x, t[i] = splitmix(x)
	}
	return t
}()

// splitmix steps a random generator and returns its next state and a number.
func splitmix(x uint64) (uint64, uint64) {
	x += 0x9E3779B97F4A7C15
	z := (x ^ x>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return x, z ^ z>>31
}
