package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

const (
	blockByID = "SELECT size, codec, data FROM block WHERE id = ?"
	listByID  = "SELECT list FROM chain WHERE id = ?"
)

// SnapshotReader reads the bytes of a snapshot. ReadAt is safe for concurrent use; Read, Seek and WriteTo are not.
// Decoded blocks are shared between the readers of an archive and bounded by Options.Cache. There is nothing to close.
type SnapshotReader struct {
	a     *Archive
	chain int64
	size  int64
	list  atomic.Pointer[list]
	last  atomic.Pointer[placed] // the block that was read last: most reads go on in it
	pos   int64
}

// placed is a decoded block in its place.
type placed struct {
	off   int64
	bytes []byte
}

// OpenSnapshot opens the bytes of a snapshot as the source wrote them.
func (a *Archive) OpenSnapshot(id int64) (*SnapshotReader, error) {
	s, err := a.Snapshot(id)
	if err != nil {
		return nil, err
	}
	return a.openChain(s.chain, s.Size)
}

// OpenPlain opens the decoded content of a snapshot: what offsets in records and grep mean. It is the bytes themselves
// for a file that is not compressed.
func (a *Archive) OpenPlain(id int64) (*SnapshotReader, error) {
	s, err := a.Snapshot(id)
	if err != nil {
		return nil, err
	}
	if s.Plain == PlainNone {
		return a.openChain(s.chain, s.Size)
	}
	return a.openChain(s.plainChain, s.PlainSize)
}

// openChain opens the first size bytes of a chain.
func (a *Archive) openChain(chain, size int64) (*SnapshotReader, error) {
	r := &SnapshotReader{a: a, chain: chain, size: size}
	return r, r.load()
}

// load reads the block list.
func (r *SnapshotReader) load() error {
	if r.size == 0 {
		r.list.Store(&list{})
		return nil
	}
	l, err := r.a.list(r.chain)
	if err == nil && l.size() < r.size && r.a.ahead != nil {
		// The chain has grown in what the writer has not committed yet.
		err = r.a.ahead(func(c *sql.Conn) (err error) {
			l, err = readList(c, r.chain)
			return err
		})
	}
	if err != nil {
		return err
	}
	if l.size() < r.size {
		return fmt.Errorf("archive: chain %d has %d bytes where %d should be: %w", r.chain, l.size(), r.size, ErrDamaged)
	}
	r.list.Store(l)
	return nil
}

// list reads the block list of a chain.
func (a *Archive) list(chain int64) (l *list, err error) {
	err = a.committedOrAhead(fmt.Sprintf("chain %d", chain), func(q querier) (err error) {
		l, err = readList(q, chain)
		return err
	})
	return l, err
}

// querier is a database or one connection of it.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readList(q querier, chain int64) (*list, error) {
	var b []byte
	if err := q.QueryRowContext(background, listByID, chain).Scan(&b); err != nil {
		return nil, err
	}
	return decodeList(b)
}

// decoded returns the bytes of a block, in dst when it has the room. The error is ErrUnknown when there is no such
// block.
func (a *Archive) decoded(dst []byte, id int64) (out []byte, err error) {
	rows, err := a.block.QueryContext(background, id)
	if err != nil {
		return nil, explain(fmt.Sprintf("block %d", id), err)
	}
	defer rows.Close()
	if rows.Next() {
		var size, codec int
		var data sql.RawBytes
		if err = rows.Scan(&size, &codec, &data); err == nil {
			out, err = decompress(dst, data, codec, size)
		}
	} else if err = rows.Err(); err == nil {
		return a.decodedAhead(id)
	}
	if err != nil {
		return nil, explain(fmt.Sprintf("block %d", id), err)
	}
	return out, nil
}

// decodedAhead returns a block that the writer may have and has not committed.
func (a *Archive) decodedAhead(id int64) ([]byte, error) {
	var size, codec int
	var data []byte
	err := sql.ErrNoRows
	if a.ahead != nil {
		err = a.ahead(func(c *sql.Conn) error {
			return c.QueryRowContext(background, blockByID, id).Scan(&size, &codec, &data)
		})
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("archive: block %d: %w", id, ErrUnknown)
	case err != nil:
		return nil, explain(fmt.Sprintf("block %d", id), err)
	}
	return decompress(nil, data, codec, size)
}

// blockAt returns the decoded block that holds offset off, which is inside the chain.
func (r *SnapshotReader) blockAt(off int64) (*placed, error) {
	if p := r.last.Load(); p != nil && off >= p.off && off < p.off+int64(len(p.bytes)) {
		return p, nil
	}
	for again := false; ; again = true {
		l := r.list.Load()
		e := l.entries[l.at(off)]
		b := r.a.cache.get(e.id)
		if b == nil {
			var err error
			b, err = r.a.decoded(nil, e.id)
			if errors.Is(err, ErrUnknown) {
				// Small blocks at the end of a chain are joined as it grows; the list is out of date.
				if !again {
					if err := r.load(); err != nil {
						return nil, err
					}
					continue
				}
				err = fmt.Errorf("archive: chain %d: block %d is missing: %w", r.chain, e.id, ErrDamaged)
			}
			if err != nil {
				return nil, err
			}
			r.a.cache.put(e.id, b)
		}
		if len(b) != e.size {
			return nil, fmt.Errorf("archive: chain %d: block %d has %d bytes where %d should be: %w",
				r.chain, e.id, len(b), e.size, ErrDamaged)
		}
		p := &placed{off: e.off, bytes: b}
		r.last.Store(p)
		return p, nil
	}
}

// Size returns the number of bytes.
func (r *SnapshotReader) Size() int64 { return r.size }

// ReadAt implements io.ReaderAt.
func (r *SnapshotReader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("archive: read at a negative offset")
	}
	for n < len(p) {
		b, err := r.rest(off + int64(n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b)
	}
	return n, nil
}

// rest returns the bytes from an offset to the end of its block or of the snapshot, or io.EOF.
func (r *SnapshotReader) rest(off int64) ([]byte, error) {
	if off >= r.size {
		return nil, io.EOF
	}
	p, err := r.blockAt(off)
	if err != nil {
		return nil, err
	}
	b := p.bytes[off-p.off:]
	return b[:min(int64(len(b)), r.size-off)], nil
}

// Read implements io.Reader.
func (r *SnapshotReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := r.rest(r.pos)
	n := copy(p, b)
	r.pos += int64(n)
	return n, err
}

// WriteTo implements io.WriterTo: whole blocks, without a copy.
func (r *SnapshotReader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		b, err := r.rest(r.pos)
		if err == io.EOF {
			return written, nil
		}
		if err != nil {
			return written, err
		}
		n, err := w.Write(b)
		r.pos += int64(n)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
}

// Seek implements io.Seeker.
func (r *SnapshotReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += r.size
	default:
		return 0, fmt.Errorf("archive: seek: unknown whence %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("archive: seek before the beginning")
	}
	r.pos = offset
	return offset, nil
}
