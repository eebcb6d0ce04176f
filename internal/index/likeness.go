package index

import (
	"math"
	"slices"

	"lore/internal/text"
)

// Likeness compares the letters of a question with those of the first few candidates: runs of four characters, across
// the borders of words, so that forms of a word, parts of compounds and small words in a row count as well. How rare a
// run is, is counted among the candidates alone: what they have in common does not tell them apart.

// gramTable numbers the runs of a question. It is open-addressed and mostly empty: nearly all runs of a text are none of
// the question's.
type gramTable struct {
	slots  [gramSlots]struct{ gram, number uint32 }
	weight []float32
}

const (
	gramSlots = 2048
	maxGrams  = gramSlots / 4
)

// add numbers the runs of a text of the question. The weight of a run is that of the last text that has it.
func (t *gramTable) add(s string, weight float32) {
	eachGram(s, func(gram uint32) {
		at := t.slot(gram)
		switch {
		case t.slots[at].gram == gram:
			t.weight[t.slots[at].number] = weight
		case len(t.weight) < maxGrams:
			t.slots[at].gram, t.slots[at].number = gram, uint32(len(t.weight))
			t.weight = append(t.weight, weight)
		}
	})
}

// slot is where a run is, or would be. No run is 0.
func (t *gramTable) slot(gram uint32) uint32 {
	at := gram * 0x9e3779b1 >> 21
	for t.slots[at].gram != 0 && t.slots[at].gram != gram {
		at = (at + 1) % gramSlots
	}
	return at
}

// likened is what a window has of the runs of a question.
type likened struct {
	tf     []float32
	length float32
}

// count adds a text, of which a share counts.
func (t *gramTable) count(to *likened, s string, share float32) {
	if to.tf == nil {
		to.tf = make([]float32, len(t.weight))
	}
	to.length += share * float32(len(s))
	eachGram(s, func(gram uint32) {
		if at := t.slot(gram); t.slots[at].gram == gram {
			to.tf[t.slots[at].number] += share
		}
	})
}

// eachGram calls f for every run of four bytes of a text: small letters, digits, bytes above ASCII, and one space for
// everything between.
func eachGram(s string, f func(gram uint32)) {
	gram, last, n := uint32(' '), byte(' '), 1
	for i := 0; i <= len(s); i++ {
		c := byte(' ')
		if i < len(s) {
			c = gramByte[s[i]]
		}
		if c == ' ' && last == ' ' {
			continue
		}
		gram, last = gram<<8|uint32(c), c
		if n++; n >= 4 {
			f(gram)
		}
	}
}

var gramByte = func() (t [256]byte) {
	for i := range t {
		switch c := byte(i); {
		case c >= 'A' && c <= 'Z':
			t[i] = c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80:
			t[i] = c
		default:
			t[i] = ' '
		}
	}
	return t
}()

// scores is how like the question each window is; the most alike has 1.
func (t *gramTable) scores(all []likened) []float64 {
	in, average := make([]float64, len(t.weight)), float32(0)
	for _, x := range all {
		average += x.length
		for i, n := range x.tf {
			if n > 0 {
				in[i]++
			}
		}
	}
	average = max(average/float32(max(len(all), 1)), 1)
	out, best := make([]float64, len(all)), 0.0
	for k, x := range all {
		for i, n := range x.tf {
			if n > 0 {
				rare := float64(t.weight[i]) * math.Log(1+(float64(len(all))-in[i]+0.5)/(in[i]+0.5))
				out[k] += rare * float64(bm25(n, x.length/average))
			}
		}
		best = max(best, out[k])
	}
	if best > 0 {
		for k := range out {
			out[k] /= best
		}
	}
	return out
}

// gramsOf numbers the runs of the question as it was written; those of its words that say something count in full.
func gramsOf(tokens []token) *gramTable {
	t := new(gramTable)
	whole := ""
	for i, x := range tokens {
		if i == 0 || x.raw != tokens[i-1].raw {
			whole += x.raw + " "
		}
	}
	t.add(whole, likenessCommon)
	for _, x := range tokens {
		if !text.Common(x.term) {
			t.add(x.term, 1)
		}
	}
	return t
}

// likeness adds to the first windows what their texts are like.
func (a *anySearch) likeness(top []window, lines map[uint32][]line) error {
	if len(top) < 2 || len(a.grams.weight) == 0 {
		return nil
	}
	all := make([]likened, len(top))
	for i := range top {
		around := lines[top[i].conv]
		at := slices.IndexFunc(around, func(l line) bool { return l.located == top[i].located })
		for d := -1; d <= 1; d++ {
			if at < 0 || at+d < 0 || at+d >= len(around) {
				continue
			}
			share := float32(1)
			if d != 0 {
				share = likenessNext
			}
			doc, err := a.documentAt(around[at+d].located)
			if err != nil {
				return err
			}
			rest := anyBytes
			for k := range doc.parts {
				s := doc.parts[k].text
				s = s[:min(len(s), rest)]
				rest -= len(s)
				a.grams.count(&all[i], s, share)
			}
		}
	}
	best := 0.0
	for i := range top {
		best = max(best, top[i].score)
	}
	for i, like := range a.grams.scores(all) {
		top[i].like = likenessShare * best * like
		top[i].score += top[i].like
	}
	return nil
}

func (a *anySearch) documentAt(at located) (document, error) {
	b, err := a.r.segments[at.seg].row(secPlace, at.doc)
	if err != nil {
		return document{}, err
	}
	return a.r.document(at, decodePlace(b))
}
