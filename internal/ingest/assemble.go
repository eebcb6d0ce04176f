package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// ErrNoReader says that no adapter of this program reads a source that the archive holds.
var ErrNoReader = errors.New("no adapter for this source")

// catalog is what an assembler asks of the index.
type catalog interface {
	Links(conv lore.ID) ([]index.Link, error)
	Evidence(id int64) (*index.Evidence, error)
	FactsFor(source, native string) ([]index.Fact, error)
	Conversation(id lore.ID) (*index.Entry, error)
}

// Assembler puts the record of a conversation together again from the archive: all evidences that speak of it, joined,
// with the facts that others tell about it. The same bytes give the same record, whenever it is asked.
type Assembler struct {
	archive  *archive.Archive
	catalog  catalog
	adapters func() readers
	said     said                                            // what conversations say; nil: not known
	held     func(file int64, id lore.ID) *lore.Conversation // records of prompt stores that are in memory; may be nil
	indexed  func(file int64) (snapshot int64, err error)    // what the index has read; nil: the newest is asked for
}

// NewAssembler makes an assembler over an archive and an index. It reads what the index has read: an import that is at work,
// or was killed, may have archived more, and what is shown of that would have ids that nothing finds.
func NewAssembler(a *archive.Archive, c *index.Reader, adapters []adapter.Adapter) *Assembler {
	return &Assembler{archive: a, catalog: c, said: c, adapters: sync.OnceValue(func() readers { return readersOf(adapters) }),
		indexed: c.SnapshotOf}
}

// readers finds the adapter of an archived file. Two adapters may read stores of one source, which write different
// formats.
type readers map[[2]string]adapter.Adapter

func readersOf(adapters []adapter.Adapter) readers {
	m := readers{}
	for _, a := range adapters {
		for _, s := range a.Info().Stores {
			m[[2]string{s.Source, s.Name}] = a
			if _, taken := m[[2]string{s.Source, ""}]; !taken {
				m[[2]string{s.Source, ""}] = a
			}
		}
	}
	return m
}

// of returns the adapter that reads a file; nil when this program has none.
func (r readers) of(f *archive.File) adapter.Adapter { return r[[2]string{f.Source, f.Store}] }

// Load returns the whole sealed record of a conversation.
func (a *Assembler) Load(ctx context.Context, id lore.ID) (*lore.Conversation, error) {
	var whole *lore.Conversation
	s := lore.NewSealer()
	_, _, err := a.pieces(ctx, id, nil, func(c *lore.Conversation) error {
		s.Piece(c)
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if whole == nil {
		return nil, fmt.Errorf("conversation %s: no evidence of it can be read", id.Short())
	}
	if whole.Lineage == nil {
		a.knownLineage(id, whole)
	}
	s.Finish(whole)
	return whole, nil
}

// Stream yields the sealed record of a conversation piece by piece, so that one larger than memory can be passed on. What
// only the whole record says (counts, times, a title from a prompt) is in no piece: the catalogue has it.
func (a *Assembler) Stream(ctx context.Context, id lore.ID, yield func(*lore.Conversation) error) error {
	s := lore.NewSealer()
	_, _, err := a.pieces(ctx, id, nil, func(c *lore.Conversation) error {
		s.Piece(c)
		return yield(c)
	})
	return err
}

// knownLineage takes over a lineage that only a look at other conversations could find.
func (a *Assembler) knownLineage(id lore.ID, c *lore.Conversation) {
	if e, err := a.catalog.Conversation(id); err == nil {
		if header, err := e.Conversation(); err == nil && header.Lineage != nil {
			c.Lineage = header.Lineage
		}
	}
}

// appendPiece adds a later piece of a record to the earlier ones.
func appendPiece(whole, next *lore.Conversation) {
	messages, ledger, losses := append(whole.Messages, next.Messages...), whole.Ledger, append(whole.Losses, next.Losses...)
	ledger.Add(next.Ledger)
	*whole = *next
	whole.Messages, whole.Ledger, whole.Losses, whole.More = messages, ledger, losses, false
}

// source is one evidence as an assembler meets it.
type source struct {
	file       archive.File
	companions []archive.File
	store      adapter.Store
	snapshots  []archive.Snapshot // the newest, and those that the next one does not extend
}

// pieces yields the record of a conversation, joined and not yet sealed, in one or more pieces. Further evidences may be
// named beside those that the index links. It returns what each evidence contributes and whether the source still has
// the conversation.
func (a *Assembler) pieces(ctx context.Context, id lore.ID, more []int64, yield func(*lore.Conversation) error) ([]index.Link, bool, error) {
	sources, err := a.sources(id, more)
	if err != nil {
		return nil, false, err
	}
	facts := &facts{catalog: a.catalog}
	unsaid := &unsaid{index: a.said}
	rest := func(c *lore.Conversation) error {
		if err := unsaid.piece(id, c); err != nil {
			return err
		}
		return yield(c)
	}
	links, in, err := a.joined(ctx, id, sources, facts, rest)
	unsaid.settle(links)
	return links, in, err
}

func (a *Assembler) joined(ctx context.Context, id lore.ID, sources []source, facts *facts, yield func(*lore.Conversation) error) ([]index.Link, bool, error) {
	if main := alone(sources); main != nil {
		return a.stream(ctx, id, main, sources, facts, yield)
	}
	return a.union(ctx, id, sources, facts, yield)
}

// alone returns the only source that is not a list of prompts, if it has one snapshot to read.
func alone(sources []source) *source {
	var main *source
	for i := range sources {
		if sources[i].store.Prompts {
			continue
		}
		if main != nil || len(sources[i].snapshots) != 1 {
			return nil
		}
		main = &sources[i]
	}
	return main
}

// sources returns the evidences that speak of a conversation.
func (a *Assembler) sources(id lore.ID, more []int64) ([]source, error) {
	links, err := a.catalog.Links(id)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(more)
	for _, l := range links {
		if !l.Partial {
			ids = append(ids, l.Evidence)
		}
	}
	slices.Sort(ids)
	var all []source
	for _, file := range slices.Compact(ids) {
		s, err := a.source(file)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(x, y source) int {
		return cmp.Compare(a.archive.ByMachine(x.file.Path), a.archive.ByMachine(y.file.Path))
	})
	return all, nil
}

func (a *Assembler) source(file int64) (source, error) {
	f, err := a.archive.File(file)
	if err != nil {
		return source{}, err
	}
	ad := a.adapters().of(f)
	if ad == nil {
		return source{}, fmt.Errorf("%w: %q", ErrNoReader, f.Source)
	}
	s := source{file: *f, store: storeOf(ad, f.Source, f.Store)}
	if s.companions, err = a.archive.Companions(file); err != nil {
		return source{}, err
	}
	all, err := a.archive.Snapshots(file)
	if err != nil {
		return source{}, err
	}
	if a.indexed != nil {
		known, err := a.indexed(file)
		if err != nil {
			return source{}, err
		}
		all = until(all, known)
	}
	s.snapshots = standing(all)
	return s, nil
}

// until returns the snapshots from the known one on to the oldest; all of them where it is not there any more, because what
// was forgotten has been taken out of it.
func until(all []archive.Snapshot, known int64) []archive.Snapshot {
	at := slices.IndexFunc(all, func(s archive.Snapshot) bool { return s.ID == known })
	return all[max(at, 0):]
}

// standing returns, of the snapshots of a file from the newest on, the newest and those that the next one does not extend.
func standing(all []archive.Snapshot) []archive.Snapshot {
	var out []archive.Snapshot
	for i, s := range all {
		if i == 0 || all[i-1].Extends != s.ID {
			out = append(out, s)
		}
	}
	return out
}

// stream reads the one main source piece by piece and pairs the prompts of the others with it.
func (a *Assembler) stream(ctx context.Context, id lore.ID, main *source, sources []source, facts *facts, yield func(*lore.Conversation) error) ([]index.Link, bool, error) {
	w := newWeave()
	var links []index.Link
	for i := range sources {
		if s := &sources[i]; s.store.Prompts {
			c, err := a.prompts(ctx, id, s)
			if err != nil {
				return nil, false, err
			}
			if c != nil {
				links = append(links, linkOf(s.file.ID, s.store, c))
				w.add(c)
			}
		}
	}
	link := index.Link{Evidence: main.file.ID, Rank: main.store.Rank}
	seen := false
	err := a.read(ctx, main, main.snapshots[0], id, func(c *lore.Conversation) error {
		seen = true
		countLink(&link, c)
		if err := w.piece(c); err != nil {
			return err
		}
		if !c.More {
			if err := facts.apply(c); err != nil {
				return err
			}
		}
		return yield(c)
	})
	if err != nil {
		return nil, false, err
	}
	w.settle(links)
	if seen {
		links = append(links, link)
	}
	return links, main.file.InSource, nil
}

// union reads all sources whole and joins them.
func (a *Assembler) union(ctx context.Context, id lore.ID, sources []source, facts *facts, yield func(*lore.Conversation) error) ([]index.Link, bool, error) {
	var all []contribution
	for i := range sources {
		s := &sources[i]
		if s.store.Prompts {
			c, err := a.prompts(ctx, id, s)
			if err != nil {
				return nil, false, err
			}
			if c != nil {
				all = append(all, contribution{record: c, store: s.store, file: s.file.ID, path: s.file.Path, order: a.archive.ByMachine(s.file.Path), gone: !s.file.InSource,
					link: linkOf(s.file.ID, s.store, c)})
			}
			continue
		}
		for age, snap := range s.snapshots {
			c, err := a.whole(ctx, id, s, snap)
			if err != nil {
				return nil, false, err
			}
			if c != nil {
				all = append(all, contribution{record: c, store: s.store, file: s.file.ID, path: s.file.Path, order: a.archive.ByMachine(s.file.Path), gone: !s.file.InSource,
					old: age > 0, age: age, link: linkOf(s.file.ID, s.store, c)})
			}
		}
	}
	if len(all) == 0 {
		return nil, false, nil
	}
	c := join(all)
	promptsOnly(c, all)
	if err := facts.apply(c); err != nil {
		return nil, false, err
	}
	return linksOf(all), inSource(all), yield(c)
}

// linksOf returns one link for each evidence: what its newest snapshot that speaks of the conversation adds.
func linksOf(all []contribution) []index.Link {
	var links []index.Link
	seen := map[int64]bool{}
	for _, c := range all { // join has put the newest snapshot of each file first
		if !seen[c.file] {
			seen[c.file] = true
			c.link.Ledger.Remerge(c.moved)
			links = append(links, c.link)
		}
	}
	return links
}

// inSource reports whether the newest snapshot of one of the richest evidences, at its source, speaks of a conversation.
func inSource(all []contribution) bool {
	best := all[0].store.Rank
	for _, c := range all {
		best = min(best, c.store.Rank)
	}
	return slices.ContainsFunc(all, func(c contribution) bool { return c.store.Rank == best && !c.gone && !c.old })
}

// promptsOnly says of a conversation of which only prompts are left that it is so.
func promptsOnly(c *lore.Conversation, all []contribution) {
	for _, x := range all {
		if !x.store.Prompts {
			return
		}
	}
	c.Losses = append(c.Losses, lore.Loss{Code: lore.PromptsOnly, Severity: lore.Info, Source: c.Source, File: all[0].path,
		What: fmt.Sprintf("%d prompts of %s", len(c.Messages), c.Native), Count: 1})
}

// prompts returns what a store of typed prompts holds of a conversation, also what fell off its head since; nil when it
// holds nothing.
func (a *Assembler) prompts(ctx context.Context, id lore.ID, s *source) (*lore.Conversation, error) {
	if a.held != nil {
		if c := a.held(s.file.ID, id); c != nil {
			return c, nil
		}
	}
	var list *lore.Conversation
	for _, snap := range s.snapshots {
		older, err := a.whole(ctx, id, s, snap)
		if err != nil {
			return nil, err
		}
		list = withOlder(list, older)
	}
	return list, nil
}

// withOlder adds to a list of prompts what an older snapshot of it holds. Either may be nil.
func withOlder(list, older *lore.Conversation) *lore.Conversation {
	if list == nil || older == nil {
		return cmp.Or(list, older)
	}
	older.Ledger.Remerge(mergeMessages(list, older, merging{sameStore: true}))
	list.Ledger.Add(older.Ledger)
	list.Losses = distinct(append(list.Losses, older.Losses...))
	return list
}

// whole returns what one snapshot says of a conversation, in one piece; nil when it says nothing.
func (a *Assembler) whole(ctx context.Context, id lore.ID, s *source, snap archive.Snapshot) (*lore.Conversation, error) {
	var whole *lore.Conversation
	err := a.read(ctx, s, snap, id, func(c *lore.Conversation) error {
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		return nil
	})
	return whole, err
}

// read reads one snapshot of an evidence and yields the pieces of one conversation.
func (a *Assembler) read(ctx context.Context, s *source, snap archive.Snapshot, id lore.ID, yield func(*lore.Conversation) error) error {
	in, _, err := openArchived(a.archive, s.file, snap.ID, s.companions)
	if err != nil {
		return err
	}
	open := false
	for c, err := range placed(in, a.adapters().of(&s.file).Read(ctx, in)) {
		if errors.Is(err, adapter.ErrNotMine) || errors.Is(err, adapter.ErrMalformed) {
			return nil // its failure was reported when it was imported; what came before it stands
		}
		if err != nil {
			return err
		}
		if c.Partial || (!open && anchor(c) != id) {
			continue
		}
		open = c.More
		if err := yield(c); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// anchor returns the id of the conversation that a first piece begins.
func anchor(c *lore.Conversation) lore.ID {
	switch {
	case c.Native != "":
		return lore.ConversationID(c.Source, c.Native)
	case c.Place != "":
		return lore.PlacedConversationID(c.Source, c.Store, c.Place)
	case len(c.Messages) > 0:
		m := &c.Messages[0]
		return lore.SeededConversationID(c.Source, c.Store, lore.ContentID(c.Source, m.Role, m.Model, m.Parts))
	}
	return lore.ID{}
}

// linkOf says what a whole contribution adds. Its digest tells, at the next import, whether it has changed.
func linkOf(file int64, store adapter.Store, c *lore.Conversation) index.Link {
	l := index.Link{Evidence: file, Rank: store.Rank}
	countLink(&l, c)
	if store.Prompts {
		l.Digest = contributionDigest(c)
	}
	return l
}

func countLink(l *index.Link, c *lore.Conversation) {
	l.Messages += len(c.Messages)
	l.Ledger.Add(c.Ledger)
	l.Losses = append(l.Losses, c.Losses...)
}

func contributionDigest(c *lore.Conversation) []byte {
	members := make([]lore.ID, 0, len(c.Messages))
	for i := range c.Messages {
		m := &c.Messages[i]
		members = append(members, lore.ContentID(c.Source, m.Role, m.Model, m.Parts))
	}
	d := lore.ContentHash(members)
	return d[:]
}

// facts applies to a record what other evidences say of it.
type facts struct{ catalog catalog }

// factData is how a fact is kept in the index.
type factData struct {
	Title        string        `json:"title,omitempty"`
	TitleAt      lore.Time     `json:"title_at,omitzero"`
	ParentNative string        `json:"parent,omitempty"`
	Call         string        `json:"call,omitempty"`
	Project      *lore.Project `json:"project,omitempty"`
	Archived     bool          `json:"archived,omitempty"`
	File         string        `json:"file,omitempty"`
}

func (f *facts) apply(c *lore.Conversation) error {
	if c.Native == "" {
		return nil
	}
	d, err := f.about(c.Source, c.Native)
	if err == nil {
		applyFact(c, d)
	}
	return err
}

// about puts together what all evidences tell of a conversation. What is told twice is taken from the newest, and
// without times from the last by name: the order in which they were imported says nothing.
func (f *facts) about(source, native string) (factData, error) {
	var sum factData
	found, err := f.catalog.FactsFor(source, native)
	if err != nil {
		return sum, err
	}
	all := make([]factData, len(found))
	for i, fact := range found {
		if err := json.Unmarshal(fact.Data, &all[i]); err != nil {
			return sum, fmt.Errorf("fact about %q: %w", native, err)
		}
	}
	slices.SortStableFunc(all, func(a, b factData) int {
		_, mine := archive.OtherMachine(a.File)
		_, other := archive.OtherMachine(b.File)
		return cmp.Or(cmp.Compare(a.TitleAt.UnixNano(), b.TitleAt.UnixNano()), cmp.Compare(mine, other),
			cmp.Compare(a.Title, b.Title), cmp.Compare(a.ParentNative, b.ParentNative), cmp.Compare(a.Call, b.Call))
	})
	for _, d := range all {
		if d.Title != "" {
			sum.Title, sum.TitleAt = d.Title, d.TitleAt
		}
		if d.Project != nil {
			sum.Project = d.Project
		}
		if d.ParentNative != "" && (sum.ParentNative == "" || d.Call != "") {
			sum.ParentNative, sum.Call = d.ParentNative, d.Call
		}
		sum.Archived = sum.Archived || d.Archived
	}
	return sum, nil
}

// applyFact gives a record what its own evidence does not say: a title, or a newer one, the project, and the call that
// started it.
func applyFact(c *lore.Conversation, d factData) {
	if d.Title != "" && (c.TitleFrom != lore.TitleFromSource || c.Title == "" || (!d.TitleAt.IsZero() && c.TitleAt.Before(d.TitleAt) && !c.TitleAt.IsZero())) {
		c.Title, c.TitleFrom, c.TitleAt = d.Title, lore.TitleFromSource, d.TitleAt
	}
	if d.Project != nil && c.Project.Dir == "" {
		branch := c.Project.Branch
		c.Project = *d.Project
		if c.Project.Branch == "" {
			c.Project.Branch = branch
		}
	}
	c.Archived = c.Archived || d.Archived
	if d.ParentNative == "" {
		return
	}
	if c.Parent == nil {
		c.Parent = &lore.Parent{Native: d.ParentNative}
		if c.Kind == "" || c.Kind == lore.Main {
			c.Kind = lore.Subagent
		}
	}
	if c.Parent.Native == d.ParentNative && c.Parent.Call == "" {
		c.Parent.Call = d.Call
	}
}

// Evidence reads the newest snapshot of one evidence and yields the pieces of every conversation that it speaks of, as
// it says them: not joined and not sealed.
func (a *Assembler) Evidence(ctx context.Context, file int64, yield func(id lore.ID, c *lore.Conversation) error) error {
	s, err := a.source(file)
	if err != nil || len(s.snapshots) == 0 {
		return err
	}
	return a.all(ctx, &s, s.snapshots[0], yield)
}

// Ever yields what Evidence does, of the newest snapshot and then of every older one that it does not extend.
func (a *Assembler) Ever(ctx context.Context, file int64, yield func(id lore.ID, c *lore.Conversation) error) error {
	s, err := a.source(file)
	for i := 0; err == nil && i < len(s.snapshots); i++ {
		err = a.all(ctx, &s, s.snapshots[i], yield)
	}
	return err
}

// Alone returns, of some conversations that an evidence speaks of, those whose record is what its newest snapshot says
// and nothing else.
func (a *Assembler) Alone(file int64, ids []lore.ID) (map[lore.ID]bool, error) {
	s, err := a.source(file)
	if err != nil || len(s.snapshots) != 1 || s.store.Prompts {
		return nil, err
	}
	alone := map[lore.ID]bool{}
	for _, id := range ids {
		links, err := a.catalog.Links(id)
		if err != nil {
			return nil, err
		}
		links = slices.DeleteFunc(links, func(l index.Link) bool { return l.Partial })
		if len(links) == 1 && links[0].Evidence == file {
			alone[id] = true
		}
	}
	return alone, nil
}

// Snapshot yields what Evidence does, of a snapshot that need not be the newest; its companions are as they are now.
func (a *Assembler) Snapshot(ctx context.Context, snap archive.Snapshot, yield func(id lore.ID, c *lore.Conversation) error) error {
	s, err := a.source(snap.File)
	if err != nil {
		return err
	}
	return a.all(ctx, &s, snap, yield)
}

// all yields the pieces of every conversation in one snapshot.
func (a *Assembler) all(ctx context.Context, s *source, snap archive.Snapshot, yield func(id lore.ID, c *lore.Conversation) error) error {
	in, _, err := openArchived(a.archive, s.file, snap.ID, s.companions)
	if err != nil {
		return err
	}
	var id lore.ID
	open := false
	for c, err := range placed(in, a.adapters().of(&s.file).Read(ctx, in)) {
		if err != nil {
			return ctx.Err() // its failure was reported when it was imported
		}
		if c.Partial {
			continue
		}
		if !open {
			id = anchor(c)
		}
		open = c.More
		if err := yield(id, c); err != nil {
			return err
		}
	}
	return ctx.Err()
}
