package cursor

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

// The places below a root, and the names of files in them.
const (
	globalDir     = "globalStorage"
	profilesDir   = "profiles"
	workspacesDir = "workspaceStorage"
	projectsDir   = "projects"
	chatsDir      = "chats"

	transcriptsDir = "agent-transcripts"
	subagentsDir   = "subagents"

	stateFile     = "state.vscdb"
	workspaceFile = "workspace.json"
	chatFile      = "store.db"
	metaFile      = "meta.json"
	promptsFile   = "prompt_history.json"
)

// Find implements adapter.Adapter. A root is the editor's user folder or one of cursor-agent's; a folder that a user has
// named may be either, or one in it.
func (Adapter) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := &walk{ctx: ctx, at: at, yield: yield}
		named := ""
		if at.Root.Path == "" {
			named = path.Base(at.Name)
		}
		switch named {
		case transcriptsDir, projectsDir:
			w.transcripts(".")
			return
		case chatsDir:
			w.chats(".")
			return
		case workspacesDir:
			w.workspaces(".")
			return
		}
		_ = (named == "" || w.loose() && w.transcripts(transcriptsDir)) && w.chats(chatsDir) && w.states(globalDir, storeGlobal) &&
			w.profiles() && w.transcripts(projectsDir) && w.prompts() && w.workspaces(workspacesDir)
	}
}

// walk is one search below one root. Its methods return false when the caller wants no more.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
}

// each passes on what a walk of the kit finds; take makes the source of a file.
func (w *walk) each(found iter.Seq2[adapter.Source, error], take func(adapter.Source) bool) bool {
	for s, err := range found {
		s.Product = source
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			loss.Source, loss.File = source, w.at.Name+"/"+s.Path
			if !w.yield(s, loss) {
				return false
			}
		case err != nil:
			if !w.yield(s, err) {
				return false
			}
		case !take(s):
			return false
		}
	}
	return true
}

// states yields the editor's database in a folder.
func (w *walk) states(dir, store string) bool {
	is := func(p string) bool { return path.Base(p) == stateFile }
	return w.each(kit.ListFiles(w.ctx, w.at.FS, dir, is), func(s adapter.Source) bool { return w.state(s, store) })
}

// state yields a database of the editor with the rows that are read. A file of zero bytes has none.
func (w *walk) state(s adapter.Source, store string) bool {
	s.Store = store
	switch {
	case s.Info.Size() == 0:
	case store == storeGlobal:
		blobs := s.Info.Size() <= mostBlobs
		if !blobs && !w.yield(s, w.left(s)) {
			return false
		}
		s.Ranges, s.Split = stateRanges(blobs), split(blobs)
	default:
		s.Ranges = stateRanges(false)
	}
	if store == storeWorkspace {
		s.Companions = w.beside(s.Path, workspaceFile)
	}
	return w.yield(s, nil)
}

// left tells that the agent's blobs of a large database are not read.
func (w *walk) left(s adapter.Source) lore.Loss {
	return lore.Loss{Code: lore.NotRead, Severity: lore.Info, Source: source, File: w.at.Name + "/" + s.Path, Row: tableKV + "/" + keyBlob,
		What: "blobs of the agent, if there are any, in a large database: they repeat the chats", Count: 1}
}

// beside returns the file of a name in the same folder, if it is there.
func (w *walk) beside(p, name string) []string {
	name = path.Join(path.Dir(p), name)
	if info, err := fs.Stat(w.at.FS, name); err == nil && info.Mode().IsRegular() {
		return []string{name}
	}
	return nil
}

// folders calls f with each folder below dir, in order. A folder that cannot be read is told.
func (w *walk) folders(dir string, f func(dir string) bool) bool {
	if w.ctx.Err() != nil {
		return false
	}
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if info, statErr := fs.Stat(w.at.FS, dir); statErr != nil || info.IsDir() {
			if !w.yield(adapter.Source{Product: source, Path: dir}, err) {
				return false
			}
		}
	}
	for _, e := range entries {
		if e.IsDir() && !f(path.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

func (w *walk) profiles() bool {
	return w.folders(profilesDir, func(dir string) bool { return w.states(path.Join(dir, globalDir), storeGlobal) })
}

func (w *walk) workspaces(dir string) bool {
	return w.folders(dir, func(dir string) bool { return w.states(dir, storeWorkspace) })
}

// chats yields the databases of cursor-agent.
func (w *walk) chats(dir string) bool {
	is := func(p string) bool { return path.Base(p) == chatFile }
	return w.each(kit.WalkFiles(w.ctx, w.at.FS, dir, is), w.chat)
}

// chatRanges are the rows of a chat of the command line: all.
var chatRanges = []adapter.Range{{Table: tableBlobs}, {Table: tableMeta}}

func (w *walk) chat(s adapter.Source) bool {
	s.Store, s.Companions = storeCLI, w.beside(s.Path, metaFile)
	if s.Info.Size() > 0 {
		s.Ranges = chatRanges
	}
	return w.yield(s, nil)
}

func (w *walk) prompts() bool {
	is := func(p string) bool { return p == promptsFile }
	return w.each(kit.ListFiles(w.ctx, w.at.FS, ".", is), func(s adapter.Source) bool {
		s.Store = storePrompts
		return w.yield(s, nil)
	})
}

// transcripts yields the renderings of chats. Those of one chat are one evidence: the richest with the others beside it.
func (w *walk) transcripts(dir string) bool {
	is := func(p string) bool {
		return strings.Contains("/"+w.at.Name+"/"+p, "/"+transcriptsDir+"/") && slices.Contains(renderings, path.Ext(p))
	}
	var found []adapter.Source
	byChat := map[string][]string{}
	whole := w.each(kit.WalkFiles(w.ctx, w.at.FS, dir, is), func(s adapter.Source) bool {
		found = append(found, s)
		byChat[chatOf(s.Path)] = append(byChat[chatOf(s.Path)], s.Path)
		return true
	})
	if !whole {
		return false
	}
	for _, s := range found {
		all := byChat[chatOf(s.Path)]
		slices.SortStableFunc(all, func(a, b string) int { return richness(a) - richness(b) })
		if s.Path != all[0] {
			continue
		}
		s.Store, s.Companions = storeTranscripts, all[1:]
		if !w.yield(s, nil) {
			return false
		}
	}
	return true
}

// renderings are the forms of a transcript, the richest first.
var renderings = []string{".jsonl", ".json", ".txt"}

func richness(p string) int { return slices.Index(renderings, path.Ext(p)) }

// chatOf names the chat of a transcript by its folder and stem: agent-transcripts/ID.txt and agent-transcripts/ID/ID.jsonl
// are renderings of one.
func chatOf(p string) string {
	dir, id := path.Dir(p), stem(p)
	if path.Base(dir) == id {
		dir = path.Dir(dir)
	}
	return dir + "/" + id
}

// loose yields the databases that lie in a folder which a user has named, whatever their names. They are looked into:
// other editors keep databases with the same names, and what is in them is not to be kept.
func (w *walk) loose() bool {
	is := func(p string) bool {
		return path.Ext(p) == path.Ext(stateFile) || path.Ext(p) == path.Ext(chatFile) && strings.Contains(path.Base(p), stem(chatFile))
	}
	return w.each(kit.ListFiles(w.ctx, w.at.FS, ".", is), func(s adapter.Source) bool {
		db, err := kit.OpenDatabase(w.ctx, w.at.FS, s.Path)
		if err != nil {
			return true
		}
		isState, isChat := looksLikeState(w.ctx, db), looksLikeChat(db)
		db.Close()
		switch {
		case isChat:
			return w.chat(s)
		case isState && len(w.beside(s.Path, workspaceFile)) > 0:
			return w.state(s, storeWorkspace)
		case isState:
			return w.state(s, storeGlobal)
		}
		return true
	})
}

func looksLikeState(ctx context.Context, db *kit.Database) bool {
	tables := db.Tables()
	if slices.Contains(tables, tableKV) {
		return true
	}
	if !slices.Contains(tables, tableItems) {
		return false
	}
	for _, key := range items {
		for _, err := range db.Rows(ctx, kit.Query{Table: tableItems, From: key, Columns: []string{}}) {
			return err == nil
		}
	}
	return false
}

func looksLikeChat(db *kit.Database) bool {
	tables := db.Tables()
	return slices.Contains(tables, tableBlobs) && slices.Contains(tables, tableMeta)
}
