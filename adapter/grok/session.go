package grok

import (
	"context"
	"fmt"
	"path"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// session is one session's folder while it is read.
type session struct {
	in     adapter.Input
	about  about
	ledger lore.Ledger
	losses *kit.Tally

	items    *kit.Lines // the history; nil when there is none
	itemFile string
	history  history
	strange  []skipped // records of the history that are of no known type

	updates    *kit.Lines // nil when there are none
	updateFile string
	streams    []*stream // by session; the first is this session's own
	other      []skipped // records of the updates' file that are no updates
}

// readSession reads a session's history with its updates, or updates alone. A trusted file stands where only this tool
// writes.
func readSession(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	s := &session{in: in, about: aboutOf(in), losses: kit.NewTally(in, in.Source.Path)}
	defer s.close()
	if err := s.scan(ctx); err != nil {
		return err
	}
	main := s.items
	mine := len(s.history.turns) > 0
	if main == nil {
		main, mine = s.updates, len(s.streams) > 0
	}
	if main.Good() > 0 && !mine || main.Good() == 0 && !trusted {
		return adapter.ErrNotMine
	}
	s.settle()
	if err := s.write(ctx, yield); err != nil {
		return err
	}
	if err := s.children(yield); err != nil {
		return err
	}
	if main.Good() == 0 && main.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", main.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

func (s *session) close() {
	for _, l := range []*kit.Lines{s.items, s.updates} {
		if l != nil {
			l.Close()
		}
	}
}

// scan is the first pass over both files.
func (s *session) scan(ctx context.Context) error {
	s.history = history{calls: map[string]int32{}, results: map[string]int32{}}
	s.updateFile = s.in.Source.Path
	if s.in.Source.Store == storeHistory {
		s.itemFile = s.in.Source.Path
		s.updateFile = path.Join(path.Dir(s.itemFile), updatesFile)
		lines, err := kit.OpenLines(s.in, s.itemFile, kit.Options{TopKeys: topKeys})
		if err != nil {
			return err
		}
		s.items = lines
		for r := range lines.All() {
			s.item(r)
		}
		if err := firstError(ctx.Err(), lines.Err()); err != nil {
			return err
		}
		if !slices.Contains(s.in.Source.Companions, s.updateFile) {
			return nil
		}
	}
	lines, err := kit.OpenLines(s.in, s.updateFile, kit.Options{TopKeys: topKeys})
	if err != nil {
		if s.items != nil { // the companion is gone since it was found
			return nil
		}
		return err
	}
	s.updates = lines
	for r := range lines.All() {
		s.update(r)
	}
	return firstError(ctx.Err(), lines.Err())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) item(r *kit.Record) {
	if itemOf(r.Value) != none {
		s.history.take(r)
		return
	}
	name := r.Value.Get("type").String()
	if name == "" {
		name = "role " + r.Value.Get("role").String()
	}
	s.strange = append(s.strange, skipped{name: name, line: int32(r.Line)})
}

func (s *session) update(r *kit.Record) {
	if !isUpdate(r.Value) {
		s.other = append(s.other, skipped{name: "method " + r.Value.Get("method").String(), line: int32(r.Line)})
		return
	}
	id := bodyOf(r.Value).Get("sessionId").String()
	for _, st := range s.streams {
		if st.session == id {
			st.take(r)
			return
		}
	}
	st := newStream(id, int32(r.Line))
	s.streams = append(s.streams, st)
	st.take(r)
}

// settle decides whose the streams are, and says what is odd about the files.
func (s *session) settle() {
	id := s.native()
	for i, st := range s.streams {
		if st.session == id {
			s.streams[0], s.streams[i] = s.streams[i], s.streams[0]
		}
	}
	if s.about.id != "" && s.about.id != id {
		s.losses.One(lore.IDMismatch, lore.Info, 0, "the summary says session "+kit.Clip(s.about.id))
	}
	if s.items != nil && len(s.streams) > 0 {
		pair(&s.history, s.streams[0])
	}
	for _, x := range s.strange {
		s.ledger.Meet(kit.Clip(x.name))
		s.losses.Unknown(int(x.line), x.name)
	}
	if s.items != nil {
		s.ledger.Damage(s.items.Damaged())
	}
	if s.updates == nil {
		return
	}
	s.ledger.Damage(s.updates.Damaged())
	s.losses.In(s.in.Name(s.updateFile))
	for _, x := range s.other {
		s.ledger.Meet(kit.Clip(x.name))
		s.losses.Unknown(int(x.line), x.name)
	}
	for _, st := range s.streams[min(1, len(s.streams)):] {
		s.losses.Many(lore.ForeignRecord, lore.Info, int(st.first), st.records, "updates of session "+kit.Clip(st.session))
	}
}

// native returns the session's id: by its folder, else by its summary, else by its updates.
func (s *session) native() string {
	switch {
	case s.about.folder != "":
		return s.about.folder
	case s.about.id != "":
		return s.about.id
	case len(s.streams) > 0:
		return s.streams[0].session
	}
	return ""
}

// children yields what the files of sub-agents say: which session started which.
func (s *session) children(yield yielder) error {
	for _, p := range s.in.Source.Companions {
		if path.Base(p) != metaFile {
			continue
		}
		c := &lore.Conversation{Source: source, Store: s.in.Source.Store, Partial: true}
		doc, err := kit.Document(s.in, p, maxSummary)
		if err != nil {
			c.Ledger.Damage(1)
			c.Losses = []lore.Loss{{Code: lore.BadJSON, Severity: lore.Warning, Source: source, File: s.in.Name(p), What: "the record of a sub-agent cannot be read", Count: 1}}
		} else {
			c.Losses = doc.Losses
			c.Native = doc.Value.Get("child_session_id").String()
			if parent := doc.Value.Get("parent_session_id").String(); parent != "" && c.Native != "" {
				c.Parent = &lore.Parent{Native: parent, Call: doc.Value.Get("tool_call_id").String()}
				c.Ledger.Keep(1)
			} else {
				c.Ledger.Skip(agentsDir)
			}
		}
		if !yield(c, nil) {
			return kit.ErrStopped
		}
	}
	return nil
}
