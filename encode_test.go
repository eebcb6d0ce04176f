package lore

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestAppendJSONValues(t *testing.T) {
	type inner struct {
		B int    `json:"b"`
		C string `json:"c"`
	}
	type outer struct {
		A string `json:"a"`
		inner
		*Usage
		C      bool           `json:"c"`
		Hidden int            `json:"-"`
		Dash   int            `json:"-,"`
		Empty  []int          `json:"empty,omitempty"`
		Zero   ID             `json:"zero,omitzero"`
		Map    map[string]any `json:"map"`
		hidden int
	}
	type tree struct {
		Name string
		Kids []tree
		Up   *tree `json:",omitempty"`
	}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, `null`},
		{(*Message)(nil), `null`},
		{true, `true`},
		{uint8(200), `200`},
		{-5, `-5`},
		{1.5, `1.5`},
		{1e300, `1e+300`},
		{1.0, `1`},
		{[]int(nil), `[]`},
		{[][2]int{{1, 2}}, `[[1,2]]`},
		{map[string]int(nil), `{}`},
		{map[string]int{"b": 1, "a": 2, "a!": 3}, `{"a":2,"a!":3,"b":1}`},
		{map[int]string{2: "x"}, `{"2":"x"}`},
		{"<&>\u2028\x7f/", `"<&>` + "\u2028\x7f" + `/"`},
		{"\x00\x1f\b\t\n\f\r\"\\", `"\u0000\u001f\b\t\n\f\r\"\\"`},
		{"half \xed\xa0\xbd", `"half \ud83d"`},
		{"whole \xed\xa0\xbd\xed\xb8\x80", `"whole 😀"`},
		{"bad \xff\xc0\x80", `"bad ` + "\uFFFD\uFFFD\uFFFD" + `"`},
		{json.RawMessage(`{"x": 1}`), `{"x": 1}`},
		{RawJSON(nil), `null`},
		{time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.FixedZone("x", 3600)), `"2026-03-01T11:00:00.5Z"`},
		{time.Time{}, `null`},
		{[]any{1, "x", nil, Time{}}, `[1,"x",null,null]`},
		{NewTime(1500000000, 3, true), `"1970-01-01T00:00:01.500"`},
		{outer{A: "x", inner: inner{B: 7, C: "hidden by the outer name"}}, `{"a":"x","b":7,"c":false,"-":0,"map":{}}`},
		{outer{Usage: &Usage{Input: 1}, Empty: []int{1}, Map: map[string]any{"k": []string{"v"}}},
			`{"a":"","b":0,"input_tokens":1,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"c":false,"-":0,"empty":[1],"map":{"k":["v"]}}`},
		{tree{Name: "root", Kids: []tree{{Name: "leaf"}}}, `{"Name":"root","Kids":[{"Name":"leaf","Kids":[]}]}`},
		{make(chan int), `null`},
		{map[string]Loss{"l": {Code: Empty, File: "f"}}, `{"l":{"code":"empty","severity":"","source":"","file":"f","line":null,"row":null,"what":"","count":1}}`},
	} {
		got := string(AppendJSON(nil, tt.v))
		if got != tt.want {
			t.Errorf("%#v\n got %s\nwant %s", tt.v, got, tt.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("not valid: %s", got)
		}
	}
}

// TestAppendJSONStringsDecode holds the strings against encoding/json for what it can tell, which is all but lone
// surrogates.
func TestAppendJSONStringsDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := wildString().Draw(t, "s")
		line := AppendJSON(nil, s)
		var got string
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		var want string
		if err := json.Unmarshal(bytes.ReplaceAll(slowQuote(s), []byte{0xED, 0xA0, 0xBD}, []byte(`\ud83d`)), &want); err != nil {
			t.Fatal(err)
		}
		// encoding/json makes three U+FFFD of a surrogate's bytes and one of its escape.
		fold := func(s string) string { return strings.ReplaceAll(s, "\uFFFD\uFFFD\uFFFD", "\uFFFD") }
		if fold(fold(got)) != fold(fold(want)) && !strings.Contains(s, "\xed\xb8\x80") {
			t.Fatalf("%q decodes to %q, want %q", line, got, want)
		}
	})
}

// record is a conversation in which every field says something.
func record() *Conversation {
	c := &Conversation{
		Source: "claude-code", Store: "projects", Native: "s1",
		Title: "Fix the lamp", TitleFrom: TitleFromSource,
		Project: Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"},
		Kind:    Subagent,
		Parent:  &Parent{Native: "s0", Call: "toolu_0"},
		Lineage: &Lineage{Kind: Fork, OfNative: "s2", Shared: 1},
		Messages: []Message{
			{Native: "u1", Role: User, At: NewTime(1767225600123000000, 3, false), AtFrom: FromSource, Active: true, Units: 1,
				Parts:   []Part{{Kind: Text, Text: "Fix the lamp, \xed\xa0\xbd please"}, {Kind: Image, Text: "sha256:00", MediaType: "image/png", Bytes: 67}},
				Origins: []Locator{{File: "~/.claude/projects/x/s1.jsonl", Line: 1, Offset: 0, Length: 120}, {File: "~/.claude/history.jsonl", Line: 9, Offset: 70, Length: 60}}},
			{Role: Assistant, ParentNative: "u1", At: NewTime(1767225605000000000, 0, true), AtFrom: FromSourceNaive, Model: "claude-x", Active: true,
				Parts: []Part{
					{Kind: Thinking, Unreadable: true},
					{Kind: Call, Name: "Bash", CallID: "toolu_1", Text: "{\"command\": \"go test\",\n \"note\": \"\\ud83d \xed\xa0\xbd\"}"},
					{Kind: Call, Name: "apply_patch", CallID: "c2", Text: "*** Begin Patch"}},
				Usage:   &Usage{Input: 5, Output: 6},
				Origins: []Locator{{File: "~/.claude/projects/x/s1.jsonl", Line: 2, Offset: 121, Length: 300}}},
			{Native: "t1", Role: Tool, AtFrom: FromNone, Subtype: "queued",
				Parts:   []Part{{Kind: Result, CallID: "toolu_1", Text: "no", IsError: true, Cut: true, Bytes: 9000}},
				Origins: []Locator{{File: "~/.local/share/x.db", Row: "messages/7", Length: 88}}},
		},
		Losses: []Loss{{Code: NulPadding, Severity: Warning, Source: "claude-code", File: "~/.claude/projects/x/s1.jsonl", Line: 4, What: "300 NUL bytes", Count: 1}},
	}
	Seal(c)
	return c
}

// TestRecordJSON shows the record's JSON as a reader of the command meets it.
func TestRecordJSON(t *testing.T) {
	c := record()
	line := AppendJSON(nil, map[string]any{"conversation": c, "messages": c.Messages, "losses": c.Losses})
	var got bytes.Buffer
	if err := json.Indent(&got, line, "", " "); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	got.WriteByte('\n')
	golden(t, "testdata/record.json", got.Bytes())
	if bytes.ContainsRune(line, '\n') {
		t.Error("the record is more than one line")
	}
}

// update writes golden files instead of comparing with them.
var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares with a file, or writes it under -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestHeaderRoundTrip: a header that was stored as JSON says the same when it is loaded.
func TestHeaderRoundTrip(t *testing.T) {
	want := record()
	var got Conversation
	if err := json.Unmarshal(AppendJSON(nil, want), &got); err != nil {
		t.Fatal(err)
	}
	private := cmp.Options{
		cmp.AllowUnexported(Time{}),
		cmpopts.IgnoreFields(Conversation{}, "Messages", "Losses"),
		cmpopts.IgnoreFields(Parent{}, "Native"),
		cmpopts.IgnoreFields(Lineage{}, "OfNative"),
	}
	if diff := cmp.Diff(want, &got, private); diff != "" {
		t.Errorf("(-stored +loaded):\n%s", diff)
	}
	var bare Conversation
	if err := json.Unmarshal(AppendJSON(nil, &Conversation{}), &bare); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Conversation{Models: []string{}}, bare, cmp.AllowUnexported(Time{})); diff != "" {
		t.Errorf("an empty one (-stored +loaded):\n%s", diff)
	}
}

func TestCallInput(t *testing.T) {
	deep := strings.Repeat("[", 128) + strings.Repeat("]", 128)
	for _, tt := range []struct{ text, want string }{
		{`{"a": 1,` + "\r\n" + `"b":"]["}`, `{"a": 1,  "b":"]["}`},
		{`"a string"`, `"a string"`},
		{deep, deep},
		{"[" + deep + "]", ""},
		{`{"a":`, ""},
		{"words", ""},
		{"", ""},
	} {
		want := `{"kind":"call","text":` + string(AppendJSON(nil, tt.text))
		if tt.want != "" {
			want += `,"input":` + tt.want
		}
		p := Part{Kind: Call, Text: tt.text}
		if got := string(p.AppendJSON(nil)); got != want+"}" {
			t.Errorf("got %s\nwant %s}", got, want)
		}
	}
}

func TestTimeTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		step := int64(1)
		for range 9 - digits {
			step *= 10
		}
		nanos := rapid.Int64().Draw(t, "nanos") / step * step
		in := NewTime(nanos, digits, rapid.Bool().Draw(t, "naive"))
		text, _ := in.MarshalText()
		var out Time
		if err := out.UnmarshalText(text); err != nil || out != in || out.String() != string(text) {
			t.Fatalf("%s came back as %v, %v", text, out, err)
		}
	})
}

func TestTimeText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00Z"},
		{"2026-03-01T10:00:00.120", "2026-03-01T10:00:00.120"},
		{"", ""},
	} {
		var at Time
		if err := at.UnmarshalText([]byte(tt.text)); err != nil || at.String() != tt.want {
			t.Errorf("%q: got %q, %v", tt.text, at, err)
		}
	}
	for _, text := range []string{"yesterday", "2026-03-01", "2026-13-01T00:00:00Z", "3026-03-01T00:00:00Z"} {
		var at Time
		if err := at.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was taken for %s", text, at)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	c := record()
	c.Messages[2].Parts[0].Text = strings.Repeat("a line of output with a \"quote\" in it\n", 1000)
	dst := AppendJSON(nil, c.Messages)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendJSON(dst[:0], &c.Messages)
	}
}
