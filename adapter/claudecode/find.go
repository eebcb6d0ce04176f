package claudecode

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// Names of the places below a root.
const (
	projects    = "projects"
	indexName   = "sessions-index.json"
	historyName = "history.jsonl"
	pastes      = "paste-cache"
	desktopTree = "local-agent-mode-sessions" // the desktop app's, with a projects folder below each session
)

// Find yields transcripts, session indexes and the prompt history below one root, each with the files that belong to it.
func (Adapter) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := walk{ctx: ctx, at: at, yield: yield}
		switch {
		case strings.HasSuffix(at.Root.Path, desktopTree):
			w.projects(".", wanted)
		case at.Root.Path == "" && path.Base(at.Name) == projects: // named by a user: the folder itself
			w.projects(".", func(p string) bool { return wanted(projects + "/" + p) })
		case w.history():
			w.projects(projects, wanted)
		}
	}
}

// walk is one search below one root.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
}

// history yields the prompt history, with the long pastes that it names by hash. False: the caller wants no more.
func (w *walk) history() bool {
	s := adapter.Source{Product: source, Store: storeHistory, Path: historyName}
	info, err := fs.Stat(w.at.FS, historyName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		if l, linked := fs.Lstat(w.at.FS, historyName); linked == nil && l.Mode()&fs.ModeSymlink != 0 {
			err = lore.Loss{Code: lore.SymlinkSkipped, Severity: lore.Info, File: historyName, What: "leads out of the source", Count: 1}
		}
		return w.fault(s, err)
	case !info.Mode().IsRegular():
		return w.fault(s, lore.Loss{Code: lore.SpecialFile, Severity: lore.Info, File: historyName, What: "no regular file", Count: 1})
	}
	s.Info = info
	for p, err := range kit.WalkFiles(w.ctx, w.at.FS, pastes, isPaste) {
		if err != nil {
			if !w.fault(p, err) {
				return false
			}
			continue
		}
		s.Companions = append(s.Companions, p.Path)
	}
	return w.yield(s, nil)
}

func isPaste(p string) bool { return strings.HasSuffix(p, ".txt") }

// fault yields what stands in the way; the paths of losses become those that locators have.
func (w *walk) fault(s adapter.Source, err error) bool {
	var loss lore.Loss
	if errors.As(err, &loss) {
		loss.Source = source
		loss.File = adapter.Input{Place: w.at.Name}.Name(loss.File)
		err = loss
	}
	s.Product = source
	return w.yield(s, err)
}

// projects walks once below a folder; only then is known which side file belongs to which transcript.
func (w *walk) projects(dir string, wanted func(string) bool) {
	var all []finding
	for s, err := range kit.WalkFiles(w.ctx, w.at.FS, dir, wanted) {
		all = append(all, finding{s, err})
	}
	t := sort(all)
	for _, f := range all {
		var more bool
		switch {
		case f.err != nil:
			more = w.fault(f.Source, confined(f.Path, f.err))
		case t.companion(f.Path):
			continue
		default:
			more = w.yield(t.source(f.Source), nil)
		}
		if !more {
			return
		}
	}
}

// confined says of a side file that leads out what is wrong with it there.
func confined(p string, err error) error {
	var loss lore.Loss
	if isSide(p) && errors.As(err, &loss) && loss.Code == lore.SymlinkSkipped {
		loss.Code, loss.Severity = lore.PathOutside, lore.Warning
		return loss
	}
	return err
}

// wanted tells the files that hold history, or belong to one that does.
func wanted(p string) bool {
	base := path.Base(p)
	switch {
	case !strings.HasPrefix(p, projects+"/") && !strings.Contains(p, "/"+projects+"/"):
		return false
	case isSide(p), isMeta(p):
		return true
	}
	return strings.HasSuffix(base, ".jsonl") || base == indexName
}

func isSide(p string) bool { return path.Base(path.Dir(p)) == sideFolder }

func isMeta(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "agent-") && strings.HasSuffix(base, metaSuffix)
}

// finding is one file that the walk met.
type finding struct {
	adapter.Source
	err error
}

// tree is what a walk has seen, by session.
type tree struct {
	sides map[string][]string // session → its side files, in whatever project folder they lie
	metas map[string]bool
	heard map[string]bool // sessions that have a transcript, or a sub-agent's
}

func sort(all []finding) tree {
	t := tree{sides: map[string][]string{}, metas: map[string]bool{}, heard: map[string]bool{}}
	for _, f := range all {
		switch {
		case f.err != nil:
		case isSide(f.Path):
			s := sideSession(f.Path)
			t.sides[s] = append(t.sides[s], f.Path)
		case isMeta(f.Path):
			t.metas[f.Path] = true
		case path.Base(f.Path) != indexName:
			t.heard[sessionOf(f.Path)] = true
		}
	}
	return t
}

// sideSession returns the session whose folder a side file lies in.
func sideSession(p string) string { return path.Base(path.Dir(path.Dir(p))) }

// sessionOf returns the session that a transcript belongs to, as far as its path says.
func sessionOf(p string) string {
	pl := placeOf(p)
	if pl.agent != "" {
		return pl.session
	}
	return pl.stem
}

// companion reports whether a file is read with another one. A side file whose transcript is gone is all that is left.
func (t tree) companion(p string) bool {
	return isMeta(p) || isSide(p) && t.heard[sideSession(p)]
}

// source completes what the walk has found.
func (t tree) source(s adapter.Source) adapter.Source {
	s.Product, s.Store = source, storeProjects
	switch {
	case isSide(s.Path):
		s.Store = storeSide
	case path.Base(s.Path) != indexName:
		s.Companions = t.sides[sessionOf(s.Path)]
		if meta := strings.TrimSuffix(s.Path, ".jsonl") + metaSuffix; t.metas[meta] {
			s.Companions = append(slices.Clip(s.Companions), meta)
		}
	}
	return s
}
