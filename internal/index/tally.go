package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"lore/internal/query"
)

// Facet is what messages are counted by.
type Facet string

// The facets. BySource and ByProject are facts of the conversation, the others of the message; a message that calls
// several tools counts for each of them.
const (
	BySource  Facet = "source"
	ByProject Facet = "project"
	ByRole    Facet = "role"
	ByDay     Facet = "day" // 2026-03-02, in the zone that was asked for
	ByModel   Facet = "model"
	ByTool    Facet = "tool"
)

// Facets are all of them, in the order in which they are shown.
var Facets = []Facet{BySource, ByProject, ByRole, ByDay, ByModel, ByTool}

// Share is one value of a facet and how much has it.
type Share struct {
	Value         string
	Messages      int
	Conversations int
}

// Tally counts the messages that answer a question.
type Tally struct {
	Messages      int
	Conversations int
	Exact         bool              // false: some texts were not read, there may be more
	By            map[Facet][]Share // the most messages first, days in their order
	Hours         [7][24]int        // messages by weekday, Monday first, and hour, in the zone
	First, Last   time.Time         // of the messages with a time; zero where there is none
	rows          bitset            // the conversations
}

// Has reports whether a message of the conversation with that row answers.
func (t *Tally) Has(row int64) bool { return t.rows.has(uint32(row)) }

// Tally counts the messages that answer a question as it was asked; a question of nil asks for all.
func (r *Reader) Tally(ctx context.Context, q query.Query, o Options, by ...Facet) (*Tally, error) {
	o.Verify = cmp.Or(o.Verify, 1<<30)
	s := &searching{ctx: ctx, r: r, o: o, q: q, convs: &convSets{c: &r.Catalog, r: r, marks: o.Marks}}
	s.plan = newPlan(s.root())
	found, err := s.match()
	if err != nil {
		return nil, err
	}
	return s.tally(found, by)
}

// tally counts documents. A title that answers alone counts for its conversation.
func (s *searching) tally(found []candidate, by []Facet) (*Tally, error) {
	t := &Tally{Exact: s.exactTotal, By: map[Facet][]Share{}}
	c := &counting{s: s, t: t, zone: cmp.Or(s.o.Zone, time.UTC), sums: map[Facet]map[string]*sum{}, sets: make([]bitset, len(s.r.segments)),
		conv: make([][]uint32, len(s.r.segments))}
	for _, f := range by {
		c.sums[f] = map[string]*sum{}
	}
	var err error
	if c.places, err = s.r.places(); err != nil {
		return nil, err
	}
	for i := range found {
		c.take(&found[i])
	}
	for f, kind := range map[Facet]string{ByModel: termModel, ByTool: termTool} {
		if c.sums[f] != nil {
			if err := c.terms(f, kind); err != nil {
				return nil, err
			}
		}
	}
	t.Conversations = t.rows.count()
	for f, sums := range c.sums {
		t.By[f] = sharesOf(sums, f == ByDay)
	}
	return t, nil
}

// counting is a tally that is being made.
type counting struct {
	s      *searching
	t      *Tally
	zone   *time.Location
	sums   map[Facet]map[string]*sum
	sets   []bitset   // of each segment: the messages
	conv   [][]uint32 // of each segment: the conversation of each message that is in its set
	places map[uint32]placed
}

// sum is a share while it grows.
type sum struct {
	messages int
	rows     bitset
}

func (c *counting) add(f Facet, value string, conv uint32, messages int) {
	sums := c.sums[f]
	if sums == nil || value == "" {
		return
	}
	x := sums[value]
	if x == nil {
		x = &sum{}
		sums[value] = x
	}
	x.messages += messages
	x.rows = x.rows.grown(conv)
	x.rows.set(conv)
}

// take counts one document.
func (c *counting) take(x *candidate) {
	t := c.t
	t.rows = t.rows.grown(x.conv)
	t.rows.set(x.conv)
	messages := 1
	if x.kinds&titleBit != 0 {
		messages = 0
	}
	t.Messages += messages
	at := c.places[x.conv]
	c.add(BySource, at.source, x.conv, messages)
	c.add(ByProject, at.project, x.conv, messages)
	if messages == 0 {
		return
	}
	c.add(ByRole, string(x.flags.role()), x.conv, 1)
	c.time(x)
	seg := c.s.r.segments[x.seg]
	if c.sets[x.seg] == nil {
		c.sets[x.seg] = newBitset(seg.docs)
		c.conv[x.seg] = make([]uint32, seg.docs)
	}
	c.sets[x.seg].set(x.doc)
	c.conv[x.seg][x.doc] = x.conv
}

func (c *counting) time(x *candidate) {
	if x.flags&flagTimed == 0 {
		return
	}
	at := time.Unix(0, x.nanos).UTC()
	if c.t.First.IsZero() || at.Before(c.t.First) {
		c.t.First = at
	}
	if at.After(c.t.Last) {
		c.t.Last = at
	}
	if x.flags&flagNaive == 0 {
		at = at.In(c.zone)
	}
	c.t.Hours[(int(at.Weekday())+6)%7][at.Hour()]++
	if c.sums[ByDay] != nil {
		c.add(ByDay, at.Format(time.DateOnly), x.conv, 1)
	}
}

// terms counts the messages that have a fact of a kind, by its value.
func (c *counting) terms(f Facet, kind string) error {
	for i, set := range c.sets {
		if set == nil {
			continue
		}
		e := &evaluation{r: c.s.r, s: c.s.r.segments[i], at: i}
		err := e.eachTerm(kind, func(x entry) error {
			have := newBitset(e.s.docs)
			value := string(x.term[len(kind):])
			if err := e.markList(have, x, anyField); err != nil {
				return err
			}
			have.and(set)
			have.each(func(doc uint32) { c.add(f, value, c.conv[i][doc], 1) })
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sharesOf sorts the shares of a facet.
func sharesOf(sums map[string]*sum, byValue bool) []Share {
	all := make([]Share, 0, len(sums))
	for v, x := range sums {
		all = append(all, Share{Value: v, Messages: x.messages, Conversations: x.rows.count()})
	}
	slices.SortFunc(all, func(a, b Share) int {
		if byValue {
			return strings.Compare(a.Value, b.Value)
		}
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(b.Conversations, a.Conversations), strings.Compare(a.Value, b.Value))
	})
	return all
}

// placed is a conversation as far as it is counted by.
type placed struct{ source, project string }

// places returns what every conversation is counted by, by row.
func (c *Catalog) places() (map[uint32]placed, error) {
	all := map[uint32]placed{}
	err := c.rows("SELECT row, source, project, dir, remote FROM conversations", nil, func(scan func(...any) error) error {
		var row int64
		var p placed
		var dir, remote string
		err := scan(&row, &p.source, &p.project, &dir, &remote)
		p.project = cmp.Or(p.project, dir, remote)
		all[uint32(row)] = p
		return err
	})
	return all, err
}
