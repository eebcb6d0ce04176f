package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/internal/service"
)

// TestSparkline: nothing is blank, and the least is seen.
func TestSparkline(t *testing.T) {
	numbers := []int{0, 1, 2, 50, 99, 100}
	got := []string{sparkline(unicodeGlyphs, numbers), sparkline(asciiGlyphs, numbers), sparkline(unicodeGlyphs, []int{0, 0}), sparkline(asciiGlyphs, nil)}
	if diff := cmp.Diff([]string{" ▁▁▄██", " ..=@@", "  ", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a, b := bar(asciiGlyphs, 1, 1000, 10), bar(asciiGlyphs, 1000, 1000, 10); a != "=" || b != "==========" || bar(asciiGlyphs, 0, 5, 5) != "" {
		t.Errorf("bars: %q, %q", a, b)
	}
}

// TestTimeline: the finest unit that fits, and no stretch left out.
func TestTimeline(t *testing.T) {
	days := func(list ...string) (out []service.FacetShare) {
		for i, d := range list {
			out = append(out, service.FacetShare{Value: d, Messages: i + 1})
		}
		return out
	}
	for _, tt := range []struct {
		days    []service.FacetShare
		n       int
		unit    string
		numbers []int
	}{
		{nil, 10, "", nil},
		{days("no date"), 10, "", nil},
		{days("2026-03-02"), 10, "day", []int{1}},
		{days("2026-03-02", "2026-03-04", "2026-03-05"), 10, "day", []int{1, 0, 2, 3}},
		{days("2026-03-01", "2026-03-02", "2026-03-08", "2026-03-09"), 8, "week", []int{1, 5, 4}},
		{days("2025-12-31", "2026-01-01", "2026-03-09"), 3, "year", []int{1, 5}},
		{days("2025-12-31", "2026-01-01", "2026-03-09"), 4, "month", []int{1, 2, 0, 3}},
		{days("0001-01-01", "9999-12-31"), 2, "year", []int{1, 2}},
	} {
		got := timelineOf(tt.days, tt.n)
		if diff := cmp.Diff(tt.numbers, got.numbers); diff != "" || got.unit != tt.unit {
			t.Errorf("%v in %d: unit %q (-want +got):\n%s", tt.days, tt.n, got.unit, diff)
		}
	}
}

// TestGlyphsOfATerminal: the locale decides.
func TestGlyphsOfATerminal(t *testing.T) {
	for _, tt := range []struct {
		env   map[string]string
		ascii bool
	}{
		{nil, false},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LANG": "de_DE.UTF-8"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, true},
		{map[string]string{"LC_CTYPE": "C.utf8", "LANG": "C"}, false},
		{map[string]string{"TERM": "linux", "LANG": "de_DE.UTF-8"}, true},
	} {
		if got := asciiOnly(func(k string) string { return tt.env[k] }); got != tt.ascii {
			t.Errorf("%v: %v", tt.env, got)
		}
	}
}
