package ingest

import (
	"lore"
	"lore/internal/index"
)

// weave puts lists of typed prompts into a record that passes by piece by piece. Each prompt is the twin of one user
// message, or it is only in the list; which of the two is known at the last piece, where those without a twin are put in.
type weave struct {
	rest  *lore.Conversation // prompts that have no twin yet, in order
	words map[string][]int   // of rest
	taken []bool
	list  []int // of which list each of rest is
	moved []int // by list: units that proved to be said again
}

func newWeave() *weave { return &weave{} }

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
		w.taken = append(w.taken, false)
		w.list = append(w.list, len(w.moved))
	}
	w.moved = append(w.moved, 0)
	w.rest.Ledger.Add(c.Ledger)
	w.rest.Losses = append(w.rest.Losses, c.Losses...)
}

// piece pairs the user messages of a piece. Into the last one it puts the prompts that found no twin.
func (w *weave) piece(c *lore.Conversation) error {
	if w.rest == nil {
		return nil
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == lore.User {
			w.pair(m)
		}
	}
	if c.More {
		return nil
	}
	for _, n := range w.moved {
		w.rest.Ledger.Remerge(n)
	}
	left := w.rest.Messages[:0:0]
	for i, m := range w.rest.Messages {
		if !w.taken[i] {
			left = append(left, m)
		}
	}
	w.rest.Messages = left
	mergeFacts(c, w.rest)
	insertByTime(c, left)
	c.Ledger.Add(w.rest.Ledger)
	c.Losses = distinct(append(c.Losses, w.rest.Losses...))
	return nil
}

func (w *weave) pair(m *lore.Message) {
	key := wordsKey(m)
	for _, n := range w.words[key] {
		if w.taken[n] {
			continue
		}
		w.taken[n] = true
		p := &w.rest.Messages[n]
		say(m, p)
		w.moved[w.list[n]] += p.Units
		return
	}
}

// insertByTime puts messages of another store behind all that is not younger: two stores share no order but time.
func insertByTime(c *lore.Conversation, left []lore.Message) {
	if len(left) == 0 {
		return
	}
	all := make([]lore.Message, 0, len(c.Messages)+len(left))
	next := 0
	for i := range c.Messages {
		for next < len(left) && timed(&left[next]) && timed(&c.Messages[i]) && left[next].At.Before(c.Messages[i].At) {
			all = append(all, left[next])
			next++
		}
		all = append(all, c.Messages[i])
	}
	c.Messages = append(all, left[next:]...)
}

// settle corrects, after the last piece, the ledgers of the links of the lists, which are in the order of add.
func (w *weave) settle(links []index.Link) {
	for i := range min(len(links), len(w.moved)) {
		links[i].Ledger.Remerge(w.moved[i])
	}
}
