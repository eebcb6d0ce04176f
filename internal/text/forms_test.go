package text

import (
	"slices"
	"testing"
)

// The examples of Porter's paper, step by step, and words that this program meets.
func TestStem(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"caresses", "caress"}, {"ponies", "poni"}, {"ties", "ti"}, {"caress", "caress"}, {"cats", "cat"},
		{"feed", "feed"}, {"agreed", "agre"}, {"plastered", "plaster"}, {"bled", "bled"}, {"motoring", "motor"}, {"sing", "sing"},
		{"conflated", "conflat"}, {"troubled", "troubl"}, {"sized", "size"}, {"hopping", "hop"}, {"tanned", "tan"},
		{"falling", "fall"}, {"hissing", "hiss"}, {"fizzed", "fizz"}, {"failing", "fail"}, {"filing", "file"},
		{"happy", "happi"}, {"sky", "sky"}, {"relational", "relat"}, {"conditional", "condit"}, {"rational", "ration"},
		{"valenci", "valenc"}, {"digitizer", "digit"}, {"conformabli", "conform"}, {"radicalli", "radic"},
		{"differentli", "differ"}, {"vileli", "vile"}, {"analogousli", "analog"}, {"vietnamization", "vietnam"},
		{"predication", "predic"}, {"operator", "oper"}, {"feudalism", "feudal"}, {"decisiveness", "decis"},
		{"hopefulness", "hope"}, {"callousness", "callous"}, {"formaliti", "formal"}, {"sensitiviti", "sensit"},
		{"sensibiliti", "sensibl"}, {"triplicate", "triplic"}, {"formative", "form"}, {"formalize", "formal"},
		{"electriciti", "electr"}, {"electrical", "electr"}, {"hopeful", "hope"}, {"goodness", "good"},
		{"revival", "reviv"}, {"allowance", "allow"}, {"inference", "infer"}, {"airliner", "airlin"}, {"gyroscopic", "gyroscop"},
		{"adjustable", "adjust"}, {"defensible", "defens"}, {"irritant", "irrit"}, {"replacement", "replac"},
		{"adjustment", "adjust"}, {"dependent", "depend"}, {"adoption", "adopt"}, {"communism", "commun"},
		{"activate", "activ"}, {"angulariti", "angular"}, {"homologous", "homolog"}, {"effective", "effect"}, {"bowdlerize", "bowdler"},
		{"probate", "probat"}, {"rate", "rate"}, {"cease", "ceas"}, {"controll", "control"}, {"roll", "roll"},
		{"migrations", "migrat"}, {"migrating", "migrat"}, {"migrate", "migrat"}, {"queries", "queri"}, {"query", "queri"},
		{"tests", "test"}, {"tested", "test"}, {"as", "as"}, {"s", "s"}, {"utf8", "utf8"}, {"straße", "straße"}, {"user_stores", "user_stores"},
	} {
		if got := Stem(c.word); got != c.want {
			t.Errorf("Stem(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestCommonTermsAreSorted(t *testing.T) {
	if !slices.IsSorted(commonTerms) {
		t.Error("the list is not sorted")
	}
	if !Common("the") || !Common("yourselves") || Common("lamp") {
		t.Error("the list does not answer")
	}
}

func TestClose(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		slips int
		want  bool
	}{
		{"lantern", "lantern", 0, true},
		{"lantern", "lanterm", 0, false},
		{"lantern", "lanterm", 1, true},
		{"lantern", "lnatern", 1, true},
		{"lantern", "lanterns", 1, true},
		{"lantern", "antern", 1, true},
		{"lantern", "latnerns", 1, false},
		{"lantern", "latnerns", 2, true},
		{"lantern", "lamp", 2, false},
		{"灯塔守护者", "灯塔守卫者", 1, true},
		{"", "ab", 1, false},
		{"ca", "abc", 2, false}, // a swapped pair is not touched again
	} {
		if got := Close(c.a, c.b, c.slips); got != c.want {
			t.Errorf("Close(%q, %q, %d) = %v", c.a, c.b, c.slips, got)
		}
	}
}

func FuzzStem(f *testing.F) {
	f.Add("migrations")
	f.Fuzz(func(t *testing.T, term string) {
		if len(term) > MaxTerm {
			return
		}
		if s := Stem(term); len(s) > len(term)+1 || s == "" && term != "" {
			t.Errorf("Stem(%q) = %q", term, s)
		}
	})
}
