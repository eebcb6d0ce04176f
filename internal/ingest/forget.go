package ingest

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// ForgetPlan is what forgetting some conversations comes to.
type ForgetPlan struct {
	Conversations []lore.ID
	Evidences     []ForgetEvidence // by path

	sources map[lore.ID]string
}

// Fate is what becomes of an evidence.
type Fate string

// An evidence goes whole when it speaks of nothing else; where it does, the lines that speak of what is forgotten become
// blanks; and where they cannot, because it is no file of lines, its bytes stay, and nothing shows them any more.
const (
	Removed Fate = "removed"
	Blanks  Fate = "blanked"
	Stays   Fate = "stays"
)

// ForgetEvidence is one evidence that speaks of what is forgotten.
type ForgetEvidence struct {
	ID     int64
	Source string
	Path   string
	Bytes  int64 // of the newest snapshot
	Fate   Fate
	Others int // conversations that it speaks of and that stay
}

// PlanForget says what becomes of the evidences of some conversations.
func PlanForget(a *archive.Archive, x *index.Reader, adapters []adapter.Adapter, ids []lore.ID) (*ForgetPlan, error) {
	p := &ForgetPlan{Conversations: ids, sources: map[lore.ID]string{}}
	dead := map[lore.ID]bool{}
	for _, id := range ids {
		dead[id] = true
	}
	buried, err := a.Tombstones()
	if err != nil {
		return nil, err
	}
	for _, t := range buried {
		dead[t.Target] = true
	}
	evidences := map[int64]bool{}
	for _, id := range ids {
		e, err := x.Conversation(id)
		if err != nil {
			return nil, err
		}
		p.sources[id] = e.Source
		links, err := x.Links(id)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			evidences[l.Evidence] = true
		}
		facts, err := x.FactsFor(e.Source, e.Native)
		if err != nil {
			return nil, err
		}
		for _, f := range facts {
			evidences[f.Evidence] = true
		}
	}
	for id := range evidences {
		e, err := fateOf(a, x, id, dead)
		if errors.Is(err, archive.ErrUnknown) {
			continue // an earlier Forget that was cut short has removed it
		}
		if err != nil {
			return nil, err
		}
		p.Evidences = append(p.Evidences, *e)
	}
	slices.SortFunc(p.Evidences, func(a, b ForgetEvidence) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return p, nil
}

func fateOf(a *archive.Archive, x *index.Reader, id int64, dead map[lore.ID]bool) (*ForgetEvidence, error) {
	f, err := a.File(id)
	if err != nil {
		return nil, err
	}
	e := &ForgetEvidence{ID: id, Source: f.Source, Path: f.Path, Fate: Stays}
	if f.Snapshot != 0 {
		s, err := a.Snapshot(f.Snapshot)
		if err != nil {
			return nil, err
		}
		e.Bytes = s.Size
	}
	linked, err := x.LinkedTo(id)
	if err != nil {
		return nil, err
	}
	own := 0
	for _, l := range linked {
		switch {
		case l.Partial:
		case dead[l.Conversation]:
			own++
		default:
			e.Others++
		}
	}
	switch {
	case own > 0 && e.Others == 0:
		e.Fate = Removed
	case isRecords(f.Path):
		e.Fate = Blanks
	}
	return e, nil
}

// isRecords reports whether a file is JSON lines, of which single ones can become blanks.
func isRecords(name string) bool {
	switch path.Ext(name) {
	case ".jsonl", ".ndjson":
		return true
	}
	return false
}

// Forget removes conversations for good: from the archive in one commit, then from the index. Where the process dies
// between the two, the next import does the rest. The plan is made anew under the lock, by what make returns.
func Forget(ctx context.Context, o Options, plan func(*archive.Archive) (*ForgetPlan, error)) (*ForgetPlan, error) {
	var done *ForgetPlan
	o.Within = true
	o.Before = func(w *archive.Writer) error {
		p, err := plan(w.Archive)
		if err != nil || len(p.Conversations) == 0 {
			return err
		}
		done = p
		f, err := forgetting(ctx, w, readersOf(o.Adapters), p)
		if err != nil {
			return err
		}
		return w.Forget(ctx, *f)
	}
	if _, err := Run(ctx, o); err != nil {
		return nil, err
	}
	return done, nil
}

// forgetting turns a plan into what the archive is told.
func forgetting(ctx context.Context, w *archive.Writer, adapters readers, p *ForgetPlan) (*archive.Forgetting, error) {
	f := &archive.Forgetting{IDs: slices.Clone(p.Conversations)}
	dead := map[lore.ID]bool{}
	for _, id := range p.Conversations {
		dead[id] = true
	}
	going := map[int64]bool{}
	for _, e := range p.Evidences {
		file, err := w.File(e.ID)
		if err != nil {
			return nil, err
		}
		switch e.Fate {
		case Removed:
			going[e.ID] = true
			f.Files = append(f.Files, e.ID)
			f.Tombstones = append(f.Tombstones, archive.Tombstone{Target: archive.EvidenceKey(file.Source, file.Path),
				Source: file.Source, Evidence: true, Stat: file.Stat})
		case Blanks:
			blanks, err := blanksOf(ctx, w.Archive, adapters, file, dead)
			if err != nil {
				return nil, err
			}
			f.Blanks = append(f.Blanks, blanks...)
		}
	}
	for _, id := range p.Conversations {
		f.Tombstones = append(f.Tombstones, archive.Tombstone{Target: id, Source: p.sources[id]})
	}
	return f, companionsOf(w.Archive, going, f)
}

// companionsOf adds the side files that are read with nothing but what goes.
func companionsOf(a *archive.Archive, going map[int64]bool, f *archive.Forgetting) error {
	for main := range going {
		companions, err := a.Companions(main)
		if err != nil {
			return err
		}
		for _, c := range companions {
			mains, err := a.Mains(c.ID)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(mains, func(id int64) bool { return !going[id] }) && !slices.Contains(f.Files, c.ID) {
				f.Files = append(f.Files, c.ID)
			}
		}
	}
	return nil
}

// blanksOf finds, in all snapshots of a file, the lines that speak of what is forgotten.
func blanksOf(ctx context.Context, a *archive.Archive, adapters readers, f *archive.File, dead map[lore.ID]bool) ([]archive.Blank, error) {
	ad := adapters.of(f)
	if ad == nil {
		return nil, nil
	}
	companions, err := a.Companions(f.ID)
	if err != nil {
		return nil, err
	}
	tops, err := a.Tops(f.ID)
	if err != nil {
		return nil, err
	}
	var all []archive.Blank
	for _, top := range tops {
		in, size, err := openArchived(a, *f, top.ID, companions)
		if err != nil {
			return nil, err
		}
		r, err := a.OpenSnapshot(top.ID)
		if err != nil {
			return nil, err
		}
		s := newSpeech(dead)
		if err := s.read(ctx, ad, in); err != nil {
			return nil, err
		}
		spans, err := s.spans(r, size)
		if err != nil {
			return nil, err
		}
		if len(spans) > 0 {
			all = append(all, archive.Blank{Snapshot: top.ID, Spans: spans})
		}
	}
	return all, nil
}
