package geminicli

import (
	"io"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// maxDirs is how many folders are tried as the project's.
const maxDirs = 256

// project tells where a session took place. The tool names a project's folder by a digest of its path, or by a short
// name; what the path may be stands in a marker beside the sessions, in the registry of projects, in the session's own
// list of folders, or above a folder that a call names. A candidate whose digest is the one that the session names is
// certain; without one, what the tool itself says of the project counts.
func (c *chat) project(called []string) lore.Project {
	h := &c.head
	told := c.marked()
	for _, dir := range slices.Concat(told, h.dirs, called[:min(len(called), maxDirs)]) {
		if found := c.proved(dir); found != "" {
			return named(found)
		}
	}
	switch {
	case len(told) > 0:
		return named(told[0])
	case len(h.dirs) > 0:
		return named(h.dirs[0])
	case len(called) > 0 && !isDigest(h.hash) && !isDigest(h.folder):
		return named(called[0])
	case h.folder != "" && !isDigest(h.folder):
		return lore.Project{Name: h.folder}
	}
	return lore.Project{}
}

func named(dir string) lore.Project { return lore.Project{Dir: dir, Name: kit.ProjectName(dir)} }

// proved returns the folder, or the one above it, whose digest the session names.
func (c *chat) proved(dir string) string {
	h := &c.head
	if !isDigest(h.hash) && !isDigest(h.folder) {
		return ""
	}
	for range 64 {
		if d := kit.PathDigest(dir); d == h.hash || d == h.folder {
			return dir
		}
		at := strings.LastIndexAny(dir, `/\`)
		if at <= 0 {
			return ""
		}
		dir = dir[:at]
	}
	return ""
}

func isDigest(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// marked returns what the tool says of the project beside the sessions: in the marker, and in the registry under the
// project's short name.
func (c *chat) marked() []string {
	if c.told != nil {
		return c.told
	}
	c.told = []string{}
	for _, name := range c.in.Source.Companions {
		switch path.Base(name) {
		case rootMarker:
			if dir := strings.TrimSpace(c.small(name)); dir != "" {
				c.told = append(c.told, dir)
			}
		case projectsName:
			c.told = append(c.told, registered(c.small(name), c.head.folder)...)
		}
	}
	return c.told
}

// registered returns the paths of a registry that have a short name.
func registered(registry, name string) []string {
	var doc kit.Doc
	v, err := doc.Parse([]byte(registry))
	if err != nil {
		return nil
	}
	var dirs []string
	for dir, short := range v.Get("projects").Fields() {
		if short.String() == name && name != "" || kit.PathDigest(dir) == name {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// small reads a small file beside the sessions; "" when it cannot be read.
func (c *chat) small(name string) string {
	f, err := c.in.FS.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return ""
	}
	return string(b)
}
