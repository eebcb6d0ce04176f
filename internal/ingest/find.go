package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
	"lore/internal/index"
)

// job is one evidence that has to be read, at its source or from the archive.
type job struct {
	adapter adapter.Adapter
	place   *place // nil: the source does not have it any more, or was not looked at; the archive is read
	name    string // of the place, home-collapsed
	source  adapter.Source
	file    archive.File // as the archive knows it; ID 0: new
	store   adapter.Store
	keep    bool           // its bytes may differ from what the archive has
	blanks  []archive.Span // lines that speak of what was forgotten: they are kept as blanks
	seen    fs.FileInfo    // of the file when these were looked for; nil: there are none
	point   *resumePoint   // from which it can be read on, if it has only grown; nil: none is kept
}

func (j *job) path() string { return joinName(j.name, j.source.Path) }

func joinName(place, path string) string {
	if place == "" {
		return path
	}
	return place + "/" + path
}

// known is what the archive and the index have.
type known struct {
	byPath      map[string]*archive.File  // source NUL path
	beside      map[string]*archive.File  // companions by source, store and path
	accompanies map[string]bool           // source NUL path of every companion
	companions  map[int64][]*archive.File // by main evidence
	all         []archive.File
	states      map[int64]index.State
}

func fileKey(source, path string) string { return source + "\x00" + path }

func besideKey(source, store, path string) string { return source + "\x00" + store + "\x00" + path }

func loadKnown(a *archive.Writer, x *index.Writer) (*known, error) {
	files, err := a.Files()
	if err != nil {
		return nil, err
	}
	states, err := x.States()
	if err != nil {
		return nil, err
	}
	pairs, err := a.Pairs()
	if err != nil {
		return nil, err
	}
	return newKnown(files, pairs, states), nil
}

func newKnown(files []archive.File, pairs []archive.Pair, states map[int64]index.State) *known {
	k := &known{byPath: make(map[string]*archive.File, len(files)), beside: map[string]*archive.File{}, accompanies: map[string]bool{},
		companions: map[int64][]*archive.File{}, all: files, states: states}
	byID := make(map[int64]*archive.File, len(files))
	for i := range files {
		f := &files[i]
		byID[f.ID] = f
		if f.Of != 0 {
			k.accompanies[fileKey(f.Source, f.Path)] = true
			k.beside[besideKey(f.Source, f.Store, f.Path)] = f
			continue
		}
		k.byPath[fileKey(f.Source, f.Path)] = f
	}
	for _, p := range pairs {
		if f := byID[p.File]; f != nil {
			k.companions[p.Main] = append(k.companions[p.Main], f)
		}
	}
	return k
}

// find looks at every place and returns what has to be read. Evidences that were found, or that an error may have
// hidden, are marked in seen.
func (r *run) find(ctx context.Context, places []place) ([]*job, error) {
	var jobs []*job
	if len(places) > 0 && places[0].only != "" {
		return r.findNamed(ctx, places)
	}
	for i := range places {
		p := &places[i]
		if r.o.Exclude.Source(p.Root.Source) {
			r.leave(PlannedFile{Source: p.Root.Source, File: p.Name, State: "excluded"})
			continue
		}
		whole := !p.narrowed
		for s, err := range p.adapter.Find(ctx, p.Place) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				whole = r.notFound(p, s, err) && whole
				continue
			}
			if j := r.consider(p, s); j != nil {
				r.reading[fileKey(j.source.Product, j.path())] = j.source.Split != nil
				jobs = append(jobs, j)
			}
		}
		r.looked = append(r.looked, lookedAt{place: p, whole: whole})
	}
	return jobs, nil
}

// notFound reports what Find could not look at. It returns false when evidences may be hidden behind it.
func (r *run) notFound(p *place, s adapter.Source, err error) bool {
	product := cmp.Or(s.Product, p.Root.Source)
	var loss lore.Loss
	if errors.As(err, &loss) {
		loss.Source = cmp.Or(loss.Source, product)
		loss.File = cmp.Or(loss.File, joinName(p.Name, s.Path))
		r.tally.lose(loss)
		return true
	}
	r.tally.fail(product, joinName(p.Name, cmp.Or(s.Path, ".")), cause(err))
	return false
}

// cause drops the path from an error that the report names it beside.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// consider decides whether an evidence that was found has to be read. Nil: nothing about it has changed.
func (r *run) consider(p *place, s adapter.Source) *job {
	j := &job{adapter: p.adapter, place: p, name: p.Name, source: s, keep: true}
	j.source.Product = cmp.Or(s.Product, p.Root.Source)
	j.store = storeOf(p.adapter, j.source.Product, s.Store)
	key := fileKey(j.source.Product, j.path())
	if r.seen[key] {
		return nil // two roots lead to one folder
	}
	r.seen[key] = true
	r.tally.count(j.source.Product, func(s *SourceReport) { s.Found++ })
	if r.excluded(j) {
		left := PlannedFile{Source: j.source.Product, File: j.path(), State: "excluded"}
		if s.Info != nil {
			left.Bytes = s.Info.Size()
		}
		r.leave(left)
		return nil
	}
	f := r.known.byPath[key]
	if f == nil && r.known.accompanies[key] {
		// A side file whose main evidence is gone: the archive has both, and reads them together.
		r.tally.count(j.source.Product, func(s *SourceReport) { s.Unchanged++ })
		return nil
	}
	if f == nil {
		if r.buried.asBefore(j.source.Product, j.path(), statOf(p, s)) {
			r.tally.count(j.source.Product, func(s *SourceReport) { s.Unchanged++ })
			return nil
		}
		return j
	}
	j.file = *f
	if !r.o.Verify && f.InSource && f.Snapshot != 0 && s.Info != nil && f.Stat.Same(statOf(p, s)) && r.sameCompanions(p, s, f.ID) {
		if r.indexed(f, p.adapter) {
			r.unchanged(f)
			return nil
		}
		j.keep = s.Split != nil // what it holds is in its parts, and each of them is asked for
	}
	return j
}

// leave notes what the configuration leaves out.
func (r *run) leave(f PlannedFile) {
	r.left = append(r.left, f)
	r.tally.count(f.Source, func(s *SourceReport) { s.Excluded++ })
}

// sameCompanions reports whether the companions of an evidence are those of the last import.
func (r *run) sameCompanions(p *place, s adapter.Source, main int64) bool {
	before := r.known.companions[main]
	in := 0
	for _, f := range before {
		if f.InSource {
			in++
		}
	}
	if in != len(s.Companions) {
		return false
	}
	for _, c := range s.Companions {
		name := joinName(p.Name, c)
		i := slices.IndexFunc(before, func(f *archive.File) bool { return f.Path == name })
		info, err := fs.Stat(p.FS, c)
		if i < 0 || err != nil || !before[i].InSource || !before[i].Stat.Same(archive.StatOf(info)) {
			return false
		}
	}
	return true
}

// indexed reports whether the index was made from the newest snapshot of a file, by the present reading rules, and from all
// else that the reading rests on.
func (r *run) indexed(f *archive.File, a adapter.Adapter) bool {
	state, ok := r.known.states[f.ID]
	return ok && state.Snapshot == f.Snapshot && state.Reader == a.Info().Version && state.Settled &&
		state.RestsOn == restsOn(f, r.companionFiles(f.ID))
}

// unchanged counts an evidence that is not read. One that could not be read before cannot be read now.
func (r *run) unchanged(f *archive.File) {
	r.tally.count(f.Source, func(s *SourceReport) { s.Unchanged++ })
	if !r.known.states[f.ID].Failed || r.index == nil {
		return
	}
	if e, err := r.index.Evidence(f.ID); err == nil {
		r.tally.fail(f.Source, f.Path, errors.New(e.Failure))
	}
}

// archived returns jobs for what the archive has and the index lacks, though no place showed it: after a rebuild, or
// when the reading rules have changed.
func (r *run) archived() []*job {
	var jobs []*job
	for i := range r.known.all {
		f := &r.known.all[i]
		a := r.adapters.of(f)
		inParts, reading := r.reading[fileKey(f.Source, base(f.Path))]
		if f.Of != 0 || f.Snapshot == 0 || a == nil || reading && (inParts || partOf(f.Path) == "") || r.indexed(f, a) {
			continue
		}
		jobs = append(jobs, r.fromArchive(f, a))
	}
	return jobs
}

// fromArchive returns the job that reads a file as the archive has it.
func (r *run) fromArchive(f *archive.File, a adapter.Adapter) *job {
	place, rest := r.split(f)
	j := &job{adapter: a, name: place, file: *f, store: storeOf(a, f.Source, f.Store),
		source: adapter.Source{Product: f.Source, Store: f.Store, Path: rest, Part: partOf(rest)}}
	for _, c := range r.known.companions[f.ID] {
		j.source.Companions = append(j.source.Companions, strings.TrimPrefix(c.Path, place+"/"))
	}
	return j
}

// lookedAt is a place that this import has searched.
type lookedAt struct {
	place *place
	whole bool // nothing in it was hidden by an error
}

// gone returns the files that a place does not have any more. Only a place that could be looked at as a whole tells.
func (r *run) gone() []*archive.File {
	var gone []*archive.File
	for _, l := range r.looked {
		if !l.whole {
			continue
		}
		for i := range r.known.all {
			f := &r.known.all[i]
			if f.InSource && f.Of == 0 && strings.HasPrefix(f.Path, l.place.Name+"/") && r.adapters.of(f) == l.place.adapter &&
				!r.seen[fileKey(f.Source, base(f.Path))] {
				gone = append(gone, f)
			}
		}
	}
	return gone
}

// partOf returns which part of a database's rows a path names; empty for none.
func partOf(path string) string {
	_, part, _ := strings.Cut(path, partMark)
	return part
}

// base returns the path of the file that a part of a database's rows was kept from.
func base(path string) string {
	path, _, _ = strings.Cut(path, partMark)
	return path
}

// storeOf returns an adapter's declaration of a store; for a store that is not known yet, of the richest one.
func storeOf(a adapter.Adapter, source, store string) adapter.Store {
	stores := a.Info().Stores
	for _, s := range stores {
		if s.Source == source && s.Name == store {
			return s
		}
	}
	for _, s := range stores {
		if s.Name == store {
			return s
		}
	}
	return adapter.Store{Source: source, Name: store}
}

// inOrder sorts jobs so that what only adds to a conversation is read before the conversation itself: prompt histories
// first, then by path, which puts a session before its sub-agents.
func inOrder(jobs []*job) {
	slices.SortStableFunc(jobs, func(a, b *job) int {
		return cmp.Or(boolCompare(b.store.Prompts, a.store.Prompts), cmp.Compare(a.path(), b.path()))
	})
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// isLines reports whether a file grows by lines.
func isLines(name string) bool {
	switch path.Ext(strings.TrimSuffix(name, ".zst")) {
	case ".jsonl", ".txt", ".md", ".log", ".ndjson":
		return true
	}
	return false
}

// split returns the place of an archived file, and its path below it.
func (r *run) split(f *archive.File) (place, rest string) {
	return f.Place, strings.TrimPrefix(f.Path, f.Place+"/")
}
