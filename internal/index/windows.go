package index

import (
	"cmp"
	"math"
	"slices"

	"lore/internal/text"
)

// window is the best place of one conversation: a message, read with its neighbours.
type window struct {
	candidate
	score   float64
	matched uint32  // the words that stand in it, a bit each
	covered float32 // what the words prove that stand in it
	words   float64 // the parts of the score: its words,
	whole   float32 // those of the conversation,
	close   float64 // words near each other,
	like    float64 // likeness of letters,
	time    float64 // and the asked time
	from    int64   // time of the conversation's first message
	to      int64   // and of its last; both 0 when it has no times
}

// line is a message of a conversation that is looked at closely.
type line struct {
	located
	ordinal uint32
	length  float32
	tf      []float32 // of each word
}

// windows finds the best window of each conversation.
func (a *anySearch) windows(chosen []scoredConv) ([]window, error) {
	lines, err := a.lines(chosen)
	if err != nil {
		return nil, err
	}
	var out []window
	for _, c := range chosen {
		w, ok := a.best(lines[c.conv])
		if !ok {
			continue
		}
		w.conv, w.whole = c.conv, c.whole
		w.words = w.score
		w.score += float64(conversationPart * c.whole)
		cols := &a.columns[w.seg]
		w.flags, w.kinds, w.nanos = cols.flagsOf(w.doc), Kinds(cols.kinds[w.doc]), cols.timeOf(w.doc)
		for _, l := range lines[c.conv] {
			if f, t := a.columns[l.seg].flagsOf(l.doc), a.columns[l.seg].timeOf(l.doc); f&flagTimed != 0 {
				if w.from == 0 || t < w.from {
					w.from = t
				}
				w.to = max(w.to, t)
			}
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, byScore)
	if err := a.near(out[:min(len(out), anyRead)]); err != nil {
		return nil, err
	}
	if err := a.likeness(out[:min(len(out), anyCompared)], lines); err != nil {
		return nil, err
	}
	a.when.prefer(out)
	slices.SortStableFunc(out, byScore)
	return out, nil
}

func byScore(x, y window) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.to, x.to)) }

// lines reads the messages of the chosen conversations, each in its order, with the words in them.
func (a *anySearch) lines(chosen []scoredConv) (map[uint32][]line, error) {
	out := make(map[uint32][]line, len(chosen))
	for i, seg := range a.r.segments {
		docs, err := a.documentsIn(seg, chosen)
		if err != nil {
			return nil, err
		}
		places, err := seg.whole(secPlace)
		if err != nil {
			return nil, err
		}
		index := make([]int32, seg.docs) // place in docs, +1
		for k, doc := range docs {
			index[doc] = int32(k + 1)
		}
		counts := make([]float32, len(docs)*len(a.words))
		for w := range a.words {
			err := a.eachPosting(&a.words[w], i, func(p *posting) {
				if at := index[p.doc]; at > 0 && p.in(matchable) {
					counts[int(at-1)*len(a.words)+w] += oftenValue[p.often]
				}
			})
			if err != nil {
				return nil, err
			}
		}
		for k, doc := range docs {
			conv := a.columns[i].convOf(doc)
			out[conv] = append(out[conv], line{located{uint32(i), doc}, decodePlace(places[int(doc)*placeSize:]).ordinal,
				wordsOf[a.columns[i].lengths[doc]], counts[k*len(a.words) : (k+1)*len(a.words)]})
		}
	}
	for _, l := range out {
		slices.SortStableFunc(l, func(x, y line) int { return cmp.Compare(x.ordinal, y.ordinal) })
	}
	return out, nil
}

// documentsIn lists the living messages that a segment has of the chosen conversations.
func (a *anySearch) documentsIn(seg *segment, chosen []scoredConv) (docs []uint32, err error) {
	kinds, err := seg.whole(secKinds)
	if err != nil {
		return nil, err
	}
	for _, c := range chosen {
		runs, err := seg.runsOf(c.conv)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			for doc := r.first; doc < r.first+r.count; doc++ {
				if !seg.deleted.has(doc) && Kinds(kinds[doc])&titleBit == 0 {
					docs = append(docs, doc)
				}
			}
		}
	}
	return docs, nil
}

// best returns the best window among the messages of one conversation.
func (a *anySearch) best(lines []line) (window, bool) {
	var best window
	found := false
	tf := make([]float32, len(a.words))
	spread := neighbourShare[0] + 2*neighbourShare[1] + 2*neighbourShare[2]
	for at := range lines {
		if !a.allowed[lines[at].seg].has(lines[at].doc) {
			continue
		}
		clear(tf)
		length := float32(0)
		for d := -2; d <= 2; d++ {
			if at+d < 0 || at+d >= len(lines) {
				continue
			}
			share := neighbourShare[max(d, -d)]
			length += share * lines[at+d].length
			for w, n := range lines[at+d].tf {
				tf[w] += share * n
			}
		}
		score, covered, matched, which := float32(0), float32(0), 0, uint32(0)
		for w, n := range tf {
			if n == 0 {
				continue
			}
			matched++
			which |= 1 << w
			covered += a.words[w].proof
			score += a.words[w].idf * a.words[w].weight * bm25(n, length/(a.average*spread))
		}
		if matched == 0 {
			continue
		}
		total := float64(score) * math.Pow(float64(matched)/float64(len(a.words)), coveragePower)
		if !found || total > best.score {
			best = window{candidate: candidate{located: lines[at].located}, score: total, covered: covered, matched: which}
			found = true
		}
	}
	return best, found
}

// near adds what the words are worth that stand close together in the message itself.
func (a *anySearch) near(top []window) error {
	if len(a.words) < 2 {
		return nil
	}
	matchers, of := a.formMatchers(4)
	for i := range top {
		w := &top[i]
		doc, err := a.documentAt(w.located)
		if err != nil {
			return err
		}
		pairs := map[[2]int]float32{}
		for k := range doc.parts {
			s := doc.parts[k].text
			m := text.Matches(s, matchers, maxMatches)
			for n := range m {
				m[n].Of = of[m[n].Of]
			}
			a.pairs(s, m, pairs)
		}
		for _, bonus := range pairs {
			w.close += float64(bonus)
		}
		w.score += w.close
	}
	return nil
}

// formMatchers returns matchers of the words and of some forms of each, and of which word each of them is.
func (a *anySearch) formMatchers(forms int) (matchers []*text.Matcher, of []int) {
	for i := range a.words {
		w := &a.words[i]
		for _, t := range w.terms[:min(len(w.terms), forms)] {
			matchers, of = append(matchers, text.Word(t)), append(of, i)
		}
	}
	return matchers, of
}

// pairs notes the best bonus of each pair of words: in a row with at most one word between, or within some words.
func (a *anySearch) pairs(s string, m []text.Range, out map[[2]int]float32) {
	for i := range m {
		for k := i + 1; k < len(m) && k < i+8; k++ {
			x, y := m[i].Of, m[k].Of
			if x == y || m[k].Start < m[i].End {
				continue
			}
			between := countWords(s[m[i].End:min(m[k].Start, m[i].End+80)])
			share := float32(0)
			switch {
			case between <= 1 && y == x+1:
				share = pairShare
			case between <= 4:
				share = closeShare
			default:
				continue
			}
			key := [2]int{min(x, y), max(x, y)}
			out[key] = max(out[key], share*min(a.words[x].idf, a.words[y].idf))
		}
	}
}

func countWords(s string) (n int) {
	for start, end, _ := text.Next(s, 0); start < len(s); start, end, _ = text.Next(s, end) {
		n++
	}
	return n
}

// result makes the page of the loosest tier.
func (a *anySearch) result(best []window) (*Result, error) {
	a.looseMatchers, _ = a.formMatchers(6)
	found := make([]candidate, len(best))
	for i := range best {
		best[i].candidate.score = float32(best[i].score)
		found[i] = best[i].candidate
	}
	if a.o.Explain {
		a.asked, a.searching.windows = a.words, map[located]*window{}
		for i := range best {
			a.searching.windows[best[i].located] = &best[i]
		}
	}
	groups, err := a.fold(found)
	if err != nil {
		return nil, err
	}
	res, err := a.ranked(groups)
	if err != nil {
		return nil, err
	}
	res.Weak = a.weak(&best[0])
	return res, nil
}

// weak reports whether even the best window has too little of what was asked.
func (a *anySearch) weak(best *window) bool {
	if a.when.hit(best) {
		return false
	}
	all, share := float32(0), float32(weakShare)
	if a.n > weakFrom {
		share = float32(min(weakShare+weakGrowth*math.Log10(float64(a.n)/weakFrom), weakMost))
	}
	for i := range a.words {
		all += a.words[i].proof
	}
	if a.single {
		share = wholeShare
	}
	return best.covered < share*all
}

// ranked makes a page of groups in the order of their scores alone.
func (a *anySearch) ranked(groups []group) (*Result, error) {
	slices.SortFunc(groups, func(x, y group) int {
		return cmp.Or(cmp.Compare(a.found[y.first].score, a.found[x.first].score), cmp.Compare(x.first, y.first))
	})
	all := make([]listed, len(groups))
	for i := range groups {
		all[i] = listed{group: &groups[i], score: float64(a.found[groups[i].first].score)}
	}
	return a.cut(all, TierAny)
}
