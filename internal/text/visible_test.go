package text

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain\n\ttext, ünicode 灯塔", "plain\n\ttext, ünicode 灯塔"},
		{"\x1b[31mred\x07\x08\x00\x7f", `\x1b[31mred\x07\x08\x00\x7f`},
		{"line\r\nnext\rover", "line\nnext" + `\rover`},
		{"c1 \u009b31m \u0085", `c1 \u009b31m \u0085`},
		{"bidi \u202eevil\u202c \u2066x\u2069 \u200e", `bidi \u202eevil\u202c \u2066x\u2069 \u200e`},
		{"zero\u200bwidth \ufeff soft\u00ad", `zero\u200bwidth \ufeff soft\u00ad`},
		{"tag \U000e0041 \u3164", `tag \U000e0041 \u3164`},
		{"family 👩\u200d👩 joiner a\u200db می\u200cخواهم", "family 👩\u200d👩" + ` joiner a\u200db ` + "می\u200cخواهم"},
		{"heart ❤\ufe0f flag", "heart ❤\ufe0f flag"},
		{"half \xed\xa0\xbd \xed\xb0\x80 byte \xff", `half \ud83d \udc00 byte \xff`},
	} {
		if diff := cmp.Diff(c.want, Visible(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
	if got := VisibleLine(" a\n\n title\t\x1b \r"); got != `a title \x1b \r` {
		t.Errorf("VisibleLine: %q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff\xed\xa0\xbd\r\n\u200d")
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !utf8.ValidString(got) || Visible(got) != got {
			t.Errorf("%q became %q", text, got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && hidden(r) && !joiner(r) {
				t.Errorf("%q still holds %q", got, r)
			}
		}
	})
}
