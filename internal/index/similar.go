package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"lore"
	"lore/internal/text"
)

// Likeness is computed when it is asked for, from the posting lists and the stored texts: the rarest words of a text find
// the few messages that can be like it, and those are compared. Nothing is stored for it, so that an import pays nothing.
const (
	probeTerms    = 48        // rarest words by which candidates are found
	probeCommon   = 0.02      // words in more of the messages than this find none
	maxCompared   = 120       // candidates whose text is read
	nearEnough    = 0.5       // share of the runs of words that two texts have in common, to be near copies
	heldEnough    = 0.8       // share of a text's runs that another has, to hold it
	shingleWords  = 3         // words of a run
	leastWords    = 5         // a shorter text is like too many
	comparedBytes = 64 << 10  // of a text that are compared
	relatedBytes  = 512 << 10 // of a conversation whose words are looked at
	relatedTerms  = 64        // of a conversation's words, the most telling
	relatedShare  = 0.06      // of the asked one's weight that a related conversation has at least
	fileWeight    = 1.5       // a file counts more than a word as rare
	errorWeight   = 1.5       // and so does a word of an error
	maxReasons    = 8         // reasons that are listed
)

// SimilarTo says what others are to be like: a message, a conversation, or a text. Exactly one is set.
type SimilarTo struct {
	Message      lore.ID
	Conversation lore.ID
	Text         string
	Limit        int // of each list; 0: all that were compared
}

// Similar is what is like a message, a conversation or a text.
type Similar struct {
	Messages []SimilarMessage      // copies first, then the more alike; none for a conversation
	Related  []SimilarConversation // the most related first
}

// How says in what a message is like another.
type How string

// The ways in which a message is like another.
const (
	HowCopy  How = "copy"  // the same content id
	HowSame  How = "same"  // the same words in the same order
	HowNear  How = "near"  // most runs of words are the same
	HowHolds How = "holds" // it has nearly all of the text, and more
)

// SimilarMessage is a message that is like the one that was asked for.
type SimilarMessage struct {
	Hit
	How      How
	Likeness float64 // share of runs of words that both have, 0 to 1
	Held     float64 // share of the asked text's runs that it has, 0 to 1
}

// SimilarConversation is a conversation that has to do with the same.
type SimilarConversation struct {
	Conversation *Entry
	Score        float64 // share of the asked one's weight that it has, 0 to 1
	Copies       int     // messages of 40 characters or more that both have
	Reasons      []Reason
}

// Reason is something rare that two conversations have in common.
type Reason struct {
	What   string // "word", "error" (a word of a call that failed) or "file"
	Value  string
	Weight float64
}

// Similar looks for copies, near copies and related conversations.
func (r *Reader) Similar(ctx context.Context, of SimilarTo) (*Similar, error) {
	s := &likening{r: r, ctx: ctx, of: of}
	s.n, _ = r.documents()
	if err := s.load(); err != nil {
		return nil, err
	}
	out := new(Similar)
	var err error
	if of.Conversation.IsZero() {
		if out.Messages, err = s.messages(); err != nil {
			return nil, err
		}
	}
	out.Related, err = s.related()
	return out, err
}

// likening is one Similar at work.
type likening struct {
	r   *Reader
	ctx context.Context
	of  SimilarTo
	n   int

	text    string // of a message, or as it was given
	content lore.ID
	own     []located // documents that are not to be found
	conv    uint32    // the conversation that is not related to itself; 0: none
	whole   string    // of the conversation
	failed  map[string]bool
}

// load reads what others are to be like.
func (s *likening) load() error {
	if s.of.Text != "" {
		s.text, s.whole = s.of.Text, s.of.Text
		return nil
	}
	if !s.of.Message.IsZero() {
		m, err := s.r.Message(s.of.Message)
		if err != nil {
			return err
		}
		err = s.r.withPrefix(idPrefix{m.ID, m.ID}, func(x *facts) bool {
			s.conv, s.content = x.conv, x.content
			return true
		})
		if err != nil {
			return err
		}
	} else {
		e, err := s.r.Conversation(s.of.Conversation)
		if err != nil {
			return err
		}
		s.conv = uint32(e.Row)
	}
	docs, all, err := s.r.documentsOf(s.conv)
	if err != nil {
		return err
	}
	s.own = docs
	s.failed = map[string]bool{}
	var whole strings.Builder
	a := text.NewAnalyzer()
	for i, at := range docs {
		mine := !s.of.Message.IsZero() && all[i].id == s.of.Message
		if whole.Len() > relatedBytes && !mine || all[i].isTitle() {
			continue
		}
		d, err := s.r.document(at, all[i].place)
		if err != nil {
			return err
		}
		said := d.said()
		if mine {
			s.text = said
		}
		whole.WriteString(said)
		whole.WriteByte('\n')
		if all[i].flags.role() == lore.Tool && looksFailed(said) {
			a.Tokens(said[:min(len(said), 4<<10)], func(term []byte) { s.failed[string(term)] = true })
		}
	}
	s.whole = whole.String()
	return nil
}

// said is all the text of a document.
func (d *document) said() string {
	var b strings.Builder
	for i := range d.parts {
		if k := d.parts[i].kind; k != partPlace && k != partTitle {
			b.WriteString(d.parts[i].text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// looksFailed reports whether what a tool returned begins like a failure.
func looksFailed(s string) bool {
	head := strings.ToLower(s[:min(len(s), 2<<10)])
	for _, w := range []string{"error", "panic", "fail", "exception", "traceback", "fatal"} {
		if strings.Contains(head, w) {
			return true
		}
	}
	return false
}

// weighed is a term with what it says.
type weighed struct {
	term   string
	docs   int
	weight float64
	what   string
}

// telling returns the terms of a text that tell most: rare ones, and those that stand there often.
func (s *likening) telling(of string, most int, common float64) ([]weighed, error) {
	count := map[string]int{}
	text.NewAnalyzer().Tokens(of, func(term []byte) {
		if len(term) > 2 || len(term) > 0 && term[0] >= 0x80 {
			count[string(term)]++
		}
	})
	var out []weighed
	for term, times := range count {
		if text.Common(term) {
			continue
		}
		docs := 0
		for _, seg := range s.r.segments {
			x, ok, err := seg.find([]byte(term))
			if err != nil {
				return nil, err
			}
			if ok {
				docs += int(x.docs)
			}
		}
		if docs == 0 || s.n > 200 && float64(docs) > common*float64(s.n) {
			continue
		}
		w := weighed{term: term, docs: docs, weight: float64(idf(s.n, docs)) * math.Sqrt(float64(min(times, 8))), what: "word"}
		if s.failed[term] {
			w.weight, w.what = w.weight*errorWeight, "error"
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(x, y weighed) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), strings.Compare(x.term, y.term))
	})
	return out[:min(len(out), most)], s.ctx.Err()
}

// eachDoc calls f for the living documents that have a term, of words in what was said and done.
func (s *likening) eachDoc(term []byte, f func(at located)) error {
	for i, seg := range s.r.segments {
		x, ok, err := seg.find(term)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		p, err := seg.list(x)
		if err != nil {
			return err
		}
		last := int64(-1)
		for p.next() {
			if p.doc >= seg.docs {
				return damaged("posting of document %d", p.doc)
			}
			if int64(p.doc) != last && p.in(matchable) && !seg.deleted.has(p.doc) {
				f(located{uint32(i), p.doc})
			}
			last = int64(p.doc)
		}
		if p.bad {
			return damaged("list of term %q", term)
		}
	}
	return nil
}

// messages finds the copies and near copies of a text.
func (s *likening) messages() ([]SimilarMessage, error) {
	mine := shingles(s.text)
	scores := map[located]float64{}
	if len(mine.runs) > 0 {
		terms, err := s.telling(s.text, probeTerms, probeCommon)
		if err != nil {
			return nil, err
		}
		for _, t := range terms {
			if err := s.eachDoc([]byte(t.term), func(at located) { scores[at] += float64(idf(s.n, t.docs)) }); err != nil {
				return nil, err
			}
		}
	}
	copies, err := s.copies()
	if err != nil {
		return nil, err
	}
	for _, at := range copies {
		scores[at] = math.Inf(1)
	}
	candidates := make([]located, 0, len(scores))
	for at := range scores {
		candidates = append(candidates, at)
	}
	slices.SortFunc(candidates, func(x, y located) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(x.seg, y.seg), cmp.Compare(x.doc, y.doc))
	})
	var out []SimilarMessage
	for _, at := range candidates[:min(len(candidates), maxCompared+len(copies))] {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		m, err := s.compare(at, &mine)
		if err != nil {
			return nil, err
		}
		if m != nil {
			out = append(out, *m)
		}
	}
	rank := func(m *SimilarMessage) int { return slices.Index([]How{HowCopy, HowSame, HowNear, HowHolds}, m.How) }
	slices.SortStableFunc(out, func(x, y SimilarMessage) int {
		return cmp.Or(cmp.Compare(rank(&x), rank(&y)), cmp.Compare(y.Likeness, x.Likeness), cmp.Compare(y.Held, x.Held), bytes.Compare(x.Message[:], y.Message[:]))
	})
	if s.of.Limit > 0 && len(out) > s.of.Limit {
		out = out[:s.of.Limit]
	}
	return out, nil
}

// copies lists the messages with the content id that is asked for.
func (s *likening) copies() (out []located, err error) {
	if s.content.IsZero() {
		return nil, nil
	}
	for i, seg := range s.r.segments {
		keys, err := seg.whole(secContentKey)
		if err != nil {
			return nil, err
		}
		for doc := range seg.docs {
			if !bytes.Equal(keys[contentKey*doc:contentKey*(doc+1)], s.content[:contentKey]) || seg.deleted.has(doc) {
				continue
			}
			x, err := seg.factsOf(doc)
			if err != nil {
				return nil, err
			}
			if x.content == s.content {
				out = append(out, located{uint32(i), doc})
			}
		}
	}
	return out, nil
}

// compare reads a candidate; nil when it is not like enough, or the message itself.
func (s *likening) compare(at located, mine *shingled) (*SimilarMessage, error) {
	x, err := s.r.segments[at.seg].factsOf(at.doc)
	if err != nil || x.isTitle() || x.id == s.of.Message {
		return nil, err
	}
	doc, err := s.r.document(at, x.place)
	if err != nil {
		return nil, err
	}
	theirs := shingles(doc.said())
	m := &SimilarMessage{}
	m.Likeness, m.Held = mine.like(&theirs)
	switch {
	case !s.content.IsZero() && x.content == s.content:
		m.How, m.Likeness, m.Held = HowCopy, 1, 1
	case mine.words > 0 && mine.hash == theirs.hash && mine.words == theirs.words:
		m.How = HowSame
	case mine.words >= leastWords && m.Likeness >= nearEnough:
		m.How = HowNear
	case mine.words >= leastWords && m.Held >= heldEnough:
		m.How = HowHolds
	default:
		return nil, nil
	}
	c := candidate{located: at, conv: x.conv, flags: x.flags, nanos: x.nanos}
	none := &searching{ctx: s.ctx, r: s.r, found: []candidate{c}}
	h, err := none.hit(&listed{group: &group{}, score: m.Likeness}, TierExact, nil)
	if err != nil || h == nil {
		return nil, err
	}
	m.Hit = *h
	return m, nil
}

// shingled is a text as the set of its runs of words.
type shingled struct {
	runs  map[uint64]struct{}
	words int
	hash  uint64 // of all words in order
}

func shingles(s string) shingled {
	out := shingled{runs: map[uint64]struct{}{}}
	s = s[:min(len(s), comparedBytes)]
	var last [shingleWords]uint64
	all := fnv.New64a()
	a := text.NewAnalyzer()
	for start, end, class := text.Next(s, 0); start < len(s); start, end, class = text.Next(s, end) {
		first := true
		a.Expand(s[start:end], class, func(term []byte) {
			if !first && term[0] < 0x80 {
				return // a piece of the word
			}
			first = false
			h := fnv.New64a()
			h.Write(term)
			all.Write(term)
			all.Write([]byte{0})
			copy(last[:], last[1:])
			last[shingleWords-1] = h.Sum64()
			if out.words++; out.words >= shingleWords {
				run := uint64(0)
				for _, x := range last {
					run = run*0x9e3779b97f4a7c15 + x
				}
				out.runs[run] = struct{}{}
			}
		})
	}
	if out.words > 0 && out.words < shingleWords {
		out.runs[last[shingleWords-1]] = struct{}{}
	}
	out.hash = all.Sum64()
	return out
}

// like returns the share of runs that both have, and the share of its own that the other has.
func (a *shingled) like(b *shingled) (both, held float64) {
	common := 0
	for run := range a.runs {
		if _, ok := b.runs[run]; ok {
			common++
		}
	}
	if common == 0 {
		return 0, 0
	}
	return float64(common) / float64(len(a.runs)+len(b.runs)-common), float64(common) / float64(len(a.runs))
}

// related finds the conversations that have the most telling words, errors and files in common with the asked one.
func (s *likening) related() ([]SimilarConversation, error) {
	terms, err := s.telling(s.whole, relatedTerms, commonShare/4)
	if err != nil {
		return nil, err
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	terms = append(terms, files...)
	total := 0.0
	found := map[uint32]*SimilarConversation{}
	for _, t := range terms {
		key := t.term
		if t.what == "file" {
			key = termFile + key
		}
		in := map[uint32]bool{}
		err := s.eachDoc([]byte(key), func(at located) {
			if c, err := s.r.segments[at.seg].columns(); err == nil {
				in[c.convOf(at.doc)] = true
			}
		})
		if err != nil {
			return nil, err
		}
		total += t.weight
		for conv := range in {
			if conv == s.conv {
				continue
			}
			if found[conv] == nil {
				found[conv] = &SimilarConversation{}
			}
			c := found[conv]
			c.Score += t.weight
			c.Reasons = append(c.Reasons, Reason{t.what, t.term, t.weight})
		}
	}
	copies, err := s.shared()
	if err != nil {
		return nil, err
	}
	for conv, n := range copies {
		if found[conv] == nil {
			found[conv] = &SimilarConversation{}
		}
		found[conv].Copies = n
	}
	return s.ranked(found, max(total, 1e-9))
}

// ranked orders related conversations: by their share of the weight, those with copies above all.
func (s *likening) ranked(found map[uint32]*SimilarConversation, total float64) (out []SimilarConversation, err error) {
	rows := make([]uint32, 0, len(found))
	for row, c := range found {
		c.Score /= total
		if c.Score >= relatedShare || c.Copies > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y uint32) int {
		a, b := found[x], found[y]
		return cmp.Or(cmp.Compare(b.Copies, a.Copies), cmp.Compare(b.Score, a.Score), cmp.Compare(x, y))
	})
	if s.of.Limit > 0 && len(rows) > s.of.Limit {
		rows = rows[:s.of.Limit]
	}
	for _, row := range rows {
		c := found[row]
		if c.Conversation, err = s.r.entryOf(int64(row)); errors.Is(err, ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		slices.SortStableFunc(c.Reasons, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
		c.Reasons = c.Reasons[:min(len(c.Reasons), maxReasons)]
		out = append(out, *c)
	}
	return out, nil
}

// files lists the files that the asked conversation touched.
func (s *likening) files() (out []weighed, err error) {
	if s.conv == 0 {
		return nil, nil
	}
	mine := map[string]int{}
	own := map[located]bool{}
	for _, at := range s.own {
		own[at] = true
	}
	for i, seg := range s.r.segments {
		var inner error
		err := seg.prefixed([]byte(termFile), func(x entry) bool {
			p, err := seg.list(x)
			if inner = err; err != nil {
				return false
			}
			path, touched := string(x.term[len(termFile):]), false
			for p.next() {
				touched = touched || own[located{uint32(i), p.doc}]
			}
			if _, known := mine[path]; touched && !known {
				mine[path] = 0
			}
			return true
		})
		if err = errors.Join(err, inner); err != nil {
			return nil, err
		}
	}
	for path := range mine {
		docs := 0
		for _, seg := range s.r.segments {
			if x, ok, err := seg.find([]byte(termFile + path)); err != nil {
				return nil, err
			} else if ok {
				docs += int(x.docs)
			}
		}
		out = append(out, weighed{term: path, docs: docs, weight: fileWeight * float64(idf(s.n, docs)), what: "file"})
	}
	slices.SortFunc(out, func(x, y weighed) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), strings.Compare(x.term, y.term))
	})
	return out[:min(len(out), relatedTerms/2)], nil
}

// shared counts the messages of 40 characters and more that other conversations have too.
func (s *likening) shared() (map[uint32]int, error) {
	out := map[uint32]int{}
	if s.of.Conversation.IsZero() {
		return out, nil
	}
	mine := map[[contentKey]byte]bool{}
	for _, at := range s.own {
		x, err := s.r.segments[at.seg].factsOf(at.doc)
		if err != nil {
			return nil, err
		}
		if x.flags&flagLong != 0 && !x.isTitle() {
			mine[[contentKey]byte(x.content[:])] = true
		}
	}
	for _, seg := range s.r.segments {
		keys, err := seg.whole(secContentKey)
		if err != nil {
			return nil, err
		}
		c, err := seg.columns()
		if err != nil {
			return nil, err
		}
		for doc := range seg.docs {
			if conv := c.convOf(doc); conv != s.conv && !seg.deleted.has(doc) && mine[[contentKey]byte(keys[contentKey*doc:])] {
				out[conv]++
			}
		}
	}
	return out, nil
}
