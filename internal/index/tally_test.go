package index

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lore"
	"lore/internal/query"
)

// TestTally counts by every facet: a message that calls two tools counts for both, a title alone for its conversation.
func TestTally(t *testing.T) {
	call := func(tool string) lore.Part { return lore.Part{Kind: lore.Call, Name: tool, Text: `{"command":"lamp"}`} }
	answer := say("m2", lore.Assistant, words("a lamp"), call("Bash"), call("Edit"))
	answer.Model = "m-1"
	late := say("m1", lore.User, words("lamp"))
	late.At, late.AtFrom = lore.NewTime(time.Date(2023, 11, 14, 23, 30, 0, 0, time.UTC).UnixNano(), 3, false), lore.FromSource
	a := talk("one", say("m1", lore.User, words("the lamp")), answer, say("m3", lore.User, words("nothing")))
	a.Project = lore.Project{Name: "x", Dir: "/proj/x"}
	b := talk("two", late)
	b.Source = "codex"
	c := talk("three", say("m1", lore.User, words("other words")))
	c.Title, c.TitleFrom = "Lamp", lore.TitleFromSource
	r := stored(t, a, b, c)
	zone := time.FixedZone("east", 3600)
	tree, _, err := query.Parse("lamp", query.Env{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Tally(context.Background(), tree, Options{Zone: zone}, Facets...)
	if err != nil {
		t.Fatal(err)
	}
	want := &Tally{Messages: 3, Conversations: 3, Exact: true, First: time.Unix(1_700_000_000, 0).UTC(), Last: late.At.Time(),
		By: map[Facet][]Share{
			BySource:  {{"claude-code", 2, 2}, {"codex", 1, 1}},
			ByProject: {{"x", 2, 1}},
			ByRole:    {{"user", 2, 2}, {"assistant", 1, 1}},
			ByDay:     {{"2023-11-14", 2, 1}, {"2023-11-15", 1, 1}},
			ByModel:   {{"m-1", 1, 1}},
			ByTool:    {{"Bash", 1, 1}, {"Edit", 1, 1}},
		}}
	want.Hours[1][23], want.Hours[2][0] = 2, 1
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Tally{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	page, err := r.Search(context.Background(), tree, Options{Limit: 1, Zone: zone, Facets: Facets})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.By[ByTool], page.Tally.By[ByTool]); diff != "" || page.Total != 3 || page.Tally.Messages != 3 {
		t.Errorf("with a page of hits: %d of %d (-want +got):\n%s", page.Tally.Messages, page.Total, diff)
	}
	if all, err := r.Tally(context.Background(), query.Query{}, Options{}); err != nil || all.Messages != 5 || all.Conversations != 3 {
		t.Errorf("everything: %+v, %v", all, err)
	}
}
