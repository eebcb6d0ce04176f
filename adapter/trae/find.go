package trae

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

// The places of databases below a root.
const (
	userDir       = "User"
	globalDir     = "globalStorage"
	profilesDir   = "profiles"
	workspacesDir = "workspaceStorage"

	stateFile     = "state.vscdb"
	workspaceFile = "workspace.json"
)

// Find implements adapter.Adapter. A root is the folder of an edition. A folder that a user has named may be one, or one
// in it; since other editors name their databases alike, those are looked into there.
func (trae) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := &walk{ctx: ctx, at: at, named: at.Root.Path == "", yield: yield}
		if !w.encrypted() || !w.user(userDir) || !w.named {
			return
		}
		_ = w.user(".") && w.states(".") && (path.Base(at.Name) != workspacesDir || w.folders(".", w.states))
	}
}

// walk is one search below one root. Its methods return false when the caller wants no more.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	named bool
	yield func(adapter.Source, error) bool
}

// user looks through the folder of a user's settings.
func (w *walk) user(dir string) bool {
	return w.states(path.Join(dir, globalDir)) && w.folders(path.Join(dir, profilesDir), func(profile string) bool {
		return w.states(path.Join(profile, globalDir))
	}) && w.folders(path.Join(dir, workspacesDir), w.states)
}

// list passes on what a folder holds; take makes the source of a file.
func (w *walk) list(dir string, is func(p string) bool, take func(adapter.Source) bool) bool {
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, dir, is) {
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
	return w.ctx.Err() == nil
}

// states yields the database of settings in a folder.
func (w *walk) states(dir string) bool {
	return w.list(dir, func(p string) bool { return path.Base(p) == stateFile }, w.state)
}

// state yields a database with the rows that are read. A file of zero bytes has none.
func (w *walk) state(s adapter.Source) bool {
	if w.named && !speaks(w.ctx, w.at.FS, s.Path) {
		return true
	}
	s.Store = storeWorkspace
	if path.Base(path.Dir(path.Join("/", w.at.Name, s.Path))) == globalDir {
		s.Store = storeGlobal
	}
	if s.Info.Size() > 0 {
		s.Ranges = ranges()
	}
	beside := path.Join(path.Dir(s.Path), workspaceFile)
	if info, err := fs.Stat(w.at.FS, beside); err == nil && info.Mode().IsRegular() && s.Store == storeWorkspace {
		s.Companions = []string{beside}
	}
	return w.yield(s, nil)
}

// speaks reports whether a database has rows of this editor's agent.
func speaks(ctx context.Context, fsys fs.FS, name string) bool {
	db, err := kit.OpenDatabase(ctx, fsys, name)
	if err != nil {
		return false
	}
	defer db.Close()
	for _, r := range ranges() {
		if !strings.Contains(r.From, "icube") {
			continue
		}
		for _, err := range db.Rows(ctx, kit.Query{Table: r.Table, From: r.From, To: r.To, Columns: []string{}}) {
			if err == nil {
				return true
			}
			break
		}
	}
	return false
}

// folders calls f with each folder below dir, in order. A folder that cannot be read is told.
func (w *walk) folders(dir string, f func(dir string) bool) bool {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if !w.yield(adapter.Source{Product: source, Path: dir}, err) {
			return false
		}
	}
	for _, e := range entries {
		if w.ctx.Err() != nil || e.IsDir() && !f(path.Join(dir, e.Name())) {
			return false
		}
	}
	return w.ctx.Err() == nil
}

// encrypted yields the database of newer versions, and tells which sessions are in it by the folders that they have. It is
// looked at for 16 bytes: a plain one would hold what nobody has described, logins perhaps, and is not kept.
func (w *walk) encrypted() bool {
	is := func(p string) bool { return p == encryptedFile }
	return w.list(path.Dir(encryptedFile), is, func(s adapter.Source) bool {
		name := w.at.Name + "/" + s.Path
		plain, err := isPlain(w.at.FS, s.Path)
		switch {
		case err != nil:
			return w.yield(s, err)
		case plain:
			return w.yield(s, lore.Loss{Code: lore.UnexpectedShape, Severity: lore.Warning, Source: source, File: name,
				What: "a plain database, which no version known wrote there; it is not kept", Count: 1})
		}
		s.Store = storeEncrypted
		return w.yield(s, nil) && w.outOfReach()
	})
}

// outOfReach tells of the sessions that have a folder of snapshots. Their words are in the encrypted database.
func (w *walk) outOfReach() bool {
	var ids []string
	if !w.folders(snapshotDir, func(dir string) bool {
		ids = append(ids, path.Base(dir))
		return true
	}) {
		return false
	}
	if len(ids) == 0 {
		return true
	}
	const most = 20
	what := fmt.Sprintf("%d sessions whose words are in the encrypted database: %s", len(ids), strings.Join(ids[:min(len(ids), most)], ", "))
	if len(ids) > most {
		what += ", ..."
	}
	return w.yield(adapter.Source{Product: source, Path: snapshotDir}, lore.Loss{Code: lore.MissingBody, Severity: lore.Info, Source: source,
		File: w.at.Name + "/" + snapshotDir, What: what, Count: len(ids)})
}
