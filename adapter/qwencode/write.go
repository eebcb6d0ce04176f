package qwencode

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxOrigins bounds how many lines of one message are named.
const maxOrigins = 64

// writer is the second pass over one conversation: it decodes its records in the order of the file and yields messages.
type writer struct {
	*scan
	*conv
	lines  *kit.Lines
	on     []bool // nodes of the branch that the tool would show
	pieces *kit.Pieces
	meta   agentMeta

	native     []string // by node: the id of the last message up to it
	last       lore.Time
	dir        string
	branch     string
	title      string
	titleAt    lore.Time
	titled     bool // a unit tells the title
	shared     int
	said       int
	ledger     lore.Ledger
	attributed bool
}

// agentMeta is what the file beside a sub-agent's transcript says.
type agentMeta struct{ call, description, parent string }

// write yields the conversations of the file. What is to be said of the file itself stands in the first.
func (s *scan) write(ctx context.Context, lines *kit.Lines, yield func(*lore.Conversation, error) bool) error {
	if len(s.convs) == 0 {
		s.convs = []*conv{{leaf: kit.Root}}
	}
	meta := readMeta(s.in)
	for i, c := range s.convs {
		w := &writer{scan: s, conv: c, lines: lines, on: c.tree.Path(c.leaf), native: make([]string, c.tree.Len()), meta: meta}
		if i == 0 {
			w.ledger = s.ledger
			if w.agent == "" {
				w.agent = s.agentID()
			}
		}
		w.pieces = kit.NewPieces(s.in, w.head, yield)
		if err := w.records(ctx, int32(i)); err != nil {
			return err
		}
		if w.titled {
			w.ledger.Keep(1)
		}
		losses := s.losses.List()
		if i == 0 {
			losses = append(lines.Losses(), losses...)
			if w.said == 0 {
				s.losses.One(lore.Empty, lore.Info, 0, "no messages")
				losses = append(lines.Losses(), s.losses.List()...)
			}
		}
		if err := w.pieces.End(w.ledger, losses); err != nil {
			return err
		}
		s.losses = kit.NewTally(s.in, s.in.Source.Path)
	}
	return nil
}

// readMeta reads what lies beside a sub-agent's transcript; where it is missing or damaged, nothing is known.
func readMeta(in adapter.Input) agentMeta {
	if !inAgents(in.Source.Path) {
		return agentMeta{}
	}
	doc, err := kit.Document(in, metaOf(in.Source.Path), 1<<20)
	if err != nil {
		return agentMeta{}
	}
	v := doc.Value
	return agentMeta{call: v.Get("toolUseId").String(), description: v.Get("description").String(), parent: v.Get("parentAgentId").String()}
}

// head makes the record of a piece. A conversation without messages is none.
func (w *writer) head() *lore.Conversation {
	c := &lore.Conversation{
		Source: source, Store: store, Native: w.conv.native(), Kind: lore.Main, Partial: w.said == 0,
		Project:  lore.Project{Dir: w.dir, Name: kit.ProjectName(w.dir), Branch: w.branch},
		Archived: isArchived(w.in.Source.Path),
	}
	switch {
	case w.agent != "":
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: w.session, Call: w.meta.call}
		if w.meta.parent != "" {
			c.Parent.Native += "/" + w.meta.parent
		}
	case w.starter != "" && w.starter != w.session:
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: w.starter}
	}
	if w.title == "" && w.agent != "" {
		w.title = w.meta.description
	}
	if w.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = w.title, lore.TitleFromSource, w.titleAt
	}
	if w.from != "" && w.from != w.session {
		c.Lineage = &lore.Lineage{Kind: lore.Fork, OfNative: w.from, Shared: w.shared}
	}
	return c
}

// records puts each record of the conversation where it belongs.
func (w *writer) records(ctx context.Context, conv int32) error {
	for i := range w.entries {
		e := &w.entries[i]
		if e.conv != conv || e.part && !e.repeat {
			continue
		}
		if e.repeat {
			w.ledger.Merge(1)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := w.lines.At(e.offset, e.length)
		if err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
		if up := w.tree.Up(int(e.node)); up >= 0 && w.native[e.node] == "" {
			w.native[e.node] = w.native[up]
		}
		if err := w.record(e, v); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) record(e *entry, v kit.Value) error {
	_, name := kindOf(v)
	if w.on[e.node] && e.kind != kindSide {
		if dir := v.Get("cwd").String(); dir != "" {
			w.dir = dir
		}
		if branch := v.Get("gitBranch").String(); branch != "" {
			w.branch = branch
		}
	}
	switch e.kind {
	case kindTitle:
		w.named(e, v, name)
	case kindRewind, kindSide, kindSkipped:
		w.ledger.Skip(name)
	case kindParent:
		if w.attributed {
			w.ledger.Merge(1)
		} else {
			w.ledger.Keep(1)
			w.attributed = true
		}
	case kindUnknown:
		w.ledger.Meet(kit.Clip(name))
		w.losses.Unknown(int(e.line), name)
	default:
		return w.speech(e, v, name)
	}
	return nil
}

// named takes a title. The last one on the branch that the tool would show stands.
func (w *writer) named(e *entry, v kit.Value, name string) {
	title := v.Get("systemPayload", "customTitle").String()
	if !w.on[e.node] || title == "" {
		w.ledger.Skip(name)
		return
	}
	if w.titled {
		w.ledger.Skip(name) // for the one that stood until now
	}
	w.title, w.titled = title, true
	w.titleAt, _ = kit.ParseTime(v.Get("timestamp"))
}

// message is one of the messages that a record makes.
type message struct {
	role    lore.Role
	subtype string
	parts   []lore.Part
}

// about is what a record says of itself, apart from its words.
type about struct {
	uuid   string
	at     lore.Time
	from   lore.TimeFrom
	copied bool // taken over from the session that this one was branched from: its tokens are counted there
	model  string
	usage  *lore.Usage
	units  int
}

func (w *writer) about(e *entry, v kit.Value) about {
	a := about{uuid: v.Get("uuid").String(), copied: v.Get("forkedFrom", "sessionId").String() != "", units: 1}
	a.at, a.from = w.time(e, v)
	return a
}

// add adds the messages of a record. The first has its id.
func (w *writer) add(e *entry, a about, list ...message) error {
	w.ledger.Keep(a.units)
	used := map[lore.Role]bool{}
	for i, said := range list {
		m := lore.Message{
			Role: said.role, Subtype: said.subtype, Parts: said.parts, Active: w.on[e.node], At: a.at, AtFrom: a.from,
			Origins: w.origins(e), ParentNative: w.native[e.node],
		}
		switch {
		case i == 0:
			m.Native, m.Units, m.Model = a.uuid, a.units, a.model
			if !a.copied {
				m.Usage = a.usage
			}
		case !used[said.role]:
			m.Native = kit.SplitNative(said.role, a.uuid)
		}
		used[said.role] = true
		if m.Native != "" {
			w.native[e.node] = m.Native
		}
		if a.copied {
			w.shared++
		}
		w.said++
		if err := w.pieces.Add(m); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) origins(e *entry) []lore.Locator {
	var list []lore.Locator
	for {
		list = append(list, lore.Locator{File: w.in.Name(w.in.Source.Path), Line: int(e.line), Offset: e.offset, Length: e.length})
		if e.next < 0 || len(list) == maxOrigins {
			return list
		}
		e = &w.entries[e.next]
	}
}

// time tells when a record was written, else when the one before it was, or the first that says so; where none does, when
// the file was.
func (w *writer) time(e *entry, v kit.Value) (lore.Time, lore.TimeFrom) {
	at := v.Get("timestamp")
	if t, ok := kit.ParseTime(at); ok {
		w.last = t
		return t, kit.TimeFrom(t)
	}
	if at.Exists() && !at.IsNull() {
		w.losses.More(lore.BadTime, lore.Info, int(e.line), "times that cannot be read")
	}
	for _, t := range []lore.Time{w.last, w.begun} {
		if !t.IsZero() {
			return t, lore.FromInherited
		}
	}
	if t := kit.FileTime(w.in); !t.IsZero() {
		return t, lore.FromFile
	}
	return lore.Time{}, lore.FromNone
}
