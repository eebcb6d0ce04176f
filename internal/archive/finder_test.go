package archive

import (
	"context"
	"strings"
	"testing"
	"testing/iotest"
)

// TestFinderHolds looks for literals that stand across the border of two windows, at the ends, and nowhere.
func TestFinderHolds(t *testing.T) {
	border := strings.Repeat("x", streamWindow-3)
	for _, tt := range []struct {
		name, text string
		literals   []string
		fold       bool
		want       bool
	}{
		{"across a border", border + "needle" + border, []string{"needle"}, false, true},
		{"at the beginning", "needle" + border, []string{"needle"}, false, true},
		{"at the end", border + border + "needle", []string{"other", "needle"}, false, true},
		{"nowhere", border + "needl" + border, []string{"needle"}, false, false},
		{"another case", border + "NeedLe", []string{"needle"}, false, false},
		{"any case", border + "NeedLe", []string{"needle"}, true, true},
		{"an empty stream", "", []string{"needle"}, false, false},
		{"one byte", border + "%", []string{"%"}, false, true},
		{"nothing to look for", "", nil, false, true},
	} {
		n := Needle{FoldCase: tt.fold}
		for _, l := range tt.literals {
			n.Literals = append(n.Literals, []byte(l))
		}
		got, err := n.Finder().Holds(context.Background(), iotest.HalfReader(strings.NewReader(tt.text)))
		if got != tt.want || err != nil {
			t.Errorf("%s: got %v, %v", tt.name, got, err)
		}
		if len(tt.literals) > 0 && (n.Finder().In(tt.text).From(0) >= 0) != tt.want {
			t.Errorf("%s: a text says otherwise", tt.name)
		}
	}
}
