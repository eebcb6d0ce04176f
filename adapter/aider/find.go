package aider

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// historyFile is the name of the log in the folder of a project.
const historyFile = ".aider.chat.history.md"

// depth is how many folders below one that a user has named projects are looked for.
const depth = 2

// Find implements adapter.Adapter. Below a home only aider's own folder is looked at, for a project may be anywhere. In a
// folder that a user has named a log may have another name; it is known by its first line.
func (aider) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := &walk{ctx: ctx, at: at, yield: yield}
		if at.Root.Path != "" {
			w.list(".", func(base string) bool { return base == historyFile })
			return
		}
		isLog := func(base string) bool {
			return base == historyFile || path.Ext(base) == ".md" && begins(at.FS, base)
		}
		if w.list(".", isLog) {
			w.below(".", depth)
		}
	}
}

// walk is one search below one root. Its methods return false when the caller wants no more.
type walk struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
}

func (w *walk) list(dir string, is func(base string) bool) bool {
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, dir, func(p string) bool { return is(path.Base(p)) }) {
		s.Product, s.Store = source, store
		var loss lore.Loss
		if errors.As(err, &loss) {
			loss.Source, loss.File = source, w.at.Name+"/"+s.Path
			err = loss
		}
		if !w.yield(s, err) {
			return false
		}
	}
	return w.ctx.Err() == nil
}

// below looks into the folders of a folder, hidden ones and those of dependencies left out.
func (w *walk) below(dir string, left int) bool {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil {
		return true // a folder that is only passed through
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		sub := path.Join(dir, e.Name())
		if info, err := fs.Stat(w.at.FS, path.Join(sub, historyFile)); err == nil && info.Mode().IsRegular() {
			if !w.yield(adapter.Source{Product: source, Store: store, Path: path.Join(sub, historyFile), Info: info}, nil) {
				return false
			}
		}
		if w.ctx.Err() != nil || left > 1 && !w.below(sub, left-1) {
			return false
		}
	}
	return true
}
