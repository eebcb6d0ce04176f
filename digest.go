package lore

import (
	"crypto/sha256"
	"hash"
	"sync"
)

// digest streams canonical JSON into SHA-256. One is taken from the pool, written to, and given back by id; what fits
// the buffer is hashed in one go, a longer text passes through it window by window and is never copied whole.
type digest struct {
	buf  []byte
	sum  hash.Hash
	long bool // part of the bytes has gone to sum
	keep bool // the bytes are wanted, not their sum: they stay in buf
}

const (
	digestWindow = 4 << 10 // bytes of text escaped at a time: at most six times as many come out
	digestFlush  = 8 << 10
)

var digests = sync.Pool{New: func() any {
	return &digest{buf: make([]byte, 0, digestFlush+6*digestWindow+64), sum: sha256.New()}
}}

func newDigest() *digest {
	d := digests.Get().(*digest)
	d.buf = d.buf[:0]
	d.long = false
	return d
}

// raw appends canonical bytes as they are.
func (d *digest) raw(s string) { d.buf = append(d.buf, s...) }

// str appends a string of the recipe: a name, a native id, a path.
func (d *digest) str(s string) { d.quoted(s, canonical) }

// text appends the text of a part, normalised.
func (d *digest) text(s string) { d.quoted(cutTrailing(s), normalised) }

// member appends an id in its text form.
func (d *digest) member(id ID) {
	d.buf = append(d.buf, '"')
	d.buf = base32hex.AppendEncode(d.buf, id[:])
	d.buf = append(d.buf, '"')
	d.drain()
}

func (d *digest) quoted(s string, form quoting) {
	d.buf = append(d.buf, '"')
	for i := 0; i < len(s); {
		d.buf, i = appendEscaped(d.buf, s, i, min(i+digestWindow, len(s)), form)
		d.drain()
	}
	d.buf = append(d.buf, '"')
}

// drain hands a full buffer to the hash.
func (d *digest) drain() {
	if len(d.buf) < digestFlush || d.keep {
		return
	}
	if !d.long {
		d.long = true
		d.sum.Reset()
	}
	d.sum.Write(d.buf)
	d.buf = d.buf[:0]
}

// id ends the digest and gives it back to the pool.
func (d *digest) id() ID {
	var id ID
	if d.long {
		d.sum.Write(d.buf)
		d.buf = d.sum.Sum(d.buf[:0])
		copy(id[:], d.buf)
	} else {
		id = sha256.Sum256(d.buf)
	}
	digests.Put(d)
	return id
}
