package service

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// A cursor says where the next page of a list begins. It is opaque, versioned, and bound to the request that it
// continues: with another one it is refused.
const cursorPrefix = "c1."

// cursorFor returns the cursor of the page that begins at an offset.
func cursorFor(offset int, request ...string) string {
	b := binary.AppendUvarint(nil, uint64(offset))
	b = binary.BigEndian.AppendUint64(b, requestSum(request))
	return cursorPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// offsetOf reads a cursor. An empty one is the first page.
func offsetOf(cursor string, request ...string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	rest, ok := strings.CutPrefix(cursor, cursorPrefix)
	b, err := base64.RawURLEncoding.DecodeString(rest)
	offset, n := binary.Uvarint(b)
	if !ok || err != nil || n <= 0 || len(b) != n+8 || offset > 1<<40 {
		return 0, failf(Usage, err, "not a cursor of this version: %q; ask for the first page again", cursor)
	}
	if binary.BigEndian.Uint64(b[n:]) != requestSum(request) {
		return 0, failf(Usage, nil, "the cursor %q belongs to another request; ask for the first page again", cursor)
	}
	return int(offset), nil
}

func requestSum(request []string) uint64 {
	h := fnv.New64a()
	for _, s := range request {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// nextCursor returns the cursor behind a page; nil at the end.
func nextCursor(offset, shown, total int, request ...string) *string {
	if shown == 0 || offset+shown >= total {
		return nil
	}
	c := cursorFor(offset+shown, request...)
	return &c
}
