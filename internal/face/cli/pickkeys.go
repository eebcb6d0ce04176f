package cli

import (
	"strings"
	"unicode/utf8"
)

// key is one press on a keyboard: the name of a key that has one ("enter", "up", "ctrl-y"), else a character.
type key struct {
	name string
	r    rune
}

// keyDecoder turns the bytes that a terminal sends into keys.
type keyDecoder struct {
	rest    []byte // the beginning of a key
	pasting bool   // inside of a text that was pasted: its line ends are no key
}

// sequences are the keys that terminals send as an escape and more.
var sequences = map[string]string{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end", "[1~": "home", "[7~": "home", "[4~": "end",
	"[8~": "end", "[3~": "delete", "[5~": "pgup", "[6~": "pgdn", "OA": "up", "OB": "down", "OC": "right", "OD": "left",
	"OH": "home", "OF": "end", "[200~": "paste", "[201~": "pasted", "[1;2A": "pgup", "[1;2B": "pgdn",
}

// decode returns the keys in some bytes that follow those before. What may be the beginning of a key waits.
func (d *keyDecoder) decode(b []byte) (keys []key) {
	b = append(d.rest, b...)
	for len(b) > 0 {
		k, n := nextKey(b)
		if n == 0 {
			break
		}
		b = b[n:]
		switch {
		case k.name == "paste" || k.name == "pasted":
			d.pasting = k.name == "paste"
		case d.pasting && k.name != "":
			keys = append(keys, key{r: ' '})
		case k.name != "unknown":
			keys = append(keys, k)
		}
	}
	d.rest = append([]byte(nil), b...)
	return keys
}

// wait reports whether the beginning of a key is there; flush takes it for what it is alone.
func (d *keyDecoder) wait() bool { return len(d.rest) > 0 }

func (d *keyDecoder) flush() (keys []key) {
	if len(d.rest) > 0 && d.rest[0] == 0x1b {
		keys = []key{{name: "esc"}}
	}
	d.rest = nil
	return keys
}

// nextKey returns the first key and how many bytes it has; 0 when more have to come.
func nextKey(b []byte) (key, int) {
	switch c := b[0]; {
	case c == 0x1b:
		return escapedKey(b)
	case c == '\r' || c == '\n':
		return key{name: "enter"}, 1
	case c == 0x7f || c == 8:
		return key{name: "backspace"}, 1
	case c == '\t':
		return key{name: "tab"}, 1
	case c < 0x20:
		return key{name: "ctrl-" + string(rune('a'+c-1))}, 1
	}
	if !utf8.FullRune(b) {
		return key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 || r >= 0x80 && r < 0xa0 {
		return key{name: "unknown"}, n
	}
	return key{r: r}, n
}

// longestSequence bounds what is taken for one key.
const longestSequence = 16

func escapedKey(b []byte) (key, int) {
	if len(b) == 1 {
		return key{}, 0
	}
	if b[1] != '[' && b[1] != 'O' {
		return key{name: "esc"}, 1
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			name := sequences[string(b[1:i+1])]
			if name == "" {
				name = "unknown"
			}
			return key{name: name}, i + 1
		}
		if i == longestSequence || !strings.ContainsRune("0123456789;<>=?:", rune(b[i])) {
			return key{name: "unknown"}, i
		}
	}
	return key{}, 0
}
