package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio answers one client on a pair of streams until it closes its side.
func Stdio(ctx context.Context, s *sdk.Server, in io.Reader, out io.Writer) error {
	open := &unanswered{}
	lines := &wholeLines{out: out, open: open}
	screened := &screen{ctx: ctx, in: bufio.NewReaderSize(in, 64<<10), out: lines, open: open}
	err := s.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(screened), Writer: unclosed{lines}})
	if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// unclosed is a writer that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
