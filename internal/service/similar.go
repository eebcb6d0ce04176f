package service

import (
	"context"
	"strings"

	"lore"
	"lore/internal/index"
)

// SimilarRequest asks what is like a message, a conversation or a text.
type SimilarRequest struct {
	ID    string // of a message or conversation, as for Show; or
	Text  string // a text of one's own
	Limit int    // of each list; 0: all
}

// SimilarResult is what is like it.
type SimilarResult struct {
	Schema   string                `json:"schema"` // "lore.similar.v1"
	Of       SimilarOf             `json:"of"`
	Messages []SimilarMessage      `json:"messages"` // copies first, then the more alike; empty for a conversation
	Related  []SimilarConversation `json:"related"`  // the most related first
}

// SimilarOf says what others are like.
type SimilarOf struct {
	Is string  `json:"is"` // "message", "conversation" or "text"
	ID lore.ID `json:"id"` // null for a text
}

// SimilarMessage is a message that is like the one that was asked for.
type SimilarMessage struct {
	ID           lore.ID       `json:"id"`
	ShortID      string        `json:"short_id"`
	ContentID    lore.ID       `json:"content_id"`
	Conversation HitOf         `json:"conversation"`
	Role         lore.Role     `json:"role"`
	At           lore.Time     `json:"at"`
	Kind         lore.PartKind `json:"kind"`
	How          string        `json:"how"`      // "copy", "same", "near" or "holds"
	Likeness     float64       `json:"likeness"` // share of runs of three words that both have
	Held         float64       `json:"held"`     // share of the asked text's runs that it has
	Snippet      string        `json:"snippet"`
	Origin       lore.Locator  `json:"origin"`
}

// SimilarConversation is a conversation that has to do with the same.
type SimilarConversation struct {
	Conversation HitOf           `json:"conversation"`
	Score        float64         `json:"score"`  // share of what is telling that both have
	Copies       int             `json:"copies"` // messages that both have
	Shared       []SimilarReason `json:"shared"` // what they have in common, the most telling first
}

// SimilarReason is something rare that two conversations have in common.
type SimilarReason struct {
	What   string  `json:"what"` // "word", "error" or "file"
	Value  string  `json:"value"`
	Weight float64 `json:"weight"`
}

// Similar finds copies, near copies and related conversations.
func (s *Service) Similar(ctx context.Context, req SimilarRequest) (*SimilarResult, error) {
	if req.ID == "" && strings.TrimSpace(req.Text) == "" {
		return nil, failf(Usage, nil, "say what others are to be like: an id or a text")
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	res := &SimilarResult{Schema: "lore.similar.v1", Of: SimilarOf{Is: "text"}, Messages: []SimilarMessage{}, Related: []SimilarConversation{}}
	of := index.SimilarTo{Text: req.Text, Limit: req.Limit}
	if req.ID != "" {
		m, err := l.resolve(req.ID)
		if err != nil {
			return nil, s.failure(err)
		}
		res.Of = SimilarOf{Is: "conversation", ID: m.Conversation}
		of.Text, of.Conversation = "", m.Conversation
		if m.IsMessage {
			res.Of = SimilarOf{Is: "message", ID: m.ID}
			of.Message, of.Conversation = m.ID, lore.ID{}
		}
	}
	found, err := l.index.Similar(ctx, of)
	if err != nil {
		return nil, s.failure(err)
	}
	hits := make([]index.Hit, len(found.Messages))
	for i := range found.Messages {
		hits[i] = found.Messages[i].Hit
	}
	shown, err := l.hits(hits)
	if err != nil {
		return nil, s.failure(err)
	}
	for i := range shown {
		h, f := &shown[i], &found.Messages[i]
		res.Messages = append(res.Messages, SimilarMessage{ID: h.ID, ShortID: h.ShortID, ContentID: h.ContentID, Conversation: h.Conversation,
			Role: h.Role, At: h.At, Kind: h.Kind, How: string(f.How), Likeness: f.Likeness, Held: f.Held, Snippet: h.Snippet, Origin: h.Origin})
	}
	return res, s.failure(l.related(res, found.Related))
}

func (l *library) related(res *SimilarResult, found []index.SimilarConversation) error {
	ids := make([]lore.ID, len(found))
	for i := range found {
		ids[i] = found[i].Conversation.ID
	}
	short := l.short(ids)
	for i := range found {
		f := &found[i]
		c, err := f.Conversation.Conversation()
		if err != nil {
			return err
		}
		x := SimilarConversation{Score: f.Score, Copies: f.Copies, Shared: []SimilarReason{},
			Conversation: HitOf{ID: c.ID, ShortID: short[i], NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}}
		for _, r := range f.Reasons {
			x.Shared = append(x.Shared, SimilarReason(r))
		}
		res.Related = append(res.Related, x)
	}
	return nil
}
