package text

import (
	"slices"
	"strings"
	"testing"
)

// TestRelated: what is related is so both ways, a word is not related to itself, and other words have none.
func TestRelated(t *testing.T) {
	for stem := range related() {
		for _, other := range Related(stem) {
			if other == stem || !slices.Contains(Related(other), stem) {
				t.Errorf("%q is related to %q, but not back", stem, other)
			}
		}
	}
	if !slices.Contains(Related(Stem("terminal")), Stem("shell")) {
		t.Errorf("terminal: %q", Related(Stem("terminal")))
	}
	if got := Related("computetenantquotawindow"); got != nil {
		t.Errorf("an identifier is related to %q", got)
	}
	for line := range strings.Lines(relatedWords) {
		if !strings.HasPrefix(line, "#") && len(strings.Fields(line)) < 2 {
			t.Errorf("a line with one word says nothing: %q", line)
		}
	}
}
