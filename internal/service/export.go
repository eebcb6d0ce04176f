package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"lore"
	"lore/internal/export"
	"lore/internal/index"
	"lore/internal/redact"
)

// ExportRequest asks for conversations in a format that is read elsewhere.
type ExportRequest struct {
	IDs      []string  // as ShowRequest.ID; of a message its conversation is meant
	Query    string    // besides: every conversation with a match
	All      bool      // besides: every conversation
	Format   string    // "markdown" (default), "html", "json" or "jsonl"
	To       string    // folder, made where it is not there; empty: Out
	Obsidian bool      // as notes of a vault: a folder for each source, links between notes, tags
	NoRedact bool      // leave credentials as they are
	Out      io.Writer // gets the one conversation, or several in a format that can be put one after the other
}

// ExportResult says what was written.
type ExportResult struct {
	Schema    string         `json:"schema"` // "lore.export.v1"
	Format    string         `json:"format"`
	To        string         `json:"to,omitempty"` // the folder as it was given
	Written   int            `json:"written"`      // files that are new or have changed
	Unchanged int            `json:"unchanged"`    // files that said the same already and were not touched
	Files     []ExportedFile `json:"files"`
	Redacted  []redact.Count `json:"redacted"` // credentials that markers stand for now, by kind
	Failures  []Fault        `json:"failures"` // conversations that could not be read
}

// ExportedFile is one conversation in an export.
type ExportedFile struct {
	ID       lore.ID `json:"id"`
	ShortID  string  `json:"short_id"`
	File     string  `json:"file,omitempty"` // below To, slashes forward
	State    string  `json:"state"`          // "new", "changed", "unchanged"; "printed" where there is no folder
	Messages int     `json:"messages"`
	Redacted int     `json:"redacted"` // credentials in it
}

// exporting is one export.
type exporting struct {
	*library
	req     ExportRequest
	format  export.Format
	folder  *export.Folder // nil: Out
	secrets redact.Counter
	result  *ExportResult
}

// Export writes conversations to files or to Out. A conversation that cannot be read is in the result, not an error.
func (s *Service) Export(ctx context.Context, req ExportRequest) (*ExportResult, error) {
	x, err := newExport(req)
	if err != nil {
		return nil, err
	}
	if x.library, err = s.open(ctx); err != nil {
		return nil, err
	}
	defer x.close()
	entries, err := x.chosen(ctx, s)
	if err != nil {
		return nil, s.failure(err)
	}
	if len(entries) > 1 && req.To == "" && !x.format.Many {
		return nil, failf(Usage, nil, "%d conversations in %s are as many files: name a folder with --to, or take --format jsonl", len(entries), x.format.Name)
	}
	if req.To != "" {
		if x.folder, err = export.OpenFolder(req.To); err != nil {
			return nil, failf(Usage, err, "cannot write to the folder %q: %v", req.To, err)
		}
		defer x.folder.Close()
	}
	for i := range entries {
		if err := x.one(ctx, &entries[i]); err != nil {
			return nil, s.failure(err)
		}
	}
	x.result.Redacted = append(x.result.Redacted, x.secrets.Counts()...)
	return x.result, nil
}

// newExport checks what was asked for.
func newExport(req ExportRequest) (*exporting, error) {
	name := cmp.Or(req.Format, export.Formats[0].Name)
	format, ok := export.FormatOf(name)
	if !ok {
		var names []string
		for _, f := range export.Formats {
			names = append(names, f.Name)
		}
		return nil, failf(Usage, nil, "there is no format %q: take one of %s", name, strings.Join(names, ", "))
	}
	switch {
	case len(req.IDs) == 0 && req.Query == "" && !req.All:
		return nil, failf(Usage, nil, "nothing to export: give ids, or choose conversations with --query, or all of them with --all")
	case req.Obsidian && format.Ending != ".md":
		return nil, failf(Usage, nil, "a vault holds Markdown: leave out --format %s, or --obsidian", name)
	case req.Obsidian && req.To == "":
		return nil, failf(Usage, nil, "--obsidian needs the folder of the vault: name it with --to")
	}
	return &exporting{req: req, format: format, result: &ExportResult{Schema: "lore.export.v1", Format: format.Name, To: req.To,
		Files: []ExportedFile{}, Redacted: []redact.Count{}, Failures: []Fault{}}}, nil
}

// chosen returns the conversations of an export, each once: those that were named first, then those of the query.
func (x *exporting) chosen(ctx context.Context, s *Service) ([]index.Entry, error) {
	var entries []index.Entry
	seen := map[lore.ID]bool{}
	for _, id := range x.req.IDs {
		m, err := x.resolve(id)
		if err != nil {
			return nil, err
		}
		if seen[m.Conversation] {
			continue
		}
		seen[m.Conversation] = true
		e, err := x.index.Conversation(m.Conversation)
		if err != nil {
			return nil, err
		}
		entries = append(entries, *e)
	}
	if x.req.Query == "" && !x.req.All {
		return entries, nil
	}
	q, _, err := s.parse(x.req.Query)
	if err != nil {
		return nil, err
	}
	page, err := x.index.List(ctx, q, index.ListOptions{Marks: x.markedSo})
	if err != nil {
		return nil, err
	}
	for _, e := range page.Entries {
		if !seen[e.ID] {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// one exports one conversation, piece by piece: memory does not follow its size.
func (x *exporting) one(ctx context.Context, e *index.Entry) error {
	record, err := e.Conversation()
	if err != nil {
		return err
	}
	before := x.secrets.Total()
	x.redactHeader(record)
	done := ExportedFile{ID: e.ID, ShortID: x.short([]lore.ID{e.ID})[0], State: "printed"}
	out := x.req.Out
	var file *export.File
	if x.folder != nil {
		if file, err = x.folder.Create(x.sub(e.Source), x.name(record, done.ShortID), e.ID, x.format.Ending); err != nil {
			return err
		}
		defer file.Discard()
		out = file
	}
	head, err := x.head(record, done.ShortID, e)
	if err != nil {
		return err
	}
	done.Messages, err = x.write(ctx, x.format.New(out), head)
	if err != nil {
		if ctx.Err() != nil || file != nil && file.Err() != nil || x.folder == nil {
			return err
		}
		x.result.Failures = append(x.result.Failures, Fault{Source: e.Source, File: e.ID.String(), Error: err.Error()})
		return nil
	}
	if file != nil {
		if done.File, done.State, err = file.Done(); err != nil {
			return err
		}
		if done.State == "unchanged" {
			x.result.Unchanged++
		} else {
			x.result.Written++
		}
	}
	done.Redacted = x.secrets.Total() - before
	x.result.Files = append(x.result.Files, done)
	return nil
}

// errNothing says that no evidence of a conversation could be read.
var errNothing = errors.New("no evidence of it can be read")

// write hands the record of a conversation to a writer and returns the number of messages.
func (x *exporting) write(ctx context.Context, w export.Writer, head *export.Head) (messages int, err error) {
	if err := w.Begin(head); err != nil {
		return 0, err
	}
	gone, err := x.withoutOrigin(head.Record)
	if err != nil {
		return 0, err
	}
	var tail export.Tail
	read := false
	err = x.assembler.Stream(ctx, head.Record.ID, func(c *lore.Conversation) error {
		if !read {
			gone = beginsIn(gone, c.Messages)
		}
		read = true
		x.widen(c.Messages)
		for i := range c.Messages {
			x.redactMessage(&c.Messages[i])
			if err := w.Message(&c.Messages[i]); err != nil {
				return err
			}
			messages++
		}
		tail.Ledger.Add(c.Ledger)
		tail.Losses = append(tail.Losses, c.Losses...)
		return nil
	})
	if err == nil && !read {
		err = errNothing
	}
	if err != nil {
		return messages, err
	}
	tail.Losses = append(tail.Losses, gone...)
	x.redactLosses(tail.Losses)
	return messages, w.End(&tail)
}
