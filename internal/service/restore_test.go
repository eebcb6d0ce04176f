package service

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/adapter/kit"
)

// TestWriteRows: every value of a row set can be told from its line.
func TestWriteRows(t *testing.T) {
	var set bytes.Buffer
	w := kit.NewRowWriter(&set)
	text := func(column, s string) kit.Cell {
		return kit.Cell{Column: column, Kind: kit.TextCell, Bytes: []byte(s), Size: int64(len(s))}
	}
	for _, row := range []kit.Row{
		{Table: "bubbles", Key: text("key", "a\"b"), Nth: -1, Cells: []kit.Cell{text("value", "{\"x\":1}\n"), {Column: "n", Kind: kit.NullCell}}},
		{Table: "bubbles", Key: text("key", "c"), Nth: -1, Cells: []kit.Cell{{Column: "value", Kind: kit.BlobCell, Bytes: []byte{0, 0xff}, Size: 2}, {Column: "n", Kind: kit.IntegerCell, Int: 9007199254740993}}},
		{Table: "bubbles", Key: text("key", "d"), Nth: -1, Cells: []kit.Cell{text("value", "\xff"), {Column: "n", Kind: kit.RealCell, Real: 0.5}}},
	} {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := writeRows(&got, bytes.NewReader(set.Bytes()), int64(set.Len())); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`{"table":"bubbles","key":{"key":"a\"b"},"columns":{"value":"{\"x\":1}\n","n":null}}`,
		`{"table":"bubbles","key":{"key":"c"},"columns":{"value":{"base64":"AP8="},"n":9007199254740993}}`,
		`{"table":"bubbles","key":{"key":"d"},"columns":{"value":{"base64":"/w=="},"n":0.5}}`, "",
	}, "\n")
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("writeRows (-want +got):\n%s", diff)
	}
	if err := writeRows(&got, bytes.NewReader(set.Bytes()[:set.Len()-4]), int64(set.Len()-4)); err == nil {
		t.Error("a row set that ends early was written without an error")
	}
}

func TestRestoredName(t *testing.T) {
	for in, want := range map[string]string{
		"~/.claude/projects/x/y.jsonl":          ".claude/projects/x/y.jsonl",
		"/mnt/old/.codex/a.jsonl":               "mnt/old/.codex/a.jsonl",
		"C:/Users/ada/.codex/a.jsonl":           "C/Users/ada/.codex/a.jsonl",
		"~/.config/state.vscdb//composer:ab/cd": ".config/state.vscdb.rows/composer-ab-cd.jsonl",
		"~/x.db//../..":                         "x.db.rows/rows.jsonl",
		"~/../../etc/passwd":                    "../../etc/passwd", // which file refuses
	} {
		if got := restoredName(in, false); got != want {
			t.Errorf("restoredName(%q) is %q, want %q", in, got, want)
		}
	}
	if got := restoredName("~/x.db", true); got != "x.db.rows.jsonl" {
		t.Errorf("restoredName of rows is %q", got)
	}
}

func TestPlainID(t *testing.T) {
	for id, want := range map[string]bool{
		"5d1f0c3a-0000-4000-8000-00000000d001": true, "ses_3f1c": true, "20250912_1": true, "a:b.c": true,
		"": false, "-x": false, "--dangerously": false, "a b": false, "a;b": false, "$(x)": false, "a/b": false, "é": false, ".x": false,
	} {
		if plainID(id) != want {
			t.Errorf("plainID(%q) is %v", id, !want)
		}
	}
}
