package cursor

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"iter"
)

// field is a field of a protocol buffer that holds bytes.
type field struct {
	number int
	bytes  []byte
}

// fields yields the fields of a message that hold bytes, in order. errNoWire ends it where the bytes are no message.
func fields(b []byte) iter.Seq2[field, error] {
	return func(yield func(field, error) bool) {
		for len(b) > 0 {
			tag, n := binary.Uvarint(b)
			if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
				yield(field{}, errNoWire)
				return
			}
			b = b[n:]
			size := 0
			switch tag & 7 {
			case 0:
				if _, size = binary.Uvarint(b); size <= 0 {
					yield(field{}, errNoWire)
					return
				}
			case 1:
				size = 8
			case 5:
				size = 4
			case 2:
				length, n := binary.Uvarint(b)
				if n <= 0 || length > uint64(len(b)-n) {
					yield(field{}, errNoWire)
					return
				}
				if !yield(field{int(tag >> 3), b[n : n+int(length)]}, nil) {
					return
				}
				size = n + int(length)
			default:
				yield(field{}, errNoWire)
				return
			}
			if size > len(b) {
				yield(field{}, errNoWire)
				return
			}
			b = b[size:]
		}
	}
}

// blobID returns the id of a blob that a field names: 32 bytes, or their hex digits.
func blobID(b []byte) (string, bool) {
	switch len(b) {
	case 32:
		return hex.EncodeToString(b), true
	case 64:
		if _, err := hex.DecodeString(string(b)); err == nil {
			return string(b), true
		}
	}
	return "", false
}

// errNoWire says that bytes are no message of protocol buffers.
var errNoWire = errors.New("no protocol buffer")
