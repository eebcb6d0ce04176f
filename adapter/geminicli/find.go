package geminicli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The places below a root.
const (
	tmpDir       = "tmp"
	chatsDir     = "chats"
	outputsDir   = "tool-outputs"
	logsName     = "logs.json"
	rootMarker   = ".project_root"
	projectsName = "projects.json"
)

// Find implements adapter.Adapter.
func (gemini) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := walk{ctx: ctx, at: at, yield: yield, outputs: map[string][]string{}, markers: map[string]bool{}, chats: map[string]bool{}}
		w.run()
	}
}

// walk is one search below one root.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool

	found    []finding
	outputs  map[string][]string // folder of tool outputs → its files
	markers  map[string]bool     // folders of projects that name the project's path
	chats    map[string]bool
	registry bool
}

// finding is one file that the walk met.
type finding struct {
	adapter.Source
	err error
}

// run walks over the projects; only then is known which file is read with which.
func (w *walk) run() {
	for _, dir := range w.projects() {
		w.project(dir)
	}
	slices.SortStableFunc(w.found, func(a, b finding) int { return cmp.Compare(a.Path, b.Path) })
	if info, err := fs.Stat(w.at.FS, projectsName); err == nil && info.Mode().IsRegular() {
		w.registry = true
	}
	for _, f := range w.found {
		if f.err == nil && w.isTwin(f.Path) {
			continue
		}
		if f.err == nil {
			f.Source = w.complete(f.Source)
		}
		f.Product = source
		if !w.yield(f.Source, f.err) {
			return
		}
	}
}

// projects lists the folders of projects. A place that a user named may be one, or hold some, or be the chats of one.
func (w *walk) projects() []string {
	switch {
	case w.isDir(tmpDir):
		return w.below(tmpDir)
	case w.at.Root.Path != "":
		return nil
	case path.Base(w.at.Name) == chatsDir, w.isProject("."):
		return []string{"."}
	case path.Base(w.at.Name) == tmpDir:
		return w.below(".")
	}
	return nil
}

// below lists the folders in a folder that are those of projects.
func (w *walk) below(dir string) []string {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil {
		w.take(adapter.Source{Path: dir}, fmt.Errorf("read folder %q: %w", dir, err))
	}
	var list []string
	for _, e := range entries {
		switch name := path.Join(dir, e.Name()); {
		case e.Type()&fs.ModeSymlink != 0:
			if _, err := fs.Stat(w.at.FS, name); err != nil {
				w.take(adapter.Source{Path: name}, lore.Loss{Code: lore.SymlinkSkipped, Severity: lore.Info, File: name, What: "leads out of the source", Count: 1})
			}
		case e.IsDir():
			list = append(list, name)
		}
	}
	return list
}

func (w *walk) isDir(name string) bool {
	info, err := fs.Stat(w.at.FS, name)
	return err == nil && info.IsDir()
}

func (w *walk) isProject(dir string) bool { return w.isDir(path.Join(dir, chatsDir)) }

// project walks one project's folder: what stands directly in it, its chats, and the outputs of its tools.
func (w *walk) project(dir string) {
	walks := []iter.Seq2[adapter.Source, error]{
		kit.ListFiles(w.ctx, w.at.FS, dir, w.wanted),
		kit.WalkFiles(w.ctx, w.at.FS, path.Join(dir, chatsDir), w.wanted),
		kit.WalkFiles(w.ctx, w.at.FS, path.Join(dir, outputsDir), isOutput),
	}
	if dir == "." && path.Base(w.at.Name) == chatsDir {
		walks = []iter.Seq2[adapter.Source, error]{kit.WalkFiles(w.ctx, w.at.FS, ".", w.wanted)}
	}
	for _, walk := range walks {
		for s, err := range walk {
			w.take(s, err)
		}
	}
}

func (w *walk) take(s adapter.Source, err error) {
	base := path.Base(s.Path)
	switch {
	case err != nil:
		var loss lore.Loss
		if errors.As(err, &loss) {
			loss.Source = source
			loss.File = adapter.Input{Place: w.at.Name}.Name(loss.File)
			err = loss
		}
		w.found = append(w.found, finding{s, err})
	case base == rootMarker:
		w.markers[path.Dir(s.Path)] = true
	case isOutput(s.Path):
		w.outputs[path.Dir(s.Path)] = append(w.outputs[path.Dir(s.Path)], s.Path)
	default:
		w.chats[s.Path] = true
		w.found = append(w.found, finding{s, nil})
	}
}

// wanted tells the files that hold history, or belong to one that does.
func (w *walk) wanted(p string) bool {
	return path.Base(p) == rootMarker || storeOf(w.full(p)) != ""
}

// full is the path by which a file's store is told: where a user named a folder, that folder's own path counts too.
func (w *walk) full(p string) string {
	if w.at.Root.Path == "" {
		return adapter.Input{Place: w.at.Name}.Name(p)
	}
	return p
}

// storeOf returns the store that a path belongs to; "" for none.
func storeOf(p string) string {
	base, dir := path.Base(p), path.Dir(p)
	ext := path.Ext(base)
	switch {
	case path.Base(path.Dir(dir)) == tmpDir && base == logsName:
		return storeLogs
	case strings.HasPrefix(base, "checkpoint-") && ext == ".json" && (path.Base(dir) == chatsDir || path.Base(path.Dir(dir)) == tmpDir):
		return storeCheckpoints
	case ext != ".json" && ext != ".jsonl":
		return ""
	case path.Base(dir) == chatsDir && strings.HasPrefix(base, "session-"):
		return storeChats
	}
	for up := path.Dir(dir); up != "." && up != "/"; up = path.Dir(up) {
		if path.Base(up) == chatsDir {
			return storeChats // a sub-agent's, below its session's folder
		}
	}
	return ""
}

// isOutput reports whether a file holds a long output of a tool: tool-outputs/session-ID/NAME.txt.
func isOutput(p string) bool {
	return path.Ext(p) == ".txt" && path.Base(path.Dir(path.Dir(p))) == outputsDir
}

// isTwin reports whether a document was left behind when its session was made into a log; it is read with the log.
func (w *walk) isTwin(p string) bool { return path.Ext(p) == ".json" && w.chats[p+"l"] }

// complete names the store of a file, and the files that are read with it.
func (w *walk) complete(s adapter.Source) adapter.Source {
	s.Store = storeOf(w.full(s.Path))
	project := projectDir(s.Path)
	if twin := strings.TrimSuffix(s.Path, "l"); twin != s.Path && w.chats[twin] {
		s.Companions = append(s.Companions, twin)
	}
	switch {
	case w.markers[project]:
		s.Companions = append(s.Companions, path.Join(project, rootMarker))
	case w.registry:
		s.Companions = append(s.Companions, projectsName)
	}
	if s.Store == storeChats {
		s.Companions = append(s.Companions, w.outputsOf(project, s.Path)...)
	}
	return s
}

// projectDir returns the folder of the project that a file belongs to, below the place.
func projectDir(p string) string {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if path.Base(dir) == chatsDir {
			return path.Dir(dir)
		}
	}
	return path.Dir(p)
}

// outputsOf returns the outputs of a session's tools. The name of a session's file ends with the first 8 characters of
// its id; that of a sub-agent's is the id.
func (w *walk) outputsOf(project, p string) []string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	var files []string
	for dir, list := range w.outputs {
		id, ok := strings.CutPrefix(path.Base(dir), "session-")
		if !ok || path.Dir(dir) != path.Join(project, outputsDir) {
			continue
		}
		if id == stem || len(id) >= 8 && strings.HasSuffix(stem, "-"+id[:8]) {
			files = append(files, list...)
		}
	}
	slices.Sort(files)
	return files
}
