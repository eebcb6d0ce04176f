package kit

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"lore"
	"lore/adapter"
)

func TestParseTime(t *testing.T) {
	tests := []struct {
		in   string // JSON
		want string // "": cannot be read
	}{
		{`"2026-03-02T09:01:00.000Z"`, "2026-03-02T09:01:00.000Z"},
		{`"2026-03-02T09:01:00Z"`, "2026-03-02T09:01:00Z"},
		{`"2026-03-02T09:01:00.123456789Z"`, "2026-03-02T09:01:00.123456789Z"},
		{`"2026-03-02T09:01:00.1234567890123Z"`, "2026-03-02T09:01:00.123456789Z"},
		{`"2026-03-02T09:01:00.5+02:00"`, "2026-03-02T07:01:00.5Z"},
		{`"2026-03-02T09:01:00-0530"`, "2026-03-02T14:31:00Z"},
		{`"2026-03-02T09:01:00+02"`, "2026-03-02T07:01:00Z"},
		{`"2026-03-02 09:01:00 +0100"`, "2026-03-02T08:01:00Z"},
		{`"2026-03-02 09:01:00 UTC"`, "2026-03-02T09:01:00Z"},
		{`"2026-03-02T09:01:00.25"`, "2026-03-02T09:01:00.25"},
		{`"2026-03-02 09:01"`, "2026-03-02T09:01:00"},
		{`"2026-03-02"`, "2026-03-02T00:00:00"},
		{`"2026-02-29"`, ""},
		{`"2024-02-29"`, "2024-02-29T00:00:00"},
		{`"2026-13-01T00:00:00Z"`, ""},
		{`"2026-03-02T25:00:00Z"`, ""},
		{`"2026-03-02T09:01:00.Z"`, ""},
		{`"2026-03-02T09:01:00Zx"`, ""},
		{`"2026-03-02T09:01:00+2"`, ""},
		{`"9999-12-31T00:00:00Z"`, ""}, // beyond what nanoseconds can say
		{`"yesterday"`, ""},
		{`""`, ""},
		{`null`, ""},
		{`{}`, ""},
		{`true`, ""},
		{`1772442060`, "2026-03-02T09:01:00Z"},
		{`1772442060.25`, "2026-03-02T09:01:00.25Z"},
		{`1772442060.123456789123`, "2026-03-02T09:01:00.123456789Z"},
		{`1772442060123`, "2026-03-02T09:01:00.123Z"},
		{`1772442060123.5`, "2026-03-02T09:01:00.1235Z"},
		{`1772442060123456`, "2026-03-02T09:01:00.123456Z"},
		{`1772442060123456789`, "2026-03-02T09:01:00.123456789Z"},
		{`"1772442060123"`, "2026-03-02T09:01:00.123Z"},
		{`1.772442060123e12`, "2026-03-02T09:01:00.123Z"},
		{`99999999999`, ""}, // seconds beyond what nanoseconds can say
		{`0`, ""},
		{`-5`, ""},
		{`1e300`, ""},
		{`9223372035000000001`, "2262-04-11T23:47:15.000000001Z"},
		{`9223372036854775808`, ""},
	}
	for _, tt := range tests {
		got, ok := ParseTime(mustParse(t, tt.in))
		if got.String() != tt.want || ok != (got != lore.Time{}) {
			t.Errorf("ParseTime(%s) = %q, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
}

func TestTimeFrom(t *testing.T) {
	zoned, _ := ParseTimeString("2026-03-02T09:01:00Z")
	naive, _ := ParseTimeString("2026-03-02T09:01:00")
	if TimeFrom(zoned) != lore.FromSource || TimeFrom(naive) != lore.FromSourceNaive || TimeFrom(lore.Time{}) != lore.FromNone {
		t.Error("wrong")
	}
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-03-02T09:01:00.5+02:00", "2026-03-02", "1772442060.25", "1e12", "-1", "2026-03-02 09:01 UTC"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseTimeString(s)
		if !ok {
			return
		}
		again, ok := ParseTimeString(got.String())
		if !ok || again != got {
			t.Errorf("%q reads as %s, which reads as %s, %v", s, got, again, ok)
		}
	})
}

func TestFileTime(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 123, time.UTC)
	fsys := fstest.MapFS{"a": {ModTime: at}, "b": {}}
	for name, want := range map[string]string{"a": "2026-03-02T09:00:00Z", "b": ""} {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := FileTime(adapter.Input{Source: adapter.Source{Info: info}}).String(); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := FileTime(adapter.Input{}); !got.IsZero() {
		t.Errorf("got %v", got)
	}
}
