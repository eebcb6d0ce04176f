package kit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

func TestTallyCountsSorts(t *testing.T) {
	in := adapter.Input{Place: "~/place", Source: adapter.Source{Product: "toy"}}
	tally := NewTally(in, "a.jsonl")
	tally.Unknown(3, "x")
	tally.One(lore.Empty, lore.Info, 0, "no messages")
	tally.Unknown(5, "x")
	tally.Many(lore.MissingParent, lore.Info, 7, 0, "none of these")
	tally.Many(lore.MissingParent, lore.Info, 7, 4, "lost parents")
	tally.In("~/place/b.jsonl")
	tally.Unknown(1, "x")
	want := []lore.Loss{
		{Code: lore.UnknownRecord, Severity: lore.Info, Source: "toy", File: "~/place/a.jsonl", Line: 3, What: "type x", Count: 2},
		{Code: lore.Empty, Severity: lore.Info, Source: "toy", File: "~/place/a.jsonl", What: "no messages", Count: 1},
		{Code: lore.MissingParent, Severity: lore.Info, Source: "toy", File: "~/place/a.jsonl", Line: 7, What: "lost parents", Count: 4},
		{Code: lore.UnknownRecord, Severity: lore.Info, Source: "toy", File: "~/place/b.jsonl", Line: 1, What: "type x", Count: 1},
	}
	if diff := cmp.Diff(want, tally.List()); diff != "" {
		t.Errorf("losses (-want +got):\n%s", diff)
	}
}
