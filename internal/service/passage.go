package service

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"lore"
	"lore/internal/text"
)

// recalling is one Recall while it chooses what to say.
type recalling struct {
	ctx      context.Context
	l        *library
	stems    map[string]bool // of the task
	budget   int
	reveal   bool // credentials too
	sure     bool // the words were found as they stand
	weak     bool // even the best passage is unlikely to help
	skip     int  // scenes that earlier answers have used
	spent    int
	share    float64
	passages []Passage
}

// Tokens that go along with every passage, and with every message in one: the id, where it is from, the frame.
const (
	passageTokens = 34
	saidTokens    = 3
	answerTokens  = 40 // around all passages
)

// run chooses passages from hits and returns with which scene a further answer goes on; 0: there is nothing more worth it.
func (r *recalling) run(hits []Hit) (int, error) {
	scenes, err := r.load(hits)
	if err != nil {
		return 0, err
	}
	r.weigh(scenes)
	r.spent = answerTokens
	at := min(r.skip, len(scenes))
	for ; at < len(scenes); at++ {
		s := scenes[at]
		if !r.sure && s.cover < worthwhile*scenes[0].cover || r.weak && len(r.passages) == mostWeak {
			return 0, nil
		}
		allow := r.allowance(scenes, at, r.budget-r.spent-passageTokens)
		if allow < minPassage {
			return max(at, r.skip+1), nil
		}
		if !s.choose(allow) {
			continue
		}
		p, tokens := s.passage(r.l)
		if r.repeats(&p) {
			continue
		}
		r.passages = append(r.passages, p)
		r.spent += passageTokens + tokens
	}
	return at, nil
}

// A passage that speaks of much less of the task than the best one is not worth its tokens, and where not even that one
// helps a few are enough to see so.
const (
	worthwhile = 0.5
	mostWeak   = 3
)

// minPassage is the fewest tokens in which a passage can say something.
const minPassage = 24

// lead is how many tokens a passage takes that may well not be the right one.
const lead = 48

// allowance returns how many tokens scene i may take of what is left. Where the words were found as they stand the first
// ones take most; where they were not, those behind get room to say something too.
func (r *recalling) allowance(scenes []*scene, i, left int) int {
	const ahead = 5
	rest, n := 0.0, 0
	for _, s := range scenes[i:min(len(scenes), i+ahead)] {
		if !r.sure && s.cover < worthwhile*scenes[0].cover {
			break
		}
		rest += s.score
		n++
	}
	if n <= 1 || rest == 0 {
		return left
	}
	if r.sure {
		return min(left, max(int(float64(left)*scenes[i].score/rest), 60))
	}
	return min(left, max(left-(n-1)*(lead+passageTokens), 2*lead-8*i, lead))
}

// load reads the conversations of the hits, several at a time, and keeps of each the scene.
func (r *recalling) load(hits []Hit) ([]*scene, error) {
	scenes := make([]*scene, len(hits))
	errs := make([]error, len(hits))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range hits {
		all.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; all.Done() }()
			c, err := r.l.assembler.Load(r.ctx, hits[i].Conversation.ID)
			if err != nil {
				errs[i] = err
				return
			}
			scenes[i] = sceneOf(c, &hits[i], r.reveal)
		}()
	}
	all.Wait()
	// One conversation that cannot be read does not take the others away.
	kept := slices.DeleteFunc(slices.Clone(scenes), func(s *scene) bool { return s == nil || len(s.lines) == 0 })
	if len(kept) > 0 {
		return kept, r.ctx.Err()
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return nil, r.ctx.Err()
}

// weigh scores every piece by the words of the task in it, a rare word counting more, and by its place.
func (r *recalling) weigh(scenes []*scene) {
	a := text.NewAnalyzer()
	seen, total := map[string]int{}, 0
	others := map[string]string{} // other names of the words that are looked for
	if !r.sure {
		for stem := range r.stems {
			for _, o := range text.Related(stem) {
				others[o] = stem
			}
		}
	}
	for _, s := range scenes {
		for i := range s.lines {
			for k := range s.lines[i].pieces {
				p := &s.lines[i].pieces[k]
				a.Tokens(p.text, func(term []byte) {
					stem := text.Stem(string(term))
					if r.stems[stem] && !slices.Contains(p.stems, stem) {
						p.stems = append(p.stems, stem)
					}
					if r.stems[stem] || others[stem] != "" {
						p.all = append(p.all, stem)
					}
				})
				for _, stem := range p.stems {
					seen[stem]++
				}
				for _, o := range p.all {
					if stem := others[o]; stem != "" && !slices.Contains(p.stems, stem) {
						p.near = append(p.near, stem)
					}
				}
				total++
			}
		}
	}
	weight := func(stem string) float64 { return math.Log(1 + float64(total)/(float64(seen[stem])+0.5)) }
	sum := 0.0
	for stem := range r.stems {
		sum += weight(stem)
	}
	r.share = 1
	if !r.sure {
		r.rank(scenes, weight)
		if r.share = 0; len(scenes) > 0 && sum > 0 {
			r.share = scenes[0].cover / sum
		}
	}
	for i, s := range scenes {
		s.weigh(weight, max(sum, 1))
		s.score = 1 / float64(i+1)
	}
}

// weigh scores the pieces of one scene.
func (s *scene) weigh(weight func(string) float64, sum float64) {
	for i := range s.lines {
		l := &s.lines[i]
		for k := range l.pieces {
			p := &l.pieces[k]
			match := 0.0
			for _, stem := range p.stems {
				match += weight(stem)
			}
			for _, stem := range p.near {
				match += 0.6 * weight(stem)
			}
			p.score = 2 * match / sum
			switch {
			case !l.spoken:
				p.score *= 0.7
			case l.last:
				p.score += 0.6 * math.Pow(0.8, float64(k))
			case l.role == lore.User:
				p.score += 0.45 * math.Pow(0.6, float64(k))
			default:
				p.score += 0.15 * math.Pow(0.8, float64(k))
			}
			if i == s.anchor && match > 0 {
				p.score += 0.5
			}
			if l.turn != 0 {
				p.score *= 0.5
			}
		}
		// What stands beside a match explains it.
		for k := range l.pieces {
			for _, near := range []int{k - 1, k + 1} {
				if near >= 0 && near < len(l.pieces) && len(l.pieces[near].stems) > 0 && i == s.anchor {
					l.pieces[k].score += 0.2
				}
			}
		}
	}
}

// minScore is the score from which on a piece is worth its tokens.
const minScore = 0.12

// choose takes the best pieces that the allowance holds and reports whether there is one.
func (s *scene) choose(allow int) bool {
	type place struct{ line, piece int }
	var order []place
	for i := range s.lines {
		for k := range s.lines[i].pieces {
			if s.lines[i].pieces[k].score >= minScore {
				order = append(order, place{i, k})
			}
		}
	}
	score := func(p place) float64 { return s.lines[p.line].pieces[p.piece].score }
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(score(b), score(a)) })
	open := map[int]bool{}
	any := false
	for _, at := range order {
		p := &s.lines[at.line].pieces[at.piece]
		cost := p.tokens
		if !open[at.line] {
			cost += saidTokens
		}
		if cost > allow {
			continue
		}
		allow -= cost
		p.taken, open[at.line], any = true, true, true
	}
	return any
}

// passage puts what was taken into order.
func (s *scene) passage(l *library) (Passage, int) {
	p := Passage{ID: s.hit.ID, ShortID: s.hit.ShortID, Conversation: s.hit.Conversation, At: s.hit.At, Tier: s.hit.Tier}
	tokens := 0
	for i := range s.lines {
		if said, ok := s.lines[i].said(); ok {
			p.Said = append(p.Said, said)
			tokens += saidTokens + text.Tokens(said.Text)
		}
	}
	ids := make([]lore.ID, len(p.Said))
	for i := range p.Said {
		ids[i] = p.Said[i].ID
	}
	for i, short := range l.short(ids) {
		p.Said[i].ShortID = short
	}
	return p, tokens
}

// said returns what was taken of a line, with … where something is left out.
func (l *line) said() (Said, bool) {
	out := Said{ID: l.id, Role: l.role, Cut: !l.whole}
	var b strings.Builder
	gap := false
	for k := range l.pieces {
		p := &l.pieces[k]
		if !p.taken {
			gap, out.Cut = true, true
			continue
		}
		if gap {
			b.WriteString("… ")
			gap = false
		}
		b.WriteString(p.text + p.glue)
	}
	if b.Len() == 0 {
		return out, false
	}
	if out.Text = strings.TrimSpace(b.String()); gap || !l.whole {
		out.Text += " …"
	}
	return out, true
}

// repeats reports whether an earlier passage says the same.
func (r *recalling) repeats(p *Passage) bool {
	return slices.ContainsFunc(r.passages, func(q Passage) bool {
		return slices.EqualFunc(p.Said, q.Said, func(a, b Said) bool { return a.Role == b.Role && a.Text == b.Text })
	})
}
