package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/internal/index"
)

// Show returns one conversation, or one message with its neighbours.
func (s *Service) Show(ctx context.Context, req ShowRequest) (*ShowResult, error) {
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	m, err := l.resolve(req.ID)
	if err != nil {
		return nil, s.failure(err)
	}
	e, err := l.index.Conversation(m.Conversation)
	if err != nil {
		return nil, s.failure(err)
	}
	c, err := l.assembler.Load(ctx, m.Conversation)
	if err != nil {
		return nil, s.failure(fmt.Errorf("cannot show %s: %w", m.Conversation.Short(), err))
	}
	header, err := l.header(c, e.InSource)
	if err != nil {
		return nil, s.failure(err)
	}
	gone, err := l.withoutOrigin(c)
	if err != nil {
		return nil, s.failure(err)
	}
	c.Losses = append(c.Losses, beginsIn(gone, c.Messages)...)
	if m.IsMessage {
		shown, err := around(c, m.ID, req.Context)
		if err != nil {
			return nil, err
		}
		for _, list := range [][]lore.Message{shown.Before, shown.After} {
			l.widen(list)
		}
		shown.Message.Short = l.short([]lore.ID{m.ID})[0]
		if shown.Asked, err = asked(req.ID, &shown.Message); err != nil {
			return nil, err
		}
		shown.Conversation = Listed{Header: header, Messages: c.MessageCount, Losses: countLosses(c.Losses)}
		return &ShowResult{Message: shown}, nil
	}
	l.widen(c.Messages)
	shown := &Shown{Schema: "lore.conversation.v1", Header: header, Messages: messages(c.Messages), Losses: losses(c.Losses),
		Ledger: c.Ledger, Types: c.Ledger.Types}
	shown.Ledger.Types = nil
	return &ShowResult{Conversation: shown}, nil
}

// around returns a message of a conversation with n neighbours on each side.
func around(c *lore.Conversation, id lore.ID, n int) (*MessageShown, error) {
	for i := range c.Messages {
		if c.Messages[i].ID != id {
			continue
		}
		return &MessageShown{Schema: "lore.message.v1", Message: c.Messages[i],
			Before: messages(c.Messages[max(0, i-n):i]), After: messages(c.Messages[i+1 : min(len(c.Messages), i+1+n)])}, nil
	}
	return nil, failf(NotFound, nil, "message %s is not in its conversation any more; run `lore import`", id.Short())
}

// candidatesShown is how many things an ambiguous id lists.
const candidatesShown = 20

// resolve returns the one conversation or message that an id, or a prefix of one, or a ref stands for. A source's own id
// of a conversation is taken too.
func (l *library) resolve(text string) (index.Match, error) {
	ref, err := ParseRef(text)
	if err != nil {
		return index.Match{}, err
	}
	if text = strings.TrimSpace(text); ref != nil {
		text = ref.prefix
	}
	matches, err := l.index.Resolve(text, candidatesShown)
	if err != nil && !errors.Is(err, index.ErrNotFound) {
		return index.Match{}, err
	}
	if len(matches) == 0 {
		if matches, err = l.renamed(text); err != nil {
			return index.Match{}, err
		}
	}
	if len(matches) == 0 {
		native, err := l.index.ByNative("", text)
		if err != nil {
			return index.Match{}, err
		}
		for _, e := range native {
			matches = append(matches, index.Match{ID: e.ID, Conversation: e.ID})
		}
	}
	switch len(matches) {
	case 0:
		if len(text) < leastPrefix {
			return index.Match{}, failf(NotFound, nil, "%q is too short for an id: give %d characters or more; `lore list` shows the ids", text, leastPrefix)
		}
		return index.Match{}, failf(NotFound, nil, "no conversation or message has the id %q; `lore list` shows the ids", text)
	case 1:
		return matches[0], nil
	}
	return index.Match{}, l.ambiguous(text, matches)
}

// leastPrefix is how many characters of an id are enough to ask for it, if it is the only one that begins so.
const leastPrefix = 4

// renamed follows ids that were printed once and have moved since.
func (l *library) renamed(prefix string) ([]index.Match, error) {
	prefix = strings.ToLower(prefix)
	renames, err := l.archive.Renames()
	if err != nil || len(prefix) < leastPrefix {
		return nil, err
	}
	var all []index.Match
	met := map[lore.ID]bool{}
	for old, now := range renames {
		if !strings.HasPrefix(old.String(), prefix) || met[now] {
			continue
		}
		met[now] = true
		matches, err := l.index.Resolve(now.String(), 1)
		if err != nil && !errors.Is(err, index.ErrNotFound) {
			return nil, err
		}
		all = append(all, matches...)
	}
	slices.SortFunc(all, func(a, b index.Match) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return all, nil
}

func (l *library) ambiguous(text string, matches []index.Match) error {
	f := failf(Ambiguous, nil, "the id %q is ambiguous; use one of the longer ids below", text)
	ids := make([]lore.ID, len(matches))
	for i, m := range matches {
		ids[i] = m.ID
	}
	short := l.short(ids)
	for i, m := range matches {
		c := Candidate{ID: m.ID.String(), ShortID: short[i], Kind: "conversation"}
		if m.IsMessage {
			c.Kind = "message"
		}
		if e, err := l.index.Conversation(m.Conversation); err == nil {
			c.Source = e.Source
			if header, err := e.Conversation(); err == nil {
				c.Title = header.Title
			}
		}
		f.Candidates = append(f.Candidates, c)
	}
	return f
}

// shortLetters is how many characters of an id are shown where nothing else is said.
const shortLetters = 12

// widen gives messages the short form of their ids.
func (l *library) widen(messages []lore.Message) {
	ids := make([]lore.ID, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	for i, short := range l.short(ids) {
		messages[i].Short = short
	}
}

// short returns the short form of each id: as much of it as names it alone.
func (l *library) short(ids []lore.ID) []string {
	lengths, err := l.index.ShortLen(ids, l.letters)
	out := make([]string, len(ids))
	for i, id := range ids {
		n := max(l.letters, shortLetters)
		if err == nil {
			n = lengths[i]
		}
		out[i] = id.String()[:n]
	}
	return out
}

// header returns what surfaces show of a conversation.
func (l *library) header(c *lore.Conversation, inSource bool) (h Header, err error) {
	h = headerOf(c, l.short([]lore.ID{c.ID})[0], inSource)
	h.Marks, err = l.marksOf(c.ID)
	return h, err
}

func headerOf(c *lore.Conversation, short string, inSource bool) Header {
	h := Header{ID: c.ID, ShortID: short, ContentHash: c.ContentHash, Source: c.Source, Store: c.Store,
		NativeID: c.Native, Title: c.Title, TitleFrom: c.TitleFrom, Project: c.Project, StartedAt: c.StartedAt, EndedAt: c.EndedAt,
		UserMessages: c.UserMessages, Models: c.Models, Kind: c.Kind, Parent: c.Parent, Lineage: c.Lineage, Usage: c.Usage,
		Archived: c.Archived, InSource: inSource, Marks: []Mark{}}
	if h.Models == nil {
		h.Models = []string{}
	}
	return h
}

func messages(m []lore.Message) []lore.Message {
	if m == nil {
		return []lore.Message{}
	}
	return m
}

func losses(l []lore.Loss) []lore.Loss {
	if l == nil {
		return []lore.Loss{}
	}
	return l
}

func countLosses(l []lore.Loss) int {
	n := 0
	for _, x := range l {
		n += max(1, x.Count)
	}
	return n
}
