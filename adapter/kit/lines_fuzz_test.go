package kit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lore"
	"lore/adapter"
)

func FuzzLines(f *testing.F) {
	for _, text := range []string{
		`{"seq":1}` + "\n" + `{"seq":2}`, "\ufeff" + `{"seq":1}` + "\r\n\r\n" + `{"seq`, `{"seq":1}{"type":"x"}` + "\x00\x00\n",
		`{"seq":1,"te{"seq":1,"text":"a"}` + "\n" + `{"seq":2,"tex` + "\n" + `{"seq":2,"text":"b"}` + "\n",
		`{"seq":1,"text":"` + strings.Repeat("x", 100) + `","a":[1,{"b":"\ud83d"}]}` + "\n", "42\n[{\"seq\":1}]\n", "\xff\xfe\x00",
		strings.Repeat("x", 80) + `{"seq":1}`, `{"seq":` + strings.Repeat(`[{"seq":`, 20),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, max := range []int64{64, 0} {
			checkLines(t, b, max)
		}
	})
}

// checkLines wants that nothing of the bytes is unaccounted for: records do not overlap and stand where they say, two
// passes agree, and every byte that is in no record is blank, NUL, or in a loss.
func checkLines(t *testing.T, b []byte, max int64) {
	t.Helper()
	o := Options{TopKeys: topKeys, MaxRecord: max}
	got := readText(t, string(b), o)
	if diff := cmp.Diff(got, readText(t, string(b), o)); diff != "" {
		t.Fatalf("two passes differ:\n%s", diff)
	}
	l := openText(t, string(b), o)
	behind, rest := int64(0), []byte(nil)
	for r := range l.All() {
		if r.Offset < behind {
			t.Fatalf("record at %d overlaps the one before, which ends at %d", r.Offset, behind)
		}
		rest = append(rest, b[behind:r.Offset]...)
		behind = r.Offset + r.Length
	}
	rest = append(rest, b[behind:]...)
	if junk := bytes.Trim(rest, "\ufeff\x00 \t\r\n"); len(junk) > 0 && l.Damaged() == 0 && l.Tail() == l.Size() {
		t.Fatalf("%q is in no record and no loss", junk)
	}
	for _, loss := range l.Losses() {
		if loss.Line < 1 || loss.Line > bytes.Count(b, []byte("\n"))+1 {
			t.Fatalf("loss on line %d: %v", loss.Line, loss)
		}
	}
	if lines := bytes.SplitAfter(b, []byte("\n")); max == 0 && bytes.IndexByte(b, 0) < 0 {
		for i, line := range lines { // a line that is a whole object is a record, whatever stands around it
			if v, err := new(Doc).Parse(bytes.TrimSuffix(line, []byte("\n"))); err == nil && v.IsObject() && !hasRecord(got, i+1) {
				t.Fatalf("line %d, %q, gave no record", i+1, line)
			}
		}
	}
}

func hasRecord(r read, line int) bool {
	for _, record := range r.Records {
		if strings.HasPrefix(record, fmt.Sprintf("%d@", line)) {
			return true
		}
	}
	return false
}

// TestTruncationAnywhere cuts a file at every byte: the records before the cut stand, the last line is a tail.
func TestTruncationAnywhere(t *testing.T) {
	text := `{"seq":1,"text":"a\u00e9"}` + "\n" + `{"seq":2,"list":[1,{"type":"x"}]}` + "\r\n" + `{"type":"z","n":-1.5e3}` + "\n"
	whole := readText(t, text, Options{TopKeys: topKeys})
	for n := range len(text) {
		got := readText(t, text[:n], Options{TopKeys: topKeys})
		if diff := cmp.Diff(whole.Records[:len(got.Records)], got.Records, cmpopts.EquateEmpty()); diff != "" || got.Damaged != 0 {
			t.Fatalf("cut at %d: %d damaged, records (-want +got):\n%s", n, got.Damaged, diff)
		}
		last := text[strings.LastIndexByte(text[:n], '\n')+1 : n]
		if _, err := new(Doc).Parse([]byte(last)); (err != nil && strings.TrimSpace(last) != "") != (got.Tail >= 0) {
			t.Fatalf("cut at %d: tail %d behind %q", n, got.Tail, last)
		}
	}
}

func TestManyLossesAreCounted(t *testing.T) {
	l := openText(t, strings.Repeat("oops\n", maxSame+500), Options{})
	for range l.All() {
	}
	total := 0
	for _, loss := range l.Losses() {
		total += loss.Count
	}
	if l.Damaged() != maxSame+500 || len(l.Losses()) != maxSame+1 || total != maxSame+500 {
		t.Errorf("%d damaged, %d losses that count %d", l.Damaged(), len(l.Losses()), total)
	}
}

// TestSearchIsBounded reads lines that look like record starts all over; the search must not cost their square.
func TestSearchIsBounded(t *testing.T) {
	for _, unit := range []string{`{"type":`, `{"type":"`, `{1x{"type":1}`, `{"type":1}x`, `{"type" `, "{\"seq\":\"\\"} {
		l := openText(t, strings.Repeat(unit, 1<<20/len(unit))+"\n", Options{TopKeys: topKeys})
		for range l.All() {
		}
		if l.Err() != nil || l.Damaged() == 0 {
			t.Errorf("%q: %d damaged, %v", unit, l.Damaged(), l.Err())
		}
	}
}

func TestAllCanEndEarly(t *testing.T) {
	l := openText(t, `{"seq":1}{"seq":2}`+"\n", Options{})
	for r := range l.All() {
		if want := (lore.Locator{File: "~/.lantern/a.jsonl", Line: 1, Offset: 0, Length: 9}); l.Locator(r) != want {
			t.Errorf("Locator = %+v", l.Locator(r))
		}
		break
	}
	loss := l.Loss(lore.UnknownRecord, lore.Info, 7, "type x")
	if diff := cmp.Diff(lore.Loss{Code: lore.UnknownRecord, Severity: lore.Info, Source: "lantern", File: "~/.lantern/a.jsonl", Line: 7, What: "type x", Count: 1}, loss); diff != "" {
		t.Errorf("Loss (-want +got):\n%s", diff)
	}
}

func TestEqualRecordsHaveEqualHashes(t *testing.T) {
	l := openText(t, `{"seq":1}`+"\n"+` {"seq":1}`+"\r\n"+`{"seq":2}`+"\n", Options{})
	var hashes []uint64
	for r := range l.All() {
		hashes = append(hashes, r.Hash)
	}
	if hashes[0] != hashes[1] || hashes[0] == hashes[2] {
		t.Errorf("hashes %x", hashes)
	}
}

func BenchmarkLines(b *testing.B) {
	data := []byte(strings.Repeat(typicalLine(2000)+"\n", 5000))
	in := adapter.Input{FS: fstest.MapFS{"a.jsonl": {Data: data}}}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		l, err := OpenLines(in, "a.jsonl", Options{TopKeys: topKeys})
		if err != nil {
			b.Fatal(err)
		}
		for range l.All() {
		}
		l.Close()
	}
}
