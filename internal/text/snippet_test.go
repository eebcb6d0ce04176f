package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// marked returns the snippet with its ranges in brackets.
func marked(snippet string, ranges []Range) string {
	var b strings.Builder
	at := 0
	for _, r := range ranges {
		b.WriteString(snippet[at:r.Start] + "[" + snippet[r.Start:r.End] + "]")
		at = r.End
	}
	return b.String() + snippet[at:]
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("filler words here ", 40)
	tide := strings.Repeat("潮汐 ", 500)
	for _, c := range []struct {
		name, text string
		of         []*Matcher
		want       string
	}{
		{"short", "a store of things", []*Matcher{Word("store")}, "a [store] of things"},
		{"nothing found is the head", filler, nil, strings.TrimSpace(strings.Repeat("filler words here ", 8)) + " filler words"},
		{"line ends and tabs", "one\r\n\r\n  two\tthree\n", []*Matcher{Word("two")}, "one [two] three"},
		{"a phrase over a line end", "an exact\n   phrase here", []*Matcher{Phrase("exact phrase")}, "an [exact phrase] here"},
		{"control bytes stay", "a\x1b[31mred\rx\x07", []*Matcher{Word("red")}, "a\x1b[31m[red]\rx\x07"},
		{"whole words around", filler + "the needle is here " + filler, []*Matcher{Word("needle")},
			"words here filler words here filler words here the [needle] is here " + strings.TrimSpace(strings.Repeat("filler words here ", 5))},
		{"where more of the words are", "lamp " + filler + "lamp and light " + filler, []*Matcher{Word("light"), Word("lamp")},
			"words here filler words here filler words here [lamp] and [light] " + strings.TrimSpace(strings.Repeat("filler words here ", 5)) + " filler"},
		{"SE-11", tide + "needle tansy-se11 海", []*Matcher{Literal("tansy-se11")},
			strings.TrimSpace(strings.Repeat("潮汐 ", 28)) + " needle [tansy-se11] 海"},
		{"an end without spaces", strings.Repeat("灯", 100) + "塔" + strings.Repeat("灯", 100), []*Matcher{Word("塔")},
			strings.Repeat("灯", 26) + "[塔]" + strings.Repeat("灯", 53)},
		{"a long match is cut", "x " + strings.Repeat("ab", 300), []*Matcher{Substring(strings.Repeat("ab", 300))},
			"[" + strings.Repeat("ab", 80) + "]"},
		{"overlapping matches are one", "an exact phrase", []*Matcher{Word("phrase"), Phrase("exact phrase")}, "an [exact phrase]"},
	} {
		got := marked(Snippet(c.text, Matches(c.text, c.of, 8)))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		checkSnippet(t, c.text, Matches(c.text, c.of, 8))
	}
}

// checkSnippet checks what holds for every snippet.
func checkSnippet(t *testing.T, text string, matches []Range) {
	t.Helper()
	snippet, ranges := Snippet(text, matches)
	if len(snippet) > SnippetBytes || utf8.ValidString(text) && !utf8.ValidString(snippet) {
		t.Errorf("snippet %q of %q", snippet, text)
	}
	if len(matches) > 0 && len(ranges) == 0 && strings.TrimSpace(text[matches[0].Start:matches[0].End]) != "" {
		t.Errorf("snippet %q of %q shows no match", snippet, text)
	}
	last := 0
	for _, r := range ranges {
		if r.Start < last || r.End <= r.Start || r.End > len(snippet) {
			t.Fatalf("range %v of %q", r, snippet)
		}
		if utf8.ValidString(text) && !utf8.ValidString(snippet[r.Start:r.End]) {
			t.Errorf("range %v cuts a character of %q", r, snippet)
		}
		last = r.End
	}
}

func TestSnippetKeepsHalfPairsWhole(t *testing.T) {
	text := strings.Repeat("\xed\xa0\xbd", 200) + "needle" + strings.Repeat("\xed\xb0\x80", 200)
	snippet, _ := Snippet(text, Matches(text, []*Matcher{Word("needle")}, 1))
	for i := 0; i < len(snippet); {
		c := charAt(snippet, i)
		if c.size == 1 && snippet[i] >= utf8.RuneSelf {
			t.Fatalf("byte %d of %q is a piece of a character", i, snippet)
		}
		i += c.size
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("a store of things that is\r\n\tlong enough", "things", uint16(3), uint16(9))
	f.Add(strings.Repeat("潮汐 \xed\xa0\xbd\u200d", 60), "潮汐", uint16(200), uint16(1))
	f.Fuzz(func(t *testing.T, text, needle string, start, length uint16) {
		checkSnippet(t, text, Matches(text, []*Matcher{Word(needle), Substring(needle)}, 8))
		// Spans that no matcher gave, as those of another text: nothing may be cut or read beyond.
		from := min(int(start), len(text))
		snippet, ranges := Snippet(text, []Range{{Start: from, End: min(from+int(length), len(text))}})
		if len(snippet) > SnippetBytes {
			t.Errorf("%d bytes", len(snippet))
		}
		for _, r := range ranges {
			if r.Start < 0 || r.End < r.Start || r.End > len(snippet) {
				t.Errorf("range %v of %q", r, snippet)
			}
		}
	})
}
