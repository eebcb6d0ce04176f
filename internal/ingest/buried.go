package ingest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// buried is what was forgotten, and must not come back.
type buried struct {
	dead     map[lore.ID]bool
	sources  map[string]bool // that had what is forgotten
	evidence map[lore.ID]archive.Tombstone
}

func loadBuried(a *archive.Archive) (*buried, error) {
	b := &buried{dead: map[lore.ID]bool{}, sources: map[string]bool{}, evidence: map[lore.ID]archive.Tombstone{}}
	all, err := a.Tombstones()
	for _, t := range all {
		b.sources[t.Source] = true
		if t.Evidence {
			b.evidence[t.Target] = t
		} else {
			b.dead[t.Target] = true
		}
	}
	return b, err
}

// asBefore reports whether an evidence was forgotten and is at its source as it was then.
func (b *buried) asBefore(source, path string, st archive.Stat) bool {
	t, ok := b.evidence[archive.EvidenceKey(source, path)]
	return ok && t.Stat != (archive.Stat{}) && t.Stat.Same(st)
}

// has reports whether an evidence was forgotten whole.
func (b *buried) has(source, path string) bool {
	_, ok := b.evidence[archive.EvidenceKey(source, path)]
	return ok
}

// finishForgetting removes from the index what the archive has forgotten: the second half of a Forget, also of one that
// was cut short.
func (r *run) finishForgetting() error {
	for id := range r.buried.dead {
		if err := r.index.Remove(id); err != nil && !errors.Is(err, index.ErrNotFound) {
			return err
		}
	}
	if len(r.buried.dead) == 0 {
		return nil
	}
	there := map[int64]bool{}
	for i := range r.known.all {
		there[r.known.all[i].ID] = true
	}
	for id := range r.known.states {
		if !there[id] {
			if err := r.index.DropEvidence(id); err != nil {
				return err
			}
			delete(r.known.states, id)
		}
	}
	return r.forgetFacts()
}

// forgetFacts drops what evidences that stay tell about conversations that are forgotten.
func (r *run) forgetFacts() error {
	all, err := r.index.Facts()
	if err != nil {
		return err
	}
	isDead := func(f index.Fact) bool {
		return f.Native != "" && r.buried.dead[lore.ConversationID(f.Source, f.Native)]
	}
	done := map[int64]bool{}
	for _, f := range all {
		if !isDead(f) || done[f.Evidence] {
			continue
		}
		done[f.Evidence] = true
		own, err := r.index.FactsOf(f.Evidence)
		if err != nil {
			return err
		}
		if err := r.index.PutFacts(f.Evidence, slices.DeleteFunc(own, isDead)); err != nil {
			return err
		}
	}
	return nil
}

// purge makes the files of the index rid of what was forgotten, once.
func (r *run) purge(ctx context.Context) error {
	todo, err := r.archive.Unpurged()
	if err != nil || !todo {
		return err
	}
	if err := r.index.Purge(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(r.indexDir, resumeDir)); err != nil {
		return err
	}
	return r.archive.Purged()
}

// foresee looks at an evidence at its source before it is kept, where its source had something that is forgotten. It
// returns false when there is nothing else in it: then nothing of it is kept. Of lines that speak of what is forgotten
// it notes where they are, so that they are kept as blanks.
func (r *run) foresee(ctx context.Context, j *job) (keep bool, err error) {
	if !r.buried.sources[j.source.Product] || len(j.source.Ranges) > 0 {
		return true, nil
	}
	j.point = nil // what is read on from it was not looked at
	f, err := j.place.FS.Open(j.source.Path)
	if err != nil {
		return true, nil // whoever keeps it reports that
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return true, nil
	}
	s := newSpeech(r.buried.dead)
	if err := s.read(ctx, j.adapter, adapter.Input{Source: j.source, FS: j.place.FS, Place: j.name}); err != nil {
		return true, err
	}
	if s.forgotten() > 0 && s.staying() == 0 && j.file.ID == 0 {
		return false, r.archive.Bury(archive.Tombstone{Target: archive.EvidenceKey(j.source.Product, j.path()),
			Source: j.source.Product, Evidence: true, Stat: archive.StatOf(info)})
	}
	if (s.forgotten() > 0 || len(s.natives) > 0) && isRecords(j.source.Path) {
		return true, r.blanksAt(j, f, info, s)
	}
	return true, nil
}

// blanksAt notes the lines of a job's file that are kept as blanks.
func (r *run) blanksAt(j *job, f fs.File, info fs.FileInfo, s *speech) error {
	whole, _, err := contentOf(f, info, r.o.held())
	if err != nil {
		return nil // whoever keeps it reports that
	}
	content, ok := whole.(io.ReaderAt)
	if !ok {
		return nil
	}
	spans, err := s.spans(content, info.Size())
	if err != nil {
		return nil
	}
	if len(spans) > 0 {
		j.blanks, j.seen = spans, info
	}
	return nil
}
