package copilot

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// session is one reading of an evidence: a log or a document, with the document of the same session from before the log,
// the transcript that the chat extension wrote, and the project.
type session struct {
	*state
	ctx     context.Context
	in      adapter.Input
	yield   yielder
	trusted bool
	shape   shape

	files  []*file
	older  *node       // the document beside a log
	script *transcript // may be nil
	facts  lore.Conversation
}

func newSession(ctx context.Context, in adapter.Input, sh shape, yield yielder) *session {
	r := &reader{}
	s := &session{ctx: ctx, in: in, shape: sh, yield: yield, trusted: isTrusted(in)}
	s.state = &state{reader: r, units: &units{}, losses: newLosses(in)}
	r.loss = func(n *node, what string) {
		s.losses.more(n.src, lore.BadJSON, lore.Warning, s.lineOf(n), "values that are no JSON", 1)
	}
	return s
}

func (s *session) close() {
	for _, f := range s.files {
		f.close()
	}
}

func (s *session) lineOf(n *node) int32 {
	if n.unit < 0 {
		return 0
	}
	return s.units.list[n.unit].line
}

func (s *session) file(path string) (*file, error) {
	f, err := openFile(s.in, path)
	if err == nil {
		s.files = append(s.files, f)
	}
	return f, err
}

// read reads the evidence and yields what it says.
func (s *session) read() error {
	defer s.close()
	f, err := s.file(s.in.Source.Path)
	if err != nil {
		return err
	}
	fault := s.main(f)
	if fault != nil && !errors.Is(fault, adapter.ErrMalformed) {
		return fault
	}
	if err := s.beside(); err != nil {
		return err
	}
	if fault != nil && len(s.past.turns) == 0 {
		return s.failed(fault)
	}
	return s.tell(f)
}

// main lays out the evidence's own file.
func (s *session) main(f *file) (err error) {
	switch s.shape {
	case shapeLog:
		return s.replayLog(s.ctx, f, s.trusted)
	case shapeDocument:
		return s.readDocument(s.ctx, f, s.trusted)
	}
	if s.script, err = s.readTranscript(s.ctx, f, s.trusted); err == nil {
		s.recovered(f, s.compare(s.script))
	}
	return err
}

// beside lays out the files that belong to the evidence. One that is damaged says less; what it lost is told.
func (s *session) beside() error {
	for _, c := range s.in.Source.Companions {
		switch {
		case path.Base(c) == projectFile, c == s.in.Source.Path:
			continue
		case strings.HasSuffix(c, ".json"):
			if err := s.besideDocument(c); err != nil {
				return err
			}
		case strings.HasSuffix(c, ".jsonl"):
			if err := s.besideTranscript(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// besideDocument reads the document that the session was before it became a log. The log wins; what only the document has
// stands where it stood.
func (s *session) besideDocument(name string) error {
	f, err := s.file(name)
	if err != nil {
		return nil // it could not be kept, which was told
	}
	twin := &state{reader: s.reader, units: s.units, losses: s.losses}
	if err := twin.readDocument(s.ctx, f, true); err != nil && twin.root == nil {
		return s.ctx.Err()
	}
	s.older = twin.root
	place := -1
	for _, t := range twin.past.turns {
		if at := s.past.find(t.id); at >= 0 {
			s.past.turns[at].twins = append(s.past.turns[at].twins, t.req.unit)
			place = at
			continue
		}
		place = s.past.add(place, &turn{id: t.id, req: t.req})
	}
	return firstError(s.ctx.Err(), s.err)
}

func (s *session) besideTranscript(name string) error {
	f, err := s.file(name)
	if err != nil {
		return nil
	}
	t, err := s.readTranscript(s.ctx, f, true)
	if t == nil {
		return s.ctx.Err()
	}
	s.script = t
	s.recovered(f, s.compare(t))
	if errors.Is(err, adapter.ErrMalformed) {
		return nil // what it lost is told
	}
	return err
}

// recovered says that turns were taken from a transcript.
func (s *session) recovered(f *file, turns int) {
	s.losses.more(f, lore.Recovered, lore.Info, 0, "turns that no session file has", turns)
}

// failed yields the account of an evidence of which nothing decodes, and fails.
func (s *session) failed(fault error) error {
	c := &lore.Conversation{Source: s.in.Source.Product, Store: s.in.Source.Store, Partial: true, Losses: s.losses.list()}
	s.units.ledger(&c.Ledger, "")
	if !s.yield(c, nil) {
		return kit.ErrStopped
	}
	return fault
}

// tell yields the record, and those of sub-agents.
func (s *session) tell(f *file) error {
	s.gather(f)
	e := &emitter{state: s.state, in: s.in, yield: s.yield, head: s.header, last: s.facts.StartedAt}
	for _, t := range s.past.turns {
		e.turn(t)
		if err := firstError(s.ctx.Err(), s.err); err != nil {
			return err
		}
		if e.stopped {
			return kit.ErrStopped
		}
	}
	c := s.header()
	c.Messages = e.messages
	if !e.told {
		c.Partial = true
		s.losses.one(f, lore.Empty, lore.Info, 0, "no messages")
	}
	children := s.children()
	s.units.ledger(&c.Ledger, "")
	c.Losses = s.losses.list()
	if !s.yield(c, nil) {
		return kit.ErrStopped
	}
	return s.tellChildren(children)
}

// header is a piece of the record without messages.
func (s *session) header() *lore.Conversation {
	c := s.facts
	return &c
}

// gather reads the facts about the whole session.
func (s *session) gather(f *file) {
	c := &s.facts
	c.Source, c.Store, c.Kind = s.in.Source.Product, s.in.Source.Store, lore.Main
	if s.shape == shapeDocument && !s.trusted && s.get(s.root, "sessionId") == nil {
		c.Store = storeExports
	}
	c.Native = s.native(f)
	for _, key := range []string{"customTitle", "computedTitle"} {
		if c.Title = s.text(s.fact(key)); c.Title != "" {
			c.TitleFrom = lore.TitleFromSource
			break
		}
	}
	if at := s.fact("creationDate"); at != nil {
		v, _ := s.value(at)
		if t, ok := kit.ParseTime(v); ok && t.UnixNano() > 0 {
			c.StartedAt = t
		}
	}
	s.project(c)
	if s.script != nil && c.StartedAt.IsZero() {
		c.StartedAt = s.script.begun
	}
}

// fact returns a member of the session, as the log or else the document beside it has it, and notes that the record shows
// it.
func (s *session) fact(key string) *node {
	for _, root := range []*node{s.root, s.older} {
		if n := s.get(root, key); !n.isNull() {
			s.units.show(n.unit)
			return n
		}
	}
	return nil
}

func (s *session) project(c *lore.Conversation) {
	c.Project = projectOf(s.in)
	if at := s.fact("workingDirectory"); at != nil {
		v, _ := s.value(at)
		if ref, _, ok := uriOf(v); ok {
			c.Project = projectAt(ref)
		}
	}
	if c.Project.Dir == "" && s.script != nil && s.script.dir != "" {
		c.Project = projectAt(s.script.dir)
	}
	if repo := s.fact("repoData"); repo != nil {
		c.Project.Branch, c.Project.Remote = s.text(s.get(repo, "localBranch")), s.text(s.get(repo, "remoteUrl"))
	}
}

// native returns the id of the session: its own, else the file's name; of an export, the id of its first request.
func (s *session) native(f *file) string {
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".jsonl"), ".json")
	id := s.text(s.fact("sessionId"))
	if id == "" && s.script != nil {
		id = s.script.session
	}
	switch {
	case id != "":
		if s.trusted && id != stem {
			s.losses.one(f, lore.IDMismatch, lore.Info, 0, fmt.Sprintf("the file is named %q and is of session %q", kit.Clip(stem), kit.Clip(id)))
		}
		return id
	case s.trusted || s.shape != shapeDocument:
		return stem
	case len(s.past.turns) > 0:
		return s.past.turns[0].id
	}
	return ""
}
