package ingest

import (
	"cmp"
	"sort"

	"lore"
	"lore/adapter"
	"lore/internal/index"
)

// contribution is what one snapshot of one evidence says of one conversation.
type contribution struct {
	record *lore.Conversation // whole, not sealed
	store  adapter.Store
	file   int64 // the archive's file
	path   string
	order  string // what path is compared by, see archive.ByMachine
	gone   bool   // the file is not at its source any more
	old    bool   // of a snapshot that a newer one of the same file does not extend
	age    int    // among the snapshots of one file, 0 is the newest
	link   index.Link
	moved  int // units that proved to say again what a richer evidence says
}

// join makes one record of all that several evidences say of one conversation. The richest record stands; what the
// others say again counts as merged, and what only they say is put in after its last predecessor. The result does not
// depend on the order in which the evidences were found.
func join(all []contribution) *lore.Conversation {
	sort.SliceStable(all, func(i, j int) bool { return all[i].before(all[j]) })
	base := all[0].record
	for i := range all[1:] {
		c := &all[1+i]
		mergeFacts(base, c.record)
		c.moved = mergeMessages(base, c.record, merging{
			sameStore: c.store.Rank == all[0].store.Rank,
			removed:   !c.store.Prompts && superseded(all, c), // the head of a list of prompts falls off by itself
		})
		c.record.Ledger.Remerge(c.moved)
		base.Ledger.Add(c.record.Ledger)
		base.Losses = append(base.Losses, c.record.Losses...)
	}
	base.Losses = distinct(base.Losses)
	return base
}

func (c contribution) before(d contribution) bool {
	switch {
	case c.store.Rank != d.store.Rank:
		return c.store.Rank < d.store.Rank
	case c.old != d.old:
		return d.old
	case c.gone != d.gone:
		return d.gone
	case c.age != d.age:
		return c.age < d.age
	}
	return cmp.Or(cmp.Compare(d.ended(), c.ended()), cmp.Compare(len(d.record.Messages), len(c.record.Messages)),
		cmp.Compare(c.order, d.order)) < 0
}

// ended is the time of the last message: of two copies, the one that goes on longer is the richer.
func (c contribution) ended() int64 {
	for i := len(c.record.Messages) - 1; i >= 0; i-- {
		if m := &c.record.Messages[i]; timed(m) {
			return m.At.UnixNano()
		}
	}
	return 0
}

// superseded reports whether a newer snapshot of the same file speaks of the conversation too. Where one does, a message
// that only the older one holds was removed; where none does, the conversation vanished as a whole and stays as it was.
func superseded(all []contribution, c *contribution) bool {
	for i := range all {
		if all[i].file == c.file && all[i].age < c.age {
			return true
		}
	}
	return false
}

// mergeFacts fills what base does not know.
func mergeFacts(base, other *lore.Conversation) {
	mergeTitle(base, other.Title, other.TitleFrom, other.TitleAt)
	if base.Project.Dir == "" {
		base.Project = other.Project
	}
	if base.Kind == "" {
		base.Kind = other.Kind
	}
	if base.Parent == nil && other.Parent != nil {
		base.Parent = other.Parent
		if other.Kind != "" {
			base.Kind = other.Kind
		}
	} else if other.Parent != nil && base.Parent.Call == "" && base.Parent.Native == other.Parent.Native {
		base.Parent.Call = other.Parent.Call
	}
	if base.Lineage == nil {
		base.Lineage = other.Lineage
	}
	if base.StartedAt.IsZero() {
		base.StartedAt = other.StartedAt
	}
}

// mergeTitle gives base a title that it does not have, or that its source set later.
func mergeTitle(base *lore.Conversation, title string, from lore.TitleFrom, at lore.Time) {
	if title == "" || (from != "" && from != lore.TitleFromSource) {
		return
	}
	if base.Title == "" || base.TitleFrom != lore.TitleFromSource || base.TitleAt.Before(at) {
		base.Title, base.TitleFrom, base.TitleAt = title, lore.TitleFromSource, at
	}
}

// merging says how the messages of another record are taken in.
type merging struct {
	sameStore bool // native ids of the two are of one kind: different ids are different messages
	removed   bool // what only the other has was removed at the source
}

// mergeMessages pairs each message of other with one of base and puts in those that find none. It returns how many
// units of other proved to be said by base too.
func mergeMessages(base, other *lore.Conversation, how merging) (moved int) {
	pairs := newPairing(base.Messages, how.sameStore)
	twins := make([]int, len(other.Messages))
	for i := range other.Messages {
		twins[i] = pairs.take(&other.Messages[i])
	}
	after := map[int][]lore.Message{} // messages to put in behind base.Messages[key]; -1: at the start
	at := -1
	for i := range other.Messages {
		m := &other.Messages[i]
		switch n := twins[i]; {
		case n >= 0:
			say(&base.Messages[n], m)
			moved += m.Units
			at = max(at, n)
		case how.removed:
			m.Active, m.Subtype = false, lore.Removed
			after[at] = append(after[at], *m)
		case !how.sameStore && onlyTools(m) && callsBetween(base.Messages, at, nextTwin(twins, i)):
			moved += m.Units // the richer store names its tools otherwise
		default:
			if !how.sameStore {
				at = pairs.upTo(at, m)
			}
			after[at] = append(after[at], *m)
		}
	}
	if len(after) == 0 {
		return moved
	}
	all := append([]lore.Message(nil), after[-1]...)
	for i := range base.Messages {
		all = append(append(all, base.Messages[i]), after[i]...)
	}
	base.Messages = all
	return moved
}

// say notes that m says a message again: where it does, and when, if only m knows.
func say(twin, m *lore.Message) {
	twin.Origins = append(twin.Origins, m.Origins...)
	if twin.AtFrom != lore.FromSource && m.AtFrom == lore.FromSource {
		twin.At, twin.AtFrom = m.At, m.AtFrom
	}
}

// onlyTools reports whether a message holds calls or results and no words.
func onlyTools(m *lore.Message) bool {
	for i := range m.Parts {
		if k := m.Parts[i].Kind; k != lore.Call && k != lore.Result {
			return false
		}
	}
	return len(m.Parts) > 0
}

// nextTwin returns the ordinal of the next message that has a twin; -1 when none has.
func nextTwin(twins []int, i int) int {
	for _, n := range twins[i+1:] {
		if n >= 0 {
			return n
		}
	}
	return -1
}

// callsBetween reports whether calls or results stand from one message to another; to -1 is the end.
func callsBetween(messages []lore.Message, from, to int) bool {
	if to < 0 {
		to = len(messages) - 1
	}
	for i := max(from, 0); i <= to; i++ {
		for k := range messages[i].Parts {
			if kind := messages[i].Parts[k].Kind; kind == lore.Call || kind == lore.Result {
				return true
			}
		}
	}
	return false
}

// pairing finds the twin of a message: by native id, then in order among messages of one role with equal words. Each
// message is paired once.
type pairing struct {
	messages  []lore.Message
	sameStore bool
	native    map[string]int
	words     map[string][]int
	taken     []bool
}

func newPairing(messages []lore.Message, sameStore bool) *pairing {
	p := &pairing{messages: messages, sameStore: sameStore, taken: make([]bool, len(messages)),
		native: map[string]int{}, words: map[string][]int{}}
	for i := range messages {
		if n := messages[i].Native; n != "" {
			if _, taken := p.native[n]; !taken {
				p.native[n] = i
			}
		}
		key := p.key(&messages[i])
		p.words[key] = append(p.words[key], i)
	}
	return p
}

// key is what two messages share when they are one. In one store the same words at another time are another message.
func (p *pairing) key(m *lore.Message) string {
	if p.sameStore && m.Native == "" && timed(m) {
		return wordsKey(m) + "\x02" + m.At.String()
	}
	return wordsKey(m)
}

// take returns the ordinal of m's twin, or -1.
func (p *pairing) take(m *lore.Message) int {
	if m.Native != "" {
		if n, known := p.native[m.Native]; known && !p.taken[n] {
			p.taken[n] = true
			return n
		}
	}
	key := p.key(m)
	for i, n := range p.words[key] {
		bothNamed := m.Native != "" && p.messages[n].Native != ""
		if p.taken[n] || (p.sameStore && bothNamed) {
			continue
		}
		p.taken[n] = true
		p.words[key] = p.words[key][i+1:]
		return n
	}
	return -1
}

// upTo moves a place forward over unpaired messages that are not younger than m: two stores share no order but time.
func (p *pairing) upTo(at int, m *lore.Message) int {
	if !timed(m) {
		return at
	}
	for n := at + 1; n < len(p.messages); n++ {
		if x := &p.messages[n]; p.taken[n] || !timed(x) || m.At.Before(x.At) {
			break
		}
		at = n
	}
	return at
}

// timed reports whether the source itself says when a message was written.
func timed(m *lore.Message) bool {
	return m.AtFrom == lore.FromSource || m.AtFrom == lore.FromSourceNaive
}

// distinct drops losses that are told twice.
func distinct(losses []lore.Loss) []lore.Loss {
	seen := make(map[lore.Loss]bool, len(losses))
	out := losses[:0:0]
	for _, l := range losses {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}
