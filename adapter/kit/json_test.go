package kit

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain turns a value into what encoding/json makes of the same bytes with UseNumber.
func plain(v Value) any {
	switch v.Kind() {
	case Bool:
		return v.Bool()
	case Number:
		return json.Number(v.Raw())
	case String:
		return v.String()
	case Array:
		list := []any{}
		for item := range v.Items() {
			list = append(list, plain(item))
		}
		return list
	case Object:
		m := map[string]any{}
		for key, value := range v.Fields() {
			m[key] = plain(value)
		}
		return m
	}
	return nil
}

func mustParse(t testing.TB, text string) Value {
	t.Helper()
	v, err := new(Doc).Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return v
}

func TestParseAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range jsonSeeds {
		sameAsEncodingJSON(t, []byte(text))
	}
}

func sameAsEncodingJSON(t *testing.T, b []byte) {
	t.Helper()
	before := slices.Clone(b)
	var doc Doc
	got, err := doc.Parse(b)
	if !bytes.Equal(b, before) {
		t.Fatalf("Parse changed its input: %q", b)
	}
	if !json.Valid(b) {
		checkError(t, b, err)
		return
	}
	var want any
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if wantErr := dec.Decode(&want); wantErr != nil {
		return // valid and yet refused: nested deeper than encoding/json goes
	}
	if err != nil {
		t.Fatalf("Parse(%q): %v, but it is valid", b, err)
	}
	if doc.surrogates > 0 {
		return // encoding/json has no form for them
	}
	if diff := cmp.Diff(want, plain(got)); diff != "" {
		t.Fatalf("Parse(%q) differs from encoding/json (-want +got):\n%s", b, diff)
	}
	if raw := bytes.TrimSpace(b); !bytes.Equal(got.Raw(), raw) {
		t.Fatalf("Raw() = %q, want %q", got.Raw(), raw)
	}
	if !got.Equal(got) {
		t.Fatalf("%q is not equal to itself", b)
	}
}

// checkError wants a place inside of the bytes, and AtEnd only where the head alone is no fault.
func checkError(t *testing.T, b []byte, err error) {
	t.Helper()
	var syntax *SyntaxError
	if errors.As(err, &syntax) && (syntax.Offset < 0 || syntax.Offset > len(b)) {
		t.Fatalf("Parse(%q): offset %d is outside", b, syntax.Offset)
	}
}

var jsonSeeds = []string{
	``, ` `, `null`, `true`, `false`, `0`, `-0`, `12`, `-1.5e+10`, `1E3`, `01`, `-`, `1.`, `.5`, `1e`, `+1`, `tru`, `nul1`,
	`""`, `"a"`, `"a\"b\\c\/\b\f\n\r\t"`, `"A\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\udc00\ud800"`, `"\u12"`, `"\u12g4"`, `"\x"`, `"abc`,
	`"12345678"`, `"1234567\""`, `"123456789012345\\"`, "\"h\u00e9llo w\u00f6rld \u6f22\u5b57 \u2028\"", "\"\xff\xfe\"", "\"\xed\xa0\x80\"",
	`[]`, `[ ]`, `[1]`, `[1,2 , 3]`, `[1,]`, `[,1]`, `[1 2]`, `[[],[[]],{}]`, `[}`, `[1}`, `{]`, `]`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,"b":{"c":[true,null]}}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":{"x":[]},"b":3}`, `{"":""}`, " {\n\t\"k\" : [ 1 , { } ] \r\n} ", `{"a":1}{"b":2}`, `{"a":1}x`,
	`123456789012345678901234567890`, `1e400`, `{"type":"user","message":{"role":"user","content":"quiet harbour"},"uuid":"u-1"}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"a":18,"r":19,"s":20,"t":21,"u":22,"v":23,"w":24,"x":25,"y":26,"z":27,"aa":28,"bb":29,"cc":30,"dd":31,"ee":32,"b":33}`,
}

func FuzzParse(f *testing.F) {
	for _, text := range jsonSeeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		sameAsEncodingJSON(t, b)
		var doc Doc
		v, n, err := doc.ParsePrefix(b)
		if err != nil {
			return
		}
		if n > len(b) || v.Depth() > MaxDepth || v.Size() != int64(len(v.Raw())) {
			t.Fatalf("ParsePrefix(%q) = %q, %d", b, v.Raw(), n)
		}
		text, again := v.String(), slices.Clone(v.AppendString(nil))
		if text != string(again) || v.IsString() && !v.Is(text) {
			t.Fatalf("%q decodes to %q and to %q", v.Raw(), text, again)
		}
		if second, err := new(Doc).Parse(v.Raw()); err != nil || !second.Equal(v) {
			t.Fatalf("Raw() %q does not parse to the same: %v", v.Raw(), err)
		}
		_ = doc.Flaws()
	})
}

func TestTolerance(t *testing.T) {
	tests := []struct {
		name, in, text string
		flaws          Flaws
	}{
		{"lone high", `"weather log \ud83d tail"`, "weather log \xed\xa0\xbd tail", Flaws{LoneSurrogates: 1}},
		{"lone low and high", `"\udc00\ud800"`, "\xed\xb0\x80\xed\xa0\x80", Flaws{LoneSurrogates: 2}},
		{"high before a pair", `"\ud83d\ud83d\ude00"`, "\xed\xa0\xbd\U0001F600", Flaws{LoneSurrogates: 1}},
		{"pair", `"\uD83D\uDE00"`, "\U0001F600", Flaws{}},
		{"invalid bytes", "\"rye \xff\xfe\xe2\x28 wheat\"", "rye \uFFFD\uFFFD\uFFFD( wheat", Flaws{InvalidUTF8: 3}},
		{"surrogate bytes", "\"\xed\xa0\x80\"", "\uFFFD\uFFFD\uFFFD", Flaws{InvalidUTF8: 3}},
		{"invalid bytes beside an escape", "\"\xe6\\n\xe6\"", "\uFFFD\n\uFFFD", Flaws{InvalidUTF8: 2}},
		{"raw control bytes", "\"a\x00\x01\tb\"", "a\x00\x01\tb", Flaws{}},
		{"escaped NULs", `"before \u0000\u0000 after"`, "before \x00\x00 after", Flaws{}},
		{"line separators", "\"line\u2028sep\u2029par\u0085nel\u000bvt\fff\"", "line\u2028sep\u2029par\u0085nel\vvt\fff", Flaws{}},
		{"NULs between tokens", "\x00\x00\"a\"\x00", "a", Flaws{NULs: 3}},
		{"inner BOM is text", "\"alpha\ufeffbeta\"", "alpha\ufeffbeta", Flaws{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var doc Doc
			v, err := doc.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := v.String(); got != tt.text {
				t.Errorf("String() = %q, want %q", got, tt.text)
			}
			if got := string(v.AppendString(nil)); got != tt.text {
				t.Errorf("AppendString() = %q, want %q", got, tt.text)
			}
			if got := doc.Flaws(); got != tt.flaws {
				t.Errorf("Flaws() = %+v, want %+v", got, tt.flaws)
			}
		})
	}
}

func TestGet(t *testing.T) {
	v := mustParse(t, `{"a":{"b":[10,{"c":"x"},null]},"A":1,"dup":1,"dup":"last","k\u00e9y":true,"n":null}`)
	tests := []struct {
		name string
		got  Value
		kind Kind
		raw  string
	}{
		{"path", v.Get("a", "b").Index(1).Get("c"), String, `"x"`},
		{"case counts", v.Get("A"), Number, `1`},
		{"last of equal keys", v.Get("dup"), String, `"last"`},
		{"escaped key", v.Get("kéy"), Bool, `true`},
		{"null is there", v.Get("n"), Null, `null`},
		{"missing", v.Get("zz"), Absent, ``},
		{"through a missing one", v.Get("zz", "b"), Absent, ``},
		{"through a scalar", v.Get("A", "b"), Absent, ``},
		{"no path", v, Object, string(v.Raw())},
		{"out of range", v.Get("a", "b").Index(3), Absent, ``},
		{"negative", v.Get("a", "b").Index(-1), Absent, ``},
		{"element of an object", v.Index(0), Absent, ``},
		{"last element", v.Get("a", "b").Index(2), Null, `null`},
	}
	for _, tt := range tests {
		if tt.got.Kind() != tt.kind || string(tt.got.Raw()) != tt.raw {
			t.Errorf("%s: %v %s, want %v %s", tt.name, tt.got.Kind(), tt.got.Raw(), tt.kind, tt.raw)
		}
	}
	var keys []string
	for key := range v.Fields() {
		keys = append(keys, key)
	}
	if diff := cmp.Diff([]string{"a", "A", "dup", "kéy", "n"}, keys); diff != "" {
		t.Errorf("Fields (-want +got):\n%s", diff)
	}
	if v.Len() != 6 || v.Get("a", "b").Len() != 3 || v.Get("A").Len() != 0 {
		t.Errorf("Len: %d, %d", v.Len(), v.Get("a", "b").Len())
	}
	if v.Depth() != 4 || v.Get("A").Depth() != 0 {
		t.Errorf("Depth: %d", v.Depth())
	}
}

func TestAbsentValueAnswersEverything(t *testing.T) {
	var v Value
	if v.Exists() || v.String() != "" || v.Raw() != nil || v.Len() != 0 || v.Bool() || v.Is("") || v.Cut() || v.Size() != 0 ||
		v.Depth() != 0 || v.Get("a").Exists() || v.Index(0).Exists() || !v.Equal(Value{}) || string(v.AppendString(nil)) != "" {
		t.Error("the zero Value is not absent everywhere")
	}
	for range v.Items() {
		t.Error("an absent value has items")
	}
	for range v.Fields() {
		t.Error("an absent value has fields")
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		in    string
		n     int64
		whole bool
		f     float64
		isF   bool
	}{
		{"0", 0, true, 0, true},
		{"-17", -17, true, -17, true},
		{"9223372036854775807", math.MaxInt64, true, math.MaxInt64, true},
		{"9223372036854775808", 0, false, 9223372036854775808, true},
		{"1.0", 1, true, 1, true},
		{"1e3", 1000, true, 1000, true},
		{"1.5", 0, false, 1.5, true},
		{"1e400", 0, false, 0, false},
		{"NaN", 0, false, 0, false},
		{"-Infinity", 0, false, 0, false},
		{`"5"`, 0, false, 0, false},
	}
	for _, tt := range tests {
		v := mustParse(t, tt.in)
		n, whole := v.Int()
		f, isF := v.Float()
		if n != tt.n || whole != tt.whole || isF != tt.isF || isF && f != tt.f {
			t.Errorf("%s: Int %d %v, Float %v %v", tt.in, n, whole, f, isF)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2,"x"]}`, ` { "b" : [2,"\u0078"], "a":1 }`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":1,"b":null}`, `{"a":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`1`, `1.0`, false},
		{`null`, `null`, true},
		{`true`, `false`, false},
		{`"\ud83d"`, `"\uD83D"`, true},
	}
	for _, tt := range tests {
		if got := mustParse(t, tt.a).Equal(mustParse(t, tt.b)); got != tt.want {
			t.Errorf("%s equal %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		in   string
		want SyntaxError
	}{
		{``, SyntaxError{0, true}},
		{`{"a":"b`, SyntaxError{7, true}},
		{`{"a":"b\`, SyntaxError{8, true}},
		{`{"a":"b\u00`, SyntaxError{11, true}},
		{`{"a":tr`, SyntaxError{7, true}},
		{`{"a":-`, SyntaxError{6, true}},
		{`{"a":1`, SyntaxError{6, true}},
		{`{"a"`, SyntaxError{4, true}},
		{`{`, SyntaxError{1, true}},
		{`[1,`, SyntaxError{3, true}},
		{`{"type":"user", broken`, SyntaxError{16, false}},
		{`{"a":"x{"b":1}`, SyntaxError{9, false}},
		{`{"a":1} x`, SyntaxError{8, false}},
		{`{"a":\u0000}`, SyntaxError{5, false}},
		{`{"a":"\q"}`, SyntaxError{6, false}},
		{`plain words`, SyntaxError{0, false}},
	}
	for _, tt := range tests {
		_, err := new(Doc).Parse([]byte(tt.in))
		var got *SyntaxError
		if !errors.As(err, &got) || *got != tt.want {
			t.Errorf("Parse(%q): %v, want %+v", tt.in, err, tt.want)
		}
	}
}

func TestCC51DepthIsBounded(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if v := mustParse(t, deep); v.Depth() != MaxDepth {
		t.Errorf("Depth() = %d", v.Depth())
	}
	if _, err := new(Doc).Parse([]byte("[" + deep + "]")); !errors.Is(err, ErrTooDeep) {
		t.Errorf("one deeper: %v", err)
	}
	if _, err := new(Doc).Parse(bytes.Repeat([]byte("["), 200_000)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("200000 openers: %v", err)
	}
}

func TestNodesAreBounded(t *testing.T) {
	doc := Doc{maxNodes: 10}
	if _, err := doc.Parse([]byte(`[1,2,3,4,5,6,7,8,9]`)); err != nil {
		t.Errorf("10 values: %v", err)
	}
	if _, err := doc.Parse([]byte(`[1,2,3,4,5,6,7,8,9,10]`)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("11 values: %v", err)
	}
}

func TestParsePrefix(t *testing.T) {
	var doc Doc
	v, n, err := doc.ParsePrefix([]byte(" \x00{\"a\":1}{\"b\":2}"))
	if err != nil || n != 9 || string(v.Raw()) != `{"a":1}` {
		t.Errorf("ParsePrefix = %s, %d, %v", v.Raw(), n, err)
	}
}

// TestParseAllocatesNothing pins that a Doc in use makes no garbage: not for parsing, reading keys or comparing.
func TestParseAllocatesNothing(t *testing.T) {
	line := []byte(typicalLine(2000))
	var doc Doc
	read := func() {
		v, err := doc.Parse(line)
		if err != nil || !v.Get("type").Is("user") || v.Get("type").String() != "user" {
			t.Fatal("wrong")
		}
		for block := range v.Get("message", "content").Items() {
			_ = block.Get("type").String()
		}
		if n, ok := v.Get("seq").Int(); !ok || n != 12 {
			t.Fatal("wrong")
		}
		if _, ok := ParseTime(v.Get("timestamp")); !ok {
			t.Fatal("wrong")
		}
		_ = doc.Flaws()
	}
	read()
	if n := testing.AllocsPerRun(100, read); n > 0 {
		t.Errorf("%v allocations a line", n)
	}
}
