package archive

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestFilterHasNoFalseNegatives: whatever stands in the bytes of a group, or ends in it and began before, passes its
// filter, in any case of letters.
func TestFilterHasNoFalseNegatives(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 40 {
		content := lineBytes(uint64(round), 20_000+r.IntN(700_000))
		if round%4 == 0 {
			for i := range content { // all bytes there are
				content[i] = byte(r.Uint32())
			}
		}
		m := new(filterMaker)
		m.start(0, nil)
		var starts []int // of the blocks
		for at := 0; at < len(content); {
			n := min(len(content)-at, 1+r.IntN(maxBlock))
			if r.IntN(3) == 0 {
				n = min(n, 1+r.IntN(100))
			}
			starts = append(starts, at)
			m.add(content[at : at+n])
			at += n
		}
		m.cut()
		starts = append(starts, len(content))
		for _, g := range m.out {
			from, to := starts[g.first], starts[g.first+g.n]
			if len(g.filter) > (to-from)/50 {
				t.Errorf("a filter of %d bytes for %d", len(g.filter), to-from)
			}
			for range 200 {
				end := from + 1 + r.IntN(to-from)
				if r.IntN(3) == 0 {
					end = min(to, from+1+r.IntN(4)) // at the border
				}
				literal := content[max(0, end-1-r.IntN(600)):end]
				if literal = bytes.Clone(literal); r.IntN(2) == 0 {
					for i, c := range literal {
						literal[i] = upper(c)
					}
				}
				if !mayHold(g.filter, gramsOf(literal)) {
					t.Fatalf("the filter of %d..%d rules out %q, which ends at %d", from, to, literal, end)
				}
			}
		}
	}
}

// TestFilterRulesOut: of words that are not there, few pass.
func TestFilterRulesOut(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	content := lineBytes(1, 256<<10)
	var g grams
	g.add(content)
	f := g.filter(len(content))
	passed := 0
	const words = 2000
	for range words {
		word := make([]byte, 8)
		for i := range word {
			word[i] = "abcdefghijklmnopqrstuvwxyz0123456789_- "[r.IntN(39)]
		}
		if mayHold(f, gramsOf(word)) {
			passed++
		}
	}
	if passed > words/50 {
		t.Errorf("%d of %d words pass", passed, words)
	}
}

func TestGroups(t *testing.T) {
	var l list
	for i := range 50 {
		l.add(entry{id: int64(i + 1), size: 1 + i*5000%maxBlock})
	}
	next := 0
	groups(l.entries, func(from, to int) {
		if from != next || to <= from {
			t.Errorf("group %d..%d after block %d", from, to, next)
		}
		size := l.entries[to-1].end() - l.entries[from].off
		if last := l.entries[to-1].size; to < len(l.entries) && (size < groupMin || size-int64(last) >= groupMin) {
			t.Errorf("group %d..%d holds %d bytes", from, to, size)
		}
		next = to
	})
	if next != len(l.entries) {
		t.Errorf("%d of %d blocks in groups", next, len(l.entries))
	}
}
