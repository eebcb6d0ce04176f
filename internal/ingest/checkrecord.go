package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// messageFacts are what is compared of a message: its ids stand for all that it says.
type messageFacts struct {
	id, content lore.ID
	role        lore.Role
	active      bool
}

func factsOf(all []messageFacts, messages []lore.Message) []messageFacts {
	for i := range messages {
		m := &messages[i]
		all = append(all, messageFacts{m.ID, m.ContentID, m.Role, m.Active})
	}
	return all
}

// evidence reads an evidence again. A conversation of which it is the only one is compared while it passes by; others
// are noted for the join.
func (k *recordCheck) evidence(f *archive.File) error {
	s, err := k.asm.source(f.ID)
	if err != nil {
		k.badFile(f, "%s", oneLine(err.Error()))
		return nil
	}
	k.report.Read++
	linked, err := k.index.LinkedTo(f.ID)
	if err != nil {
		return err
	}
	lacking := map[lore.ID]*index.Link{}
	for i := range linked {
		if !linked[i].Partial {
			lacking[linked[i].Conversation] = &linked[i].Link
		}
	}
	spoken := map[lore.ID]bool{}
	for age, snap := range s.snapshots {
		single := age == 0 && len(s.snapshots) == 1 && !s.store.Prompts
		k.passing(&s, snap, single, func(id lore.ID) {
			if !spoken[id] && lacking[id] == nil {
				k.badFile(f, "it speaks of conversation %s, which the index does not know from it", id.Short())
			}
			spoken[id] = true
		})
		if err := k.ctx.Err(); err != nil {
			return err
		}
	}
	for id := range lacking {
		if !spoken[id] {
			k.badFile(f, "the index knows conversation %s from it, of which it does not speak", id.Short())
		}
	}
	return nil
}

// passing reads one snapshot. With single, conversations that only this evidence speaks of are compared.
func (k *recordCheck) passing(s *source, snap archive.Snapshot, single bool, speaks func(lore.ID)) {
	var p *passed
	k.pieces(s, snap, func(c *lore.Conversation) {
		if p == nil {
			id := anchor(c)
			if k.buried.dead[id] {
				p = &passed{check: k, id: id}
				if !c.More {
					p = nil
				}
				return
			}
			speaks(id)
			p = &passed{check: k, id: id, single: single && k.alone(id, s.file.ID)}
			if p.single {
				p.sealer = lore.NewSealer()
				p.link = index.Link{Evidence: s.file.ID, Rank: s.store.Rank}
			} else {
				k.joint[id] = true
			}
		}
		p.piece(c)
		if !c.More {
			p = nil
		}
	})
}

// alone reports whether an evidence is the only one that speaks of a conversation.
func (k *recordCheck) alone(id lore.ID, file int64) bool {
	links, err := k.index.Links(id)
	for _, l := range links {
		if !l.Partial && l.Evidence != file {
			return false
		}
	}
	return err == nil && !k.joint[id] && !k.compared[id]
}

// passed is a conversation while it passes by.
type passed struct {
	check  *recordCheck
	id     lore.ID
	single bool
	sealer *lore.Sealer
	facts  []messageFacts
	link   index.Link
}

func (p *passed) piece(c *lore.Conversation) {
	if !p.single {
		return
	}
	k := p.check
	countLink(&p.link, c)
	if !c.More {
		if err := (&facts{catalog: k.index}).apply(c); err != nil {
			k.badRecord(p.id, "%s", oneLine(err.Error()))
		}
	}
	p.sealer.Piece(c)
	p.facts = factsOf(p.facts, c.Messages)
	if c.More {
		return
	}
	if c.Lineage == nil {
		k.asm.knownLineage(p.id, c)
	}
	p.sealer.Finish(c)
	k.compared[p.id] = true
	if err := k.compare(p.id, c, p.facts, []index.Link{p.link}); err != nil {
		k.badRecord(p.id, "%s", oneLine(err.Error()))
	}
}

// compare holds a record that was computed anew against what the index has.
func (k *recordCheck) compare(id lore.ID, c *lore.Conversation, messages []messageFacts, links []index.Link) error {
	k.report.Conversations++
	k.report.Messages += len(messages)
	e, err := k.index.Conversation(id)
	if errors.Is(err, index.ErrNotFound) {
		k.badRecord(id, "it is in the archive and not in the index")
		return nil
	}
	if err != nil {
		return err
	}
	if e.Hash != c.ContentHash {
		k.badRecord(id, "the index has content hash %s, the archive %s", e.Hash.Short(), c.ContentHash.Short())
	}
	header, err := e.Conversation()
	if err != nil {
		return err
	}
	if !bytes.Equal(comparable(header), comparable(c)) {
		k.badRecord(id, "its header in the index is not that of its record")
	}
	if err := k.compareMessages(id, messages); err != nil {
		return err
	}
	return k.compareLinks(id, links)
}

// compareLinks compares what each evidence contributes.
func (k *recordCheck) compareLinks(id lore.ID, want []index.Link) error {
	have, err := k.index.Links(id)
	if err != nil {
		return err
	}
	account := func(l index.Link) string { return fmt.Sprintf("%d %s", l.Messages, lore.AppendJSON(nil, l.Ledger)) }
	known := map[int64]string{}
	for _, l := range have {
		if !l.Partial {
			known[l.Evidence] = account(l)
		}
	}
	for _, l := range want {
		if known[l.Evidence] != account(l) {
			k.badRecord(id, "its ledger of evidence %d in the index is not that of its record", l.Evidence)
		}
		delete(known, l.Evidence)
	}
	for evidence := range known {
		k.badRecord(id, "the index knows it from evidence %d, which does not speak of it", evidence)
	}
	return nil
}

// comparable returns the header of a record without what pieces count for themselves.
func comparable(c *lore.Conversation) []byte {
	h := *c
	h.Messages, h.Losses, h.Ledger, h.More = nil, nil, lore.Ledger{}, false
	return lore.AppendJSON(nil, &h)
}

// compareMessages compares ids, roles and order.
func (k *recordCheck) compareMessages(id lore.ID, messages []messageFacts) error {
	have, err := k.index.Messages(id)
	if err != nil {
		return err
	}
	if len(have) != len(messages) {
		k.badRecord(id, "the index has %d messages of it, the archive %d", len(have), len(messages))
		return nil
	}
	for i, m := range messages {
		if h := &have[i]; h.ID != m.id || h.ContentID != m.content || h.Role != m.role || h.Active != m.active {
			k.badRecord(id, "message %d is %s in the index, %s in the archive", i+1, h.ID.Short(), m.id.Short())
			return nil
		}
	}
	return nil
}
