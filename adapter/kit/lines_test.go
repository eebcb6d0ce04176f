package kit

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

var topKeys = []string{"type", "seq"}

// read is what a pass over lines gives, in a form that a table can state.
type read struct {
	Records []string // "LINE@OFFSET+LENGTH JSON"
	Losses  []string // "LINE code severity what"
	Damaged int
	Tail    int64
}

func openText(t testing.TB, text string, o Options) *Lines {
	t.Helper()
	in := adapter.Input{
		Source: adapter.Source{Product: "lantern", Path: "a.jsonl"},
		FS:     fstest.MapFS{"a.jsonl": {Data: []byte(text)}},
		Place:  "~/.lantern",
	}
	l, err := OpenLines(in, "a.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func readText(t testing.TB, text string, o Options) read {
	t.Helper()
	l := openText(t, text, o)
	var got read
	for r := range l.All() {
		got.Records = append(got.Records, fmt.Sprintf("%d@%d+%d %s", r.Line, r.Offset, r.Length, r.Value.Raw()))
		checkRecord(t, l, r, text)
	}
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	if l.Good() != len(got.Records) || l.Size() != int64(len(text)) {
		t.Errorf("Good() = %d of %d, Size() = %d of %d", l.Good(), len(got.Records), l.Size(), len(text))
	}
	for _, loss := range l.Losses() {
		got.Losses = append(got.Losses, fmt.Sprintf("%d %s %s %s", loss.Line, loss.Code, loss.Severity, loss.What))
		if loss.File != "~/.lantern/a.jsonl" || loss.Source != "lantern" || loss.Count < 1 || lore.Codes[loss.Code] == "" {
			t.Errorf("incomplete loss %+v", loss)
		}
	}
	got.Damaged = l.Damaged()
	if got.Tail = l.Tail(); got.Tail == l.Size() {
		got.Tail = -1
	}
	return got
}

// checkRecord wants the record where it says it is, and At to give it again.
func checkRecord(t testing.TB, l *Lines, r *Record, text string) {
	t.Helper()
	if r.Offset < 0 || r.Length <= 0 || r.Offset+r.Length > int64(len(text)) {
		t.Fatalf("record of %d+%d outside of %d bytes", r.Offset, r.Length, len(text))
	}
	raw := text[r.Offset : r.Offset+r.Length]
	if !r.Cut && raw != string(r.Value.Raw()) {
		t.Fatalf("at %d+%d stands %q, not %q", r.Offset, r.Length, raw, r.Value.Raw())
	}
	if line := strings.Count(text[:r.Offset], "\n") + 1; line != r.Line {
		t.Fatalf("record on line %d says %d", line, r.Line)
	}
	again, err := l.At(r.Offset, r.Length)
	if err != nil || !again.Equal(r.Value) || string(again.Raw()) != string(r.Value.Raw()) {
		t.Fatalf("At(%d, %d) = %q, %v; want %q", r.Offset, r.Length, again.Raw(), err, r.Value.Raw())
	}
}

func TestLines(t *testing.T) {
	nul := func(n int) string { return strings.Repeat("\x00", n) }
	tests := []struct {
		name, in string
		want     read
	}{
		{"CC01 line of NULs in the middle",
			`{"seq":1}` + "\n" + nul(300) + "\n" + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `3@311+9 {"seq":2}`}, []string{"2 nul_padding warning 300 NUL bytes"}, 0, -1}},
		{"CC02 NULs glued to records",
			`{"seq":1}` + nul(900) + "\n" + nul(64) + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `2@974+9 {"seq":2}`}, []string{"1 nul_padding warning 900 NUL bytes", "2 nul_padding warning 64 NUL bytes"}, 0, -1}},
		{"CC03 NUL tail",
			`{"seq":1}` + "\n" + nul(140000),
			read{[]string{`1@0+9 {"seq":1}`}, []string{"2 nul_padding warning 140000 NUL bytes"}, 0, -1}},
		{"CP03 short NUL tail without a line end before it",
			`{"seq":1}` + nul(1728),
			read{[]string{`1@0+9 {"seq":1}`}, []string{"1 nul_padding warning 1728 NUL bytes"}, 0, -1}},
		{"NULs between tokens and in a string",
			"{\"seq\":\x00\x001,\"text\":\"a\x00b\"}\n",
			read{[]string{"1@0+24 {\"seq\":\x00\x001,\"text\":\"a\x00b\"}"}, []string{"1 nul_padding warning 2 NUL bytes"}, 0, -1}},
		{"NULs between two records",
			`{"seq":1}` + nul(3) + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `1@12+9 {"seq":2}`}, []string{"1 nul_padding warning 3 NUL bytes"}, 0, -1}},
		{"long run of NULs between two records",
			`{"seq":1}` + nul(200_000) + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `1@200009+9 {"seq":2}`}, []string{"1 nul_padding warning 200000 NUL bytes"}, 0, -1}},
		{"record cut by NULs, then retried",
			`{"seq":1,"text":"ha` + nul(5) + `{"seq":1,"text":"harbour"}` + "\n",
			read{[]string{`1@24+26 {"seq":1,"text":"harbour"}`}, []string{"1 retried_record info 19 bytes, complete on the same line", "1 nul_padding warning 5 NUL bytes"}, 1, -1}},
		{"record cut by a long run of NULs, then retried",
			`{"seq":1,"text":"ha` + nul(100_000) + `{"seq":1,"text":"harbour"}` + "\n",
			read{[]string{`1@100019+26 {"seq":1,"text":"harbour"}`}, []string{"1 retried_record info 19 bytes, complete on line 1", "1 nul_padding warning 100000 NUL bytes"}, 1, -1}},
		{"record cut by a NUL tail is damage, not a tail that grows",
			`{"seq":1}` + "\n" + `{"seq":2,"text":"ha` + nul(7),
			read{[]string{`1@0+9 {"seq":1}`}, []string{"2 bad_json warning 19 bytes", "2 nul_padding warning 7 NUL bytes"}, 1, -1}},
		{"CC05 two records on a line",
			`{"seq":1}{"seq":2}` + "\n" + `{"seq":3}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `1@9+9 {"seq":2}`, `2@19+9 {"seq":3}`}, []string{"1 missing_newline info 2 records on one line"}, 0, -1}},
		{"CC06 cut record, blank line, no object",
			`{"seq":1}` + "\n" + `{"type":"snapshot","messageId":"0e8f` + "\n\n42\n" + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `5@51+9 {"seq":2}`}, []string{"2 bad_json warning 36 bytes", "4 bad_json warning 2 bytes"}, 2, -1}},
		{"CC07 lone surrogate",
			`{"seq":1,"text":"log \ud83d tail"}` + "\n",
			read{[]string{`1@0+34 {"seq":1,"text":"log \ud83d tail"}`}, []string{"1 lone_surrogate info 1 escape"}, 0, -1}},
		{"CC25 escaped NULs are text",
			`{"seq":1,"text":"before \u0000\u0000 after"}` + "\n",
			read{[]string{`1@0+44 {"seq":1,"text":"before \u0000\u0000 after"}`}, nil, 0, -1}},
		{"CC49 CRLF and blank lines keep physical numbers",
			"\r\n" + `{"seq":1}` + "\r\n\r\n" + `{"type":"user", broken` + "\r\n" + `{"seq":2}` + "\r\n",
			read{[]string{`2@2+9 {"seq":1}`, `5@39+9 {"seq":2}`}, []string{"4 bad_json warning 22 bytes"}, 1, -1}},
		{"CC50 invalid bytes",
			"{\"seq\":1,\"text\":\"rye \xff\xfe wheat\"}\n",
			read{[]string{"1@0+31 {\"seq\":1,\"text\":\"rye \xff\xfe wheat\"}"}, []string{"1 invalid_utf8 warning 2 bytes"}, 0, -1}},
		{"CC51 a file of garbage",
			strings.Repeat("\xff\xfe\x00\x01", 10) + "\n" + strings.Repeat("[", 20_000) + "\n",
			read{nil, []string{"1 bad_json warning 40 bytes", "2 too_deep warning 20000 bytes"}, 2, -1}},
		{"CX14 BOM at the start only",
			"\ufeff{\"seq\":1,\"text\":\"a\ufeffb\"}\n",
			read{[]string{"1@3+24 {\"seq\":1,\"text\":\"a\ufeffb\"}"}, []string{"1 bom_stripped info 3 bytes"}, 0, -1}},
		{"BOM on a later line is damage",
			`{"seq":1}` + "\n\ufeff" + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `2@13+9 {"seq":2}`}, []string{"2 bad_json warning 3 bytes"}, 1, -1}},
		{"CX15 cut header, and a cut record retried on the next line",
			`{"seq":0,"type":"meta","id":"019c` + "\n" + `{"seq":1}` + "\n" + `{"seq":2,"text":"crater` + "\n" + `{"seq":2,"text":"crater lake"}` + "\n",
			read{[]string{`2@34+9 {"seq":1}`, `4@68+30 {"seq":2,"text":"crater lake"}`}, []string{"1 bad_json warning 33 bytes", "3 retried_record info 23 bytes, complete on line 4"}, 2, -1}},
		{"CP02 only LF splits",
			"{\"seq\":1,\"text\":\"a\u2028b\u2029c\u0085d\ve\ff\"}\n",
			read{[]string{"1@0+35 {\"seq\":1,\"text\":\"a\u2028b\u2029c\u0085d\ve\ff\"}"}, nil, 0, -1}},
		{"CP04 cut record and its retry on one line",
			`{"seq":1}` + "\n" + `{"type":"answer","text":"about ginkgo{"type":"answer","text":"about ginkgo trees"}` + "\n" + `{"seq":2}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `2@47+45 {"type":"answer","text":"about ginkgo trees"}`, `3@93+9 {"seq":2}`},
				[]string{"2 retried_record info 37 bytes, complete on the same line"}, 1, -1}},
		{"retry where a value is expected",
			`{"seq":{"seq":{"x":1}}` + "\n",
			read{[]string{`1@7+15 {"seq":{"x":1}}`}, []string{"1 retried_record info 7 bytes, complete on the same line"}, 1, -1}},
		{"cut record and another one on its line",
			`{"type":"answer","text":"about gin{"seq":7,"text":"x"}` + "\n",
			read{[]string{`1@34+20 {"seq":7,"text":"x"}`}, []string{"1 bad_json warning 34 bytes"}, 1, -1}},
		{"two cut records and a whole one",
			`{"type":"answer","text":"about gin{"type":"ask","text":"why{"seq":7}` + "\n",
			read{[]string{`1@59+9 {"seq":7}`}, []string{"1 bad_json warning 59 bytes"}, 1, -1}},
		{"a nested object is no record",
			`{"type":"a","blocks":[{"type":"text","text":"one"},{"type":"text"!,{"type":"text","text":"two"}]}` + "\n" + `{"seq":1}` + "\n",
			read{[]string{`2@98+9 {"seq":1}`}, []string{"1 bad_json warning 97 bytes"}, 1, -1}},
		{"garbage behind a record",
			`{"seq":1}} oops` + "\n",
			read{[]string{`1@0+9 {"seq":1}`}, []string{"1 bad_json warning 6 bytes"}, 1, -1}},
		{"garbage before a record",
			`oops 42 {"seq":1}` + "\n",
			read{[]string{`1@8+9 {"seq":1}`}, []string{"1 bad_json warning 8 bytes"}, 1, -1}},
		{"another key does not resynchronise",
			`oops {"other":1}` + "\n",
			read{nil, []string{"1 bad_json warning 16 bytes"}, 1, -1}},
		{"arrays and scalars are no records",
			`[{"seq":1}]` + "\n\"seq\"\nnull\n",
			read{nil, []string{"1 bad_json warning 11 bytes", "2 bad_json warning 5 bytes", "3 bad_json warning 4 bytes"}, 3, -1}},
		{"last line without LF is a record",
			`{"seq":1}` + "\n" + `{"seq":2}`,
			read{[]string{`1@0+9 {"seq":1}`, `2@10+9 {"seq":2}`}, nil, 0, -1}},
		{"partial tail",
			`{"seq":1}` + "\n" + `{"seq":2,"te`,
			read{[]string{`1@0+9 {"seq":1}`}, []string{"2 partial_tail info 12 bytes"}, 0, 10}},
		{"partial tail on the line of a record",
			`{"seq":1}{"seq":2,"te`,
			read{[]string{`1@0+9 {"seq":1}`}, []string{"1 partial_tail info 12 bytes"}, 0, 9}},
		{"only a partial tail", `{"seq"`, read{nil, []string{"1 partial_tail info 6 bytes"}, 0, 0}},
		{"empty", "", read{nil, nil, 0, -1}},
		{"blank lines only", "\n \r\n\t\n", read{nil, nil, 0, -1}},
		{"white space around", "  {\"seq\":1}\t \n", read{[]string{`1@2+9 {"seq":1}`}, nil, 0, -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readText(t, tt.in, Options{TopKeys: topKeys})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
