package grok

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// maxOrigins bounds how many records of one message are named.
const maxOrigins = 64

// writer is the second pass over one conversation: it decodes what was said, in order, and yields messages.
type writer struct {
	*session
	stream *stream // may be nil
	native string
	own    bool // the session's own conversation, with its history and its summary
	pieces *kit.Pieces
	ledger lore.Ledger
	last   lore.Time
	model  string // that the last prompt of the updates names
	said   int
	prior  string // id of the message before
}

// write yields the session's own conversation, and those of other sessions whose updates stand in its file.
func (s *session) write(ctx context.Context, yield yielder) error {
	own := &writer{session: s, native: s.native(), own: true, ledger: s.ledger}
	if len(s.streams) > 0 {
		own.stream = s.streams[0]
	}
	if err := own.conversation(ctx, yield); err != nil {
		return err
	}
	for _, st := range s.streams[min(1, len(s.streams)):] {
		s.losses = kit.NewTally(s.in, s.updateFile)
		w := &writer{session: s, stream: st, native: st.session}
		if err := w.conversation(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// head makes the record of a piece. A conversation without messages is none.
func (w *writer) head() *lore.Conversation {
	c := &lore.Conversation{Source: source, Store: w.in.Source.Store, Native: w.native, Kind: lore.Main, Partial: w.said == 0}
	if w.own {
		w.about.describe(c)
	}
	if c.Native == "" {
		// A history that lies somewhere by itself begins with the system prompt, as all of them do: its first words would
		// make one conversation of all.
		c.Place = w.in.Name(w.in.Source.Path)
	}
	return c
}

// conversation puts history and updates together: each record of the history, and behind it what the updates alone say.
func (w *writer) conversation(ctx context.Context, yield yielder) error {
	w.pieces = kit.NewPieces(w.in, w.head, yield)
	next := 0
	if err := w.unpaired(ctx, &next, -1); err != nil {
		return err
	}
	if w.own {
		for i := range w.history.turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.item(&w.history.turns[i]); err != nil {
				return err
			}
			if err := w.unpaired(ctx, &next, int32(i)); err != nil {
				return err
			}
		}
	}
	w.states()
	return w.pieces.End(w.ledger, w.allLosses())
}

// unpaired writes the turns of the stream that stand behind a record and that no record says.
func (w *writer) unpaired(ctx context.Context, next *int, after int32) error {
	if w.stream == nil {
		return nil
	}
	for ; *next < len(w.stream.turns); *next++ {
		t := &w.stream.turns[*next]
		if t.mate >= 0 {
			continue
		}
		if t.after != after {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.tell(int32(*next), t); err != nil {
			return err
		}
	}
	return nil
}

// states counts the updates that make no message.
func (w *writer) states() {
	if w.stream == nil {
		return
	}
	w.losses.In(w.in.Name(w.updateFile))
	for _, x := range w.stream.plain {
		if x.known {
			w.ledger.Skip(x.name)
			continue
		}
		w.ledger.Meet(kit.Clip(x.name))
		w.losses.Unknown(int(x.line), x.name)
	}
}

// allLosses returns those of the conversation, and with the session's own those of its files.
func (w *writer) allLosses() []lore.Loss {
	if !w.own {
		return w.losses.List()
	}
	if w.said == 0 {
		w.losses.In(w.in.Name(w.in.Source.Path))
		w.losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	var list []lore.Loss
	for _, lines := range []*kit.Lines{w.items, w.updates} {
		if lines != nil {
			list = append(list, lines.Losses()...)
		}
	}
	return append(append(list, w.about.losses...), w.losses.List()...)
}

// put completes a message and adds it.
func (w *writer) put(m lore.Message) error {
	m.Active = true
	m.ParentNative = w.prior
	if m.Native != "" {
		w.prior = m.Native
	}
	w.said++
	return w.pieces.Add(m)
}

// stamp tells when something was said: when its update was sent, else when what was said before was, else when the
// session began; where nothing in it has a time, when the file was written.
func (w *writer) stamp(own lore.Time) (lore.Time, lore.TimeFrom) {
	if !own.IsZero() {
		w.last = own
		return own, kit.TimeFrom(own)
	}
	at := w.last
	if at.IsZero() && w.own {
		at = w.about.begun
	}
	if at.IsZero() {
		at = w.earliest()
	}
	if !at.IsZero() {
		return at, lore.FromInherited
	}
	if at = kit.FileTime(w.in); !at.IsZero() {
		return at, lore.FromFile
	}
	return at, lore.FromNone
}

// earliest returns the first time in the updates.
func (w *writer) earliest() lore.Time {
	if w.stream == nil {
		return lore.Time{}
	}
	for i := range w.stream.turns {
		if at := w.stream.turns[i].time; !at.IsZero() {
			return at
		}
	}
	return lore.Time{}
}

// at decodes an update. The losses to come are of its file.
func (w *writer) at(n int32) (kit.Value, error) {
	w.losses.In(w.in.Name(w.updateFile))
	p := w.stream.spots[n]
	v, err := w.updates.At(p.offset, p.length)
	if err != nil {
		return v, fmt.Errorf("line %d of %q: %w", p.line, w.updateFile, err)
	}
	return v, nil
}

// origins appends where the updates of a turn stand, and returns how many they are.
func (w *writer) origins(list []lore.Locator, t *turn) ([]lore.Locator, int) {
	n := 0
	for at := t.first; at >= 0; at = w.stream.spots[at].next {
		n++
		if p := w.stream.spots[at]; len(list) < maxOrigins {
			list = append(list, lore.Locator{File: w.in.Name(w.updateFile), Line: int(p.line), Offset: p.offset, Length: p.length})
		}
	}
	return list, n
}

// spent returns the tokens that the end of a turn tells, where it stands at this one.
func (w *writer) spent(n int32) (*lore.Usage, []lore.Locator, error) {
	at, ok := w.stream.spent[n]
	if !ok {
		return nil, nil, nil
	}
	v, err := w.at(at)
	if err != nil {
		return nil, nil, err
	}
	p := w.stream.spots[at]
	return usageOf(bodyOf(v).Get("update")), []lore.Locator{{File: w.in.Name(w.updateFile), Line: int(p.line), Offset: p.offset, Length: p.length}}, nil
}
