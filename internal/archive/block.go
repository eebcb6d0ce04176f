package archive

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// hash is the SHA-256 of a block's decoded bytes: its name.
type hash [sha256.Size]byte

func hashOf(b []byte) hash { return sha256.Sum256(b) }

// The codec of a stored block. There is one so far; a dictionary would be another.
const codecZstd = 1

var encoder = sync.OnceValue(func() *zstd.Encoder {
	// The options are valid, so there is no error. Every frame carries a checksum, which each decode verifies.
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true),
		zstd.WithWindowSize(maxBlock), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithDecoderMaxMemory(4*maxBlock),
		zstd.WithDecodeAllCapLimit(true))
	return d
})

// decodeSlack is room behind a decoded block, with which the decoder may copy in whole steps: a third faster.
const decodeSlack = 32

// compress appends the stored form of a block to dst.
func compress(dst, block []byte) []byte { return encoder().EncodeAll(block, dst) }

// decompress returns the bytes of a stored block in a slice that has room for size bytes; dst is used when it has.
func decompress(dst, data []byte, codec, size int) ([]byte, error) {
	if codec != codecZstd {
		return nil, fmt.Errorf("stored in the unknown form %d: %w", codec, ErrDamaged)
	}
	if size < 1 || size > maxBlock {
		return nil, fmt.Errorf("impossible size %d: %w", size, ErrDamaged)
	}
	if cap(dst) < size+decodeSlack {
		dst = make([]byte, 0, size+decodeSlack)
	}
	out, err := decoder().DecodeAll(data, dst[:0:size+decodeSlack])
	if err != nil {
		return nil, fmt.Errorf("%v: %w", err, ErrDamaged)
	}
	if len(out) != size {
		return nil, fmt.Errorf("%d bytes where %d should be: %w", len(out), size, ErrDamaged)
	}
	return out, nil
}
