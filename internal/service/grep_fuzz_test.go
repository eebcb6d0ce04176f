package service

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// asWritten returns the ways in which sources write a text: as it is, and as encoders of JSON do, once and twice.
func asWritten(t testing.TB, line string) map[string][]byte {
	t.Helper()
	plain, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		t.Fatal(err)
	}
	ascii := []byte{}
	for _, r := range string(raw.Bytes()) {
		if r < utf8.RuneSelf {
			ascii = append(ascii, byte(r))
			continue
		}
		ascii = append(ascii, escaped(string(r), "0123456789abcdef")...)
	}
	twice, err := json.Marshal(string(ascii))
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"as it is": []byte(line), "escaped": plain, "not escaped for HTML": raw.Bytes(), "in ASCII": ascii, "twice": twice}
}

// FuzzGrep: a line that the expression matches is never lost to the literals that are looked for first, in whichever way a
// source has written it, and what is found lies in the line.
func FuzzGrep(f *testing.F) {
	f.Add("needle", "a needle here", byte(0))
	f.Add("(?i)straße|kelvin+", "K ſ KELVIN\t\"quoted\" <b>", byte(1))
	f.Add("灯塔", "海上的灯塔\u2028", byte(2))
	f.Add(`\bfoo-bar\b.*[a-f]{2,}`, `x "foo-bar" abc`, byte(4))
	f.Add("a\nb", "b", byte(8))
	f.Fuzz(func(t *testing.T, text, line string, how byte) {
		if len(text) > 200 || len(line) > 2000 || strings.Contains(line, "\n") || !utf8.ValidString(line) {
			return
		}
		p, err := compile(GrepRequest{Pattern: text, IgnoreCase: how&1 != 0, SmartCase: how&2 != 0, Literal: how&4 != 0, Word: how&8 != 0, Line: how&16 != 0})
		if err != nil {
			return
		}
		found := p.find(line)
		for _, m := range found {
			if m[0] < 0 || m[1] < m[0] || m[1] > len(line) {
				t.Fatalf("%v in %q", m, line)
			}
		}
		if len(found) == 0 || p.text.Any() {
			return
		}
		for way, b := range asWritten(t, line) {
			has, err := p.needle.Finder().Holds(context.Background(), bytes.NewReader(b))
			if err != nil || !has {
				t.Errorf("%q matches %q; of %q none stands in it %s: %s (%v)", text, line, p.needle.Literals, way, b, err)
			}
		}
	})
}
