package chatexport

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// chat is a small conversation of ChatGPT with as many messages as ids.
func chat(id string, nodes ...string) string {
	var list []string
	parent := "null"
	for _, n := range nodes {
		list = append(list, fmt.Sprintf(`%q:{"id":%q,"parent":%s,"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["says %s"]}}}`, n, n, parent, n))
		parent = fmt.Sprintf("%q", n)
	}
	return fmt.Sprintf(`{"title":"T","id":%q,"mapping":{%s}}`, id, strings.Join(list, ","))
}

// outline names each element: its number, its fault and how its bytes begin and end.
func outline(text string, max int) []string {
	e := newElements(iotest.OneByteReader(strings.NewReader(text)), max, isGPT)
	var got []string
	ctx := context.Background()
	for el := e.next(ctx); el != nil; el = e.next(ctx) {
		what := "lost"
		if el.data != nil {
			what = fmt.Sprintf("%s with %d", el.value.Get("id").String(), el.value.Get("mapping").Len())
		}
		fault := [...]string{"sound", "damaged", "cut off", "oversized"}[el.fault]
		got = append(got, fmt.Sprintf("%d at %d on line %d: %s, %s", el.number, el.offset, el.line, fault, what))
	}
	if e.strays > 0 {
		got = append(got, fmt.Sprintf("%d strays", e.strays))
	}
	return got
}

func TestElements(t *testing.T) {
	a, b, c := chat("a", "a1", "a2"), chat("b", "b1", "b2", "b3"), chat("c", "c1")
	cases := []struct {
		name, text string
		max        int
		want       []string
	}{
		{"empty", "[]", 1000, nil},
		{"nothing", " \n", 1000, nil},
		{"one object", a, 1000, []string{"1 at 0 on line 1: sound, a with 2"}},
		{"array", "[" + a + ",\n" + c + "]", 1000, []string{"1 at 1 on line 1: sound, a with 2", "2 at 281 on line 2: sound, c with 1"}},
		{"no objects", `["x", 1, null, ` + c + `]`, 1000, []string{"1 at 15 on line 1: sound, c with 1", "3 strays"}},
		{"file ends in an element", "[" + a + "," + b[:len(b)-90], 1000,
			[]string{"1 at 1 on line 1: sound, a with 2", "2 at 280 on line 1: cut off, b with 2"}},
		{"file ends in the first message", "[" + a[:80], 1000, []string{"1 at 1 on line 1: cut off, lost"}},
		{"a quote is gone", "[" + strings.Replace(a, `says a2"`, `says a2`, 1) + ",\n" + b + "," + c + "]", 2000,
			[]string{"1 at 1 on line 1: damaged, a with 1", "2 at 280 on line 2: sound, b with 3", "3 at 681 on line 2: sound, c with 1"}},
		{"a bracket is gone", "[" + strings.Replace(b, `}}}`, `}}`, 1) + "," + c + "]", 2000,
			[]string{"1 at 1 on line 1: damaged, b with 1", "2 at 401 on line 1: sound, c with 1"}},
		{"a colon is gone", "[" + strings.Replace(b, `"b2":{"id":`, `"b2":{"id"`, 1) + "," + c + "]", 2000,
			[]string{"1 at 1 on line 1: damaged, b with 1", "2 at 401 on line 1: sound, c with 1"}},
		{"too large", "[" + b + "," + c + "]", 300,
			[]string{"1 at 1 on line 1: oversized, b with 2", "2 at 402 on line 1: sound, c with 1"}},
		{"much too large", "[" + strings.Replace(b, "says b3", strings.Repeat("long ", 2*chunk/5), 1) + "," + c + "]", 1000,
			[]string{"1 at 1 on line 1: oversized, b with 2", "2 at 524680 on line 1: sound, c with 1"}},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			if diff := cmp.Diff(x.want, outline(x.text, x.max)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestChain(t *testing.T) {
	cases := []struct {
		name   string
		up     []int
		listed [][]int
		leaf   int
		order  []int
		active []bool
	}{
		{"a line", []int{root, 0, 1}, nil, -1, []int{0, 1, 2}, []bool{true, true, true}},
		{"children's order", []int{root, 0, 0, 1}, [][]int{{2, 1}}, -1, []int{0, 2, 1, 3}, []bool{true, true, false, true}},
		{"the branch of the leaf", []int{root, 0, 0, 1}, nil, 3, []int{0, 1, 3, 2}, []bool{true, true, false, true}},
		{"the file runs backwards", []int{1, 2, root}, nil, 0, []int{2, 1, 0}, []bool{true, true, true}},
		{"a parent is nowhere", []int{root, 0, nowhere, 2}, nil, 3, []int{0, 1, 2, 3}, []bool{true, true, true, true}},
		{"a circle", []int{1, 0, root}, nil, 1, []int{0, 1, 2}, []bool{true, true, false}},
		{"its own parent", []int{0}, nil, -1, []int{0}, []bool{true}},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			c := newChain(x.up, x.listed)
			if diff := cmp.Diff(x.order, c.order()); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(x.active, c.active(x.leaf)); diff != "" {
				t.Errorf("active (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProductOf(t *testing.T) {
	cases := []struct {
		text  string
		named bool
		want  string
	}{
		{`[{"title":"x","mapping":{`, false, sourceGPT},
		{"\xef\xbb\xbf{\"mapping\" : {}}", false, sourceGPT},
		{`[{"uuid":"x","name":"say \"mapping\":{","chat_messages":[`, false, sourceClaude},
		{`[{"x":{"mapping":{}}}]`, false, ""},
		{`{"mapping":[],"chat_messages":{}}`, false, ""},
		{`["mapping",{"a":1}]`, false, ""},
		{`[{"title":"a quote is gone,"mapping":{`, false, ""},
		{`[{"title":"a quote is gone,"mapping":{`, true, sourceGPT},
	}
	for _, x := range cases {
		if got := productOf([]byte(x.text), x.named); got != x.want {
			t.Errorf("productOf(%q, %v) = %q, want %q", x.text, x.named, got, x.want)
		}
	}
}
