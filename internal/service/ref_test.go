package service

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

var someID = lore.ContentID("codex", lore.User, "", nil)

func TestRefs(t *testing.T) {
	prefix := someID.String()[:24]
	for _, tt := range []struct {
		text string
		want Ref
	}{
		{ConversationRef(someID), Ref{Part: -1, End: -1, prefix: prefix}},
		{MessageRef(someID), Ref{IsMessage: true, Part: -1, End: -1, prefix: prefix}},
		{PartRef(someID, 3), Ref{IsMessage: true, Part: 3, End: -1, prefix: prefix}},
		{RangeRef(someID, 0, 128, 70000), Ref{IsMessage: true, Start: 128, End: 70000, prefix: prefix}},
	} {
		got, err := ParseRef(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, *got, cmp.AllowUnexported(Ref{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestRefsThatAreRefused: what a ref does not say for sure is refused, and the line says why.
func TestRefsThatAreRefused(t *testing.T) {
	good := RangeRef(someID, 0, 3, 9)
	unknown := makeRef(9, someID)
	for name, tt := range map[string]struct{ text, says string }{
		"another version":       {strings.Replace(good, "lore1:", "lore2:", 1), "another version"},
		"a version of figures":  {"lore17:abc", "another version"},
		"an unknown kind":       {unknown, "a newer one made it"},
		"cut short":             {good[:len(good)-2], "not whole"},
		"nothing behind":        {"lore1:", "not whole"},
		"other letters":         {"lore1:zzzz", "not whole"},
		"upper case":            {"lore1:" + strings.ToUpper(good[6:]), "not whole"},
		"start behind its end":  {makeRef(refRange, someID, 0, 9, 3), "not whole"},
		"more than it holds":    {makeRef(refMessage, someID, 7), "not whole"},
		"a very long one":       {"lore1:" + strings.Repeat("a", 10<<20), "not whole"},
		"a number out of range": {makeRef(refPart, someID, 1<<50), "not whole"},
	} {
		_, err := ParseRef(tt.text)
		var f *Failure
		if !errors.As(err, &f) || f.Kind != Usage || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 200 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
	for _, text := range []string{"lore", "lore:x", "lorem1:abc", "3k9vq7h2", ""} {
		if ref, err := ParseRef(text); ref != nil || err != nil {
			t.Errorf("%q is no ref, but %v, %v", text, ref, err)
		}
	}
}

// TestRefsSeeEveryWrongCharacter changes each character of a ref into each other one.
func TestRefsSeeEveryWrongCharacter(t *testing.T) {
	good := PartRef(someID, 2)
	for i := len(refMark); i < len(good); i++ {
		for _, c := range "0123456789abcdefghijklmnopqrstuv" {
			if wrong := good[:i] + string(c) + good[i+1:]; wrong != good {
				if ref, err := ParseRef(wrong); err == nil {
					t.Fatalf("%s is read as %+v", wrong, ref)
				}
			}
		}
	}
}

func TestAsked(t *testing.T) {
	m := &lore.Message{Parts: []lore.Part{{Kind: lore.Text, Text: "one"}, {Kind: lore.Text, Text: "twofold"}}}
	for name, tt := range map[string]struct {
		ref  string
		want *Asked
		says string
	}{
		"a message":      {MessageRef(someID), nil, ""},
		"no ref":         {"3k9v", nil, ""},
		"a part":         {PartRef(someID, 1), &Asked{Part: 1, End: 7, Text: "twofold"}, ""},
		"bytes":          {RangeRef(someID, 1, 3, 7), &Asked{Part: 1, Start: 3, End: 7, Text: "fold"}, ""},
		"a part too far": {PartRef(someID, 2), nil, "points at part 2 of a message that has 2"},
		"bytes too far":  {RangeRef(someID, 0, 1, 4), nil, "bytes 1 to 4 of a text that has 3"},
	} {
		got, err := asked(tt.ref, m)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestCursors: a cursor goes with its request and its version, and with nothing else.
func TestCursors(t *testing.T) {
	c := cursorFor(40, "search", "lamp", "newest")
	if n, err := offsetOf(c, "search", "lamp", "newest"); n != 40 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for name, tt := range map[string]struct {
		cursor, says string
		request      []string
	}{
		"another query":   {c, "another request", []string{"search", "bulb", "newest"}},
		"words moved":     {c, "another request", []string{"search", "lam", "pnewest"}},
		"another command": {c, "another request", []string{"list", "lamp", "newest"}},
		"another version": {"c2" + c[2:], "not a cursor of this version", []string{"search", "lamp", "newest"}},
		"cut":             {c[:len(c)-1], "not a cursor", []string{"search", "lamp", "newest"}},
		"no cursor":       {"lamp", "not a cursor", []string{"search", "lamp", "newest"}},
	} {
		_, err := offsetOf(tt.cursor, tt.request...)
		var f *Failure
		if !errors.As(err, &f) || f.Kind != Usage || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
