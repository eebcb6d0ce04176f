package index

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/internal/query"
)

// The parts of a score together are the score, in every tier.
func TestPartsAreTheScore(t *testing.T) {
	c := spoken("one", "the harbour lamp is broken", "then repair the harbour lamp", "and paint the fence")
	d := spoken("two", "the lamps of the harbour were painted in May", "a fence near the lamp")
	d.Messages[0].Active = false
	r := stored(t, c, d)
	for q, tier := range map[string]Tier{"harbour lamp": TierExact, "la*": TierExact, "repairing lamps": TierForms, "harbuor": TierSpelling,
		"broken fence of the lighthouse keeper in November": TierAny, "painted harbour nonsense": TierAny} {
		res := ask(t, r, q, Options{All: true, Explain: true, Now: time.Unix(1_700_000_000, 0)})
		if res.Tier != tier && len(res.Hits) > 0 {
			t.Errorf("%q: tier %s, want %s", q, res.Tier, tier)
		}
		for _, h := range res.Hits {
			sum := 0.0
			for _, p := range h.Why.Parts {
				sum += p.Value
			}
			if math.Abs(sum-h.Score) > 1e-4 {
				t.Errorf("%q: score %g of parts %v", q, h.Score, h.Why.Parts)
			}
			if len(h.Why.Words) == 0 {
				t.Errorf("%q: no words", q)
			}
		}
	}
	if res := ask(t, r, "lamp", Options{}); res.Hits[0].Why != nil {
		t.Error("an explanation that was not asked for")
	}
}

// A question with OR is answered by looser tiers too; fields in it still hold.
func TestLooserTiersWithOr(t *testing.T) {
	c := spoken("one", "the harbour lamp is broken", "repair it", "paint the fence")
	r := stored(t, c)
	for q, want := range map[string][]string{
		"lamps OR zeppelin":               {"a forms"},
		"harbuor OR zeppelin":             {"a spelling"},
		"(lamps OR zeppelin) role:user":   {"a forms"},
		"(fences OR lamps)":               {"a forms", "c forms"},
		"lamps OR (zeppelin role:user)":   {},
		"(role:tool OR role:system) lamp": {},
		"lamps OR -zeppelin":              {"a", "b", "c"},
	} {
		if diff := cmp.Diff(want, natives(t, r, ask(t, r, q, Options{All: true}), c)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
	}
}

func TestLadder(t *testing.T) {
	r := stored(t, spoken("one", "the harbour lamps are broken", "repair it"))
	tree, _, err := query.Parse("lamp harbuor the", query.Env{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Ladder(context.Background(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Rung{
		{Tier: TierExact, Words: []RungWord{{"lamp", []string{"lamp"}}, {"harbuor", []string{"harbuor"}}, {"the", []string{"the"}}}},
		{Tier: TierForms, Words: []RungWord{{"lamp", []string{"lamps"}}, {"harbuor", nil}, {"the", []string{"the"}}}},
		{Tier: TierSpelling, Words: []RungWord{{"lamp", []string{"lamps"}}, {"harbuor", []string{"harbour"}}, {"the", []string{"the"}}}, Total: 1},
		{Tier: TierAny, Words: []RungWord{{"lamp", []string{"lamps"}}, {"harbuor", []string{"harbuor"}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
