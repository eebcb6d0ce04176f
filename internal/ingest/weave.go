package ingest

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/internal/index"
)

// weave puts lists of typed prompts into a record that passes by piece by piece. Each prompt is the twin of one user
// message, or it is only in the list. Messages are held back, up to a bound of bytes, until it is known which of the two;
// a prompt without a twin is put in before the first message that is younger. Where the pieces end does not matter.
type weave struct {
	rest  *lore.Conversation // all prompts, in order; nil: there are none
	words map[string][]int   // of rest
	taken []bool             // has found its twin
	set   []bool             // was put in
	head  int                // the first of rest that is neither
	list  []int              // of which list each of rest is
	moved []int              // by list: units that proved to be said again

	held   []lore.Message
	bytes  int64
	window int64

	arrived, left int   // messages that came, and that went on
	latest        int64 // time of the youngest message or prompt that went on
	floor         int64 // where reading was taken up: what it was then
	stale         bool  // a prompt would have to be put in before that place
	marks         []*mark
	unsaid        map[uint64]bool // words of user messages that found no prompt, hashed
	fixed         map[uint64]bool // words of prompts that an earlier reading has put in, hashed
}

// weaveWindow is how many bytes of messages are held back at most.
const weaveWindow = 8 << 20

// mark is a place in a record at which reading can be taken up again.
type mark struct {
	state  func() []byte // the adapter's
	at     int           // how many messages had come
	split  int           // index in the messages that went on last; -1: not there yet
	link   index.Link
	taken  []bool
	unsaid map[uint64]bool
	set    []bool // when all before it had gone on
	latest int64  // likewise
}

func newWeave() *weave {
	return &weave{unsaid: map[uint64]bool{}, window: weaveWindow, latest: math.MinInt64, floor: math.MinInt64}
}

// add takes in a list of prompts. All lists are added before the first piece.
func (w *weave) add(c *lore.Conversation) {
	if w.rest == nil {
		w.rest = &lore.Conversation{Source: c.Source, Native: c.Native}
		w.words = map[string][]int{}
	}
	for i := range c.Messages {
		key := wordsKey(&c.Messages[i])
		w.words[key] = append(w.words[key], len(w.rest.Messages))
		w.rest.Messages = append(w.rest.Messages, c.Messages[i])
		w.list = append(w.list, len(w.moved))
	}
	w.taken = append(w.taken, make([]bool, len(c.Messages))...)
	w.set = append(w.set, make([]bool, len(c.Messages))...)
	w.moved = append(w.moved, 0)
	w.rest.Ledger.Add(c.Ledger)
	w.rest.Losses = append(w.rest.Losses, c.Losses...)
}

// piece takes a piece in and puts, in its place, what can go on. The error is errStale where an earlier reading, from
// which this one goes on, would have put in other prompts.
func (w *weave) piece(c *lore.Conversation) error {
	w.arrived += len(c.Messages)
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == lore.User {
			if err := w.pair(m); err != nil {
				return err
			}
		}
	}
	if w.rest == nil {
		for i := range c.Messages {
			w.saw(&c.Messages[i])
		}
		w.left = w.arrived
		return nil
	}
	w.held = append(w.held, c.Messages...)
	for i := range c.Messages {
		w.bytes += weight(&c.Messages[i])
	}
	c.Messages = nil
	if c.More {
		w.release(c, w.window)
		return nil
	}
	w.release(c, -1)
	return w.end(c)
}

// cross notes what a mark has to know when all before it has gone on.
func (w *weave) cross(c *lore.Conversation) {
	for _, k := range w.marks {
		if k.split < 0 && k.at == w.left {
			k.split, k.set, k.latest = len(c.Messages), slices.Clone(w.set), w.latest
		}
	}
}

// saw notes the time of a message that goes on.
func (w *weave) saw(m *lore.Message) {
	if timed(m) {
		w.latest = max(w.latest, m.At.UnixNano())
	}
}

// weight is about how many bytes a message takes.
func weight(m *lore.Message) int64 {
	n := int64(256)
	for i := range m.Parts {
		n += int64(len(m.Parts[i].Text)) + 64
	}
	return n
}

// release lets the oldest messages go on until no more than so many bytes are held, with the prompts before them.
func (w *weave) release(c *lore.Conversation, keep int64) {
	n := 0
	for ; n < len(w.held) && w.bytes > keep; n++ {
		m := &w.held[n]
		w.bytes -= weight(m)
		w.cross(c)
		for p := w.next(); p != nil && timed(p) && timed(m) && p.At.Before(m.At); p = w.next() {
			w.put(c, p)
		}
		c.Messages = append(c.Messages, *m)
		w.saw(m)
		w.left++
	}
	w.held = w.held[n:]
}

// next returns the first prompt that has no twin so far and was not put in.
func (w *weave) next() *lore.Message {
	for w.head < len(w.taken) && (w.taken[w.head] || w.set[w.head]) {
		w.head++
	}
	if w.head == len(w.taken) {
		return nil
	}
	return &w.rest.Messages[w.head]
}

// put puts the prompt that next has returned into the record.
func (w *weave) put(c *lore.Conversation, p *lore.Message) {
	w.set[w.head] = true
	w.stale = w.stale || timed(p) && p.At.UnixNano() < w.floor
	c.Messages = append(c.Messages, *p)
	w.saw(p)
}

// end puts in the prompts that are younger than all messages, and accounts for all.
func (w *weave) end(c *lore.Conversation) error {
	w.cross(c)
	for p := w.next(); p != nil; p = w.next() {
		w.put(c, p)
	}
	if w.stale {
		return errStale
	}
	for _, n := range w.moved {
		w.rest.Ledger.Remerge(n)
	}
	mergeFacts(c, w.rest)
	c.Ledger.Add(w.rest.Ledger)
	c.Losses = distinct(append(c.Losses, w.rest.Losses...))
	return nil
}

func (w *weave) pair(m *lore.Message) error {
	key := wordsKey(m)
	sum := xxhash.Sum64String(key)
	if w.fixed[sum] {
		return errStale
	}
	for _, n := range w.words[key] {
		if w.taken[n] || w.set[n] {
			continue
		}
		w.taken[n] = true
		p := &w.rest.Messages[n]
		say(m, p)
		w.moved[w.list[n]] += p.Units
		return nil
	}
	w.unsaid[sum] = true
	return nil
}

// settle corrects, after the last piece, the ledgers of the links of the lists, which are in the order of add.
func (w *weave) settle(links []index.Link) {
	for i := range min(len(links), len(w.moved)) {
		links[i].Ledger.Remerge(w.moved[i])
	}
}

// errStale says that a reading cannot be taken up where an earlier one could have been.
var errStale = errors.New("the earlier reading does not fit")

// woven is a weave at a mark, as it is kept for the next import.
type woven struct {
	Prompts int    // how many prompts there were
	Sum     uint64 // of these
	Taken   []bool
	Set     []bool
	Unsaid  map[uint64]bool
	Latest  int64
	Arrived int
}

// note makes the mark of the place that the record has come to. It is crossed at once where nothing is held back.
func (w *weave) note(state func() []byte, link index.Link) *mark {
	k := &mark{state: state, at: w.arrived, split: -1, link: link, taken: slices.Clone(w.taken), unsaid: maps.Clone(w.unsaid)}
	if w.rest == nil {
		k.split, k.latest = 0, w.latest
		return k
	}
	w.marks = append(w.marks, k)
	return k
}

// crossed returns the marks that all before them has gone on from, once each.
func (w *weave) crossed() []*mark {
	n := 0
	for n < len(w.marks) && w.marks[n].split >= 0 {
		n++
	}
	done := w.marks[:n]
	w.marks = w.marks[n:]
	return done
}

// woven returns what is kept of the weave for a mark that was crossed. False: reading cannot be taken up there.
func (w *weave) woven(k *mark) (woven, bool) {
	if len(w.moved) > 1 {
		return woven{}, false
	}
	return woven{len(k.taken), w.sum(len(k.taken)), k.taken, k.set, k.unsaid, k.latest, k.at}, true
}

// sum sums up the first prompts.
func (w *weave) sum(n int) uint64 {
	h := xxhash.New()
	for i := range n {
		p := &w.rest.Messages[i]
		h.WriteString(wordsKey(p) + "\x02" + p.At.String() + "\x03")
	}
	return h.Sum64()
}

// resume goes on from what a weave was. False: the prompts that there are now say something of what came before.
func (w *weave) resume(from woven) bool {
	if len(w.moved) > 1 || from.Prompts > len(w.taken) || from.Sum != w.sum(from.Prompts) ||
		len(from.Taken) != from.Prompts || len(from.Set) != from.Prompts {
		return false
	}
	for n := from.Prompts; n < len(w.taken); n++ {
		if p := &w.rest.Messages[n]; from.Unsaid[xxhash.Sum64String(wordsKey(p))] {
			return false
		}
	}
	copy(w.taken, from.Taken)
	copy(w.set, from.Set)
	w.fixed = map[uint64]bool{}
	for n := range from.Prompts {
		p := &w.rest.Messages[n]
		if w.taken[n] {
			w.moved[0] += p.Units
		}
		if w.set[n] {
			w.fixed[xxhash.Sum64String(wordsKey(p))] = true
		}
	}
	w.latest, w.floor, w.arrived, w.left = from.Latest, from.Latest, from.Arrived, from.Arrived
	if from.Unsaid != nil {
		w.unsaid = from.Unsaid
	}
	return true
}
