package pi

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// Subtypes of messages that are not speech.
const (
	subCompaction = "compaction"
	subSummary    = "summary" // of a branch that was left
	subContext    = "context"
	subCommand    = "command" // that the person ran
	subNotice     = "notice"
)

// writer is the second pass: it decodes the entries in the order of the file and yields messages.
type writer struct {
	*scan
	lines  *kit.Lines
	on     []bool // nodes of the branch that the tool would show
	pieces *kit.Pieces

	native  []string // by node: the id of the last message up to it
	last    lore.Time
	title   string
	titleAt lore.Time
	titles  int // units that tell a title
	shared  int
	said    int // messages
}

func (w *writer) write(ctx context.Context, yield func(*lore.Conversation, error) bool) error {
	w.native = make([]string, w.tree.Len())
	w.pieces = kit.NewPieces(w.in, w.head, yield)
	for i := range w.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &w.entries[i]
		if e.repeat {
			w.ledger.Merge(1)
			continue
		}
		v, err := w.lines.At(e.offset, e.length)
		if err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
		if err := w.entry(e, v); err != nil {
			return err
		}
	}
	if w.titles > 0 { // of several, the newest stands
		w.ledger.Keep(1)
	}
	if w.said == 0 {
		w.losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	return w.pieces.End(w.ledger, append(w.lines.Losses(), w.losses.List()...))
}

// head makes the record of a piece. A file that makes no message makes no conversation.
func (w *writer) head() *lore.Conversation {
	h := &w.header
	c := &lore.Conversation{
		Source: source, Store: w.in.Source.Store, Native: w.scan.native(), Kind: lore.Main,
		Project: lore.Project{Dir: h.dir, Name: kit.ProjectName(h.dir)}, Partial: w.said == 0,
	}
	if w.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = w.title, lore.TitleFromSource, w.titleAt
	}
	if h.from != "" && h.from != c.Native {
		c.Lineage = &lore.Lineage{Kind: lore.Fork, OfNative: h.from, Shared: w.shared}
	}
	return c
}

// entry puts one entry where it belongs: into a message, or into the ledger.
func (w *writer) entry(e *entry, v kit.Value) error {
	typ := v.Get("type").String()
	if e.node >= 0 {
		if up := w.tree.Up(int(e.node)); up >= 0 {
			w.native[e.node] = w.native[up]
		}
	}
	switch e.kind {
	case kindHeader:
		w.headerAgain(e, v)
	case kindMessage:
		return w.message(e, v)
	case kindCompaction:
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subCompaction, Parts: words(v.Get("summary"))})
	case kindBranch:
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subSummary, Parts: words(v.Get("summary"))})
	case kindCustom:
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subContext, Parts: w.content(e, v.Get("content"), "", lore.Text)})
	case kindName:
		w.named(typ, v.Get("name").String(), v.Get("timestamp"))
	case kindTitle:
		if title := v.Get("title").String(); title != "" {
			w.named(typ, title, v.Get("updatedAt"))
		} else {
			w.ledger.Skip(typ) // room for a title
		}
	case kindSkipped:
		w.ledger.Skip(typ)
	default:
		w.meet(e, typ)
	}
	return nil
}

// headerAgain counts a header. A second one says the same, or speaks of another session and is left.
func (w *writer) headerAgain(e *entry, v kit.Value) {
	switch {
	case e.offset == w.header.offset:
		w.ledger.Keep(1)
	case v.Get("id").String() == w.header.id:
		w.ledger.Merge(1)
	default:
		w.ledger.Skip("session")
		w.losses.More(lore.ForeignRecord, lore.Info, int(e.line), "the header of another session")
	}
}

// named takes a title; the newest stands, an empty one takes the ones before back.
func (w *writer) named(typ, title string, at kit.Value) {
	t, _ := kit.ParseTime(at)
	if w.titles > 0 && t.Before(w.titleAt) {
		w.ledger.Skip(typ)
		return
	}
	if w.titles > 0 {
		w.ledger.Skip(typ) // for the one that stood until now
		w.titles--
	}
	if w.title, w.titleAt = title, t; title == "" {
		w.ledger.Skip(typ)
		return
	}
	w.titles++
}

// meet counts an entry of a type that this version does not know.
func (w *writer) meet(e *entry, typ string) {
	w.ledger.Meet(kit.Clip(typ))
	w.losses.Unknown(int(e.line), typ)
}

// add completes the message that an entry makes, and adds it.
func (w *writer) add(e *entry, v kit.Value, m lore.Message) error {
	m.Units = 1
	w.ledger.Keep(1)
	if e.copied {
		w.shared++
	}
	return w.put(e, v, m, v.Get("id").String())
}

// put adds a message of an entry under a native id.
func (w *writer) put(e *entry, v kit.Value, m lore.Message, native string) error {
	m.Native = native
	m.ParentNative = w.native[e.node]
	m.Active = w.on[e.node]
	m.At, m.AtFrom = w.time(e, v)
	for at := e; ; at = &w.entries[at.again] {
		m.Origins = append(m.Origins, lore.Locator{File: w.in.Name(w.in.Source.Path), Line: int(at.line), Offset: at.offset, Length: at.length})
		if at.again < 0 || len(m.Origins) == maxOrigins {
			break
		}
	}
	w.native[e.node] = native
	w.said++
	return w.pieces.Add(m)
}

// maxOrigins bounds how many lines of one message are named.
const maxOrigins = 64

// time tells when an entry was written: by the entry, by its message, else as the one before it or as the session; where
// nothing in it has a time, as the file.
func (w *writer) time(e *entry, v kit.Value) (lore.Time, lore.TimeFrom) {
	odd := false
	for _, at := range []kit.Value{v.Get("timestamp"), v.Get("message", "timestamp")} {
		if t, ok := kit.ParseTime(at); ok {
			w.last = t
			return t, kit.TimeFrom(t)
		}
		odd = odd || at.Exists() && !at.IsNull()
	}
	if odd {
		w.losses.More(lore.BadTime, lore.Info, int(e.line), "times that cannot be read")
	}
	for _, t := range []lore.Time{w.last, w.header.at} {
		if !t.IsZero() {
			return t, lore.FromInherited
		}
	}
	if t := kit.FileTime(w.in); !t.IsZero() {
		return t, lore.FromFile
	}
	return lore.Time{}, lore.FromNone
}
