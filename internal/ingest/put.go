package ingest

import (
	"fmt"
	"slices"

	"lore"
	"lore/internal/index"
)

// mode says what becomes of the pieces of a conversation.
type mode uint8

const (
	put    mode = iota // sealed and put into the index as they come
	gather             // of a prompt store: held in memory, woven into the richer record or joined in the end
	drop               // several evidences speak of it: it is joined from the archive in the end
)

// putting is one conversation on its way from an adapter into the index.
type putting struct {
	*reading
	id     lore.ID
	mode   mode
	held   *lore.Conversation
	sealer *lore.Sealer
	weave  *weave
	links  []index.Link
	link   index.Link
	facts  *facts
	sealed int     // messages that were put
	last   lore.ID // the last of them
}

// start begins to put the conversation, with the prompts that other stores hold of it.
func (p *putting) start() error {
	r := p.run
	p.sealer, p.weave = lore.NewSealer(), newWeave()
	p.facts = &facts{catalog: r.index}
	p.link = index.Link{Evidence: p.kept.file.ID, Rank: p.job.store.Rank}
	for _, h := range r.prompts.take(p.id) {
		p.weave.add(h.record)
		p.links = append(p.links, h.link)
	}
	if err := p.session.Begin(p.id); err != nil {
		return err
	}
	if p.from != nil {
		if err := p.resume(p.from); err != nil {
			return err
		}
	}
	if p.first != nil {
		p.note(p.first)
	}
	return nil
}

func (p *putting) piece(c *lore.Conversation) error {
	switch p.mode {
	case drop:
		return nil
	case gather:
		return p.hold(c)
	}
	countLink(&p.link, c)
	if err := p.weave.piece(c); err != nil {
		return err
	}
	if !c.More {
		if err := p.facts.apply(c); err != nil {
			return err
		}
	}
	if err := p.seal(c); err != nil || c.More {
		return err
	}
	p.sealer.Finish(c)
	p.weave.settle(p.links)
	if out, err := p.run.leftOut(c, append(p.links, p.link)); out || err != nil {
		p.session.Abort()
		p.point = nil
		return err
	}
	return p.run.finish(p.session, c, p.kept.file.InSource, append(p.links, p.link))
}

// seal seals and puts the messages of a piece, and stops at each mark among them.
func (p *putting) seal(c *lore.Conversation) error {
	done := 0
	for _, k := range p.weave.crossed() {
		part := *c
		part.Messages = c.Messages[done:k.split]
		if err := p.enter(&part); err != nil {
			return err
		}
		p.capture(k)
		done = k.split
	}
	c.Messages = c.Messages[done:]
	return p.enter(c)
}

// enter seals messages and puts them.
func (p *putting) enter(c *lore.Conversation) error {
	p.sealer.Piece(c)
	if n := len(c.Messages); n > 0 {
		p.sealed, p.last = p.sealed+n, c.Messages[n-1].ID
	}
	return p.run.add(p.session, c, p.kept.file.ID)
}

func (p *putting) hold(c *lore.Conversation) error {
	if p.held == nil {
		p.held = c
	} else {
		appendPiece(p.held, c)
	}
	if !c.More {
		p.run.prompts.hold(p.id, p.kept.file, p.job.store, p.held)
	}
	return nil
}

func (p *putting) abort() {
	if p.mode == put {
		p.session.Abort()
	}
}

// add puts the messages of a sealed piece.
func (r *run) add(s *index.Session, c *lore.Conversation, file int64) error {
	for i := range c.Messages {
		m := &c.Messages[i]
		evidence := file
		if len(m.Origins) > 0 {
			evidence = r.evidenceOf(c.Source, m.Origins[0].File, file)
		}
		if err := s.Add(m, evidence); err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID.Short(), err)
		}
		if len(r.about) > 0 {
			r.meet(c, m)
		}
	}
	return nil
}

// finish ends a conversation in the index and counts it. Its losses are part of the report.
func (r *run) finish(s *index.Session, c *lore.Conversation, inSource bool, links []index.Link) error {
	ownLosses(c, links)
	change, err := s.Finish(c, inSource, links)
	if err != nil {
		return fmt.Errorf("conversation %s: %w", c.ID.Short(), err)
	}
	for _, m := range change.Moved {
		if err := r.archive.Rename(m.Old, m.New); err != nil {
			return err
		}
	}
	r.tally.put(c, change)
	r.tally.lose(c.Losses...)
	for i := range links {
		r.tally.lose(links[i].Losses...)
	}
	again := slices.ContainsFunc(links, func(l index.Link) bool { return r.unsettled(l.Evidence) })
	if change.New || change.Changed || again {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.changed[c.ID] = c.Project.Dir
	}
	if (change.New || again) && c.MessageCount > 0 {
		r.fresh = append(r.fresh, c.ID)
	}
	return nil
}

// ownLosses gives losses that only the joined record knows, as that nothing but prompts is left, to its first evidence:
// the index counts the losses of a conversation by its links.
func ownLosses(c *lore.Conversation, links []index.Link) {
	if len(links) == 0 {
		return
	}
	known := map[lore.Loss]bool{}
	for i := range links {
		for _, l := range links[i].Losses {
			known[l] = true
		}
	}
	for _, l := range c.Losses {
		if !known[l] {
			known[l] = true
			links[0].Losses = append(links[0].Losses, l)
		}
	}
}

// evidenceOf returns the archive's file that a locator names.
func (r *run) evidenceOf(source, name string, file int64) int64 {
	if f, ok := r.paths.Load(fileKey(source, name)); ok {
		return f.(int64)
	}
	return file
}
