package index

import (
	"context"
	"slices"

	"lore/internal/query"
)

// Why is what a score is made of.
type Why struct {
	Parts []ScorePart // in order; together they are the score
	Words []ScoreWord // what was asked for
}

// ScorePart is one part of a score. In all tiers but the loosest: "words", "title" (of the conversation, whose words
// answer too), "recency", "inactive" (taken back), "nearness" (of the words to each other). In the loosest: "message" (its
// words and its neighbours'), "conversation", "nearness", "likeness" (of letters), "time" (that the question names).
type ScorePart struct {
	Name  string
	Value float64
}

// ScoreWord is a term that documents are ranked by. Score is what the hit gets for it before all other parts, 0 in the
// loosest tier, where words are not scored one by one.
type ScoreWord struct {
	Word   string
	Weight float64 // inverse frequency: the rarer, the more
	Score  float64
	Found  bool
}

// why explains the score of a hit. It is asked for the hits of one page only.
func (s *searching) why(l *listed) (*Why, error) {
	c := &s.found[l.group.first]
	if w, ok := s.windows[c.located]; ok {
		return w.why(s.asked), nil
	}
	out := new(Why)
	n, average := s.r.documents()
	words := 0.0
	for _, need := range s.plan.needs() {
		w, err := s.wordScore(need, c.located, n, average)
		if err != nil {
			return nil, err
		}
		words += w.Score
		out.Words = append(out.Words, w)
	}
	part := func(name string, value float64) {
		if value > 1e-6 || value < -1e-6 {
			out.Parts = append(out.Parts, ScorePart{name, value})
		}
	}
	part("words", words)
	part("title", float64(c.score)-words)
	fresh := *c
	fresh.flags |= flagActive
	recent, base := s.recent(&fresh), s.recent(c)
	part("recency", recent-float64(c.score))
	part("inactive", base-recent)
	part("nearness", l.score-base)
	return out, nil
}

// wordScore is what a document gets for one word.
func (s *searching) wordScore(need needTerm, at located, n int, average float32) (ScoreWord, error) {
	w := ScoreWord{Word: need.prefix + "*"}
	if len(need.terms) > 0 {
		w.Word = need.terms[0]
	}
	docs := 0
	for i, seg := range s.r.segments {
		lists, in, err := need.lists(seg)
		if err != nil {
			return w, err
		}
		docs += in
		if uint32(i) != at.seg {
			continue
		}
		c, err := seg.columns()
		if err != nil {
			return w, err
		}
		tf := float32(0)
		for k := range lists {
			for p := &lists[k]; p.next() && p.doc <= at.doc; {
				if p.doc == at.doc {
					tf += p.worth(&c)
				}
			}
		}
		if w.Found = tf > 0; w.Found {
			w.Score = float64(saturated(tf, c.lengths[at.doc], average))
		}
	}
	w.Weight = float64(idf(n, docs))
	w.Score *= w.Weight
	return w, nil
}

func (w *window) why(words []asked) *Why {
	out := &Why{}
	for _, p := range []ScorePart{{"message", w.words}, {"conversation", float64(conversationPart * w.whole)}, {"nearness", w.close},
		{"likeness", w.like}, {"time", w.time}} {
		if p.Value != 0 {
			out.Parts = append(out.Parts, p)
		}
	}
	for i := range words {
		out.Words = append(out.Words, ScoreWord{Word: words[i].word, Weight: float64(words[i].idf * words[i].weight), Found: w.matched>>i&1 != 0})
	}
	return out
}

// Rung is one tier as it would answer a question.
type Rung struct {
	Tier  Tier
	Words []RungWord
	Total int // hits; of the first tier that has any, 0 of those behind it
}

// RungWord is a word of the question with the terms that a tier takes for it, the most frequent first; the first few only.
type RungWord struct {
	Word  string
	Terms []string
}

// Ladder says what each tier asks for, and which one answers. A question that no looser tier can take apart has the
// exact one alone.
func (r *Reader) Ladder(ctx context.Context, q query.Query, o Options) ([]Rung, error) {
	o.Limit = 1
	res, err := r.Search(ctx, q, o)
	if err != nil {
		return nil, err
	}
	s := &searching{ctx: ctx, r: r, o: o, q: q}
	p := newPlan(s.root())
	exact := Rung{Tier: TierExact}
	for _, l := range p.positive() {
		exact.Words = append(exact.Words, RungWord{l.matcher.Text(), l.terms.List()})
	}
	rungs := []Rung{exact}
	if words, _, ok := looseWords(s.root()); ok {
		for _, tier := range []Rung{{Tier: TierForms}, {Tier: TierSpelling}} {
			terms := r.forms
			if tier.Tier == TierSpelling {
				terms = s.near
			}
			for _, l := range p.positive() {
				if word, plain := lowerWord(l.word); plain {
					others, err := terms(word)
					if err != nil {
						return nil, err
					}
					tier.Words = append(tier.Words, RungWord{l.word, others[:min(len(others), maxShown)]})
				}
			}
			rungs = append(rungs, tier)
		}
		any := Rung{Tier: TierAny}
		a := &anySearch{searching: s}
		if err := a.ask(words); err != nil {
			return nil, err
		}
		for i := range a.words {
			w := &a.words[i]
			any.Words = append(any.Words, RungWord{w.word, w.terms[:min(len(w.terms), maxShown)]})
		}
		rungs = append(rungs, any)
	}
	if at := slices.IndexFunc(rungs, func(x Rung) bool { return x.Tier == res.Tier }); at >= 0 {
		rungs[at].Total = res.Total
	}
	return rungs, nil
}

// maxShown bounds the terms of a word that Ladder lists.
const maxShown = 8
