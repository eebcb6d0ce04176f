package ingest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// prompts holds, during an import, what stores that keep only typed prompts say: small records of many conversations.
// They are read before the transcripts, so that each transcript is joined with them while it passes by.
type prompts struct {
	run   *run
	mu    sync.Mutex
	lists map[lore.ID][]promptList
	files map[int64]bool   // evidences whose lists are held
	fresh map[int64]bool   // those of them that were read in this import
	taken map[lore.ID]bool // conversations into which the lists were woven
}

// promptList is what one evidence holds of one conversation.
type promptList struct {
	file   int64
	order  string // of the file, see archive.ByMachine
	record *lore.Conversation
	link   index.Link
	read   bool // its evidence was read in this import, so that it may have changed
}

func newPrompts(r *run) *prompts {
	return &prompts{run: r, lists: map[lore.ID][]promptList{}, files: map[int64]bool{}, fresh: map[int64]bool{}, taken: map[lore.ID]bool{}}
}

// hold takes a list that was just read.
func (p *prompts) hold(id lore.ID, f archive.File, store adapter.Store, c *lore.Conversation) {
	p.add(id, promptList{file: f.ID, order: p.order(f), record: c, link: linkOf(f.ID, store, c), read: true})
}

func (p *prompts) order(f archive.File) string { return p.run.archive.ByMachine(f.Path) }

func (p *prompts) add(id lore.ID, l promptList) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[l.file] = true
	if !p.run.buried.dead[id] {
		p.lists[id] = append(p.lists[id], l)
	}
}

// register notes that an evidence was read in this import, whatever it holds now.
func (p *prompts) register(file int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[file], p.fresh[file] = true, true
}

// holds reports whether the lists of an evidence are held.
func (p *prompts) holds(file int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[file]
}

// take returns the lists of a conversation and notes that they are woven into it.
func (p *prompts) take(id lore.ID) []promptList {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[id] = true
	slices.SortStableFunc(p.lists[id], func(a, b promptList) int { return cmp.Compare(a.order, b.order) })
	return p.lists[id]
}

// record returns what an evidence holds of a conversation; nil when it is not held.
func (p *prompts) record(file int64, id lore.ID) *lore.Conversation {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lists[id] {
		if l.file == file {
			return l.record
		}
	}
	return nil
}

// loadUnchanged reads, from the archive, prompt stores that have not changed, where transcripts of their source have.
func (p *prompts) loadUnchanged(ctx context.Context, jobs []*job) error {
	sources := map[string]bool{}
	for _, j := range jobs {
		if !j.store.Prompts {
			sources[j.source.Product] = true
		}
	}
	for i := range p.run.known.all {
		f := &p.run.known.all[i]
		a := p.run.adapters.of(f)
		if a == nil || f.Of != 0 || f.Snapshot == 0 || !sources[f.Source] || p.files[f.ID] || !storeOf(a, f.Source, f.Store).Prompts {
			continue
		}
		if err := p.load(ctx, a, *f); err != nil {
			return err
		}
	}
	return nil
}

func (p *prompts) load(ctx context.Context, a adapter.Adapter, f archive.File) error {
	store := storeOf(a, f.Source, f.Store)
	p.files[f.ID] = true
	return p.readSnapshot(ctx, a, f, f.Snapshot, func(id lore.ID, c *lore.Conversation) {
		p.add(id, promptList{file: f.ID, order: p.order(f), record: c, link: linkOf(f.ID, store, c)})
	})
}

// readSnapshot reads one snapshot of a prompt store and yields the list of each conversation.
func (p *prompts) readSnapshot(ctx context.Context, a adapter.Adapter, f archive.File, snapshot int64, yield func(lore.ID, *lore.Conversation)) error {
	in, _, err := openArchived(p.run.archive.Archive, f, snapshot, p.run.companionFiles(f.ID))
	if err != nil {
		return err
	}
	var whole *lore.Conversation
	for c, err := range placed(in, a.Read(ctx, in)) {
		if err != nil {
			break // its failure was reported when it was read first
		}
		if c.Partial {
			continue
		}
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		if !c.More {
			yield(anchor(whole), whole)
			whole = nil
		}
	}
	return ctx.Err()
}

// loadOlder adds to the lists that are held what older snapshots of their evidences have and the newest has not: the head
// of such a list falls off, and what was typed stays.
func (p *prompts) loadOlder(ctx context.Context) error {
	if err := p.run.archive.Commit(); err != nil {
		return err // so that snapshots of this import are listed
	}
	for id := range p.files {
		f, err := p.run.archive.File(id)
		if err != nil {
			return err
		}
		all, err := p.run.archive.Snapshots(id)
		if err != nil {
			return err
		}
		a := p.run.adapters.of(f)
		for _, snap := range standing(all)[min(1, len(all)):] {
			err := p.readSnapshot(ctx, a, *f, snap.ID, func(conv lore.ID, c *lore.Conversation) { p.older(conv, *f, a, c) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// older adds one list of an older snapshot.
func (p *prompts) older(id lore.ID, f archive.File, a adapter.Adapter, c *lore.Conversation) {
	store := storeOf(a, f.Source, f.Store)
	for i := range p.lists[id] {
		if l := &p.lists[id][i]; l.file == f.ID {
			l.record = withOlder(l.record, c)
			l.link = linkOf(f.ID, store, l.record)
			return
		}
	}
	p.add(id, promptList{file: f.ID, order: p.order(f), record: c, link: linkOf(f.ID, store, c), read: p.fresh[f.ID]})
}

// unwoven returns the conversations whose lists have changed and were not woven into a transcript.
func (p *prompts) unwoven() ([]lore.ID, error) {
	var ids []lore.ID
	for id, lists := range p.lists {
		if p.taken[id] {
			continue
		}
		changed := false
		for _, l := range lists {
			if !l.read {
				continue
			}
			same, err := p.run.sameLink(id, l.link)
			if err != nil {
				return nil, err
			}
			changed = changed || !same
		}
		if changed {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// sameLink reports whether the index has a contribution as it is.
func (r *run) sameLink(id lore.ID, link index.Link) (bool, error) {
	links, err := r.index.Links(id)
	if err != nil {
		return false, err
	}
	for _, l := range links {
		if l.Evidence == link.Evidence && !l.Partial {
			return bytes.Equal(l.Digest, link.Digest), nil
		}
	}
	return false, nil
}
