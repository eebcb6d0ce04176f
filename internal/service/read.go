package service

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"lore"
	"lore/internal/index"
	"lore/internal/redact"
	"lore/internal/text"
)

// The bounds of the budget of a Read, in tokens.
const (
	ReadBudget    = 800
	MinReadBudget = 100
	MaxReadBudget = 20000
)

// outlineTokens is how much of each message an outline shows.
const outlineTokens = 40

// neighbourTokens is how much of a message beside the one that was asked for is shown.
const neighbourTokens = 60

// ReadRequest asks for a conversation in outline, or for a message whole with the heads of its neighbours, a page at a
// time. It is Show for readers with little room.
type ReadRequest struct {
	ID      string // as in a ShowRequest
	Context int    // neighbours on each side of a message
	Budget  int    // tokens of a page; 0: ReadBudget
	Cursor  string // the Next of the page before; empty: the first page
	Reveal  bool   // leave credentials in the text as they are
}

// ReadResult is a page.
type ReadResult struct {
	Conversation Listed
	Message      string     // short id of the message that was asked for; empty for an outline
	Turns        []ReadTurn // in the order of the conversation
	From, Total  int        // an outline: number of the first message on this page, from 1, and of all messages
	Next         *string    // nil on the last page
}

// ReadTurn is a message, or as much of it as the page holds.
type ReadTurn struct {
	ShortID string
	Role    lore.Role
	At      lore.Time
	Active  bool
	Subtype string
	Text    string
	Cut     bool // there is more: ask for this message, or for the next page
	Tokens  int  // estimate for the whole message
}

// Read returns a page of a conversation's outline, or of one message.
func (s *Service) Read(ctx context.Context, req ReadRequest) (*ReadResult, error) {
	if req.Budget == 0 {
		req.Budget = ReadBudget
	}
	if req.Budget < MinReadBudget || req.Budget > MaxReadBudget {
		return nil, failf(Usage, nil, "a budget of %d tokens is out of bounds; give %d to %d", req.Budget, MinReadBudget, MaxReadBudget)
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	m, err := l.resolve(req.ID)
	if err != nil {
		return nil, s.failure(err)
	}
	bound := []string{"read", m.ID.String(), strconv.Itoa(req.Budget), strconv.FormatBool(req.Reveal)}
	offset, err := offsetOf(req.Cursor, bound...)
	if err != nil {
		return nil, err
	}
	e, err := l.index.Conversation(m.Conversation)
	if err != nil {
		return nil, s.failure(err)
	}
	c, err := l.assembler.Load(ctx, m.Conversation)
	if err != nil {
		return nil, s.failure(err)
	}
	header, err := l.header(c, e.InSource)
	if err != nil {
		return nil, s.failure(err)
	}
	gone, err := l.withoutOrigin(c)
	if err != nil {
		return nil, s.failure(err)
	}
	c.Losses = append(c.Losses, gone...)
	res := &ReadResult{Conversation: Listed{Header: header, Messages: c.MessageCount, Losses: countLosses(c.Losses)}}
	more := -1
	if m.IsMessage {
		more, err = l.readMessage(res, c, m, req, offset)
	} else {
		more = l.outline(res, c, req, offset)
	}
	if err != nil {
		return nil, err
	}
	if more >= 0 {
		next := cursorFor(more, bound...)
		res.Next = &next
	}
	return res, nil
}

// outline adds the heads of messages from an offset on, as many as the budget holds, and returns where the next page
// begins; -1: this is the last one.
func (l *library) outline(res *ReadResult, c *lore.Conversation, req ReadRequest, offset int) int {
	budget := req.Budget
	res.From, res.Total = offset+1, len(c.Messages)
	for i := offset; i < len(c.Messages); i++ {
		t := l.turn(&c.Messages[i], req.Reveal)
		t.Text, t.Cut = headOf(strings.Join(strings.Fields(t.Text), " "), outlineTokens)
		if budget -= turnTokens + text.Tokens(t.Text); budget < 0 && i > offset {
			return i
		}
		res.Turns = append(res.Turns, t)
	}
	return -1
}

// turnTokens is what goes along with each message: its id, its role.
const turnTokens = 14

// readMessage adds a message from an offset in its text on, with the heads of its neighbours on the first page, and
// returns where the next page begins; -1: this is the last one.
func (l *library) readMessage(res *ReadResult, c *lore.Conversation, m index.Match, req ReadRequest, offset int) (int, error) {
	shown, err := around(c, m.ID, max(req.Context, 0))
	if err != nil {
		return -1, err
	}
	t := l.turn(&shown.Message, req.Reveal)
	res.Message = t.ShortID
	if offset > len(t.Text) {
		return -1, failf(Usage, nil, "the cursor %q is behind the end of the message; ask for its first page again", req.Cursor)
	}
	rest := t.Text[offset:]
	t.Text, t.Cut = headOf(rest, req.Budget)
	more := -1
	if t.Cut {
		more = offset + len(t.Text)
	}
	left := req.Budget - text.Tokens(t.Text)
	if offset > 0 {
		res.Turns = append(res.Turns, t)
		return more, nil
	}
	add := func(list []lore.Message) {
		for i := range list {
			n := l.turn(&list[i], req.Reveal)
			n.Text, n.Cut = headOf(n.Text, max(min(neighbourTokens, left/2), 8))
			left -= text.Tokens(n.Text)
			res.Turns = append(res.Turns, n)
		}
	}
	add(shown.Before)
	res.Turns = append(res.Turns, t)
	add(shown.After)
	return more, nil
}

// turn returns a message with all that it says.
func (l *library) turn(m *lore.Message, reveal bool) ReadTurn {
	t := ReadTurn{ShortID: l.short([]lore.ID{m.ID})[0], Role: m.Role, At: m.At, Active: m.Active, Subtype: m.Subtype, Text: wholeText(m)}
	if !reveal {
		t.Text, _ = redact.Text(t.Text)
	}
	t.Tokens = text.Tokens(t.Text)
	return t
}

// wholeText returns all that a message says, with what is no words in brackets.
func wholeText(m *lore.Message) string {
	var parts []string
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case lore.Text, lore.Result:
			parts = append(parts, p.Text)
		case lore.Thinking:
			if p.Text != "" {
				parts = append(parts, "[thinking] "+p.Text)
			}
		case lore.Call:
			parts = append(parts, "[call] "+callText(p))
		default:
			parts = append(parts, strings.TrimSpace("["+string(p.Kind)+" "+p.Name)+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// headOf returns as much of the head of a text as a budget of tokens holds, cut between two words where there are some, and
// whether there is more.
func headOf(s string, budget int) (string, bool) {
	if text.Tokens(s) <= budget {
		return s, false
	}
	// Tokens grows with the text, so the longest head is found by halving.
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high + 1) / 2; text.Tokens(s[:mid]) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if at := strings.LastIndexAny(s[:low], " \n"); at > low/2 {
		low = at + 1
	}
	for low > 0 && low < len(s) && s[low]&0xc0 == 0x80 {
		low--
	}
	if low == 0 { // never a page without an end: one character at least
		for low = 1; low < len(s) && s[low]&0xc0 == 0x80; low++ {
		}
	}
	return s[:low], true
}

// IsNotFound reports whether an error says that an id stands for nothing, or for several things.
func IsNotFound(err error) bool {
	var f *Failure
	return errors.As(err, &f) && (f.Kind == NotFound || f.Kind == Ambiguous)
}
