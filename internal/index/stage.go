package index

import (
	"errors"
	"time"

	"lore"
)

// PutEvidence stages what was read of an evidence, in the place of what was known of it. It is not settled, whatever e says.
func (w *Writer) PutEvidence(e Evidence) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	w.paths[e.ID] = e.Path
	ledger, losses := encodeAccount(e.Ledger, e.Losses)
	return w.exec(`INSERT OR REPLACE INTO evidences (id, source, store, path, snapshot, reader, rests_on, settled, failure, ledger, losses)
		VALUES (?,?,?,?,?,?,?,0,?,?,?)`, e.ID, e.Source, e.Store, e.Path, e.Snapshot, e.Reader, e.RestsOn, trimLines(e.Failure), ledger, losses)
}

// SetRestsOn stages that a reading rests on something else now and needs not be done again for it. It is not settled then.
func (w *Writer) SetRestsOn(evidence, restsOn int64) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	return w.exec("UPDATE evidences SET rests_on = ?, settled = 0 WHERE id = ?", restsOn, evidence)
}

// Settle stages that all evidences are settled.
func (w *Writer) Settle() error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	return w.exec("UPDATE evidences SET settled = 1 WHERE NOT settled")
}

// DropEvidence stages that an evidence is no longer in the archive: its row, its links and its facts go. Conversations
// stay until they are put again or removed.
func (w *Writer) DropEvidence(id int64) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	delete(w.paths, id)
	return errors.Join(
		w.exec("DELETE FROM evidences WHERE id = ?", id),
		w.exec("DELETE FROM links WHERE evidence = ?", id),
		w.exec("DELETE FROM facts WHERE evidence = ?", id))
}

// PutFacts stages the facts that one evidence says about conversations of other evidences, in the place of all that it
// said before. The facts' own Evidence is not looked at.
func (w *Writer) PutFacts(evidence int64, facts []Fact) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.exec("DELETE FROM facts WHERE evidence = ?", evidence); err != nil {
		return err
	}
	for _, f := range facts {
		if err := w.exec("INSERT INTO facts (evidence, kind, source, native, about, data) VALUES (?,?,?,?,?,?)",
			evidence, f.Kind, f.Source, f.Native, f.About, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// SetInSource stages whether a conversation is still at its source, without reading it again.
func (w *Writer) SetInSource(conv lore.ID, in bool) error {
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	return w.exec("UPDATE conversations SET in_source = ? WHERE id = ?", in, conv[:])
}

// Remove stages that a conversation is gone, with its messages, links and columns. ErrNotFound when there is none.
func (w *Writer) Remove(conv lore.ID) error {
	s := &Session{w: w}
	if err := s.Begin(conv); err != nil {
		return err
	}
	defer s.Abort()
	if s.row == 0 || s.isNew {
		return ErrNotFound
	}
	w.stage.Lock()
	defer w.stage.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	for _, table := range []string{
		"DELETE FROM conversations WHERE row = ?", "DELETE FROM headers WHERE row = ?", "DELETE FROM links WHERE conversation = ?",
	} {
		if err := w.exec(table, s.row); err != nil {
			return err
		}
	}
	w.replace(s)
	delete(w.staged, s.row)
	return nil
}

// replace stages the deletion of what was known of a session's conversation and was not kept. The stage lock is held.
func (w *Writer) replace(s *Session) (deleted int) {
	for _, k := range s.known {
		if k.kept {
			continue
		}
		w.deletions(k.in).set(k.doc)
		if !k.title {
			deleted++
		}
	}
	for _, r := range s.superseded {
		for i := range r.count {
			r.in.drop(r.first + i)
		}
	}
	return deleted
}

// deletions returns the staged deletions of a committed segment.
func (w *Writer) deletions(s *segment) bitset {
	b := w.deleted[s]
	if b == nil {
		b = newBitset(s.docs)
		copy(b, s.deleted)
		w.deleted[s] = b
	}
	return b
}

func (p *pendingSegment) drop(doc uint32) {
	if p.deleted == nil {
		p.deleted = map[uint32]bool{}
	}
	p.deleted[doc] = true
}

// timeColumn is a time as the catalogue keeps it: NULL when absent.
func timeColumn(t lore.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// orderTime is what a list is ordered by: the end, else the beginning, else before everything.
func orderTime(c *lore.Conversation) int64 {
	switch {
	case !c.EndedAt.IsZero():
		return c.EndedAt.UnixNano()
	case !c.StartedAt.IsZero():
		return c.StartedAt.UnixNano()
	}
	return -1 << 63
}

// asOf is a stamp's time as the catalogue keeps it.
func asOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
