package trae

import (
	"fmt"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// hear counts what a person said.
func (r *reader) hear(m *lore.Message) {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == lore.Text {
			r.spoken[words(p.Text)]++
		}
	}
}

// words is a text without the white space that a field for input may change.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// prompts tells the prompts that were typed. Those that a chat of this database holds are merged; the others are a
// conversation of their own, in which nobody answers. It has no id: its place anchors it.
func (r *reader) prompts(s *stored) error {
	w := &session{reader: r, losses: losses{file: r.losses.file}}
	said := 0
	pieces := kit.NewPieces(r.in, func() *lore.Conversation {
		return &lore.Conversation{Source: source, Store: r.in.Source.Store, Place: r.losses.file + "#" + keyPrompts, Kind: lore.Main,
			Project: r.project, Partial: said == 0}
	}, r.yield)
	for v := range s.value.Items() {
		where := s.locate(v)
		t := v
		if v.IsObject() {
			t = v.Get("inputText")
		}
		switch {
		case !t.IsString() || t.Is("") && v.Get("multiMedia").Len() == 0:
			w.ledger.Skip("prompt without text")
			continue
		case r.spoken[words(t.String())] > 0:
			r.spoken[words(t.String())]--
			w.ledger.Merge(1)
			continue
		}
		w.ledger.Keep(1)
		b := &body{session: w, row: where.Row}
		b.text(lore.Text, "inputText", t)
		b.media(v.Get("multiMedia"))
		said++
		err := pieces.Add(lore.Message{Role: lore.User, Active: true, Units: 1, AtFrom: lore.FromNone, Parts: b.parts, Origins: []lore.Locator{where}})
		if err != nil {
			return err
		}
	}
	if said > 0 {
		w.losses.one(lore.PromptsOnly, lore.Info, s.where.Row, fmt.Sprintf("%d prompts of chats that are not in this database", said))
	}
	if w.ledger.Units == 0 {
		return nil
	}
	return pieces.End(w.ledger, w.losses.list)
}

// bodiless tells of the sessions that have no messages although something was typed: some versions empty them.
func (r *reader) bodiless(prompts *stored) {
	if prompts == nil || prompts.value.Len() == 0 {
		return
	}
	for _, e := range r.empty {
		if e.id != "" && r.byID[e.id] == nil {
			r.losses.one(lore.MissingBody, lore.Info, e.row, fmt.Sprintf("session %q has no messages", kit.Clip(e.id)))
		}
	}
}

// index takes in the list of sessions that the editor underneath keeps: titles of chats that stand elsewhere, if anywhere.
func (r *reader) index(s *stored) {
	entries := s.value.Get("entries")
	for id, v := range entries.Fields() {
		title := strings.TrimSpace(v.Get("title").String())
		if title == "" {
			r.ledger.Skip("entry of an index")
			continue
		}
		c := &lore.Conversation{Source: source, Store: r.in.Source.Store, Partial: true, Native: id, Title: title, TitleFrom: lore.TitleFromSource}
		c.Ledger.Keep(1)
		r.facts = append(r.facts, c)
	}
	if !entries.IsObject() && s.value.Len() > 0 {
		r.ledger.Meet(keyIndex)
		r.losses.unknown(s.where.Row, keyIndex)
	}
}
