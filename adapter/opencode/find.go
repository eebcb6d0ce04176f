package opencode

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"lore/adapter"
	"lore/adapter/kit"
)

// Find implements adapter.Adapter.
func (opencode) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		product := at.Root.Source
		if at.Root.Path == "" && productOf(at.Name) != product {
			return // a folder that a user named: its name tells a fork from the original
		}
		f := &finder{ctx: ctx, fsys: at.FS, product: product, yield: yield}
		for src := range f.list(".", func(name string) bool { return isDatabase(at.Root, path.Base(name)) }) {
			src.Store, src.Ranges, src.Split = storeDB, ranges, &split
			f.put(src)
		}
		for _, l := range f.layouts(at.Root.Path == "") {
			f.tree(l)
		}
	}
}

// productOf tells by a path whose store it is in: a fork's when a folder has the fork's name.
func productOf(name string) string {
	for folder := range strings.SplitSeq(name, "/") {
		if slices.Contains(forks, folder) {
			return folder
		}
	}
	return sourceOpenCode
}

// isDatabase reports whether a file at the root holds sessions, by its name: opencode.db, opencode-CHANNEL.db, or
// likewise with the name of a fork. Where a variable names the database, it may have any.
func isDatabase(root adapter.Root, name string) bool {
	stem, ok := strings.CutSuffix(name, ".db")
	if !ok {
		return false
	}
	if root.Env == envDB {
		return true
	}
	for _, product := range []string{sourceOpenCode, root.Source} {
		if rest, ok := strings.CutPrefix(stem, product); ok && (rest == "" || rest[0] == '-') {
			return true
		}
	}
	return false
}

// layout says where a tree has its files. Two are known; they differ in their folders alone.
type layout struct {
	sessions string // *.json, or */*.json
	messages string // SESSION/*.json
	parts    string // MESSAGE/*.json, or SESSION/MESSAGE/*.json
	diffs    string // SESSION.json; empty: none
	projects string // *.json; empty: none
	old      bool   // parts stand below their session's folder
}

// layouts returns the trees that a root has. A folder that a user named may be a tree itself.
func (f *finder) layouts(named bool) []layout {
	var all []layout
	for _, project := range f.folders("project") {
		all = append(all, oldLayout(path.Join("project", project, "storage")))
	}
	all = append(all, oldLayout("storage"), newLayout("storage"))
	if named {
		all = append(all, oldLayout("."), newLayout("."))
	}
	return all
}

func newLayout(base string) layout {
	return layout{sessions: path.Join(base, "session"), messages: path.Join(base, "message"), parts: path.Join(base, "part"),
		diffs: path.Join(base, "session_diff"), projects: path.Join(base, "project")}
}

func oldLayout(base string) layout {
	base = path.Join(base, "session")
	return layout{sessions: path.Join(base, "info"), messages: path.Join(base, "message"), parts: path.Join(base, "part"), old: true}
}

// finder yields the evidences of one place.
type finder struct {
	ctx     context.Context
	fsys    fs.FS
	product string
	yield   func(adapter.Source, error) bool
	stopped bool
}

func (f *finder) put(src adapter.Source) {
	src.Product = f.product
	f.say(src, nil)
}

func (f *finder) say(src adapter.Source, err error) {
	f.stopped = f.stopped || !f.yield(src, err)
}

// list yields the files of a folder, and says what cannot be read.
func (f *finder) list(dir string, match func(string) bool) iter.Seq[adapter.Source] {
	return f.only(kit.ListFiles(f.ctx, f.fsys, dir, match))
}

func (f *finder) only(found iter.Seq2[adapter.Source, error]) iter.Seq[adapter.Source] {
	return func(yield func(adapter.Source) bool) {
		for src, err := range found {
			switch {
			case f.stopped:
				return
			case err != nil:
				src.Product, src.Store = f.product, storeTree
				f.say(src, err)
				f.stopped = f.stopped || f.ctx.Err() != nil
			case !yield(src):
				return
			}
		}
	}
}

// folders returns the names of the folders in a folder, sorted; links are passed by.
func (f *finder) folders(dir string) []string {
	if f.stopped {
		return nil
	}
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if info, e := fs.Stat(f.fsys, dir); e == nil && info.IsDir() {
			f.say(adapter.Source{Product: f.product, Store: storeTree, Path: dir}, err)
		}
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func isJSON(name string) bool { return path.Ext(name) == ".json" }

// stem is the name of a file without its extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), ".json") }
