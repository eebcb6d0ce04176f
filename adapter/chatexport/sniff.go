package chatexport

import (
	"bytes"
	"io"
	"io/fs"
	"regexp"
	"sync"
)

// sniffed is how many bytes of a file are looked at to tell whose it is.
const sniffed = 256 << 10

// loose finds the keys of either product where brackets do not help: in a damaged file.
var loose = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(mapping"\s*:\s*\{|chat_messages"\s*:\s*\[)`) })

// productOf tells by the first bytes of a file which product wrote it: by a key of its first elements. Empty when neither.
// A file that has the right name is searched less strictly.
func productOf(b []byte, named bool) string {
	if p := keyOf(b); p != "" || !named {
		return p
	}
	m := loose().FindSubmatch(b)
	switch {
	case m == nil:
		return ""
	case m[1][0] == 'm':
		return sourceGPT
	}
	return sourceClaude
}

// keyOf looks for the key that holds the messages, in the objects at the top or in an array at the top.
func keyOf(b []byte) string {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	level := 1
	if t := bytes.TrimLeft(b, " \t\r\n\x00"); len(t) == 0 {
		return ""
	} else if t[0] == '[' {
		level = 2
	} else if t[0] != '{' {
		return ""
	}
	depth, start := 0, -1
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			start = i
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == level && i < len(b) {
				switch rest := value(b[i+1:]); string(b[start+1 : i]) {
				case "mapping":
					if rest == '{' {
						return sourceGPT
					}
				case "chat_messages":
					if rest == '[' {
						return sourceClaude
					}
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return ""
}

// value returns the first byte of the value behind a key; 0 when what stands there is none.
func value(b []byte) byte {
	b = bytes.TrimLeft(b[:min(len(b), 64)], " \t\r\n")
	if len(b) == 0 || b[0] != ':' {
		return 0
	}
	if b = bytes.TrimLeft(b[1:], " \t\r\n"); len(b) == 0 {
		return 0
	}
	return b[0]
}

// peek reads the first bytes of a file.
func peek(fsys fs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readHead(f)
}

func readHead(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, sniffed)) }

// isBlank reports whether a file holds an empty array, or nothing.
func isBlank(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	return len(b) < sniffed && len(bytes.Trim(b, " \t\r\n\x00[]")) == 0
}
