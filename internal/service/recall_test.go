package service

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func TestPlainQuery(t *testing.T) {
	tests := []struct{ task, want string }{
		{"why does the nightly job fail?", "why does the nightly job fail?"},
		{`the "quoted" words (of a group)`, "the quoted words of a group"},
		{"role:user since:7d -minus AND OR NOT star*", "role user since 7d minus and or not star"},
		{"git push --no-verify", "git push --no-verify"},
		{"std::string main.go:12 http://x.y C:\\x foo()", "std::string main.go:12 http://x.y C:\\x foo()"},
		{`""  () -`, ""},
	}
	for _, test := range tests {
		if got := plainQuery(test.task); got != test.want {
			t.Errorf("plainQuery(%q) = %q, want %q", test.task, got, test.want)
		}
	}
	long := strings.Repeat("the word of a ", 100)
	if got := strings.Fields(plainQuery(long)); len(got) != 48 || got[0] != "word" {
		t.Errorf("a long task: %d words, the first %q", len(got), got[0])
	}
}

func TestPieces(t *testing.T) {
	type cut struct{ Text, Glue string }
	tests := []struct {
		text string
		want []cut
	}{
		{"One. Two? Three", []cut{{"One.", " "}, {"Two?", " "}, {"Three", ""}}},
		{"a line\n\n  another", []cut{{"a line", "\n"}, {"another", ""}}},
		{"v1.2.3 of node.js", []cut{{"v1.2.3 of node.js", ""}}},
		{"先终止会话。再回滚！", []cut{{"先终止会话。", ""}, {"再回滚！", ""}}},
	}
	for _, test := range tests {
		pieces, whole := piecesOf(test.text)
		var got []cut
		for _, p := range pieces {
			got = append(got, cut{p.text, p.glue})
		}
		if diff := cmp.Diff(test.want, got); diff != "" || !whole {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	pieces, _ := piecesOf(strings.Repeat("word ", 200))
	for _, p := range pieces {
		if len(p.text) > pieceBytes || strings.HasPrefix(p.text, "ord") {
			t.Errorf("a piece of %d bytes: %.20q", len(p.text), p.text)
		}
	}
	if _, whole := piecesOf(strings.Repeat("x ", partBytes)); whole {
		t.Error("a text above the bound counts as whole")
	}
}

// TestSaidMarksWhatIsLeftOut: … stands at every place where a piece was not taken.
func TestSaidMarksWhatIsLeftOut(t *testing.T) {
	tests := []struct {
		taken string // of the pieces a, b, c, d
		want  string
		cut   bool
	}{
		{"abcd", "A. B. C. D.", false},
		{"bc", "… B. C. …", true},
		{"ad", "A. … D.", true},
		{"", "", true},
	}
	for _, test := range tests {
		l := line{role: lore.User, whole: true}
		for _, c := range "abcd" {
			l.pieces = append(l.pieces, piece{text: strings.ToUpper(string(c)) + ".", glue: " ", taken: strings.ContainsRune(test.taken, c)})
		}
		got, ok := l.said()
		if got.Text != test.want || got.Cut != test.cut || ok != (test.want != "") {
			t.Errorf("%q: %q cut %v, want %q %v", test.taken, got.Text, got.Cut, test.want, test.cut)
		}
	}
}

func TestHeadOf(t *testing.T) {
	for _, s := range []string{"", "word", strings.Repeat("many words of a text ", 50), strings.Repeat("数据库迁移", 50), strings.Repeat("x", 500)} {
		for _, budget := range []int{0, 1, 7, 50} {
			rest, whole := s, ""
			for range 2000 {
				head, more := headOf(rest, budget)
				whole += head
				if rest = rest[len(head):]; !more {
					break
				}
				if head == "" {
					t.Fatalf("no head of %.20q in %d tokens", rest, budget)
				}
			}
			if whole != s {
				t.Errorf("pages of %.20q by %d tokens are not all of it", s, budget)
			}
		}
	}
}
