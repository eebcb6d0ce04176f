package index

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"lore"
	"lore/internal/query"
	"lore/internal/text"
)

// Tier says which rung of the ladder found a hit: the words as they were asked for, other forms of them, close spellings,
// or only some of them.
type Tier string

// The tiers, the strictest first.
const (
	TierExact    Tier = "exact"
	TierForms    Tier = "forms"
	TierSpelling Tier = "spelling"
	TierAny      Tier = "any"
)

// Sort says what hits are ordered by.
type Sort uint8

// The orders. A question without words has no best hit: its hits come newest first.
const (
	ByRelevance Sort = iota
	NewestFirst
	OldestFirst
)

// Options tunes a search.
type Options struct {
	Limit  int  // hits of the page; 0: all
	Offset int  // hits to leave out before the page
	All    bool // every hit of a conversation, not only the best
	Sort   Sort

	// Explain says of every hit what its score is made of.
	Explain bool

	// Strict keeps to the exact tier.
	Strict bool

	// Now and Zone are what dates in a question's own words ("last week") count from, in the loosest tier. Zero: such
	// words are words like others.
	Now  time.Time
	Zone *time.Location

	// Marks returns the ids of the conversations and messages that a user has marked: of kind "tag" those with the tag,
	// or with any where it is empty; of kind "mark" those with a mark of any kind; of another kind ("star", "note") those
	// that have one. Nil: there are none.
	Marks func(kind, value string) ([]lore.ID, error)

	// Verify bounds how many texts are read to see whether a literal or a phrase stands in them, 0: DefaultVerify; a
	// tenth as many blocks of them are decoded, and a fortieth as many units are read from the evidence. What is left
	// unread is no hit, and the total is then not exact.
	Verify int

	// Facets are what the messages that answer are counted by. None: they are not counted.
	Facets []Facet
}

// Hit is one message that was found, or a conversation whose title was.
type Hit struct {
	Conversation *Entry
	Message      lore.ID
	Content      lore.ID
	Role         lore.Role
	Active       bool
	Kind         lore.PartKind // of the part that the snippet is from; "title" for a conversation's title
	At           lore.Time
	Score        float64
	Why          *Why // nil unless it was asked for
	Tier         Tier
	Snippet      string
	Ranges       [][2]int // bytes of the snippet that were asked for
	AlsoIn       []Copy   // the same words in other conversations
	More         int      // further hits in this conversation; 0 when all are listed
	Evidence     int64    // the archive's file id
	Origin       lore.Locator
}

// Copy names a copy of a hit in another conversation.
type Copy struct {
	Conversation lore.ID
	Message      lore.ID
}

// Result is the answer to a question.
type Result struct {
	Hits         []Hit
	Total        int  // hits on all pages
	TotalIsExact bool // false: some texts were not read, there may be more
	Tier         Tier // of the hits
	Weak         bool // even the best hit is unlikely to answer the question
	More         bool // there is another page
	Coverage     Coverage
	Tally        *Tally // of all messages that answer, on all pages; nil where no facets were asked for
}

// Coverage says what was searched.
type Coverage struct {
	Conversations int // that the index holds
	AsOf          time.Time
	Generation    int64 // of the index: a page of another generation may not continue this one
}

// Search answers a question.
func (r *Reader) Search(ctx context.Context, q query.Query, o Options) (*Result, error) {
	s := &searching{ctx: ctx, r: r, o: o, q: q, convs: &convSets{c: &r.Catalog, r: r, marks: o.Marks}, newest: r.newest()}
	res, err := s.exact()
	if err != nil {
		return nil, err
	}
	if res.Total == 0 && !o.Strict {
		if loose, err := s.loose(); err != nil {
			return nil, err
		} else if loose != nil {
			res = loose
		}
	}
	if len(o.Facets) > 0 {
		if res.Tally, err = s.tally(s.found, o.Facets); err != nil {
			return nil, err
		}
		res.Tally.Exact = res.TotalIsExact && res.Tier != TierAny
	}
	res.Coverage = Coverage{Conversations: r.last.conversations, AsOf: r.last.stamp.AsOf, Generation: r.last.generation}
	return res, nil
}

// searching is one question at work.
type searching struct {
	ctx   context.Context
	r     *Reader
	o     Options
	q     query.Query
	convs *convSets
	plan  *plan
	evals []*evaluation // one for each segment

	exactTotal    bool            // no text was left unread
	looseMatchers []*text.Matcher // of a looser tier
	found         []candidate     // what answers, before copies are put together
	copies        []copied        // that groups have besides their first
	newest        int64           // see Reader.newest

	// What the loosest tier leaves for an explanation.
	windows map[located]*window
	asked   []asked
}

// exact answers with what stands in the texts as it was asked for.
func (s *searching) exact() (*Result, error) {
	s.plan = newPlan(s.root())
	found, err := s.match()
	if err != nil {
		return nil, err
	}
	found = s.withoutTitles(found)
	groups, err := s.fold(found)
	if err != nil {
		return nil, err
	}
	return s.page(groups, TierExact)
}

// root is the question's tree. One that asks for the user's words leaves out the conversations that another agent began,
// unless it says which sort it wants.
func (s *searching) root() query.Node {
	users, sorted := false, false
	walk(s.q.Root, func(n query.Node) {
		if m, ok := n.(query.Match); ok {
			users = users || m.Field == query.Role && m.Value == string(lore.User)
			sorted = sorted || m.Field == query.Type || m.Field == query.ID
		}
	})
	if !users || sorted {
		return s.q.Root
	}
	people := query.Not{Of: query.Match{Field: query.Type, Value: string(lore.Subagent)}}
	return query.And{Of: []query.Node{s.q.Root, people}}
}

// candidate is a document that answers.
type candidate struct {
	located
	nanos int64
	conv  uint32
	score float32
	flags flags
	kinds Kinds
}

// match returns the documents that the plan is true for, with the scores of their words.
func (s *searching) match() ([]candidate, error) {
	s.exactTotal = true
	answers, err := s.evaluate()
	if err != nil {
		return nil, err
	}
	scores, err := s.score(answers)
	if err != nil {
		return nil, err
	}
	if err := s.verify(answers, scores); err != nil {
		return nil, err
	}
	total, starts := 0, make([]int, len(answers))
	for i := range answers {
		starts[i], total = total, total+answers[i].sure.count()
	}
	out := make([]candidate, total)
	err = s.onAllCores(len(answers), func(i int) error {
		n := starts[i] + answers[i].sure.count()
		return s.candidates(out[starts[i]:starts[i]:n], i, answers[i].sure, scores[i])
	})
	return out, err
}

// evaluate asks every segment for the documents that answer, or may; several at a time.
func (s *searching) evaluate() ([]answer, error) {
	n := len(s.r.segments)
	answers, errs := make([]answer, n), make([]error, n)
	s.evals = make([]*evaluation, n)
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, seg := range s.r.segments {
		e := &evaluation{r: s.r, s: seg, at: i, convs: s.convs}
		s.evals[i] = e
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			if errs[i] = s.ctx.Err(); errs[i] == nil {
				answers[i], errs[i] = e.evaluate(s.plan)
			}
		})
	}
	wait.Wait()
	return answers, errors.Join(errs...)
}

// candidates appends the documents of a set, with the columns that ordering needs, to a slice that has room for them.
func (s *searching) candidates(out []candidate, seg int, set bitset, scores []float32) error {
	c, err := s.r.segments[seg].columnsOf(cap(out))
	if err != nil {
		return err
	}
	set.each(func(doc uint32) {
		if err == nil {
			err = c.need(doc)
		}
		if err != nil {
			return
		}
		x := candidate{located: located{uint32(seg), doc}, conv: c.convOf(doc), flags: c.flagsOf(doc), kinds: Kinds(c.kinds[doc]), nanos: c.timeOf(doc)}
		if scores != nil {
			x.score = scores[doc]
		}
		out = append(out, x)
	})
	return err
}

// withoutTitles drops the titles of conversations in which a message answers too; there they only raise its score. Where
// a question asks what is not there, no title answers.
func (s *searching) withoutTitles(all []candidate) []candidate {
	last, any := uint32(0), false
	for i := range all {
		last = max(last, all[i].conv)
		any = any || all[i].kinds&titleBit != 0
	}
	if !any {
		return all
	}
	titles, messages := make([]float32, last+1), newBitset(last+1) // by conversation
	for i := range all {
		if all[i].kinds&titleBit != 0 {
			titles[all[i].conv] = all[i].score
		} else {
			messages.set(all[i].conv)
		}
	}
	usable := len(s.plan.positive()) > 0 && len(s.plan.positive()) == len(s.plan.leaves)
	out := all[:0]
	for i := range all {
		c := &all[i]
		if c.kinds&titleBit != 0 && (messages.has(c.conv) || !usable) {
			continue
		}
		if c.kinds&titleBit == 0 {
			c.score += titleShare * titles[c.conv]
		}
		if len(out) < i {
			out = append(out, *c)
		} else {
			out = out[:i+1]
		}
	}
	return out
}
