package copilot

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

// The places below a user folder of the editor.
const (
	workspaces    = "workspaceStorage"
	globalFolder  = "globalStorage"
	sessionsDir   = "chatSessions"
	emptyDir      = "emptyWindowChatSessions"
	transferDir   = "transferredChatSessions"
	transcriptDir = "GitHub.copilot-chat/transcripts"
)

// Find implements adapter.Adapter. Only the folders that hold chats are looked into: the storage of a workspace belongs to
// many extensions, and the chat extension's own folders hold caches that look like sessions.
func (copilot) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := finder{ctx: ctx, at: at, yield: yield}
		w.sessions(storeEmptyWindow, path.Join(globalFolder, emptyDir), "", globalFolder)
		w.sessions(storeEmptyWindow, path.Join(globalFolder, transferDir), "", globalFolder)
		w.state(storeEmptyWindow, globalFolder)
		w.storages(workspaces)
		if at.Root.Path == "" {
			w.named()
		}
	}
}

// named looks at a folder that a user named as what its name says it may be.
func (w *finder) named() {
	switch path.Base(w.at.Name) {
	case workspaces:
		w.storages(".")
	case sessionsDir:
		w.sessions(storeChatSessions, ".", "", "")
	case emptyDir, transferDir:
		w.sessions(storeEmptyWindow, ".", "", "")
	default:
		w.storage(".")
	}
}

// finder is one search below one root.
type finder struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
	done  bool // the caller wants no more
}

func (w *finder) give(src adapter.Source, err error) {
	if w.done {
		return
	}
	if err == nil {
		err = w.ctx.Err()
	}
	var loss lore.Loss
	if errors.As(err, &loss) {
		loss.Source = source
		loss.File = adapter.Input{Place: w.at.Name}.Name(loss.File)
		err = loss
	}
	src.Product = source
	w.done = !w.yield(src, err) || w.ctx.Err() != nil
}

// storages yields what the folders of workspaces hold, in the order of their names.
func (w *finder) storages(dir string) {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if info, e := fs.Stat(w.at.FS, dir); e == nil && info.IsDir() {
			w.give(adapter.Source{Path: dir}, err)
		}
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case w.done:
			return
		case e.IsDir():
			w.storage(name)
		case e.Type()&fs.ModeSymlink != 0:
			if _, err := fs.Stat(w.at.FS, name); err != nil {
				w.give(adapter.Source{Path: name}, leadsOut(name))
			}
		}
	}
}

// storage yields what the folder of one workspace holds.
func (w *finder) storage(dir string) {
	w.sessions(storeChatSessions, path.Join(dir, sessionsDir), path.Join(dir, transcriptDir), dir)
	w.state(storeChatSessions, dir)
}

// sessions yields the sessions of one folder, each with what belongs to it: the document that it was before it became a
// log, its transcript, and the project. A transcript whose session is gone stands for itself.
func (w *finder) sessions(store, dir, scripts, home string) {
	var found []adapter.Source
	have := map[string]bool{}
	for src, err := range w.list(dir, isSession) {
		if err != nil {
			w.give(src, err)
			continue
		}
		src.Store = store
		found = append(found, src)
		have[src.Path] = true
	}
	written := map[string]adapter.Source{}
	if scripts != "" {
		for src, err := range w.list(scripts, isTranscriptName) {
			if err != nil {
				w.give(src, err)
				continue
			}
			written[stemOf(src.Path)] = src
		}
	}
	project := w.project(home, len(found)+len(written) > 0 && store == storeChatSessions)
	for _, src := range found {
		stem := stemOf(src.Path)
		older, log := path.Join(dir, stem+".json"), path.Join(dir, stem+".jsonl")
		if have[older] && have[log] {
			if src.Path == older {
				continue // the log brings it along
			}
			src.Companions = append(src.Companions, older)
		}
		if script, ok := written[stem]; ok {
			src.Companions = append(src.Companions, script.Path)
			delete(written, stem)
		}
		src.Companions = append(src.Companions, project...)
		w.give(src, nil)
	}
	for _, stem := range sorted(written) {
		src := written[stem]
		src.Store, src.Companions = storeTranscripts, project
		w.give(src, nil)
	}
}

// project returns the file that names a workspace's folder, if there is one.
func (w *finder) project(home string, wanted bool) []string {
	name := path.Join(home, projectFile)
	if info, err := fs.Stat(w.at.FS, name); wanted && home != "" && err == nil && info.Mode().IsRegular() {
		return []string{name}
	}
	return nil
}

// state yields the database of a workspace, of which only the list of sessions is read.
func (w *finder) state(store, dir string) {
	for src, err := range w.list(dir, func(p string) bool { return path.Base(p) == stateFile }) {
		if err == nil && src.Info.Size() == 0 {
			continue
		}
		src.Store = store
		if err == nil {
			src.Ranges = []adapter.Range{indexRange}
		}
		w.give(src, err)
	}
}

// list lists the files of a folder. A folder that is a link out of the root is passed by with a loss.
func (w *finder) list(dir string, match func(string) bool) iter.Seq2[adapter.Source, error] {
	if info, err := fs.Lstat(w.at.FS, dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := fs.Stat(w.at.FS, dir); err != nil {
			return func(yield func(adapter.Source, error) bool) { yield(adapter.Source{Path: dir}, leadsOut(dir)) }
		}
	}
	return kit.ListFiles(w.ctx, w.at.FS, dir, match)
}

func leadsOut(name string) lore.Loss {
	return lore.Loss{Code: lore.SymlinkSkipped, Severity: lore.Info, File: name, What: "leads out of the source", Count: 1}
}

func isSession(p string) bool {
	return strings.HasSuffix(p, ".jsonl") || strings.HasSuffix(p, ".json")
}

func isTranscriptName(p string) bool { return strings.HasSuffix(p, ".jsonl") }

// stemOf is the name of a file without its extension: the id of a session.
func stemOf(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

func sorted(m map[string]adapter.Source) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
