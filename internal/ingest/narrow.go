package ingest

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/adapter"
)

// Spot is a folder of this machine in which a source keeps its history, or would.
type Spot struct {
	Name  string   // home-collapsed
	Dir   string   // absolute
	Below []string // slash paths below it of the folders that hold evidence now
}

// Spots returns the folders that an import looks at, and those that it would look at if they were there.
func Spots(ctx context.Context, m Machine, adapters []adapter.Adapter) []Spot {
	found, absent := places(m, adapters)
	defer closePlaces(found)
	var all []Spot
	at := map[string]int{}
	for i := range found {
		p := &found[i]
		n, known := at[p.dir]
		if !known {
			n = len(all)
			at[p.dir] = n
			all = append(all, Spot{Name: p.Name, Dir: p.dir})
		}
		all[n].Below = append(all[n].Below, evidenceFolders(ctx, p)...)
		slices.Sort(all[n].Below)
		all[n].Below = slices.Compact(all[n].Below)
	}
	for _, x := range absent {
		dir := m.rootDir(x.root)
		if _, known := at[dir]; !known {
			at[dir] = len(all)
			all = append(all, Spot{Name: x.name, Dir: dir})
		}
	}
	return all
}

// evidenceFolders returns the folders of a place in which evidences and their companions lie.
func evidenceFolders(ctx context.Context, p *place) []string {
	seen := map[string]bool{}
	for s, err := range p.adapter.Find(ctx, p.Place) {
		if err != nil || s.Path == "" {
			continue
		}
		seen[path.Dir(s.Path)] = true
		for _, c := range s.Companions {
			seen[path.Dir(c)] = true
		}
	}
	dirs := make([]string, 0, len(seen))
	for d := range seen {
		dirs = append(dirs, d)
	}
	return dirs
}

// apart returns the folder of a changed path that can be looked at alone; "" when the whole place has to be.
func apart(patterns []string, changed string) string {
	for _, pattern := range patterns {
		n := strings.Count(pattern, "/") + 1
		parts := strings.Split(changed, "/")
		if len(parts) < n {
			continue
		}
		dir := strings.Join(parts[:n], "/")
		if ok, err := path.Match(pattern, dir); ok && err == nil {
			return dir
		}
	}
	return ""
}

// narrow keeps, of the places, those of which something is said to have changed, and of these no more than has.
func narrow(all []place, changed map[string][]string) []place {
	kept := all[:0]
	for _, p := range all {
		paths, ok := changed[p.Name]
		if !ok {
			p.close()
			continue
		}
		var dirs []string
		for _, x := range paths {
			dir := apart(p.Root.Apart, filepath.ToSlash(x))
			if dir == "" {
				dirs = nil
				break
			}
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
		if full, ok := p.FS.(wholeFS); ok && len(dirs) > 0 {
			p.FS, p.narrowed = narrowFS{full, dirs}, true
		}
		kept = append(kept, p)
	}
	return kept
}

// wholeFS is what the file system of a place can do.
type wholeFS interface {
	fs.ReadDirFS
	fs.StatFS
	fs.ReadLinkFS
}

// narrowFS shows some folders of a file system, with all below them, and the way to them.
type narrowFS struct {
	wholeFS
	dirs []string
}

func (n narrowFS) inside(name string) bool {
	return slices.ContainsFunc(n.dirs, func(d string) bool { return name == d || strings.HasPrefix(name, d+"/") })
}

func (n narrowFS) above(name string) bool {
	return name == "." || slices.ContainsFunc(n.dirs, func(d string) bool { return strings.HasPrefix(d, name+"/") })
}

func (n narrowFS) hidden(op, name string) error {
	if n.inside(name) || n.above(name) {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open implements fs.FS.
func (n narrowFS) Open(name string) (fs.File, error) {
	if err := n.hidden("open", name); err != nil {
		return nil, err
	}
	return n.wholeFS.Open(name)
}

// Stat implements fs.StatFS.
func (n narrowFS) Stat(name string) (fs.FileInfo, error) {
	if err := n.hidden("stat", name); err != nil {
		return nil, err
	}
	return n.wholeFS.Stat(name)
}

// Lstat and ReadLink implement fs.ReadLinkFS.
func (n narrowFS) Lstat(name string) (fs.FileInfo, error) {
	if err := n.hidden("lstat", name); err != nil {
		return nil, err
	}
	return n.wholeFS.Lstat(name)
}

func (n narrowFS) ReadLink(name string) (string, error) {
	if err := n.hidden("readlink", name); err != nil {
		return "", err
	}
	return n.wholeFS.ReadLink(name)
}

// ReadDir implements fs.ReadDirFS. On the way to a folder it shows the way alone.
func (n narrowFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := n.hidden("readdir", name); err != nil {
		return nil, err
	}
	if n.inside(name) {
		return n.wholeFS.ReadDir(name)
	}
	var out []fs.DirEntry
	for _, d := range n.dirs {
		rest, ok := strings.CutPrefix(d, name+"/")
		if name == "." {
			rest, ok = d, true
		}
		if !ok {
			continue
		}
		step, _, _ := strings.Cut(rest, "/")
		info, err := n.wholeFS.Lstat(path.Join(name, step))
		if err == nil && !slices.ContainsFunc(out, func(e fs.DirEntry) bool { return e.Name() == step }) {
			out = append(out, fs.FileInfoToDirEntry(info))
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}
