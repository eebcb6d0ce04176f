package service

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lore"
	"lore/internal/archive"
)

// RememberRequest is a note that is to be kept as evidence.
type RememberRequest struct {
	Text    string
	Author  string   // who says it: an agent's name; empty: a person
	Person  bool     // the author is a person
	Refs    []string // ids of what it is about, as for Show
	Tags    []string
	Project string // directory that it is about; empty: none
}

// RememberResult says under which ids the note is found.
type RememberResult struct {
	Schema  string    `json:"schema"` // "lore.remember.v1"
	ID      lore.ID   `json:"id"`     // of the conversation that the note is
	ShortID string    `json:"short_id"`
	Message lore.ID   `json:"message"` // of its one message
	Author  string    `json:"author"`
	At      lore.Time `json:"at"`
	Title   string    `json:"title"`
	Refs    []lore.ID `json:"refs"`
	Tags    []string  `json:"tags"`
}

// Where notes stand in the archive: source and store as the adapter of notes has them, and a file a month.
const (
	notesSource = "lore"
	notesStore  = "notes"
	notesPlace  = "lore"
)

// noteLine is a note as the archive keeps it; the adapter of notes reads it.
type noteLine struct {
	Note    string    `json:"note"`
	At      lore.Time `json:"at"`
	Author  string    `json:"author"`
	By      string    `json:"by"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Refs    []lore.ID `json:"refs,omitempty"`
	Tags    []string  `json:"tags,omitempty"`
	Project string    `json:"project,omitempty"`
}

// Remember keeps a note as evidence of source "lore": with its author and time, found by search like any conversation,
// and never written over by another. Its tags can be taken off again with Mark.
func (s *Service) Remember(ctx context.Context, req RememberRequest) (*RememberResult, error) {
	text, err := cleanText("note", req.Text)
	if err != nil {
		return nil, err
	}
	tags, err := cleanTags(req.Tags)
	if err != nil {
		return nil, err
	}
	if err := notTooMany("references", len(req.Refs)); err != nil {
		return nil, err
	}
	if req.Project, err = cleanProject(req.Project); err != nil {
		return nil, err
	}
	refs, err := s.resolveAll(ctx, req.Refs) // also without any: on a fresh machine the sources come first
	if err != nil {
		return nil, err
	}
	line, err := s.noteLine(req, text)
	if err != nil {
		return nil, err
	}
	line.Refs, line.Tags = refs, tags
	res := &RememberResult{Schema: "lore.remember.v1", ID: lore.ConversationID(notesSource, line.Note), Author: line.Author,
		At: line.At, Title: line.Title, Refs: refs, Tags: tags}
	res.Message = lore.MessageID(res.ID, line.Note)
	if _, err := s.take(ctx, func(w *archive.Writer) error { return keepNote(ctx, w, line, res.ID) }); err != nil {
		return nil, err
	}
	res.ShortID = s.shortNow(ctx, res.ID)
	return res, nil
}

// noteLine makes the line of a note, all but what it refers to.
func (s *Service) noteLine(req RememberRequest, text string) (*noteLine, error) {
	now := s.Now().UTC().Truncate(time.Millisecond)
	line := &noteLine{At: lore.NewTime(now.UnixNano(), 3, false), Author: strings.TrimSpace(req.Author), By: "agent", Text: text, Project: req.Project}
	m := lore.Message{Role: lore.Assistant, Model: line.Author, Active: true, Parts: []lore.Part{{Kind: lore.Text, Text: text}}}
	if req.Person || line.Author == "" {
		line.By, m.Role, m.Model = "person", lore.User, ""
	}
	if len(line.Author) > tagMost || !utf8.ValidString(line.Author) || strings.ContainsFunc(line.Author, unicode.IsControl) {
		return nil, failf(Usage, nil, "an author is a short name, not %q", short40(line.Author))
	}
	// One moment, one author and the same words are one note, on whichever machine.
	line.Note = now.Format("20060102T150405.000Z") + "-" + lore.ContentID(notesSource, m.Role, line.Author, m.Parts).Short()
	c := &lore.Conversation{Source: notesSource, Store: notesStore, Native: line.Note, Messages: []lore.Message{m}}
	c.Messages[0].Role = lore.User // a title is made of a person's words
	lore.Seal(c)
	line.Title = c.Title
	return line, nil
}

// projectMost bounds the name of a folder, in bytes: no system takes a longer one.
const projectMost = 4096

// cleanProject checks the folder that a note is about.
func cleanProject(dir string) (string, error) {
	dir = strings.TrimSpace(dir)
	switch {
	case len(dir) > projectMost:
		return "", failf(Usage, nil, "the folder of a project has at most %d bytes, this one has %d", projectMost, len(dir))
	case !utf8.ValidString(dir) || strings.ContainsFunc(dir, unicode.IsControl):
		return "", failf(Usage, nil, "the folder of a project is a path in one line, not %q", short40(dir))
	}
	return dir, nil
}

// keepNote appends a line to the notes of its month, and puts the tags on.
func keepNote(ctx context.Context, w *archive.Writer, line *noteLine, id lore.ID) error {
	f := archive.File{Source: notesSource, Store: notesStore, Place: notesPlace,
		Path: notesPlace + "/notes-" + line.At.Time().Format("2006-01") + ".jsonl"}
	files, err := w.Files()
	if err != nil {
		return err
	}
	var before io.Reader = strings.NewReader("")
	for _, known := range files {
		if known.Source == f.Source && known.Path == f.Path && known.Snapshot != 0 {
			f = known
			r, err := w.OpenSnapshot(known.Snapshot)
			if err != nil {
				return err
			}
			f.Stat.Size, before = r.Size(), r
		}
	}
	added := append(lore.AppendJSON(nil, line), '\n')
	f.Stat = archive.Stat{Size: f.Stat.Size + int64(len(added)), MTime: line.At.UnixNano()}
	content := io.MultiReader(before, strings.NewReader(string(added)))
	if _, err := w.Keep(ctx, archive.KeepRequest{File: f, Content: content, Lines: true, Whole: true}); err != nil {
		return fmt.Errorf("keep a note: %w", err)
	}
	for _, tag := range line.Tags {
		if _, err := w.SetMark(archive.Mark{On: id, Conversation: id, Kind: archive.Tag, Value: tag}, false); err != nil {
			return err
		}
	}
	return nil
}

// resolveAll returns the full ids that texts stand for.
func (s *Service) resolveAll(ctx context.Context, texts []string) ([]lore.ID, error) {
	ids := []lore.ID{}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	for _, t := range texts {
		m, err := l.resolve(t)
		if err != nil {
			return nil, s.failure(err)
		}
		ids = append(ids, m.ID)
	}
	return ids, nil
}

// shortNow returns the short form of an id among all that the index holds now.
func (s *Service) shortNow(ctx context.Context, id lore.ID) string {
	l, err := s.tryOpen(ctx)
	if err != nil {
		return id.Short()
	}
	defer l.close()
	return l.short([]lore.ID{id})[0]
}
