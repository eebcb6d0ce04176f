package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lore/adapter"
)

// Machine is where sources are looked for.
type Machine struct {
	Home string              // absolute
	Env  func(string) string // nil: the tools' own variables are ignored
}

// place is a root of one adapter that exists on this machine.
type place struct {
	adapter.Place
	adapter adapter.Adapter
	dir     string // absolute
	only    string // the one file that the user named; empty: all that Find finds
	close   func() error

	narrowed bool // FS shows a part of the folder
}

// missing is a root that was looked for and is not there, or that cannot be opened.
type missing struct {
	root   adapter.Root
	name   string // home-collapsed
	err    error  // nil: it does not exist
	source string
}

// places opens the roots of every adapter. A folder that two roots of one adapter name is opened once.
func places(m Machine, adapters []adapter.Adapter) (found []place, absent []missing) {
	for _, a := range adapters {
		seen := map[string]bool{}
		for _, root := range a.Info().Roots {
			dir := m.rootDir(root)
			if dir == "" || seen[dir] {
				continue
			}
			seen[dir] = true
			p, err := openPlace(m, a, root, dir)
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				absent = append(absent, missing{root: root, name: m.collapse(dir), err: err, source: root.Source})
				continue
			}
			p.Followed = root.Elsewhere != nil
			found = append(found, p)
			if p.Followed {
				found, absent = listed(m, a, p, found, absent)
			}
		}
	}
	return found, absent
}

// listed opens the folders that the list of a place names and that lie in none that is open for the adapter already.
func listed(m Machine, a adapter.Adapter, p place, found []place, absent []missing) ([]place, []missing) {
	for _, dir := range p.Root.Elsewhere(context.Background(), p.Place) {
		dir = filepath.Clean(filepath.FromSlash(dir))
		known := func(other place) bool { return other.adapter == a && within(other.dir, dir) }
		if !filepath.IsAbs(dir) || slices.ContainsFunc(found, known) {
			continue
		}
		root := adapter.Root{Source: p.Root.Source, Path: filepath.ToSlash(dir), Listed: true}
		info, err := os.Lstat(dir)
		if err == nil && !info.IsDir() { // nor a link: it may lead anywhere
			continue
		}
		var other place
		if err == nil {
			other, err = openPlace(m, a, root, dir)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			absent = append(absent, missing{root: root, name: m.collapse(dir), source: root.Source})
		case err != nil:
			absent = append(absent, missing{root: root, name: m.collapse(dir), err: cause(err), source: root.Source})
		default:
			found = append(found, other)
		}
	}
	return found, absent
}

// within reports whether a folder is another one or lies in it.
func within(outer, dir string) bool {
	rel, err := filepath.Rel(outer, dir)
	return err == nil && filepath.IsLocal(rel)
}

// openPlace opens a folder so that no name in it, link or not, leads outside.
func openPlace(m Machine, a adapter.Adapter, root adapter.Root, dir string) (place, error) {
	opened, err := os.OpenRoot(dir)
	if err != nil {
		return place{}, err
	}
	return place{
		Place:   adapter.Place{Root: root, FS: opened.FS(), Name: m.collapse(dir)},
		adapter: a, dir: dir, close: opened.Close,
	}, nil
}

// rootDir returns the absolute folder that a root stands for here; "" when it is of another system.
func (m Machine) rootDir(r adapter.Root) string {
	if r.OS != "" && r.OS != runtime.GOOS {
		return ""
	}
	if r.Listed {
		return filepath.FromSlash(r.Path)
	}
	if r.Env != "" && m.Env != nil {
		if v := m.Env(r.Env); v != "" && filepath.IsAbs(v) {
			return filepath.Join(v, filepath.FromSlash(r.Sub))
		}
	}
	if r.Path == "" {
		return ""
	}
	return filepath.Join(m.Home, filepath.FromSlash(r.Path))
}

// RootDir returns the folder of this machine that a place of the archive is, where it is one in which a product of the
// adapters keeps its history by itself; false for any other.
func (m Machine) RootDir(adapters []adapter.Adapter, source, place string) (dir string, ok bool) {
	for _, a := range adapters {
		for _, root := range a.Info().Roots {
			if dir := m.rootDir(root); dir != "" && root.Source == source && m.collapse(dir) == place {
				return dir, true
			}
		}
	}
	return "", false
}

// collapse writes an absolute path as locators do: the home folder as "~", slashes forward.
func (m Machine) collapse(path string) string {
	if m.Home != "" {
		if rel, err := filepath.Rel(m.Home, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			if rel == "." {
				return "~"
			}
			return "~/" + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// metAny reports whether something of a source was found, whatever became of it.
func metAny(all []SourceReport) bool {
	return slices.ContainsFunc(all, func(s SourceReport) bool { return s.Found+s.Failed+s.Excluded > 0 })
}

// ErrNoFile says that what a user named is a pipe, a socket or a device.
var ErrNoFile = errors.New("it is no file and no folder")

// named opens what a user named: a folder is a place for every adapter that may know it, a file a place with one
// evidence.
func named(m Machine, adapters []adapter.Adapter, name string) ([]place, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("cannot resolve %q: %w", name, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("cannot read %q: %w", name, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // to open a pipe would wait for somebody who writes to it
		return nil, fmt.Errorf("cannot read %q: %w", name, ErrNoFile)
	}
	if !info.IsDir() && isZip(abs) {
		return zipPlaces(m, adapters, abs)
	}
	if !info.IsDir() {
		return namedFile(m, adapters, abs)
	}
	var found []place
	for _, a := range adapters {
		for _, root := range rootsFor(a) {
			at := filepath.Join(abs, filepath.FromSlash(root.Path))
			p, err := openPlace(m, a, root, at)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return found, fmt.Errorf("cannot open %q: %w", at, err)
			}
			found = append(found, p)
		}
	}
	return found, nil
}

// rootsFor returns how a folder that a user named may be a source: as a home that holds the usual roots, or as such a
// root itself.
func rootsFor(a adapter.Adapter) []adapter.Root {
	var roots []adapter.Root
	seen := map[string]bool{}
	for _, r := range a.Info().Roots {
		if r.Path != "" && !seen[r.Path] {
			seen[r.Path] = true
			roots = append(roots, r)
		}
		if !seen["\x00"+r.Source] {
			seen["\x00"+r.Source] = true
			roots = append(roots, adapter.Root{Source: r.Source})
		}
	}
	return roots
}

// namedFile opens the place of one file: the usual one where the file lies in it, so that it has the name and the
// companions that it has in every import, else its folder.
func namedFile(m Machine, adapters []adapter.Adapter, abs string) ([]place, error) {
	usual, _ := places(m, adapters)
	var found []place
	for _, p := range usual {
		rel, err := filepath.Rel(p.dir, abs)
		if err != nil || !filepath.IsLocal(rel) {
			p.close()
			continue
		}
		p.only = filepath.ToSlash(rel)
		found = append(found, p)
	}
	for _, a := range adapters {
		seen := map[string]bool{}
		for _, r := range a.Info().Roots {
			if seen[r.Source] {
				continue
			}
			seen[r.Source] = true
			p, err := openPlace(m, a, adapter.Root{Source: r.Source}, filepath.Dir(abs))
			if err != nil {
				return found, fmt.Errorf("cannot open %q: %w", filepath.Dir(abs), err)
			}
			p.only = filepath.Base(abs)
			found = append(found, p)
		}
	}
	return found, nil
}
