package ingest

import (
	"context"
	"slices"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
)

// Rebury forgets again what tombstones stand for and a bundle has brought: what was forgotten on one machine is forgotten
// on all that are put together with it. Nothing of it is shown meanwhile. It returns how many evidences speak of it.
func Rebury(ctx context.Context, w *archive.Writer, adapters []adapter.Adapter) (int, error) {
	b, err := loadBuried(w.Archive)
	if err != nil || len(b.dead) == 0 {
		return 0, err
	}
	files, err := w.Files()
	if err != nil {
		return 0, err
	}
	p := &ForgetPlan{}
	for id := range b.dead {
		p.Conversations = append(p.Conversations, id)
	}
	slices.SortFunc(p.Conversations, func(a, b lore.ID) int { return slices.Compare(a[:], b[:]) })
	readers := readersOf(adapters)
	for i := range files {
		f := &files[i]
		if ad := readers.of(f); ad != nil && f.Of == 0 && f.Snapshot != 0 && b.sources[f.Source] {
			fate, err := fateAgain(ctx, w.Archive, ad, f, b.dead)
			if err != nil {
				return 0, err
			}
			if fate != Stays {
				p.Evidences = append(p.Evidences, ForgetEvidence{ID: f.ID, Source: f.Source, Path: f.Path, Fate: fate})
			}
		}
	}
	if len(p.Evidences) == 0 {
		return 0, nil
	}
	f, err := forgetting(ctx, w, readers, p)
	if err != nil {
		return 0, err
	}
	f.Tombstones = nil // they are there
	return len(p.Evidences), w.Forget(ctx, *f)
}

// fateAgain says what becomes of an archived evidence, by what all its standing snapshots speak of.
func fateAgain(ctx context.Context, a *archive.Archive, ad adapter.Adapter, f *archive.File, dead map[lore.ID]bool) (Fate, error) {
	all, err := a.Snapshots(f.ID)
	if err != nil {
		return Stays, err
	}
	companions, err := a.Companions(f.ID)
	if err != nil {
		return Stays, err
	}
	s := newSpeech(dead)
	for _, snap := range standing(all) {
		in, _, err := openArchived(a, *f, snap.ID, companions)
		if err != nil {
			return Stays, err
		}
		if err := s.read(ctx, ad, in); err != nil {
			return Stays, err
		}
	}
	switch {
	case s.forgotten() == 0:
		return Stays, nil
	case s.staying() == 0:
		return Removed, nil
	case isRecords(f.Path):
		return Blanks, nil
	}
	return Stays, nil
}
