package ingest

import (
	"context"
	"os"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
	"lore/internal/archive"
	"lore/internal/index"
)

// What the configuration excludes is left out as early as it is known: a source before its folders are looked at, a file
// before it is opened, the history of a project before it is kept. Where one evidence holds the words of several projects
// (a list of all prompts, a database that is one evidence) it is kept, and the conversations of the project are not put.
// What was imported before stays as it was.

// excluded reports whether the configuration leaves out an evidence, by its source or its place.
func (r *run) excluded(j *job) bool {
	return r.o.Exclude.Source(j.source.Product) || r.o.Exclude.Folder(j.path(), r.o.Machine.Home)
}

func (r *run) projectExcluded(p lore.Project) bool { return r.o.Exclude.Project(p, r.o.Machine.Home) }

// ofExcludedProject reads an evidence at its source as far as it takes to know its project, and reports whether that is
// excluded. One that cannot be read is not: the import says why.
func (r *run) ofExcludedProject(ctx context.Context, j *job) bool {
	if len(r.o.Exclude.Projects) == 0 || j.store.Prompts || len(j.source.Ranges) > 0 {
		return false
	}
	return r.allExcluded(ctx, j.adapter, adapter.Input{Source: j.source, FS: j.place.FS, Place: j.name, Bound: 1 << 20})
}

// allExcluded reports whether an evidence names projects and all of them are excluded.
func (r *run) allExcluded(ctx context.Context, a adapter.Adapter, in adapter.Input) (all bool) {
	defer func() {
		if recover() != nil {
			all = false // the import meets the fault again, and reports it
		}
	}()
	for c, err := range a.Read(ctx, in) {
		switch {
		case err != nil:
			return false
		case c.Partial:
		case c.Project.Dir == "" && c.Project.Name == "":
			if c.More {
				continue // a later piece may say it
			}
			if told := r.toldProject(c); told == nil || !r.projectExcluded(*told) {
				return false
			}
			all = true
		case !r.projectExcluded(c.Project):
			return false
		default:
			all = true
		}
	}
	return all
}

// toldProject returns the project that other evidences tell of a conversation; nil when none does, or nothing is imported.
func (r *run) toldProject(c *lore.Conversation) *lore.Project {
	if c.Native == "" || r.index == nil {
		return nil
	}
	of := facts{catalog: r.index}
	d, err := of.about(c.Source, c.Native)
	if err != nil {
		return nil
	}
	return d.Project
}

// excludedPart reports whether a part of a database's rows is of an excluded project. Its rows are in a file of lore's own
// folder meanwhile, because they may be larger than memory.
func (p *parted) excludedPart(ctx context.Context, db *kit.Database, part string) (bool, error) {
	r := p.run
	if len(r.o.Exclude.Projects) == 0 {
		return false, nil
	}
	f, err := os.CreateTemp(r.o.Dir, "part-*.tmp")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	ranges := p.job.source.Split.Ranges(part)
	queries := make([]kit.Query, len(ranges))
	for i, x := range ranges {
		queries[i] = kit.RangeQuery(x)
		queries[i].Order = true
	}
	if _, err := kit.KeepRows(ctx, db, queries, f); err != nil {
		return false, err
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	src := p.job.source
	src.Part, src.Companions, src.Path = part, nil, src.Path+partMark+part
	v := view{src.Path: content{r: f, size: info.Size(), time: info.ModTime()}}
	return r.allExcluded(ctx, p.job.adapter, adapter.Input{Source: src, FS: v, Place: p.job.name, Bound: 1 << 20}), nil
}

// leftOut reports whether a conversation is of an excluded project and is known only from evidences that hold several.
func (r *run) leftOut(c *lore.Conversation, links []index.Link) (bool, error) {
	if len(r.o.Exclude.Projects) == 0 || !r.projectExcluded(c.Project) {
		return false, nil
	}
	for _, l := range links {
		if l.Partial {
			continue
		}
		f, err := r.archive.File(l.Evidence)
		if err != nil {
			return false, err
		}
		mixed, err := r.mixed(f)
		if err != nil || !mixed {
			return false, err
		}
	}
	return true, nil
}

// mixed reports whether a file holds the words of several projects.
func (r *run) mixed(f *archive.File) (bool, error) {
	a := r.adapters.of(f)
	if a == nil || storeOf(a, f.Source, f.Store).Prompts {
		return a != nil, nil
	}
	if partOf(f.Path) != "" || f.Snapshot == 0 {
		return false, nil
	}
	rows, err := r.archive.OpenSnapshot(f.Snapshot)
	return err == nil && kit.IsRowSet(rows), err
}
