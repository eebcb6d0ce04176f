package service

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// MarkRequest puts marks on a conversation or message, or takes them off.
type MarkRequest struct {
	ID     string // as for Show
	Star   bool
	Unstar bool
	Tags   []string
	Untags []string
	Notes  []string // each is one more note: none is written over

	// Remove takes off what stands in Star, Tags and Notes instead of putting it on; everything when nothing stands there.
	Remove bool
}

// MarkResult is what a conversation or message is marked with now.
type MarkResult struct {
	Schema       string  `json:"schema"` // "lore.mark.v1"
	ID           lore.ID `json:"id"`
	ShortID      string  `json:"short_id"`
	Kind         string  `json:"kind"` // "conversation" or "message"
	Conversation HitOf   `json:"conversation"`
	Changed      bool    `json:"changed"`
	Marks        []Mark  `json:"marks"` // on it alone
}

// The bounds of what can be put on something.
const (
	tagMost  = 64       // characters
	noteMost = 64 << 10 // bytes
	manyMost = 100      // tags, notes or references at once
)

// Mark changes the marks of a conversation or message and says which it has then. A request that names no mark changes
// none.
func (s *Service) Mark(ctx context.Context, req MarkRequest) (*MarkResult, error) {
	changes, err := req.changes()
	if err != nil {
		return nil, err
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	on, err := l.resolve(req.ID)
	if err != nil {
		return nil, s.failure(err)
	}
	res, err := l.markResult(on)
	if err != nil {
		return nil, s.failure(err)
	}
	if req.Remove && len(changes) == 0 {
		for _, m := range res.Marks {
			changes = append(changes, markChange{m.Kind, m.Value, true})
		}
	}
	if len(changes) == 0 {
		return res, nil
	}
	err = s.write(ctx, func(w *archive.Writer) error {
		for _, c := range changes {
			m := archive.Mark{On: on.ID, Conversation: on.Conversation, Kind: c.kind, Value: c.value}
			changed, err := w.SetMark(m, c.off)
			if err != nil {
				return err
			}
			res.Changed = res.Changed || changed
		}
		all, err := marksAfter(w, on.ID)
		res.Marks = all
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

// marksAfter returns the marks on something as they are after a change.
func marksAfter(w *archive.Writer, on lore.ID) ([]Mark, error) {
	if err := w.Commit(); err != nil {
		return nil, err
	}
	all, err := w.Marks()
	out := []Mark{}
	for _, m := range all {
		if m.On == on {
			out = append(out, markOf(m))
		}
	}
	return out, err
}

func (l *library) markResult(on index.Match) (*MarkResult, error) {
	e, err := l.index.Conversation(on.Conversation)
	if err != nil {
		return nil, err
	}
	c, err := e.Conversation()
	if err != nil {
		return nil, err
	}
	short := l.short([]lore.ID{on.ID, c.ID})
	res := &MarkResult{Schema: "lore.mark.v1", ID: on.ID, ShortID: short[0], Kind: "conversation",
		Conversation: HitOf{ID: c.ID, ShortID: short[1], NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}}
	if on.IsMessage {
		res.Kind = "message"
	}
	res.Marks, err = l.some(markedOn(on.ID))
	return res, err
}

// markChange puts one mark on or takes it off.
type markChange struct {
	kind, value string
	off         bool
}

// changes checks a request and lists what it asks for.
func (r *MarkRequest) changes() ([]markChange, error) {
	var all []markChange
	if err := notTooMany("marks", len(r.Tags)+len(r.Untags)+len(r.Notes)); err != nil {
		return nil, err
	}
	if r.Star && r.Unstar {
		return nil, failf(Usage, nil, "a star cannot be put on and taken off at once; leave out one of the two")
	}
	if r.Star || r.Unstar {
		all = append(all, markChange{archive.Star, "", r.Unstar || r.Remove})
	}
	for _, list := range []struct {
		tags []string
		off  bool
	}{{r.Tags, r.Remove}, {r.Untags, true}} {
		for _, t := range list.tags {
			tag, err := cleanTag(t)
			if err != nil {
				return nil, err
			}
			all = append(all, markChange{archive.Tag, tag, list.off})
		}
	}
	for _, n := range r.Notes {
		note, err := cleanText("note", n)
		if err != nil {
			return nil, err
		}
		all = append(all, markChange{archive.Note, note, r.Remove})
	}
	return all, nil
}

// notTooMany refuses a list that is longer than anybody means.
func notTooMany(what string, n int) error {
	if n > manyMost {
		return failf(Usage, nil, "%d %s are too many at once: give at most %d", n, what, manyMost)
	}
	return nil
}

// cleanTag gives a tag the form that it is kept in: lower case, without the sign before it.
func cleanTag(text string) (string, error) {
	tag := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '*' || r == '"' || r == utf8.RuneError
	}
	switch {
	case tag == "":
		return "", failf(Usage, nil, "a tag cannot be empty: give a word")
	case utf8.RuneCountInString(tag) > tagMost:
		return "", failf(Usage, nil, "a tag has at most %d characters, this one has %d; write a note instead", tagMost, utf8.RuneCountInString(tag))
	case strings.ContainsFunc(tag, bad):
		return "", failf(Usage, nil, "a tag is one word without quotes and stars, not %q; write a note instead", text)
	}
	return tag, nil
}

// cleanText checks a text that a user or an agent wants to be kept.
func cleanText(what, text string) (string, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return "", failf(Usage, nil, "a %s cannot be empty: write what it should say", what)
	case len(text) > noteMost:
		return "", failf(Usage, nil, "a %s has at most %d bytes, this one has %d; make it shorter", what, noteMost, len(text))
	case !utf8.ValidString(text):
		return "", failf(Usage, nil, "a %s is text, and this one is not UTF-8", what)
	}
	return strings.TrimRight(text, " \t\r\n"), nil
}

// cleanTags cleans a list of tags, each once.
func cleanTags(list []string) ([]string, error) {
	if err := notTooMany("tags", len(list)); err != nil {
		return nil, err
	}
	out := []string{}
	for _, t := range list {
		tag, err := cleanTag(t)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out, nil
}
