package cli

import (
	"bufio"
	"errors"
	"io"
	"syscall"

	"lore"
)

// output is standard output: buffered, and quiet once its reader has gone.
type output struct {
	w    *bufio.Writer
	raw  io.Writer
	line []byte
}

func newOutput(w io.Writer) *output { return &output{w: bufio.NewWriterSize(w, 64<<10), raw: w} }

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	return n, closed(err)
}

// json prints a value as one line.
func (o *output) json(v any) error {
	o.line = append(lore.AppendJSON(o.line[:0], v), '\n')
	_, err := o.Write(o.line)
	return err
}

func (o *output) flush() error { return closed(o.w.Flush()) }

// closed turns the error of a pipe without a reader into errClosed.
func closed(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, errNoData) {
		return errClosed
	}
	return err
}
