package kit

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
)

// TestOversizedRecords reads with a bound of 400 bytes: strings keep 100.
func TestOversizedRecords(t *testing.T) {
	long := strings.Repeat("lorem tide ", 60)
	many := strings.Repeat(`"wave",`, 200)
	head := long[:100]
	tests := []struct {
		name, in string
		want     read
	}{
		{"CC26 a long line between short ones",
			`{"seq":1}` + "\n" + `{"type":"result","text":"` + long + `finale","id":"u-2"}` + "\n" + `{"seq":3}` + "\n",
			read{[]string{`1@0+9 {"seq":1}`, `2@10+704 {"type":"result","text":"` + head + `","id":"u-2"}`, `3@715+9 {"seq":3}`},
				[]string{"2 oversized_record warning bytes 10 to 714 (704 bytes); long texts are cut to their heads"}, 0, -1}},
		{"what stands behind a full container is read",
			`{"type":"result","list":["a",{"b":[` + many + `1]},2],"id":"u-2","at":5}` + "\n",
			read{[]string{`1@0+1460 {"type":"result","list":["a",{"b":[` + strings.Repeat(`"wave",`, 23) + `"wave"]}],"id":"u-2","at":5}`},
				[]string{"1 oversized_record warning bytes 0 to 1460 (1460 bytes); long texts are cut to their heads"}, 0, -1}},
		{"too many members",
			`{` + strings.Repeat(`"k":1,`, 200) + `"z":1}` + "\n",
			read{[]string{`1@0+1207 {` + strings.Repeat(`"k":1,`, 66) + `"k":1}`},
				[]string{"1 oversized_record warning bytes 0 to 1207 (1207 bytes); long texts are cut to their heads"}, 0, -1}},
		{"two of them on a line",
			`{"text":"` + long + `"}{"text":"` + long + `"}` + "\n",
			read{[]string{`1@0+671 {"text":"` + head + `"}`, `1@671+671 {"text":"` + head + `"}`},
				[]string{"1 oversized_record warning bytes 0 to 671 (671 bytes); long texts are cut to their heads",
					"1 oversized_record warning bytes 671 to 1342 (671 bytes); long texts are cut to their heads",
					"1 missing_newline info 2 records on one line"}, 0, -1}},
		{"many short records on one line",
			strings.Repeat(`{"seq":1}`, 100) + "\n",
			read{repeatRecords(100), []string{"1 missing_newline info 100 records on one line"}, 0, -1}},
		{"cut",
			`{"type":"result","text":"` + long + "\n" + `{"seq":2}` + "\n",
			read{[]string{`2@686+9 {"seq":2}`}, []string{"1 bad_json warning 685 bytes from offset 0"}, 1, -1}},
		{"unfinished at the end",
			`{"type":"result","text":"` + long,
			read{nil, []string{"1 partial_tail info 685 bytes"}, 0, 0}},
		{"ends in NULs",
			`{"type":"result","text":"` + long + strings.Repeat("\x00", 5000),
			read{nil, []string{"1 bad_json warning 5685 bytes from offset 0"}, 1, -1}},
		{"garbage, and a record behind it",
			strings.Repeat("x", 5000) + `{"seq":1}` + "\n",
			read{[]string{`1@5000+9 {"seq":1}`}, []string{"1 bad_json warning 5000 bytes from offset 0"}, 1, -1}},
		{"garbage to the end of the line",
			strings.Repeat("x", 5000) + "\n" + `{"seq":1}` + "\n",
			read{[]string{`2@5001+9 {"seq":1}`}, []string{"1 bad_json warning 5000 bytes from offset 0"}, 1, -1}},
		{"garbage to the end of the file",
			strings.Repeat("x", 5000),
			read{nil, []string{"1 partial_tail info 5000 bytes"}, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readText(t, tt.in, Options{TopKeys: topKeys, MaxRecord: 400})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func repeatRecords(n int) (records []string) {
	for i := range n {
		records = append(records, fmt.Sprintf(`1@%d+9 {"seq":1}`, i*9))
	}
	return records
}

func TestCutSaysWhatIsMissing(t *testing.T) {
	text := strings.Repeat("é", 500)
	line := `{"a":{"text":"` + text + `","short":"x"},"b":` + strings.Repeat("9", 5000) + `,"c":1}`
	l := openText(t, line+"\n", Options{MaxRecord: 400})
	for r := range l.All() {
		a := r.Value.Get("a")
		got, whole := a.Get("text"), int64(len(text)+2)
		if !r.Cut || !got.Cut() || got.Size() != whole || got.String() != strings.Repeat("é", 50) {
			t.Errorf("text: cut %v, size %d of %d, %q", got.Cut(), got.Size(), whole, got)
		}
		if short := a.Get("short"); short.Cut() || short.Size() != 3 || !a.Cut() {
			t.Errorf("short: cut %v, size %d; around it %v", short.Cut(), short.Size(), a.Cut())
		}
		if b := r.Value.Get("b"); !b.Cut() || b.Size() != 5000 {
			t.Errorf("number: cut %v, size %d", b.Cut(), b.Size())
		}
		if c := r.Value.Get("c"); c.Cut() || r.Value.Size() != int64(len(line)) {
			t.Errorf("behind it: cut %v; whole size %d of %d", c.Cut(), r.Value.Size(), len(line))
		}
	}
}

// TestReducedStaysJSON cuts one record at all bounds: escapes, surrogate pairs and characters stay whole.
func TestReducedStaysJSON(t *testing.T) {
	src := `{"é\u00e9":"a\ud83d\ude00\n\\\"漢字` + strings.Repeat(`\ud83d\ude00é"`[:14], 3) + `","list":[[1,[2,{"k":"` + strings.Repeat("x", 60) + `"},true],null]],"n": -1.5e3 ,"end":"z"}`
	if !json.Valid([]byte(src)) {
		t.Fatal("the test's own record is broken")
	}
	for max := int64(4); max < 600; max++ {
		for _, step := range []int{1, 7, len(src)} {
			var r reducer
			r.reset(max, defaultMaxNodes)
			for i := 0; i < len(src); i += step {
				if _, done := r.write([]byte(src[i:min(i+step, len(src))])); done {
					break
				}
			}
			var doc Doc
			v, err := r.parse(&doc)
			if err != nil || !json.Valid(r.out) {
				t.Fatalf("bound %d: %v in %q", max, err, r.out)
			}
			if doc.Flaws() != (Flaws{}) {
				t.Fatalf("bound %d: %+v in %q", max, doc.Flaws(), r.out)
			}
			if v.Size() != int64(len(src)) {
				t.Fatalf("bound %d: %d bytes of %d accounted for in %q", max, v.Size(), len(src), r.out)
			}
		}
	}
}

func TestTooManyValues(t *testing.T) {
	const nodes = 1000
	line := `{"list":[` + strings.Repeat("0,", nodes) + `0],"id":"u-1"}`
	l := openText(t, line+"\n", Options{})
	l.doc.maxNodes, l.again.maxNodes = nodes, nodes
	n := 0
	for r := range l.All() {
		n++
		again, err := l.At(r.Offset, r.Length)
		if err != nil || !r.Cut || !r.Value.Get("id").Is("u-1") || !again.Get("id").Is("u-1") || again.Get("list").Len() != r.Value.Get("list").Len() {
			t.Errorf("cut %v, id %q, again %q, %v", r.Cut, r.Value.Get("id"), again.Get("id"), err)
		}
	}
	if n != 1 || len(l.Losses()) != 1 || l.Damaged() != 0 {
		t.Errorf("%d records, losses %v", n, l.Losses())
	}
}

// endless is a file of any size that repeats one byte between a head and a tail.
type endless struct {
	head, tail string
	fill       byte
	size       int64
	at         int64
}

func (e *endless) Open(string) (fs.File, error) { return e, nil }
func (e *endless) Stat() (fs.FileInfo, error)   { return e, nil }
func (e *endless) Close() error                 { return nil }
func (e *endless) Name() string                 { return "a.jsonl" }
func (e *endless) Size() int64                  { return e.size }
func (e *endless) Mode() fs.FileMode            { return 0o644 }
func (e *endless) ModTime() (t time.Time)       { return t }
func (e *endless) IsDir() bool                  { return false }
func (e *endless) Sys() any                     { return nil }
func (e *endless) Read([]byte) (int, error)     { return 0, io.ErrUnexpectedEOF }
func (e *endless) ReadAt(p []byte, off int64) (n int, _ error) {
	for i := range p {
		p[i] = e.fill
	}
	n = int(min(int64(len(p)), e.size-off))
	if off < int64(len(e.head)) {
		copy(p, e.head[off:])
	}
	if behind := e.size - int64(len(e.tail)); off+int64(n) > behind {
		copy(p[max(behind-off, 0):n], e.tail[max(off-behind, 0):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestMemoryIsBounded reads lines of 48 MiB and wants the heap to stay small.
func TestMemoryIsBounded(t *testing.T) {
	const size, bound = 48 << 20, 1 << 20
	tests := []struct {
		name, head, tail string
		fill             byte
		records          int
		loss             string
	}{
		{"NULs", `{"seq":1}` + "\n", "\n" + `{"seq":2}` + "\n", 0, 2, "nul_padding"},
		{"NUL tail", `{"seq":1}` + "\n", "", 0, 1, "nul_padding"},
		{"text", `{"seq":1,"text":"`, `"}` + "\n" + `{"seq":2}` + "\n", 'x', 2, "oversized_record"},
		{"white space in a record", `{"seq":1`, `}` + "\n" + `{"seq":2}` + "\n", ' ', 2, "oversized_record"},
		{"garbage", `x`, "\n" + `{"seq":2}` + "\n", 'x', 1, "bad_json"},
		{"brackets", `{"seq":`, "\n" + `{"seq":2}` + "\n", '[', 1, "bad_json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := &endless{head: tt.head, tail: tt.tail, fill: tt.fill, size: size}
			l, err := OpenLines(adapter.Input{FS: file}, "a.jsonl", Options{TopKeys: topKeys, MaxRecord: bound})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := 0
			for range l.All() {
				n++
			}
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 8*bound {
				t.Errorf("%d MiB allocated", grown>>20)
			}
			if n != tt.records || len(l.Losses()) != 1 || string(l.Losses()[0].Code) != tt.loss || l.Size() != size {
				t.Errorf("%d records, losses %v, size %d, error %v", n, l.Losses(), l.Size(), l.Err())
			}
		})
	}
}
