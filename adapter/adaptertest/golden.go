package adaptertest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

var update = flag.Bool("update", false, "write the goldens of adapters instead of comparing with them")

// golden is what a home gives, as JSON with one message, loss or source a line.
func golden(f finding) []byte {
	b := []byte("{\n \"found\": [")
	for i, e := range f.evidence {
		b = next(b, i, "  ")
		b = append(b, `{"place":`...)
		b = lore.AppendJSON(b, e.place.Name)
		b = member(b, "path", e.source.Path)
		b = member(b, "source", e.source.Product)
		b = member(b, "store", e.source.Store)
		if len(e.source.Companions) > 0 {
			b = member(b, "companions", e.source.Companions)
		}
		if len(e.source.Ranges) > 0 {
			b = member(b, "ranges", len(e.source.Ranges))
		}
		b = append(b, '}')
	}
	for i, s := range f.skipped {
		b = next(b, i+len(f.evidence), "  ")
		b = append(b, `{"place":`...)
		b = lore.AppendJSON(b, s.place)
		b = member(b, "path", s.path)
		if s.loss != nil {
			b = append(b, `,"loss":`...)
			b = s.loss.AppendJSON(b)
		} else {
			b = member(b, "error", s.err)
		}
		b = append(b, '}')
	}
	b = append(b, "\n ],\n \"read\": ["...)
	for i, e := range f.evidence {
		b = next(b, i, "  ")
		b = append(b, `{"path":`...)
		b = lore.AppendJSON(b, e.source.Path)
		b = append(b, ","...)
		b = appendResult(b, e.want)
		b = append(b, '}')
	}
	return append(b, "\n ]\n}\n"...)
}

// appendResult appends "records" and, where there is one, "error".
func appendResult(b []byte, r result) []byte {
	if r.err != nil {
		b = append(b, `"error":`...)
		b = append(lore.AppendJSON(b, kindOf(r.err)), ',')
	}
	b = append(b, `"records":[`...)
	for i, rec := range r.records {
		b = next(b, i, "   ")
		b = appendRecord(b, rec)
	}
	return append(b, ']')
}

func appendRecord(b []byte, r *record) []byte {
	b = append(b, `{"conversation":`...)
	b = r.Conversation.AppendJSON(b)
	if r.Place != "" {
		b = member(b, "place", r.Place)
	}
	if r.Partial {
		b = member(b, "partial", true)
	}
	if r.About != "" {
		b = member(b, "about", r.About)
	}
	b = append(b, ",\n    \"ledger\":"...)
	b = lore.AppendJSON(b, r.Ledger)
	b = append(b, ",\n    \"messages\":["...)
	for i := range r.Messages {
		b = next(b, i, "     ")
		b = r.Messages[i].AppendJSON(b)
	}
	b = append(b, "],\n    \"losses\":["...)
	for i := range r.Losses {
		b = next(b, i, "     ")
		b = r.Losses[i].AppendJSON(b)
	}
	return append(b, "]}"...)
}

// next begins a line of a list.
func next(b []byte, i int, indent string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(append(b, '\n'), indent...)
}

func member(b []byte, name string, value any) []byte {
	b = append(b, ',')
	b = append(lore.AppendJSON(b, name), ':')
	return lore.AppendJSON(b, value)
}

// kindOf is the part of an error that a golden may hold: whose words it is in otherwise changes.
func kindOf(err error) string {
	switch {
	case errors.Is(err, adapter.ErrNotMine):
		return adapter.ErrNotMine.Error()
	case errors.Is(err, adapter.ErrMalformed):
		return adapter.ErrMalformed.Error()
	}
	return err.Error()
}

// compareGolden compares with a golden file, or writes it.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("%v; write it with -update, and read it", err)
		return
	}
	if diff := diffLines(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// diffLines compares line by line; "" when equal.
func diffLines(want, got []string) string { return cmp.Diff(want, got) }
