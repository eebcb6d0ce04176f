package codex

import (
	"context"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// typed is an entry of the prompt history.
type typed struct {
	spot
	next int32 // the next entry of its session; -1: none
}

// readHistory reads history.jsonl: the prompts of all sessions in the order of their typing, as one conversation for
// each session. Which of them are said better elsewhere is not known here.
func readHistory(ctx context.Context, in adapter.Input, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"session_id", "ts", "text", "conversation_id"}})
	if err != nil {
		return err
	}
	defer lines.Close()
	h := history{in: in, lines: lines, known: map[string]int32{}, rest: losses{make: lines.Loss}}
	for r := range lines.All() {
		h.take(r)
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	if len(h.sessions) == 0 && lines.Good() > 0 {
		return adapter.ErrNotMine
	}
	for i := range h.sessions {
		if err := h.session(ctx, &h.sessions[i], yield); err != nil {
			return err
		}
	}
	return fileEnd(in, lines, h.other, h.rest.list, lines.Good() == 0, yield)
}

// history is the prompt history by sessions; the texts stay in the file until a session is read.
type history struct {
	in       adapter.Input
	lines    *kit.Lines
	entries  []typed
	sessions []session
	known    map[string]int32
	other    lore.Ledger // units of no session
	rest     losses
}

// session is the chain of one session's entries.
type session struct {
	id          string
	first, last int32
}

const historyEntry = "history entry without session"

func (h *history) take(r *kit.Record) {
	id := idOf(first(r.Value.Get("session_id"), r.Value.Get("conversation_id")))
	if id == "" || !r.Value.Get("text").IsString() {
		h.other.Meet(historyEntry)
		h.rest.unknown(int32(r.Line), historyEntry)
		return
	}
	at := int32(len(h.entries))
	h.entries = append(h.entries, typed{spot{r.Offset, r.Length, int32(r.Line)}, -1})
	n, ok := h.known[id]
	if !ok {
		h.known[id] = int32(len(h.sessions))
		h.sessions = append(h.sessions, session{id, at, at})
		return
	}
	h.entries[h.sessions[n].last].next = at
	h.sessions[n].last = at
}

// session yields the prompts of one session, in pieces when they are many.
func (h *history) session(ctx context.Context, s *session, yield yielder) error {
	begin := func() *lore.Conversation {
		return &lore.Conversation{Source: h.in.Source.Product, Store: h.in.Source.Store, Native: s.id, Kind: lore.Main}
	}
	c, size, ledger := begin(), int64(0), lore.Ledger{}
	for at := s.first; at >= 0; at = h.entries[at].next {
		if err := ctx.Err(); err != nil {
			return err
		}
		if size >= h.in.PieceBound() {
			c.More = true
			if !yield(c, nil) {
				return errStopped
			}
			c, size = begin(), 0
		}
		entry := &h.entries[at]
		v, err := h.lines.At(entry.offset, entry.length)
		if err != nil {
			return err
		}
		m := typedMessage(v.Get("text"), v.Get("ts"))
		m.Origins = []lore.Locator{{File: h.in.Name(h.in.Source.Path), Line: int(entry.line), Offset: entry.offset, Length: entry.length}}
		c.Messages = append(c.Messages, m)
		size += int64(len(m.Parts[0].Text)) + 256
		ledger.Keep(1)
	}
	c.Ledger = ledger
	if !yield(c, nil) {
		return errStopped
	}
	return nil
}

// typedMessage makes a message of a prompt in a history.
func typedMessage(text, at kit.Value) lore.Message {
	b := builder{}
	m := lore.Message{Role: lore.User, Active: true, Parts: []lore.Part{b.text(lore.Text, text)}, Units: 1}
	m.At = timeOf(at)
	m.AtFrom = kit.TimeFrom(m.At)
	return m
}
