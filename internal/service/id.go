package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lore"
	"lore/internal/index"
)

// IDRequest asks what an id stands for, or which id a text has.
type IDRequest struct {
	Archive bool   // asks for the content hash of the whole archive instead
	Text    string // an id, the beginning of one, a ref, a source's own id; else words

	// Words says that Text is what somebody said, whatever it looks like. Source, Role and Model say who; an empty Source
	// is every source of the archive, an empty Role is user.
	Words  bool
	Source string
	Role   lore.Role
	Model  string
}

// IDResult says what an id stands for and what it is made of.
type IDResult struct {
	Schema       string     `json:"schema"` // "lore.id.v1"
	Asked        string     `json:"asked"`
	Kind         string     `json:"kind"` // "conversation", "message", "words" or "archive"
	ID           lore.ID    `json:"id"`   // none for words; of the archive its content hash
	ShortID      string     `json:"short_id,omitempty"`
	Ref          string     `json:"ref,omitempty"`  // of the same thing
	UUID         string     `json:"uuid,omitempty"` // for tools that want one
	Moved        bool       `json:"moved"`          // it was asked for by an id that it had before
	Conversation *HitOf     `json:"conversation,omitempty"`
	Role         lore.Role  `json:"role,omitempty"` // of a message
	At           lore.Time  `json:"at,omitzero"`
	Machine      string     `json:"machine,omitempty"` // name of the archive among those that bundles are brought from
	Marks        []Mark     `json:"marks"`
	MadeOf       []Identity `json:"made_of"`
}

// Identity is one id with the canonical bytes of which it is the SHA-256 digest.
type Identity struct {
	Name      string  `json:"name"` // "conversation", "content_hash", "message", "content"
	ID        lore.ID `json:"id"`
	By        string  `json:"by"` // what names it: "native id", "first message", "place", "occurrence", "words", "members"
	Canonical string  `json:"canonical"`
}

// Identify says what an id stands for, and from which canonical bytes it and the ids around it come. Words have the ids
// that a message with these words would have.
func (s *Service) Identify(ctx context.Context, req IDRequest) (*IDResult, error) {
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	res := &IDResult{Schema: "lore.id.v1", Asked: req.Text, Marks: []Mark{}}
	if req.Archive {
		return res, s.failure(l.archiveID(res))
	}
	if req.Words || req.Source != "" || strings.ContainsAny(strings.TrimSpace(req.Text), " \t\n") {
		return res, s.failure(l.words(req, res))
	}
	m, err := l.resolve(req.Text)
	if err != nil {
		return nil, s.failure(hintWords(err, req.Text))
	}
	c, err := l.assembler.Load(ctx, m.Conversation)
	if err != nil {
		return nil, s.failure(fmt.Errorf("cannot explain %s: %w", m.ID.Short(), err))
	}
	short := l.short([]lore.ID{m.ID, c.ID})
	res.ID, res.ShortID, res.UUID = m.ID, short[0], m.ID.UUID()
	res.Moved = !strings.HasPrefix(m.ID.String(), strings.ToLower(req.Text)) && lore.ConversationID(c.Source, req.Text) != m.ID && !refForm().MatchString(req.Text)
	res.Conversation = &HitOf{ID: c.ID, ShortID: short[1], NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}
	if res.Marks, err = l.some(markedOn(m.ID)); err != nil {
		return nil, s.failure(err)
	}
	if !m.IsMessage {
		res.Kind, res.Ref, res.At = "conversation", ConversationRef(m.ID), c.StartedAt
		res.MadeOf = []Identity{anchorOf(c), hashOf(c)}
		return res, nil
	}
	return res, explainMessage(c, m, res)
}

func hintWords(err error, text string) error {
	var f *Failure
	if errors.As(err, &f) && f.Kind == NotFound {
		return failf(NotFound, f, "no conversation or message has the id %q; with --words it is read as what somebody said", text)
	}
	return err
}

// explainMessage says what the ids of a message are made of.
func explainMessage(c *lore.Conversation, m index.Match, res *IDResult) error {
	said := map[lore.ID]int{}
	for i := range c.Messages {
		x := &c.Messages[i]
		if x.ID != m.ID {
			said[x.ContentID]++
			continue
		}
		res.Kind, res.Ref, res.Role, res.At = "message", MessageRef(x.ID), x.Role, x.At
		id := Identity{Name: "message", ID: x.ID, By: "native id", Canonical: string(lore.MessageBytes(c.ID, x.Native))}
		if x.Native == "" || lore.MessageID(c.ID, x.Native) != x.ID {
			id.By, id.Canonical = "occurrence", string(lore.OccurrenceBytes(c.ID, x.ContentID, said[x.ContentID]))
		}
		content := Identity{Name: "content", ID: x.ContentID, By: "words", Canonical: string(lore.ContentBytes(c.Source, x.Role, x.Model, x.Parts))}
		res.MadeOf = []Identity{id, content, anchorOf(c)}
		return nil
	}
	return failf(NotFound, nil, "message %s is not in its conversation any more; run `lore import`", m.ID.Short())
}

// anchorOf says what the id of a conversation is made of.
func anchorOf(c *lore.Conversation) Identity {
	id := Identity{Name: "conversation", ID: c.ID, By: "native id", Canonical: string(lore.ConversationBytes(c.Source, c.Native))}
	switch {
	case c.Native != "":
	case c.Place != "":
		id.By, id.Canonical = "place", string(lore.PlacedConversationBytes(c.Source, c.Store, c.Place))
	case len(c.Messages) > 0:
		id.By, id.Canonical = "first message", string(lore.SeededConversationBytes(c.Source, c.Store, c.Messages[0].ContentID))
	}
	return id
}

// hashOf says what the content hash of a conversation is made of.
func hashOf(c *lore.Conversation) Identity {
	var members []lore.ID
	for i := range c.Messages {
		if c.Messages[i].Subtype != lore.Removed {
			members = append(members, c.Messages[i].ContentID)
		}
	}
	return Identity{Name: "content_hash", ID: c.ContentHash, By: "members", Canonical: string(lore.ContentHashBytes(members))}
}

// words says which content id a text has.
func (l *library) words(req IDRequest, res *IDResult) error {
	text, err := cleanText("text", req.Text)
	if err != nil {
		return err
	}
	role := req.Role
	switch role {
	case "":
		role = lore.User
	case lore.User, lore.Assistant, lore.Tool, lore.System:
	default:
		return failf(Usage, nil, "unknown role %q; use user, assistant, tool or system", role)
	}
	sources := []string{req.Source}
	if req.Source == "" {
		if sources, err = l.sources(); err != nil {
			return err
		}
	}
	res.Kind, res.Role, res.MadeOf = "words", role, []Identity{}
	parts := []lore.Part{{Kind: lore.Text, Text: text}}
	for _, source := range sources {
		res.MadeOf = append(res.MadeOf, Identity{Name: "content", ID: lore.ContentID(source, role, req.Model, parts), By: "words",
			Canonical: string(lore.ContentBytes(source, role, req.Model, parts))})
	}
	return nil
}

// sources returns the sources of which there are conversations, in the order in which they were first met.
func (l *library) sources() ([]string, error) {
	var all []string
	met := map[string]bool{}
	err := l.index.Each(func(e index.Entry) error {
		if !met[e.Source] {
			met[e.Source] = true
			all = append(all, e.Source)
		}
		return nil
	})
	return all, err
}

// archiveID says what the archive holds, in one hash: another one that holds the same has the same.
func (l *library) archiveID(res *IDResult) (err error) {
	res.Kind, res.MadeOf = "archive", []Identity{}
	if res.Machine, err = l.archive.Machine(); err != nil {
		return err
	}
	res.ID, err = l.archive.ContentHash()
	return err
}
