package archive

import (
	"bytes"
	"testing"
)

// cutAll cuts a content as Keep does.
func cutAll(next cutter, content []byte) [][]byte {
	var all [][]byte
	for rest := content; len(rest) > 0; {
		n := next(rest[:min(len(rest), maxBlock)])
		all = append(all, rest[:n])
		rest = rest[n:]
	}
	return all
}

func TestCut(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 80_000) // no line end, and nothing for a hash to choose
	for name, content := range map[string][]byte{
		"lines":                      lineBytes(1, 2_000_000),
		"one long line":              long,
		"a long line among short":    append(append(lineBytes(2, 50_000), long...), lineBytes(3, 300_000)...),
		"only line ends":             bytes.Repeat([]byte{'\n'}, 1_000_000),
		"zeros":                      make([]byte, 1_000_000),
		"empty":                      nil,
		"a line end at every border": bytes.Repeat(append(bytes.Repeat([]byte{'x'}, lineMin-1), '\n'), 20),
	} {
		for kind, next := range map[string]cutter{"lines": cutLines, "gear": cutGear} {
			all := cutAll(next, content)
			if got := bytes.Join(all, nil); !bytes.Equal(got, content) {
				t.Errorf("%s, %s: the blocks are another content", name, kind)
			}
			for i, b := range all {
				if len(b) < 1 || len(b) > maxBlock || i < len(all)-1 && len(b) < lineLow {
					t.Errorf("%s, %s: block %d of %d has %d bytes", name, kind, i, len(all), len(b))
				}
				if kind == "lines" && name == "lines" && b[len(b)-1] != '\n' {
					t.Errorf("%s, %s: block %d ends inside a line", name, kind, i)
				}
			}
		}
	}
}

// TestCutFallsInPlaceAgain: what follows an insertion, or a head that fell off, is cut as it was.
func TestCutFallsInPlaceAgain(t *testing.T) {
	content := lineBytes(1, 4_000_000)
	head := bytes.IndexByte(content[100_000:], '\n') + 100_001
	for kind, next := range map[string]cutter{"lines": cutLines, "gear": cutGear} {
		for name, now := range map[string][]byte{
			"inserted": append(lineBytes(9, 3000), content...),
			"fell off": content[head:],
		} {
			before := map[string]bool{}
			for _, b := range cutAll(next, content) {
				before[string(b)] = true
			}
			same := 0
			for _, b := range cutAll(next, now) {
				if before[string(b)] {
					same += len(b)
				}
			}
			if same < len(content)*3/4 {
				t.Errorf("%s, %s: only %d of %d bytes are in blocks that were there", kind, name, same, len(content))
			}
		}
	}
}
