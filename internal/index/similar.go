package index

import (
	"context"
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
