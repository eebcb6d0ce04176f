package copilotcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The places below a root.
const (
	sessionsDir   = "session-state"
	oldDir        = "history-session-state"
	eventsName    = "events.jsonl"
	workspaceName = "workspace.yaml"
	commandsName  = "command-history-state.json"
	databaseName  = "session-store.db"
)

// Tables of the database that say something about conversations.
const (
	tableSessions = "sessions"
	tableTurns    = "turns"
)

// shape is what sort of file an evidence is.
type shape uint8

const (
	shapeEvents    shape = iota // a log of events
	shapeWorkspace              // what the tool knows of a session, where nothing else is left
	shapeDocument               // one document: a session of the first versions, or the list of commands
	shapeDatabase
)

// shapeOf tells what a file is by its name; whether it is one of this source shows when it is read.
func shapeOf(in adapter.Input) shape {
	switch base := path.Base(in.Source.Path); {
	case base == workspaceName:
		return shapeWorkspace
	case base == databaseName, in.Source.Store == storeDatabase:
		return shapeDatabase
	case path.Ext(base) == ".json":
		return shapeDocument
	}
	return shapeEvents
}

// settle fills in the source and store of an evidence that a user named.
func settle(in adapter.Input, s shape) adapter.Input {
	if in.Source.Product == "" {
		in.Source.Product = source
	}
	if in.Source.Store == "" {
		switch {
		case s == shapeDatabase:
			in.Source.Store = storeDatabase
		case path.Base(in.Source.Path) == commandsName:
			in.Source.Store = storeHistory
		default:
			in.Source.Store = storeSessions
		}
	}
	return in
}

// Find implements adapter.Adapter.
func (copilot) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := walk{ctx: ctx, at: at, yield: yield}
		named := at.Root.Path == ""
		switch {
		case named && path.Base(at.Name) == sessionsDir:
			w.sessions(".")
		case named && w.isFile(eventsName):
			w.session(".")
		default:
			w.run()
		}
	}
}

// walk is one search below one root.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
	done  bool // the caller wants no more
}

// run yields everything below a root, in the order of the names.
func (w *walk) run() {
	w.files(".", func(p string) bool { return p == commandsName }, storeHistory)
	w.files(oldDir, func(p string) bool { return path.Ext(p) == ".json" }, storeSessions)
	w.sessions(sessionsDir)
	w.files(".", func(p string) bool { return p == databaseName }, storeDatabase)
}

// databaseRanges are all rows of both tables.
var databaseRanges = []adapter.Range{{Table: tableSessions}, {Table: tableTurns}}

// files yields the files of one folder that match.
func (w *walk) files(dir string, match func(string) bool, store string) {
	if w.done {
		return
	}
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, dir, match) {
		s.Store = store
		if err == nil && store == storeDatabase {
			s.Ranges = databaseRanges
		}
		if !w.put(s, err) {
			return
		}
	}
}

// put yields a source or what stands in its way; the paths of losses become those that locators have.
func (w *walk) put(s adapter.Source, err error) bool {
	var loss lore.Loss
	if errors.As(err, &loss) {
		loss.Source = source
		loss.File = adapter.Input{Place: w.at.Name}.Name(loss.File)
		err = loss
	}
	s.Product = source
	if !w.done && !w.yield(s, err) {
		w.done = true
	}
	return !w.done
}

// sessions yields the sessions in a folder: logs that stand in it, and folders that hold one.
func (w *walk) sessions(dir string) {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.put(adapter.Source{Path: dir}, fmt.Errorf("read folder %q: %w", dir, err))
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case w.done || w.ctx.Err() != nil:
			return
		case e.IsDir():
			w.session(name)
		case e.Type()&fs.ModeSymlink != 0 && path.Ext(name) == "":
			w.link(name)
		case path.Ext(name) == ".jsonl":
			w.flat(name)
		}
	}
}

// link names a link to a folder that leads out; one that stays inside leads to a folder with a path of its own.
func (w *walk) link(name string) {
	if _, err := fs.Stat(w.at.FS, name); err != nil {
		w.put(adapter.Source{Path: name}, lore.Loss{Code: lore.SymlinkSkipped, Severity: lore.Info, File: name, What: "leads out of the source", Count: 1})
	}
}

// flat yields a log of the older layout, with what a folder of its name knows of the session.
func (w *walk) flat(name string) {
	beside := path.Join(strings.TrimSuffix(name, ".jsonl"), workspaceName)
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, path.Dir(name), func(p string) bool { return p == name }) {
		s.Store = storeSessions
		if err == nil && w.isFile(beside) {
			s.Companions = []string{beside}
		}
		if !w.put(s, err) {
			return
		}
	}
}

// session yields the log in a session's folder, with what stands beside it; where there is no log, in neither layout,
// what stands beside it is all that is left.
func (w *walk) session(dir string) {
	var left *adapter.Source
	log := false
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, dir, func(p string) bool {
		return path.Base(p) == eventsName || path.Base(p) == workspaceName
	}) {
		s.Store = storeSessions
		switch {
		case err == nil && path.Base(s.Path) == workspaceName:
			left = &s
			continue
		case err == nil:
			log = true
			if beside := path.Join(dir, workspaceName); w.isFile(beside) {
				s.Companions = []string{beside}
			}
		}
		if !w.put(s, err) {
			return
		}
	}
	if left != nil && !log && (dir == "." || !w.isFile(dir+".jsonl")) {
		w.put(*left, nil)
	}
}

func (w *walk) isFile(name string) bool {
	info, err := fs.Stat(w.at.FS, name)
	return err == nil && info.Mode().IsRegular()
}
