package cursor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// blobReader reads the blobs of the agent: the messages that were sent to a model, each under the hash of its bytes. No
// blob says of which chat it is, and most repeat a bubble. What none repeats is recovered.
type blobReader struct {
	*database
	w     *writer
	made  bubbles
	words map[uint64]bool // what bubbles, and blobs before, say
	calls map[string]bool // ids of calls that bubbles have
}

// blobs yields the blobs that no bubble repeats as one conversation, inactive.
func (d *database) blobs() error {
	r := &blobReader{database: d, w: newWriter(d.in, d.yield, d.in.Source.Store, ""), words: map[uint64]bool{}, calls: map[string]bool{}}
	r.w.head.Place = placeOf(d.in) + "#" + partBlobs
	r.made.losses = &losses{} // of the bubbles, which others tell
	keys, err := r.written()
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := r.learn(); err != nil {
		return err
	}
	for _, key := range keys {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.blob(key); err != nil {
			return err
		}
	}
	if r.w.put == 0 {
		return r.w.finish()
	}
	r.w.losses.one(lore.MissingHeader, lore.Info, spot{row: tableKV + "/" + keyBlob}, fmt.Sprintf("%d messages that no chat holds", r.w.put))
	return r.w.finish()
}

// written returns the keys of the blobs in the order in which they were written.
func (r *blobReader) written() ([]string, error) {
	type blob struct {
		key string
		nth int
	}
	var list []blob
	q := prefixed(tableKV, keyBlob)
	err := r.each(kit.Query{Table: q.Table, From: q.From, To: q.To, Columns: []string{}, Order: true}, func(row kit.Row) error {
		list = append(list, blob{row.Key.Text(), row.Nth})
		return nil
	})
	slices.SortStableFunc(list, func(a, b blob) int { return cmp.Or(cmp.Compare(a.nth, b.nth), cmp.Compare(a.key, b.key)) })
	keys := make([]string, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys, err
}

// learn notes what the bubbles of all chats say.
func (r *blobReader) learn() error {
	for _, q := range []string{keyBubble, keyComposer} {
		x := prefixed(tableKV, q)
		err := r.each(kit.Query{Table: x.Table, From: x.From, To: x.To}, func(row kit.Row) error {
			cell := row.Get("value")
			if cell.IsAbsent() || cell.Left {
				return nil
			}
			v, err := r.doc.Parse(cell.Bytes)
			if err != nil {
				return nil // the chat tells of it
			}
			if q == keyBubble {
				r.hear(v)
				return nil
			}
			for b := range v.Get("conversation").Items() {
				r.hear(b)
			}
			for _, b := range v.Get("conversationMap").Fields() {
				r.hear(b)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *blobReader) hear(bubble kit.Value) {
	if !bubble.IsObject() {
		return
	}
	for _, m := range r.made.messages(bubble, "", spot{}) {
		for _, p := range m.Parts {
			if p.CallID != "" {
				r.calls[p.CallID] = true
			}
			if p.Text != "" {
				r.words[wordHash(p.Text)] = true
			}
		}
	}
}

// blob takes one blob.
func (r *blobReader) blob(key string) error {
	var cell kit.Cell
	var where lore.Locator
	err := r.each(kit.Query{Table: tableKV, From: key}, func(row kit.Row) error {
		cell, where = row.Get("value"), r.rows.Locator(row, "")
		cell.Bytes = bytes.Clone(cell.Bytes)
		return nil
	})
	if err != nil {
		return err
	}
	at := spot{row: where.Row}
	if !cell.IsAbsent() && !cell.Left && !bytes.HasPrefix(bytes.TrimLeft(cell.Bytes, " \t\r\n"), []byte("{")) {
		r.w.ledger.Meet("binary blob")
		return nil
	}
	v, state := value(&r.doc, cell, kit.Object, where.Row, &r.w.ledger, &r.w.losses)
	if state != rowGood {
		return nil
	}
	role := v.Get("role").String()
	s := speech{losses: &r.w.losses, at: at}
	switch {
	case !v.Get("content").Exists() || !s.said(role, v.Get("content")):
		r.w.ledger.Meet("blob " + clip(role))
		r.w.losses.unknown(at, "blob "+clip(role))
		return nil
	case own(role) == lore.System:
		r.w.ledger.Skip("system prompt")
		return nil
	}
	return r.recover(s.runs, where)
}

// recover keeps what is new of the messages of a blob.
func (r *blobReader) recover(list runs, where lore.Locator) error {
	var kept []lore.Message
	for i := range list {
		m := &list[i]
		if m.Role == lore.System {
			continue // what was sent around the words
		}
		m.Parts = slices.DeleteFunc(m.Parts, func(p lore.Part) bool { return isContext(m, p) || r.known(p) })
		if len(m.Parts) == 0 {
			continue
		}
		m.Active, m.Subtype, m.Origins = false, subRecovered, []lore.Locator{where}
		r.w.clock.stamp(m, lore.Time{}, false)
		if len(kept) == 0 {
			m.Units = 1
		}
		kept = append(kept, *m)
	}
	if len(kept) == 0 {
		r.w.ledger.Merge(1)
		return nil
	}
	r.w.ledger.Keep(1)
	return r.w.add(kept...)
}

// isContext reports whether a part of a user's message is what was sent around the words: no blob says which it is, but
// for the tag that it begins with.
func isContext(m *lore.Message, p lore.Part) bool {
	return m.Role == lore.User && strings.HasPrefix(strings.TrimSpace(p.Text), "<")
}

// known reports whether a bubble, or a blob before, says a part. The part is known from now on.
func (r *blobReader) known(p lore.Part) bool {
	if p.CallID != "" && r.calls[p.CallID] {
		return true
	}
	if strings.TrimSpace(p.Text) == "" {
		return p.Kind != lore.Call
	}
	h := wordHash(p.Text)
	known := r.words[h]
	r.words[h] = true
	return known
}
