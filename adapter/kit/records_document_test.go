package kit

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
)

func TestDocument(t *testing.T) {
	tests := []struct {
		name, in, raw string
		losses        []string
		err           error
	}{
		{"object", "{\"a\":1}\n", `{"a":1}`, nil, nil},
		{"array", `[1]`, `[1]`, nil, nil},
		{"BOM", "\ufeff{}", `{}`, []string{"bom_stripped 3 bytes"}, nil},
		{"NUL tail", "{}" + strings.Repeat("\x00", 40), `{}`, []string{"nul_padding 40 NUL bytes"}, nil},
		{"only NULs", strings.Repeat("\x00", 40), ``, []string{"nul_padding 40 NUL bytes"}, nil},
		{"empty", "", ``, nil, nil},
		{"white space", " \n", ``, nil, nil},
		{"flaws", "[\"\\ud83d\xff\"]", "[\"\\ud83d\xff\"]", []string{"invalid_utf8 1 byte", "lone_surrogate 1 escape"}, nil},
		{"cut", `{"a":`, ``, nil, adapter.ErrMalformed},
		{"two values", `{}{}`, ``, nil, adapter.ErrMalformed},
		{"too deep", strings.Repeat("[", MaxDepth+1), ``, nil, ErrTooDeep},
		{"too large", `"` + strings.Repeat("x", 100) + `"`, ``, nil, ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := adapter.Input{FS: fstest.MapFS{"a.json": {Data: []byte(tt.in)}}}
			max := int64(100)
			if tt.err == ErrTooDeep {
				max = 0
			}
			w, err := Document(in, "a.json", max)
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			var losses []string
			for _, loss := range w.Losses {
				losses = append(losses, string(loss.Code)+" "+loss.What)
			}
			if diff := cmp.Diff(tt.losses, losses); diff != "" || string(w.Value.Raw()) != tt.raw || w.Size != int64(len(tt.in)) {
				t.Errorf("%q of %d bytes, losses (-want +got):\n%s", w.Value.Raw(), w.Size, diff)
			}
		})
	}
	if _, err := Document(adapter.Input{FS: fstest.MapFS{}}, "none.json", 0); err == nil {
		t.Error("no error for a missing file")
	}
}
