package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// RecordFault is a difference between what the archive holds and what the index says of it.
type RecordFault struct {
	Conversation lore.ID // zero: the fault is an evidence's
	Evidence     int64   // the archive's file id; 0: the fault is a conversation's
	File         string  // home-collapsed
	Detail       string  // one line
}

// RecordReport counts what CheckRecords has looked at.
type RecordReport struct {
	Evidences     int // rows that were compared
	Read          int // evidences that were read again, with all their snapshots that stand for themselves
	Conversations int // records that were computed anew and compared
	Messages      int
	Outdated      int // evidences that an older version of an adapter has read: the next import reads them anew
	Faults        []RecordFault
}

// CheckRecords compares the archive with the index: that each evidence is indexed in its newest snapshot, and, when full
// is set, that every record computed anew from the archive is the one that the index has. An error means that the
// comparison could not be done.
func CheckRecords(ctx context.Context, a *archive.Archive, x *index.Reader, adapters []adapter.Adapter, full bool) (*RecordReport, error) {
	k := &recordCheck{ctx: ctx, archive: a, index: x, asm: NewAssembler(a, x, adapters), files: map[int64]*archive.File{},
		compared: map[lore.ID]bool{}, joint: map[lore.ID]bool{}, lists: map[int64]map[lore.ID]*lore.Conversation{}}
	k.asm.held = k.list
	var err error
	if k.buried, err = loadBuried(a); err != nil {
		return nil, err
	}
	if err := k.states(); err != nil {
		return nil, err
	}
	if full {
		if err := k.records(); err != nil {
			return nil, err
		}
	}
	return &k.report, nil
}

// recordCheck is a CheckRecords on its way.
type recordCheck struct {
	ctx     context.Context
	archive *archive.Archive
	index   *index.Reader
	asm     *Assembler
	buried  *buried
	report  RecordReport

	files    map[int64]*archive.File // main evidences that the index has in their newest state
	order    []int64
	compared map[lore.ID]bool
	joint    map[lore.ID]bool                         // conversations of several evidences or snapshots
	lists    map[int64]map[lore.ID]*lore.Conversation // of prompt stores, by evidence
}

func (k *recordCheck) fault(f RecordFault) { k.report.Faults = append(k.report.Faults, f) }

func (k *recordCheck) badFile(f *archive.File, format string, args ...any) {
	k.fault(RecordFault{Evidence: f.ID, File: f.Path, Detail: fmt.Sprintf(format, args...)})
}

func (k *recordCheck) badRecord(id lore.ID, format string, args ...any) {
	k.fault(RecordFault{Conversation: id, Detail: fmt.Sprintf(format, args...)})
}

// states compares the rows of evidences.
func (k *recordCheck) states() error {
	files, err := k.archive.Files()
	if err != nil {
		return err
	}
	evidences, err := k.index.Evidences()
	if err != nil {
		return err
	}
	companions, err := companionsByMain(k.archive, files)
	if err != nil {
		return err
	}
	known := map[int64]*index.Evidence{}
	for i := range evidences {
		known[evidences[i].ID] = &evidences[i]
	}
	for i := range files {
		f := &files[i]
		ad := k.asm.adapters().of(f)
		if f.Of != 0 || f.Snapshot == 0 || ad == nil {
			continue
		}
		k.report.Evidences++
		e := known[f.ID]
		delete(known, f.ID)
		switch {
		case e == nil:
			k.badFile(f, "it is in the archive and not in the index")
		case e.Snapshot != f.Snapshot:
			k.badFile(f, "the index has read snapshot %d, the newest is %d", e.Snapshot, f.Snapshot)
		case e.Path != f.Path || e.Source != f.Source || e.Store != f.Store:
			k.badFile(f, "the index calls it %q of %s/%s, the archive %s/%s", e.Path, e.Source, e.Store, f.Source, f.Store)
		case e.Reader != ad.Info().Version:
			k.report.Outdated++
		case !e.Settled:
			k.badFile(f, "the import that read it did not come to its end")
		case e.RestsOn != restsOn(f, companions[f.ID]):
			k.badFile(f, "what is read with it, or whether it is at its source, has changed since the index read it")
		default:
			k.files[f.ID] = f
			k.order = append(k.order, f.ID)
		}
	}
	for _, e := range evidences {
		if known[e.ID] != nil {
			k.fault(RecordFault{Evidence: e.ID, File: e.Path, Detail: "it is in the index and not in the archive"})
		}
	}
	return nil
}

// records reads every evidence again and compares every record.
func (k *recordCheck) records() error {
	for _, id := range k.order {
		if err := k.evidence(k.files[id]); err != nil {
			return err
		}
	}
	joint := keys(k.joint)
	for _, id := range joint {
		if err := k.load(id); err != nil {
			return err
		}
	}
	if k.report.Outdated > 0 {
		return nil // what they speak of was not looked at
	}
	return k.index.Each(func(e index.Entry) error {
		if !k.compared[e.ID] {
			k.badRecord(e.ID, "no evidence of the archive speaks of it")
		}
		return k.ctx.Err()
	})
}

// load compares a conversation that is joined from several evidences or snapshots.
func (k *recordCheck) load(id lore.ID) error {
	k.compared[id] = true
	sealer := lore.NewSealer()
	var whole *lore.Conversation
	links, _, err := k.asm.pieces(k.ctx, id, nil, func(c *lore.Conversation) error {
		sealer.Piece(c)
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		return nil
	})
	if k.ctx.Err() != nil {
		return k.ctx.Err()
	}
	switch {
	case err != nil:
		k.badRecord(id, "it cannot be read: %s", oneLine(err.Error()))
		return nil
	case whole == nil:
		k.badRecord(id, "no evidence of it can be read")
		return nil
	case whole.Lineage == nil:
		k.asm.knownLineage(id, whole)
	}
	sealer.Finish(whole)
	return k.compare(id, whole, factsOf(nil, whole.Messages), links)
}

// list returns what a prompt store holds of a conversation. Each store is read once.
func (k *recordCheck) list(file int64, id lore.ID) *lore.Conversation {
	lists := k.lists[file]
	if lists == nil {
		lists = map[lore.ID]*lore.Conversation{}
		k.lists[file] = lists
		s, err := k.asm.source(file)
		if err != nil {
			return nil
		}
		for _, snap := range s.snapshots {
			k.each(&s, snap, func(id lore.ID, c *lore.Conversation) { lists[id] = withOlder(lists[id], c) })
		}
	}
	c := lists[id]
	if c == nil {
		return nil
	}
	copied := *c // weaving changes what it is given
	copied.Messages, copied.Losses = slices.Clone(c.Messages), slices.Clone(c.Losses)
	return &copied
}

// each yields every conversation of one snapshot, whole.
func (k *recordCheck) each(s *source, snap archive.Snapshot, yield func(lore.ID, *lore.Conversation)) {
	var whole *lore.Conversation
	k.pieces(s, snap, func(c *lore.Conversation) {
		if whole == nil {
			whole = c
		} else {
			appendPiece(whole, c)
		}
		if !c.More {
			yield(anchor(whole), whole)
			whole = nil
		}
	})
}

// pieces reads one snapshot and yields what is no fact about another's conversation.
func (k *recordCheck) pieces(s *source, snap archive.Snapshot, yield func(*lore.Conversation)) {
	in, _, err := openArchived(k.archive, s.file, snap.ID, s.companions)
	if err != nil {
		k.badFile(&s.file, "snapshot %d cannot be opened: %v", snap.ID, err)
		return
	}
	for c, err := range placed(in, k.asm.adapters().of(&s.file).Read(k.ctx, in)) {
		if k.ctx.Err() != nil {
			return
		}
		if errors.Is(err, archive.ErrDamaged) || errors.Is(err, archive.ErrUnknown) {
			k.badFile(&s.file, "snapshot %d cannot be read: %v", snap.ID, err)
		}
		if err != nil {
			return // another failure was reported when it was imported
		}
		if !c.Partial {
			yield(c)
		}
	}
}

// oneLine keeps an error to one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
