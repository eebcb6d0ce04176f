package aider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// headingMark begins the line that begins a chat; its time follows.
const headingMark = "# aider chat started at "

// line is one line of the log.
type line struct {
	text   string // without its end, and without NULs around it
	no     int
	offset int64
	length int64 // without its end
	broken bool  // two blanks stand at its end, as aider writes at the ends of its own lines
	cut    bool  // text is only its head
	bad    int   // bytes that are not UTF-8
	nuls   bool
}

// lines reads a log line by line.
type lines struct {
	r   *bufio.Reader
	at  int64
	no  int
	bom bool
	buf []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 1<<16)} }

// next returns the next line; io.EOF behind the last.
func (l *lines) next() (line, error) {
	l.buf = l.buf[:0]
	at, size, cut := l.at, int64(0), false
	for {
		b, err := l.r.ReadSlice('\n')
		size += int64(len(b))
		if room := kit.DefaultMaxRecord - len(l.buf); room < len(b) {
			b, cut = b[:room], true
		}
		l.buf = append(l.buf, b...)
		if err == nil || err == io.EOF && size > 0 {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line{}, err
		}
	}
	l.at += size
	l.no++
	b := l.buf
	if l.no == 1 && bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		l.bom = true
		b, at, size = b[3:], at+3, size-3
	}
	trimmed := bytes.TrimRight(b, "\r\n")
	s := line{no: l.no, offset: at, length: size - int64(len(b)-len(trimmed)), cut: cut}
	if clean := bytes.Trim(trimmed, "\x00"); len(clean) < len(trimmed) {
		trimmed, s.nuls = clean, true
	}
	s.text, s.bad = valid(trimmed)
	s.broken = strings.HasSuffix(s.text, "  ")
	return s, nil
}

// valid makes text of bytes: each that is not UTF-8 becomes U+FFFD.
func valid(b []byte) (string, int) {
	if utf8.Valid(b) {
		return string(b), 0
	}
	var s strings.Builder
	bad := 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String(), bad
}

// heading returns the time of a line that begins a chat.
func heading(text string) (lore.Time, bool) {
	at, ok := strings.CutPrefix(text, headingMark)
	if !ok {
		return lore.Time{}, false
	}
	return kit.ParseTimeString(strings.TrimSpace(at))
}

// begins reports whether a file is a log by its first line that is not blank.
func begins(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	l := newLines(io.LimitReader(f, 4<<10))
	for {
		s, err := l.next()
		if err != nil {
			return false
		}
		if strings.TrimSpace(s.text) != "" {
			_, ok := heading(s.text)
			return ok
		}
	}
}

// isBroken reports whether the lines that a person typed end as aider writes them; an editor may have cut the blanks off.
func isBroken(in adapter.Input) (bool, error) {
	f, err := kit.Content(in, in.Source.Path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	l := newLines(f)
	for {
		s, err := l.next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if s.broken && isPrompt(s.text) {
			return true, nil
		}
	}
}

func isPrompt(text string) bool { return text == "####" || strings.HasPrefix(text, "#### ") }

func isQuote(text string) bool { return text == ">" || strings.HasPrefix(text, "> ") }
