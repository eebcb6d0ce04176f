package crush

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

const (
	database = "crush.db"
	folder   = ".crush"        // in a project
	projects = "projects.json" // in Crush's own folder
)

// maxProjects is how large a list of projects may be, in bytes.
const maxProjects = 16 << 20

// nested is how many folders deep projects are looked for in a folder that a user named.
const nested = 4

// Find implements adapter.Adapter.
func (crush) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		f := &finder{ctx: ctx, at: at, yield: yield}
		switch {
		case at.Root.Path == "":
			f.named(".", nested)
			return
		case at.Root.Listed:
			f.named(".", 0)
			return
		}
		for src, err := range kit.WalkFiles(ctx, at.FS, ".", isDatabase) {
			if !f.put(src, err) {
				return
			}
		}
		f.outside()
	}
}

func isDatabase(name string) bool { return path.Base(name) == database }

// finder yields the databases of one place.
type finder struct {
	ctx   context.Context
	at    adapter.Place
	yield func(adapter.Source, error) bool
	done  bool
}

// put yields one. False: the caller wants no more.
func (f *finder) put(src adapter.Source, err error) bool {
	src.Product, src.Store = source, store
	if err == nil {
		src.Ranges, src.Split = ranges, &split
	}
	f.done = f.done || !f.yield(src, err) || f.ctx.Err() != nil
	return !f.done
}

// named looks into a folder that a user named, and a few levels below it: it may be a project, hold some, or be the
// folder of a database. Folders of packages and hidden ones are passed by.
func (f *finder) named(dir string, levels int) {
	for src, err := range kit.ListFiles(f.ctx, f.at.FS, dir, isDatabase) {
		if !f.put(src, err) {
			return
		}
	}
	entries, err := fs.ReadDir(f.at.FS, dir)
	if err != nil {
		return // it was told, or is not there
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case f.done || f.ctx.Err() != nil:
			return
		case !e.IsDir():
		case name == folder:
			f.named(path.Join(dir, name), 0)
		case levels > 0 && !strings.HasPrefix(name, ".") && name != "node_modules":
			f.named(path.Join(dir, name), levels-1)
		}
	}
}

// elsewhere returns the folders of the databases of the projects that Crush knows.
func elsewhere(ctx context.Context, at adapter.Place) (dirs []string) {
	list, err := projectsIn(at)
	if err != nil {
		return nil // Find tells it
	}
	for _, data := range homes(list.Value) {
		dirs = append(dirs, data)
	}
	return dirs
}

// projectsIn reads the list of projects of a place.
func projectsIn(at adapter.Place) (*kit.Whole, error) {
	in := adapter.Input{Source: adapter.Source{Product: source}, FS: at.FS, Place: at.Name}
	return kit.Document(in, projects, maxProjects)
}

// homes yields the projects of a list, each with the folder of its database, once.
func homes(list kit.Value) iter.Seq2[string, string] {
	return func(yield func(dir, data string) bool) {
		told := map[string]bool{}
		for p := range list.Get("projects").Items() {
			dir, data := p.Get("path").String(), p.Get("data_dir").String()
			if data == "" && dir != "" {
				data = dir + "/" + folder
			}
			if data == "" || told[data] {
				continue
			}
			told[data] = true
			if !yield(dir, data) {
				return
			}
		}
	}
}

// outside names the projects of a copy of Crush's folder whose databases stand outside of it: they are not looked for at
// the places where they once were.
func (f *finder) outside() {
	in := adapter.Input{Place: f.at.Name}
	list, err := projectsIn(f.at)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !f.done {
			f.put(adapter.Source{Path: projects}, lore.Loss{Code: lore.BadJSON, Severity: lore.Info, Source: source, File: in.Name(projects),
				What: "the list of projects cannot be read", Count: 1})
		}
		return
	}
	for dir, data := range homes(list.Value) {
		if f.done || f.at.Followed {
			return
		}
		if f.inside(data) {
			continue
		}
		f.put(adapter.Source{Path: projects}, lore.Loss{Code: lore.PathOutside, Severity: lore.Info, Source: source, File: in.Name(projects),
			What: fmt.Sprintf("the history of %q is in %q: import that folder to have it", kit.Clip(dir), kit.Clip(data)), Count: 1})
	}
}

// inside reports whether a folder is in the one that was searched, as far as the paths tell.
func (f *finder) inside(dir string) bool {
	here := strings.TrimPrefix(f.at.Name, "~")
	return here != "" && (strings.HasSuffix(dir, here) || strings.Contains(dir, here+"/"))
}
