package service

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
	"lore/internal/query"
)

// archivedGrep is a grep over the archive: evidences that may hold a match are found while the conversations in those
// before them are read.
type archivedGrep struct {
	*grepping
	*library
	allowed map[lore.ID]bool // nil: every conversation
	seen    map[lore.ID]bool // conversations that are read, or will be
	files   map[int64]bool   // evidences that were taken
}

func (g *grepping) archived(ctx context.Context, l *library, q query.Query) error {
	allowed, err := g.service.narrowing(ctx, l, q)
	if err != nil {
		return err
	}
	a := &archivedGrep{grepping: g, library: l, allowed: allowed, seen: map[lore.ID]bool{}, files: map[int64]bool{}}
	if g.req.Lines == GrepWithout {
		g.told = map[lore.ID]bool{}
	}
	err = g.readAll(ctx, func(ctx context.Context, start func(reader) error) error {
		return a.candidates(ctx, func(file int64) error { return a.evidence(ctx, file, start) })
	}, g.tell, func() {})
	if err != nil {
		return err
	}
	if err := g.end(); err != nil {
		return err
	}
	if err := a.without(); err != nil {
		return err
	}
	return g.summary()
}

// without tells of the conversations that have no match, newest first, where they were asked for.
func (a *archivedGrep) without() error {
	if a.told == nil {
		return nil
	}
	page, err := a.index.List(context.Background(), query.Query{}, index.ListOptions{})
	if err != nil {
		return err
	}
	for i := range page.Entries {
		e := &page.Entries[i]
		if a.told[e.ID] || a.allowed != nil && !a.allowed[e.ID] {
			continue
		}
		of, err := a.hitOf(e)
		if err == nil {
			if err = a.begin(of); err == nil {
				err = a.end()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// candidates yields the evidences that may hold a match, each once: in the order of their ids where the bytes tell, and
// behind those where they do not.
func (a *archivedGrep) candidates(ctx context.Context, yield func(file int64) error) error {
	n := a.pattern.needle
	if len(n.Literals) == 0 {
		return a.everyFile(nil, yield)
	}
	of := fragments(a.service.Adapters)
	n.Versions = true // a message that its source has removed is still one
	n.Files = func(f *archive.File) bool { return of(f) == adapter.NoFragments }
	if err := a.scan(ctx, n, yield); err != nil {
		return err
	}
	if halves := a.pattern.halves; len(halves.Literals) > 0 {
		halves.Versions, halves.Files = true, func(f *archive.File) bool { return of(f) == adapter.LongFragments }
		if err := a.scan(ctx, halves, yield); err != nil {
			return err
		}
		return a.everyFile(func(f *archive.File) bool { return of(f) == adapter.ShortFragments }, yield)
	}
	return a.everyFile(func(f *archive.File) bool { return of(f) != adapter.NoFragments }, yield)
}

// fragments returns how long the strings are of which the texts of a file are put together.
func fragments(adapters []adapter.Adapter) func(f *archive.File) adapter.Fragments {
	of := map[[2]string]adapter.Fragments{}
	for _, ad := range adapters {
		for _, s := range ad.Info().Stores {
			key := [2]string{s.Source, s.Name}
			of[key] = max(of[key], s.Fragments)
		}
	}
	return func(f *archive.File) adapter.Fragments { return of[[2]string{f.Source, f.Store}] }
}

// everyFile yields the evidences that are wanted; nil wants all.
func (a *archivedGrep) everyFile(want func(f *archive.File) bool, yield func(file int64) error) error {
	all, err := a.index.Evidences()
	if err != nil {
		return err
	}
	for i := range all {
		e := &all[i]
		if want == nil || want(&archive.File{Source: e.Source, Store: e.Store}) {
			if err := yield(e.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan yields the evidences in whose bytes, or in those of a companion, a literal stands.
func (a *archivedGrep) scan(ctx context.Context, n archive.Needle, yield func(file int64) error) error {
	scan, err := a.archive.Scan(ctx, n)
	if err != nil {
		return err
	}
	done := map[int64]bool{}
	return inOrder(ctx, scan.Parts, func(ctx context.Context, p *archive.ScanPart) (bool, error) {
		var hit atomic.Bool
		err := p.Lines(ctx, func(*archive.Line) error {
			hit.Store(true)
			return archive.SkipFile
		})
		return hit.Load(), err
	}, func(p *archive.ScanPart, hit bool) error {
		if !hit || done[p.File.ID] {
			return nil
		}
		done[p.File.ID] = true
		if p.File.Of == 0 {
			return yield(p.File.ID)
		}
		mains, err := a.archive.Mains(p.File.ID)
		for _, main := range mains {
			if err == nil {
				err = yield(main)
			}
		}
		return err
	})
}

// inOrder calls f for every item, as many at a time as there are cores, and take for the results in the items' order.
func inOrder[T, R any](ctx context.Context, items []T, f func(context.Context, T) (R, error), take func(T, R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	type result struct {
		r   R
		err error
	}
	n := runtime.GOMAXPROCS(0)
	slots := make(chan chan result, n)
	work.Go(func() {
		defer close(slots)
		for _, item := range items {
			out := make(chan result, 1)
			select {
			case slots <- out:
			case <-ctx.Done():
				return
			}
			work.Go(func() {
				r, err := f(ctx, item)
				out <- result{r, err}
			})
		}
	})
	i := 0
	for out := range slots {
		x := <-out
		if x.err != nil {
			return x.err
		}
		if err := take(items[i], x.r); err != nil {
			return err
		}
		i++
	}
	return ctx.Err()
}

// manyConversations is from how many conversations on an evidence is read once for all of them.
const manyConversations = 3

// evidence starts the readings of the conversations that an evidence speaks of, but of those that are read already.
func (a *archivedGrep) evidence(ctx context.Context, file int64, start func(reader) error) error {
	if a.files[file] {
		return nil
	}
	a.files[file] = true
	linked, err := a.index.LinkedTo(file)
	if err != nil {
		return err
	}
	var ids []lore.ID
	for _, l := range linked {
		if id := l.Conversation; !l.Partial && !a.seen[id] && (a.allowed == nil || a.allowed[id]) {
			ids = append(ids, id)
		}
	}
	var alone map[lore.ID]bool
	if len(ids) >= manyConversations {
		if alone, err = a.assembler.Alone(file, ids); err != nil {
			return err
		}
		if ids, err = a.matching(ctx, file, ids, alone); err != nil {
			return err
		}
	}
	for _, id := range ids {
		a.seen[id] = true
		if err := start(func(ctx context.Context, give func(matchedIn) error) error { return a.conversation(ctx, id, give) }); err != nil {
			return err
		}
	}
	if len(alone) == 0 {
		return nil
	}
	for id := range alone {
		a.seen[id] = true
	}
	return start(func(ctx context.Context, give func(matchedIn) error) error { return a.whole(ctx, file, alone, give) })
}

// matching returns, of the conversations that an evidence speaks of beside others, those in which it holds a match, now
// or in an older snapshot. The ones that it alone speaks of are left out.
func (a *archivedGrep) matching(ctx context.Context, file int64, ids []lore.ID, alone map[lore.ID]bool) ([]lore.ID, error) {
	wanted := map[lore.ID]bool{}
	for _, id := range ids {
		if !alone[id] {
			wanted[id] = false
		}
	}
	if len(wanted) > 0 {
		err := a.assembler.Ever(ctx, file, func(id lore.ID, c *lore.Conversation) error {
			if hit, ok := wanted[id]; ok && !hit {
				most := 1
				wanted[id] = len((&grepping{req: a.req, pattern: a.pattern}).search(c, c, &most)) > 0
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var out []lore.ID
	for _, id := range ids {
		if wanted[id] {
			out = append(out, id)
		}
	}
	return out, nil
}

// conversation reads one conversation.
func (a *archivedGrep) conversation(ctx context.Context, id lore.ID, give func(matchedIn) error) error {
	of, facts, err := a.facts(id)
	if err != nil {
		return err
	}
	most := a.most()
	err = a.assembler.Stream(ctx, id, func(c *lore.Conversation) error { return a.piece(c, of, facts, &most, give) })
	return a.fault(of, err, give)
}

// whole reads the conversations that one evidence alone speaks of.
func (a *archivedGrep) whole(ctx context.Context, file int64, wanted map[lore.ID]bool, give func(matchedIn) error) error {
	var sealer *lore.Sealer
	var of HitOf
	var facts *lore.Conversation
	most := 0
	return a.assembler.Evidence(ctx, file, func(id lore.ID, c *lore.Conversation) (err error) {
		if !wanted[id] {
			return nil
		}
		if sealer == nil {
			sealer, most = lore.NewSealer(), a.most()
			if of, facts, err = a.facts(id); err != nil {
				return err
			}
		}
		sealer.Piece(c)
		if !c.More {
			sealer = nil
		}
		if err = a.piece(c, of, facts, &most, give); errors.Is(err, errEnough) {
			err = nil // the others come behind it
		}
		return err
	})
}

// piece hands over what stands in one piece of a conversation. errEnough: no more of it is wanted.
func (a *archivedGrep) piece(c *lore.Conversation, of HitOf, facts *lore.Conversation, most *int, give func(matchedIn) error) error {
	if found := a.search(c, facts, most); len(found) > 0 {
		if err := give(matchedIn{of: of, messages: found}); err != nil {
			return err
		}
	}
	if *most == 0 {
		return errEnough
	}
	return nil
}

// fault turns the error of a conversation that this program has no reader for into a word about it: the others are read.
func (a *archivedGrep) fault(of HitOf, err error, give func(matchedIn) error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	if errors.Is(err, ingest.ErrNoReader) {
		return give(matchedIn{fault: &Fault{Source: of.Source, File: of.ShortID, Error: err.Error()}})
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", of.ID.Short(), err)
	}
	return nil
}

// facts returns what the catalogue says of a conversation.
func (a *archivedGrep) facts(id lore.ID) (HitOf, *lore.Conversation, error) {
	e, err := a.index.Conversation(id)
	if err != nil {
		return HitOf{}, nil, err
	}
	c, err := e.Conversation()
	if err != nil {
		return HitOf{}, nil, err
	}
	of, err := a.hitOf(e)
	return of, c, err
}

func (a *archivedGrep) hitOf(e *index.Entry) (HitOf, error) {
	c, err := e.Conversation()
	if err != nil {
		return HitOf{}, err
	}
	return HitOf{ID: c.ID, ShortID: a.short([]lore.ID{c.ID})[0], NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}, nil
}
