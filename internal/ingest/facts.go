package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// partial takes in a record that makes no conversation: facts about one that another evidence holds, or what became of
// units that belong to none.
func (rd *reading) partial(c *lore.Conversation) {
	rd.evidence.Ledger.Add(c.Ledger)
	rd.evidence.Losses = append(rd.evidence.Losses, c.Losses...)
	if c.Native == "" && c.About == "" || c.Native != "" && rd.run.buried.dead[lore.ConversationID(c.Source, c.Native)] {
		return
	}
	d := factData{Title: c.Title, TitleAt: c.TitleAt, File: rd.job.path(), Archived: c.Archived}
	if c.Project != (lore.Project{}) {
		d.Project = &c.Project
	}
	if c.Parent != nil {
		d.ParentNative, d.Call = c.Parent.Native, c.Parent.Call
	}
	rd.facts = append(rd.facts, index.Fact{Evidence: rd.evidence.ID, Kind: "partial", Source: c.Source, Native: c.Native,
		About: c.About, Data: lore.AppendJSON(nil, d)})
}

// freshFacts returns what the evidence tells now and did not tell before. A fact about a message whose conversation is
// known already keeps naming it.
func (rd *reading) freshFacts() ([]index.Fact, error) {
	old, err := rd.run.index.FactsOf(rd.evidence.ID)
	if err != nil {
		return nil, err
	}
	told := map[string]bool{}
	native := map[string]string{} // by About
	for _, f := range old {
		told[factKey(f)] = true
		if f.About != "" {
			native[f.About] = f.Native
		}
	}
	var fresh []index.Fact
	again := rd.run.unsettled(rd.evidence.ID)
	for i := range rd.facts {
		f := &rd.facts[i]
		if f.About != "" {
			f.Native = native[f.About]
		}
		if !told[factKey(*f)] || again {
			fresh = append(fresh, *f)
		}
	}
	return fresh, nil
}

func factKey(f index.Fact) string {
	if f.About != "" {
		return "\x00" + f.About + "\x00" + string(f.Data)
	}
	return f.Native + "\x00" + string(f.Data)
}

// loadAbout remembers which messages the facts of earlier imports are about. Also of those whose conversation is known:
// an older one that holds the message may come.
func (r *run) loadAbout() error {
	facts, err := r.index.Facts()
	for _, f := range facts {
		if f.About != "" {
			r.about[index.HashNative(f.About)] = true
		}
	}
	return err
}

// meet notes that a message was put which a fact is about.
func (r *run) meet(c *lore.Conversation, m *lore.Message) {
	for _, native := range append([]string{m.Native}, m.Aliases...) {
		if native == "" || !r.about[index.HashNative(native)] {
			continue
		}
		r.mu.Lock()
		r.met[native] = c.Source
		r.mu.Unlock()
	}
}

// resolveAbout turns facts that name a message into facts that name its conversation, where there is one by now. It
// returns the conversations that are told of.
func (r *run) resolveAbout(ctx context.Context, x *index.Reader) ([]lore.ID, error) {
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
		found, err := r.resolveFacts(ctx, x, evidence)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// resolveFacts resolves what one evidence tells about single messages. A message that has the id as its own is found in
// the index; one that has it as a further id is looked for in the bytes of the archive.
func (r *run) resolveFacts(ctx context.Context, x *index.Reader, evidence int64) ([]lore.ID, error) {
	facts, err := r.index.FactsOf(evidence)
	if err != nil {
		return nil, err
	}
	var ids []lore.ID
	var open []*index.Fact
	for i := range facts {
		f := &facts[i]
		if _, met := r.met[f.About]; f.About == "" || (f.Native != "" && !met) {
			continue
		}
		e, err := holder(x, *f)
		if err != nil {
			return nil, err
		}
		if e == nil {
			open = append(open, f)
			continue
		}
		ids = append(ids, point(f, e)...)
	}
	found, err := r.searchAliases(ctx, x, open)
	if err != nil {
		return nil, err
	}
	for _, f := range open {
		if e := found[f.About]; e != nil {
			ids = append(ids, point(f, e)...)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return ids, r.index.PutFacts(evidence, facts)
}

// point makes a fact one about a conversation and returns the conversations that it changes.
func point(f *index.Fact, e *index.Entry) []lore.ID {
	before := f.Native
	if before == e.Native {
		return nil
	}
	f.Native = e.Native
	if before == "" {
		return []lore.ID{e.ID}
	}
	return []lore.ID{e.ID, lore.ConversationID(f.Source, before)}
}

// searchAliases returns, by the id that a fact names, the conversation with a message that has it as a further id.
func (r *run) searchAliases(ctx context.Context, x *index.Reader, open []*index.Fact) (map[string]*index.Entry, error) {
	if len(open) == 0 {
		return nil, nil
	}
	wanted := map[string]*index.Entry{}
	var needle archive.Needle
	for _, f := range open {
		if _, again := wanted[f.About]; !again {
			wanted[f.About] = nil
			needle.Literals = append(needle.Literals, []byte(f.About))
		}
	}
	needle.Files = func(f *archive.File) bool { return f.Source == open[0].Source && f.Of == 0 }
	var mu sync.Mutex
	files := map[int64]bool{}
	err := r.archive.SearchRaw(ctx, needle, func(l *archive.Line) error {
		mu.Lock()
		defer mu.Unlock()
		files[l.File.ID] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := r.assembler()
	for file := range files {
		err := a.Evidence(ctx, file, func(id lore.ID, c *lore.Conversation) error {
			return matchAliases(x, wanted, id, c)
		})
		if err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

// matchAliases notes which of the wanted ids messages of a piece have; of copies, the conversation that ended first.
func matchAliases(x *index.Reader, wanted map[string]*index.Entry, id lore.ID, c *lore.Conversation) error {
	for i := range c.Messages {
		for _, alias := range c.Messages[i].Aliases {
			before, ok := wanted[alias]
			if !ok {
				continue
			}
			e, err := x.Conversation(id)
			if errors.Is(err, index.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if before == nil || endedBefore(e, before) {
				wanted[alias] = e
			}
		}
	}
	return nil
}

func endedBefore(a, b *index.Entry) bool {
	x, err := a.Conversation()
	y, err2 := b.Conversation()
	return err == nil && err2 == nil && (x.EndedAt.Before(y.EndedAt) || (x.EndedAt == y.EndedAt && a.Native < b.Native))
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
