package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mostLine bounds a message on a stream, in bytes: as much as the server reads at once.
const mostLine = 15 << 20

// withBatches are the versions of the protocol in which several messages may stand in one line.
var withBatches = []string{"2024-11-05", "2025-03-26"}

// screen hands on the lines of a stream that are messages, and answers the others with an error of the protocol. The
// server behind it would end at the first of them, and its client would lose all the others with it.
type screen struct {
	ctx     context.Context
	in      *bufio.Reader
	open    *unanswered
	out     io.Writer
	ready   []byte // what is handed on next
	batches bool   // the client asked for a version that has them
}

// Read hands on what is left of a message, or of the next one.
func (s *screen) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		line, err := s.line()
		if err != nil {
			s.open.wait(s.ctx)
			return 0, err
		}
		s.open.asked(line)
		s.ready = line
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// line reads a line and returns it where it is handed on; nothing where it was answered. What a client had not written to
// its end when it went away is not answered: nobody reads it.
func (s *screen) line() ([]byte, error) {
	line, long, err := s.next()
	whole := bytes.HasSuffix(line, []byte("\n"))
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	text := bytes.TrimSpace(line)
	var refused *jsonrpc.Error
	switch {
	case long:
		refused = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message has at most %d bytes", mostLine)}
	case len(text) == 0:
		return nil, err
	case text[0] == '[' && s.batches:
	case text[0] == '[':
		refused = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this version of the protocol has no batches: send each message in a line of its own"}
	default:
		refused = s.check(text)
	}
	if refused == nil {
		return append(slices.Clip(text), '\n'), nil
	}
	if !whole && !long {
		return nil, err
	}
	if e := s.answer(refused); e != nil {
		return nil, e
	}
	return nil, err
}

// next reads to the end of a line. Of one that is too long nothing is kept.
func (s *screen) next() (line []byte, long bool, err error) {
	for {
		piece, err := s.in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > mostLine {
			long, line = true, line[:0]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// check returns what is wrong with a message; nil when it is one. A client's first one says whether it may send batches.
func (s *screen) check(text []byte) *jsonrpc.Error {
	m, err := jsonrpc.DecodeMessage(text)
	if err == nil && !json.Valid(text) {
		err = errors.New("something stands behind it")
	}
	if err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not a message of JSON-RPC 2.0 in one line: " + shortened(err.Error())}
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == "initialize" {
		s.batches = slices.ContainsFunc(withBatches, func(v string) bool { return bytes.Contains(req.Params, []byte(`"`+v+`"`)) })
	}
	return nil
}

// answer writes an error that belongs to no request that could be read.
func (s *screen) answer(e *jsonrpc.Error) error {
	b, err := jsonrpc.EncodeMessage(&jsonrpc.Response{Error: e})
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(b, '\n'))
	return err
}

// wholeLines lets one line at a time be written, each in one piece, and keeps errors short.
type wholeLines struct {
	mu   sync.Mutex
	out  io.Writer
	open *unanswered
}

func (w *wholeLines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(shortAnswer(p))
	w.open.answered(p) // also where nobody reads it any more
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// shortAnswer shortens the error in an answer: what was sent is not sent back whole. All else stays as it is.
func shortAnswer(p []byte) []byte {
	if len(p) < 2*mostError || !bytes.Contains(p, []byte(`"error":`)) {
		return p
	}
	m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(p))
	r, ok := m.(*jsonrpc.Response)
	var wire *jsonrpc.Error
	if err != nil || !ok || !errors.As(r.Error, &wire) {
		return p
	}
	short := *wire
	short.Message, r.Error = shortened(wire.Message), &short
	b, err := jsonrpc.EncodeMessage(r)
	if err != nil {
		return p
	}
	return append(b, '\n')
}

// shortened returns as much of an error as is worth telling.
func shortened(message string) string {
	if len(message) <= mostError {
		return message
	}
	return strings.ToValidUTF8(message[:mostError], "") + "…"
}
