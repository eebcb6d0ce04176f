package archive

import (
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Bounds on what a compressed file may expand to. A frame whose window is larger than plainWindow is not decoded; of a
// content that is larger than plainFloor and plainRatio times the file, or than plainMost where the file's size is not
// known, only so much is.
const (
	plainWindow = 64 << 20
	plainFloor  = 64 << 20
	plainRatio  = 256
	plainMost   = 16 << 30
)

// keepZstd keeps a compressed file as it is, and what it decodes to beside it, in one pass over it.
func (t *keeping) keepZstd(ctx context.Context) error {
	t.plain.lines, t.plain.filtered = t.req.Lines, true
	c := t.content()
	whole := c.section(0)
	if whole != nil && t.prev.Plain != PlainNone {
		// Most often it is as it was, and then there is no need to decode it.
		change, err := t.raw.compare(ctx, c, 0, false)
		if err != nil || change == Unchanged {
			t.raw.change, t.state = change, t.prev.Plain
			return err
		}
		whole = c.section(0)
	}
	if whole == nil {
		whole = c.r
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, to := io.Pipe()
	decoded := make(chan error, 1)
	go func() { decoded <- t.decode(ctx, from, c.size) }()

	err := t.raw.run(ctx, content{r: io.TeeReader(whole, to), size: -1}, 0, false)
	if err != nil {
		cancel()
	}
	to.CloseWithError(err) // nil: io.EOF
	plainErr := <-decoded
	if err != nil {
		return err
	}
	return plainErr
}

// decode brings the plain chain up to the decoded content. What is wrong with that is no error but a state; an error is
// one of the archive.
func (t *keeping) decode(ctx context.Context, from *io.PipeReader, size int64) error {
	defer io.Copy(io.Discard, from) // the other side must come to its end, whatever happens here
	d, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(plainWindow))
	if err != nil {
		return err
	}
	defer d.Close()
	left := int64(plainMost)
	if size >= 0 {
		left = plainFloor + plainRatio*size
	}
	r := &plainReader{d: d, left: left, state: PlainWhole}
	err = t.plain.run(ctx, content{r: r, size: -1}, 0, false)
	t.state = r.state
	return err
}

// plainReader reads decoded content up to a bound, or up to where it cannot be decoded, and remembers which it was.
type plainReader struct {
	d     io.Reader
	left  int64
	state Plain
}

func (r *plainReader) Read(p []byte) (int, error) {
	if r.state != PlainWhole {
		return 0, io.EOF
	}
	n, err := r.d.Read(p)
	if int64(n) > r.left {
		n, r.state = int(r.left), PlainLimited
		return n, io.EOF
	}
	r.left -= int64(n)
	switch {
	case err == nil, err == io.EOF:
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		r.state, err = PlainLimited, io.EOF
	default:
		r.state, err = PlainCut, io.EOF
	}
	return n, err
}
