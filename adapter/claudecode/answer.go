package claudecode

import (
	"slices"
	"strings"

	"lore"
)

// answer yields one answer of a model: the lines of one message.id, whose blocks follow each other in the order of the
// file.
func (w *writer) answer(i int32, first *body) error {
	bare := w.f.bare(i)
	var a merged
	var aliases []string
	w.origins = w.origins[:0]
	for j := i; j >= 0; j = w.f.lines[j].next {
		o := &w.f.lines[j]
		w.origins = append(w.origins, w.locator(o))
		if s := w.f.names.string(o.uuid); s != "" && s != bare && len(aliases) < maxOrigins {
			aliases = append(aliases, s)
		}
		if j != i {
			w.ledger.Merge(int(o.again))
		}
		if o.is(copied) {
			w.ledger.Merge(1)
			continue
		}
		b := first
		if j != i {
			var err error
			if b, err = w.f.body(j); err != nil {
				return err
			}
		}
		w.facts(o, b)
		a.add(b, w.whole(int(o.no), b.blocks))
	}
	kept := a.kept()
	w.ledger.Keep(kept)
	w.ledger.Merge(a.lines - kept)
	m := lore.Message{Role: lore.Assistant, Subtype: a.subtype, Model: a.model, Usage: a.usage, Units: kept, Aliases: aliases}
	w.put(i, first, m, a.blocks)
	return nil
}

// merged is an answer while its lines are put together.
type merged struct {
	blocks  []block
	owners  []int // the line that says each block
	lines   int
	usage   *lore.Usage
	counted int // the last line whose tokens are not those of the line before
	model   string
	subtype string
}

// add adds a line. A block that stands there already is merged, one that only extends the former of its kind replaces
// it, a call replaces the one with its id.
func (a *merged) add(b *body, blocks []block) {
	line, before := a.lines, len(a.blocks)
	for _, n := range blocks {
		at := a.find(n, before)
		switch {
		case at < 0:
			a.blocks, a.owners = append(a.blocks, n), append(a.owners, line)
		case !same(a.blocks[at], n):
			a.blocks[at], a.owners[at] = n, line
		}
	}
	if b.usage != nil {
		if a.usage == nil || *a.usage != *b.usage {
			a.counted = line
		}
		a.usage = b.usage
	}
	if b.model != "" {
		a.model = b.model
	}
	if b.subtype != "" {
		a.subtype = b.subtype
	}
	a.lines++
}

// find returns the block of an earlier line that n says again, or replaces; -1 when it is new.
func (a *merged) find(n block, before int) int {
	for at := before - 1; at >= 0; at-- {
		old := &a.blocks[at]
		if old.part.Kind != n.part.Kind || old.role != n.role {
			continue
		}
		if n.part.Kind == lore.Call && n.part.CallID != "" {
			if old.part.CallID == n.part.CallID {
				return at
			}
			continue
		}
		if same(*old, n) {
			return at
		}
	}
	for at := before - 1; at >= 0; at-- {
		old := &a.blocks[at]
		if old.part.Kind == lore.Call {
			return -1 // a text before a call was finished
		}
		if old.part.Kind == n.part.Kind {
			grows := n.part.Kind == lore.Text || n.part.Kind == lore.Thinking
			if grows && old.part.Text != "" && strings.HasPrefix(n.part.Text, old.part.Text) {
				return at
			}
			return -1
		}
	}
	return -1
}

// same reports whether two blocks say the same.
func same(a, b block) bool { return a.part == b.part && a.sig == b.sig }

// kept counts the lines that say something which no other line of the answer says: a block, the tokens, or, in an empty
// answer, that there was one.
func (a *merged) kept() int {
	own := make([]bool, a.lines)
	n := 0
	for _, line := range append(a.owners, a.counted) {
		if !own[line] && (line > 0 || line != a.counted || a.owns(0)) {
			own[line] = true
			n++
		}
	}
	return max(n, 1)
}

// owns reports whether a line says a block.
func (a *merged) owns(line int) bool { return slices.Contains(a.owners, line) }
