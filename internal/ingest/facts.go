package ingest

import (
	"fmt"

	"lore"
	"lore/internal/index"
)

// partial takes in a record that makes no conversation: facts about one that another evidence holds, or what became of
// units that belong to none.
func (rd *reading) partial(c *lore.Conversation) {
	rd.evidence.Ledger.Add(c.Ledger)
	rd.evidence.Losses = append(rd.evidence.Losses, c.Losses...)
	if c.Native == "" && c.About == "" {
		return
	}
	d := factData{Title: c.Title, TitleAt: c.TitleAt, File: rd.job.path()}
	if c.Parent != nil {
		d.ParentNative, d.Call = c.Parent.Native, c.Parent.Call
	}
	rd.facts = append(rd.facts, index.Fact{Evidence: rd.evidence.ID, Kind: "partial", Source: c.Source, Native: c.Native,
		About: c.About, Data: lore.AppendJSON(nil, d)})
}

// loadAbout remembers which messages the facts of earlier imports are about.
func (r *run) loadAbout() error {
	facts, err := r.index.Facts()
	for _, f := range facts {
		if f.Native == "" && f.About != "" {
			r.about[index.HashNative(f.About)] = true
		}
	}
	return err
}

// meet notes that a message was put which a fact is about.
func (r *run) meet(c *lore.Conversation, m *lore.Message) {
	h := index.HashNative(m.Native)
	if !r.about[h] {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.met[m.Native] = c.Source
}

// resolveAbout turns facts that name a message into facts that name its conversation, where there is one by now. It
// returns the conversations that are told of.
func (r *run) resolveAbout(x *index.Reader) ([]lore.ID, error) {
	evidences := map[int64]bool{}
	for evidence, facts := range r.told {
		for _, f := range facts {
			if f.Native == "" {
				evidences[evidence] = true
			}
		}
	}
	for native, source := range r.met {
		waiting, err := r.index.FactsAbout(source, native)
		if err != nil {
			return nil, err
		}
		for _, f := range waiting {
			evidences[f.Evidence] = true
		}
	}
	var ids []lore.ID
	for evidence := range evidences {
		found, err := r.resolveFacts(x, evidence)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// resolveFacts resolves what one evidence tells about single messages.
func (r *run) resolveFacts(x *index.Reader, evidence int64) ([]lore.ID, error) {
	facts, err := r.index.FactsOf(evidence)
	if err != nil {
		return nil, err
	}
	var ids []lore.ID
	for i := range facts {
		if facts[i].Native != "" {
			continue
		}
		e, err := holder(x, facts[i])
		if err != nil {
			return nil, err
		}
		if e != nil {
			facts[i].Native = e.Native
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return ids, r.index.PutFacts(evidence, facts)
}

// holder returns the conversation that holds the message which a fact is about; of several, which are copies, the one
// that ended first. Nil when there is none.
func holder(x *index.Reader, f index.Fact) (*index.Entry, error) {
	messages, err := x.ByNativeHash(index.HashNative(f.About))
	if err != nil {
		return nil, fmt.Errorf("message %q: %w", f.About, err)
	}
	var best *index.Entry
	var ended lore.Time
	for i := range messages {
		e, err := x.ConversationRow(messages[i].Conversation)
		if err != nil {
			return nil, err
		}
		if e.Source != f.Source || messages[i].ID != lore.MessageID(e.ID, f.About) || e.Native == "" {
			continue
		}
		c, err := e.Conversation()
		if err != nil {
			return nil, err
		}
		if best == nil || c.EndedAt.Before(ended) || (c.EndedAt == ended && e.Native < best.Native) {
			best, ended = e, c.EndedAt
		}
	}
	return best, nil
}
