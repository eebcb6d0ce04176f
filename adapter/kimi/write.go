package kimi

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// maxOrigins bounds how many records of one message are named.
const maxOrigins = 64

// writer is the second pass over one conversation: it decodes its turns in order and yields messages.
type writer struct {
	*session
	*track
	own    bool // this agent's own conversation, not a sub-agent's whose events stand in its file
	pieces *kit.Pieces
	last   lore.Time
	opened string // the first prompt
	said   int
	prior  string // id of the message before
}

// write yields the agent's conversation, those of sub-agents whose events stand in its file, and what is known of others.
func (s *session) write(ctx context.Context, yield yielder) error {
	for i, t := range s.tracks {
		w := &writer{session: s, track: t, own: i == 0}
		w.pieces = kit.NewPieces(s.in, w.head, yield)
		if i > 0 {
			s.losses = kit.NewTally(s.in, s.in.Source.Path)
		}
		if err := w.conversation(ctx); err != nil {
			return err
		}
	}
	for _, c := range s.spawned {
		about := &lore.Conversation{Source: source, Store: s.in.Source.Store, Native: native(s.place.session, c.agent), Partial: true,
			Parent: &lore.Parent{Native: native(s.place.session, c.parent), Call: c.call}}
		if about.Parent.Native == "" {
			continue
		}
		if !yield(about, nil) {
			return kit.ErrStopped
		}
	}
	return s.damaged()
}

// head makes the record of a piece. A conversation without messages is none.
func (w *writer) head() *lore.Conversation {
	c := &lore.Conversation{Source: source, Store: w.in.Source.Store, Native: native(w.place.session, w.agent), Kind: lore.Main, Partial: w.said == 0}
	if w.agent != mainAgent {
		c.Kind = lore.Subagent
		parent := w.state.parent
		if !w.own {
			parent = w.tracks[0].agent
		}
		if id := native(w.place.session, parent); id != "" && id != c.Native {
			c.Parent = &lore.Parent{Native: id, Call: w.call}
		}
	}
	w.state.describe(c, w.opened)
	if c.Project.Dir == "" {
		c.Project = lore.Project{Dir: w.dir, Name: kit.ProjectName(w.dir)}
	}
	if w.place.session == "" && w.own {
		// A log that lies somewhere by itself names no session, and many begin with the same words.
		c.Native, c.Place = "", w.in.Name(w.in.Source.Path)
	}
	return c
}

// conversation writes all turns, and what is to be said of the files with the agent's own.
func (w *writer) conversation(ctx context.Context) error {
	n := len(w.turns)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := i
		if w.order != nil {
			at = int(w.order[i])
		}
		if err := w.turn(&w.turns[at]); err != nil {
			return err
		}
	}
	if w.pending >= 0 {
		w.ledger.Skip("usage.record")
	}
	for _, x := range w.plain {
		w.losses.In(w.in.Name(w.files[x.file].path))
		w.losses.Unknown(int(x.line), x.name)
	}
	if !w.own {
		return w.pieces.End(w.ledger, w.losses.List())
	}
	for _, f := range w.files {
		w.ledger.Damage(f.lines.Damaged())
	}
	if w.said == 0 {
		w.losses.In(w.in.Name(w.in.Source.Path))
		w.losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	return w.pieces.End(w.ledger, w.allLosses())
}

// turn writes the message of one turn.
func (w *writer) turn(t *turn) error {
	m := lore.Message{Role: lore.System, Subtype: t.sub, Active: !t.inactive}
	b := builder{losses: w.losses}
	for n := t.first; n >= 0; n = w.spots[n].next {
		p := &w.spots[n]
		name := w.in.Name(w.files[p.file].path)
		if len(m.Origins) < maxOrigins {
			m.Origins = append(m.Origins, lore.Locator{File: name, Line: int(p.line), Offset: p.offset, Length: p.length})
		}
		if p.twin {
			w.ledger.Merge(1)
			continue
		}
		w.ledger.Keep(1)
		m.Units++
		v, err := w.files[p.file].lines.At(p.offset, p.length)
		if err != nil {
			return fmt.Errorf("line %d of %q: %w", p.line, w.files[p.file].path, err)
		}
		w.losses.In(name)
		b.line = int(p.line)
		b.take(t, v)
	}
	m.Parts, m.Usage = b.parts, b.usage
	switch t.what {
	case prompt:
		m.Role = lore.User
		if w.opened == "" {
			w.opened = textOfParts(m.Parts)
		}
	case step:
		m.Role, m.Native, m.Aliases = lore.Assistant, t.id, b.calls
		if t.model >= 0 {
			m.Model = w.models[t.model]
		}
	case result:
		m.Role, m.Native = lore.Tool, kit.SplitNative(lore.Tool, t.id)
		for i := range m.Parts {
			m.Parts[i].CallID = t.id
		}
	case summary:
		m.Subtype = subCompaction
	case notice:
		m.Subtype = subNotice
	case plan:
		m.Role, m.Subtype = lore.Assistant, subPlan
	}
	m.At, m.AtFrom = w.stamp(t.time)
	m.ParentNative = w.prior
	if m.Native != "" {
		w.prior = m.Native
	}
	w.said++
	return w.pieces.Add(m)
}

// stamp tells when something was said: when it was logged, else when what was said before was, else when the session
// began; where nothing in it has a time, when the file was written.
func (w *writer) stamp(own lore.Time) (lore.Time, lore.TimeFrom) {
	if !own.IsZero() {
		w.last = own
		return own, kit.TimeFrom(own)
	}
	for _, at := range []lore.Time{w.last, w.begun, w.state.begun, w.earliest()} {
		if !at.IsZero() {
			return at, lore.FromInherited
		}
	}
	if at := kit.FileTime(w.in); !at.IsZero() {
		return at, lore.FromFile
	}
	return lore.Time{}, lore.FromNone
}

// earliest returns the first time in the track.
func (t *track) earliest() lore.Time {
	for i := range t.turns {
		if !t.turns[i].time.IsZero() {
			return t.turns[i].time
		}
	}
	return lore.Time{}
}

// textOfParts returns the first words of a message, as far as a title goes.
func textOfParts(parts []lore.Part) string {
	for _, p := range parts {
		if p.Kind == lore.Text && p.Text != "" {
			return p.Text[:min(len(p.Text), 2000)]
		}
	}
	return ""
}
