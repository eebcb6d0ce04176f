package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func TestSearchable(t *testing.T) {
	for _, c := range []struct {
		kind       lore.PartKind
		text, want string
	}{
		{lore.Call, `{"command":"ls -l"}`, `{"command":"ls -l"}`},
		{lore.Call, `{"command":"echo \"hi\"\nls C:\\x \u706f\ud83d\ude80"}`, "{\"command\":\"echo \"hi\"\nls C:\\x 灯🚀\"}"},
		{lore.Call, `{"half":"\ud83d tail"}`, "{\"half\":\"\xed\xa0\xbd tail\"}"},
		{lore.Call, `{"not json":"\d"}`, `{"not json":"\d"}`},
		{lore.Call, `{"cut":"\u12`, `{"cut":"\u12`},
		{lore.Call, `{ echo a\nb; }`, `{ echo a\nb; }`},
		{lore.Call, `grep "a\nb" file`, `grep "a\nb" file`},
		{lore.Result, `{"command":"a\nb"}`, `{"command":"a\nb"}`},
	} {
		if diff := cmp.Diff(c.want, Searchable(&lore.Part{Kind: c.kind, Text: c.text})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestBulk(t *testing.T) {
	text := strings.Repeat("word ", 1000)
	for _, c := range []struct {
		text       string
		limit      int
		head, tail int
	}{
		{"short", 10, 5, 5},
		{text, 400, 300, 4900},
		{text, 403, 300, 4900},
		{strings.Repeat("灯塔", 100), 100, 75, 576},
		{text, 0, 0, 5000},
	} {
		head, tail := Bulk(c.text, c.limit)
		if diff := cmp.Diff([]int{c.head, c.tail}, []int{head, tail}); diff != "" {
			t.Errorf("limit %d of %d bytes (-want +got):\n%s", c.limit, len(c.text), diff)
		}
	}
}
