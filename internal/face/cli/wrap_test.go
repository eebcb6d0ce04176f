package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/internal/service"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"exactly8 x", 8, []string{"exactly8", "x"}},
		{"averylongwordwithoutblanks", 10, []string{"averylongw", "ordwithout", "blanks"}},
		{"    indented code", 12, []string{"    indented", "code"}},
		{"解释这个错误", 8, []string{"解释这个", "错误"}},
		{"a    b", 8, []string{"a    b"}},
	} {
		var got []string
		for _, line := range wrap([]span{{tt.text, plain}}, tt.n) {
			s := ""
			for _, p := range line {
				s += p.text
			}
			got = append(got, s)
			if columns(s) > tt.n {
				t.Errorf("%q is wider than %d", s, tt.n)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestWrapKeepsStyles(t *testing.T) {
	got := wrap([]span{{"find the ", plain}, {"debounce", lit}, {"d window", plain}}, 12)
	want := [][]span{{{"find the", plain}}, {{"debounce", lit}, {"d", plain}}, {{"window", plain}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCutTo(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ab cd", 4, "ab…"}, {"解释这个", 5, "解释…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"}} {
		if got := cutTo(tt.s, tt.n); got != tt.want {
			t.Errorf("%q to %d: got %q, want %q", tt.s, tt.n, got, tt.want)
		}
		if got := columns(padTo(tt.s, tt.n)); got != tt.n {
			t.Errorf("%q padded to %d is %d wide", tt.s, tt.n, got)
		}
	}
}

func TestFigures(t *testing.T) {
	for want, got := range map[string]string{
		"1 message": count(1, "message"), "1,204 messages": count(1204, "message"), "2 entries": count(2, "entry"), "0 hits": count(0, "hit"),
		"-1,000": number(-1000), "999": number(999), "1,000,000": number(1e6),
		"999 B": size(999), "1.0 kB": size(1000), "34 MB": size(34e6), "1.0 MB": size(999_999), "257 MB": size(257e6),
		"7 ms": lapse(7 * time.Millisecond), "1.2 s": lapse(1234 * time.Millisecond), "45 s": lapse(45 * time.Second), "3 min": lapse(200 * time.Second),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	pg := &page{now: now, zone: time.FixedZone("east", 3*3600)}
	for in, want := range map[string]string{
		"2026-03-14T11:59:30Z": "just now", "2026-03-14T11:00:01Z": "59 minutes ago", "2026-03-14T10:00:00Z": "2 hours ago", "2026-03-12T10:00:00Z": "2 days ago",
		"2026-02-14T10:00:00Z": "4 weeks ago", "2025-12-31T22:30:00Z": "2026-01-01", "2025-12-31T22:30:00": "2025-12-31", "2027-01-01T00:00:00Z": "2027-01-01",
	} {
		if got := pg.ago(at(in)); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	if got := pg.ago(lore.Time{}); got != "" {
		t.Errorf("absent: got %q", got)
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		at   service.Progress
		want string
	}{
		{service.Progress{Stage: "finding"}, "finding"},
		{service.Progress{Stage: "reading", Files: 123, FilesTotal: 400, Bytes: 100e6, BytesTotal: 250e6}, "reading  123/400 files  100 MB of 250 MB  50 MB/s  3.0 s left"},
	} {
		if got := progressLine(tt.at, 2*time.Second); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestWindow(t *testing.T) {
	line := strings.Repeat("é", 100) + "needle" + strings.Repeat("é", 100)
	got, ranges := window(line, [][2]int{{200, 206}, {399, 400}}, 60)
	if len(got) > 60+8 || got[ranges[0][0]:ranges[0][1]] != "needle" || !strings.HasPrefix(got, "…é") || !strings.HasSuffix(got, "é…") {
		t.Errorf("got %q, ranges %v", got, ranges)
	}
	if same, r := window("short", [][2]int{{0, 2}}, 60); same != "short" || len(r) != 1 {
		t.Errorf("got %q, %v", same, r)
	}
}
