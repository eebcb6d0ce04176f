package antigravity

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter/kit"
)

// Subtypes of messages that are not speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subCompaction = "compaction"
	subUnknown    = "unknown"
)

// results are the steps that say what a tool did.
var results = map[string]bool{"RUN_COMMAND": true, "VIEW_FILE": true, "LIST_DIRECTORY": true, "GREP_SEARCH": true, "SEARCH_WEB": true,
	"CODE_ACTION": true, "GENERIC": true}

// notes are the steps that are nobody's speech, by their subtype.
var notes = map[string]string{"CONVERSATION_HISTORY": subContext, "EPHEMERAL_MESSAGE": subContext, "SYSTEM_MESSAGE": subNotice,
	"CHECKPOINT": subCompaction}

// writer is the second pass: it decodes the steps in their order and yields messages.
type writer struct {
	*scan
	pieces  *kit.Pieces
	last    lore.Time
	model   string
	waiting []string // ids of the calls whose results have not come
	parent  string
	said    int
}

func (w *writer) write(ctx context.Context, yield yielder) error {
	w.pieces = kit.NewPieces(w.in, w.head, yield)
	for _, st := range w.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := st.spots[0]
		v, err := at.file.lines.At(at.offset, at.length)
		if err != nil {
			return fmt.Errorf("line %d: %w", at.line, err)
		}
		if err := w.step(st, v); err != nil {
			return err
		}
	}
	if w.said == 0 {
		w.files[0].tally.One(lore.Empty, lore.Info, 0, "no messages")
	}
	var list []lore.Loss
	for _, f := range w.files {
		list = append(append(list, f.lines.Losses()...), f.tally.List()...)
	}
	return w.pieces.End(w.ledger, list)
}

// head makes the record of a piece. A file that makes no message makes no conversation.
func (w *writer) head() *lore.Conversation {
	return &lore.Conversation{Source: source, Store: w.in.Source.Store, Native: native(w.in.Name(w.in.Source.Path)), Kind: lore.Main,
		Partial: w.said == 0}
}

// step puts one step where it belongs: into messages, or into the ledger.
func (w *writer) step(st *step, v kit.Value) error {
	at := st.spots[0]
	runs := w.runs(st, v)
	switch {
	case len(runs) == 0:
		w.ledger.Skip(kit.Clip(st.typ))
		return nil
	case runs[0].Subtype == subUnknown:
		w.ledger.Meet(kit.Clip(st.typ))
		at.file.tally.Unknown(at.line, st.typ)
	default:
		w.ledger.Keep(1)
		runs[0].Units = 1
	}
	if n := v.Get("truncated_fields").Len(); n > 0 {
		at.file.tally.Many(lore.TruncatedBySource, lore.Warning, at.line, n, "texts that Antigravity has cut in its transcript")
	}
	when, from := w.time(st, v.Get("created_at"))
	spoken := map[lore.Role]bool{}
	for i := range runs {
		m := &runs[i]
		switch {
		case i == 0:
			m.Native = st.native
		case !spoken[m.Role]:
			m.Native = kit.SplitNative(m.Role, st.native)
		}
		spoken[m.Role] = true
		m.ParentNative, w.parent = w.parent, m.Native
		m.At, m.AtFrom, m.Active = when, from, true
		for _, s := range st.spots {
			m.Origins = append(m.Origins, s.locator())
		}
		w.said++
		if err := w.pieces.Add(*m); err != nil {
			return err
		}
	}
	return nil
}

func (s spot) locator() lore.Locator {
	return s.file.lines.Locator(&kit.Record{Line: s.line, Offset: s.offset, Length: s.length})
}

// time tells when a step was written: by itself, else as the one before it.
func (w *writer) time(st *step, v kit.Value) (lore.Time, lore.TimeFrom) {
	if t, ok := kit.ParseTime(v); ok {
		w.last = t
		return t, kit.TimeFrom(t)
	}
	if v.Exists() && !v.IsNull() {
		st.spots[0].file.tally.More(lore.BadTime, lore.Info, st.spots[0].line, "times that cannot be read")
	}
	if w.last.IsZero() {
		return lore.Time{}, lore.FromNone
	}
	return w.last, lore.FromInherited
}

// runs makes the messages of a step, one for each run of one role. None: there is nothing in it.
func (w *writer) runs(st *step, v kit.Value) []lore.Message {
	content, by := v.Get("content"), v.Get("source").String()
	sub, note := notes[st.typ]
	switch {
	case note || by == "SYSTEM" && (st.typ == "USER_INPUT" || st.typ == "PLANNER_RESPONSE"):
		if !note {
			sub = subContext
		}
		if content.String() == "" {
			return nil
		}
		return []lore.Message{{Role: lore.System, Subtype: sub, Parts: []lore.Part{kit.TextPart(lore.Text, content)}}}
	case st.typ == "USER_INPUT":
		w.waiting = nil
		return w.prompt(content, by, v.Get("truncated_fields").Len() > 0)
	case st.typ == "PLANNER_RESPONSE":
		w.waiting = nil
		m := w.answer(v)
		if content.Exists() && !content.IsNull() && (!content.Is("") || len(m.Parts) == 0) {
			at := len(m.Parts) - v.Get("tool_calls").Len()
			m.Parts = append(m.Parts[:at:at], append([]lore.Part{kit.RawPart(lore.Text, content)}, m.Parts[at:]...)...)
		}
		if len(m.Parts) == 0 {
			m.Parts = []lore.Part{{Kind: lore.Text}}
		}
		return []lore.Message{m}
	case results[st.typ]:
		return w.result(st, v)
	}
	return []lore.Message{{Role: lore.System, Subtype: subUnknown, Parts: []lore.Part{kit.UnknownPart(st.typ, v)}}}
}

// answer makes what a model thought and called in a step.
func (w *writer) answer(v kit.Value) lore.Message {
	m := lore.Message{Role: lore.Assistant, Model: w.model}
	if t := v.Get("thinking"); t.String() != "" {
		m.Parts = append(m.Parts, kit.TextPart(lore.Thinking, t))
	}
	for call := range v.Get("tool_calls").Items() {
		args := call.Get("args")
		if !args.Exists() {
			args = call.Get("arguments")
		}
		p := kit.RawPart(lore.Call, args)
		p.Name, p.CallID = call.Get("name").String(), call.Get("id").String()
		m.Parts = append(m.Parts, p)
		w.waiting = append(w.waiting, p.CallID)
	}
	return m
}

// result makes the result of a tool, and before it what the same step says of its call.
func (w *writer) result(st *step, v kit.Value) (list []lore.Message) {
	if v.Get("tool_calls").Len() > 0 || v.Get("thinking").String() != "" {
		if v.Get("tool_calls").Len() > 0 {
			w.waiting = nil
		}
		list = append(list, w.answer(v))
	}
	p := kit.RawPart(lore.Result, v.Get("content"))
	p.Name = st.typ
	if len(w.waiting) > 0 {
		p.CallID, w.waiting = w.waiting[0], w.waiting[1:]
	}
	switch v.Get("status").String() {
	case "ERROR", "FAILED", "error", "failed":
		p.IsError = true
	}
	return append(list, lore.Message{Role: lore.Tool, Parts: []lore.Part{p}})
}
