package archive

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// FS makes a file system of snapshots: path below the place → snapshot id. Files hold the bytes as the source wrote
// them, implement io.ReaderAt and io.Seeker, and carry the time that the file had when it was kept. Folders are those
// that the paths need.
func (a *Archive) FS(snapshots map[string]int64) fs.FS { return archiveFS{a, snapshots} }

type archiveFS struct {
	a         *Archive
	snapshots map[string]int64
}

// Open implements fs.FS.
func (f archiveFS) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	if id, ok := f.snapshots[name]; ok {
		info, err := f.info(name, id)
		if err != nil {
			return fail(err)
		}
		r, err := f.a.OpenSnapshot(id)
		if err != nil {
			return fail(err)
		}
		return &file{SnapshotReader: r, info: info}, nil
	}
	children := f.children(name)
	if len(children) == 0 && name != "." {
		return fail(fs.ErrNotExist)
	}
	return &folder{info: info{name: path.Base(name), mode: fs.ModeDir | 0o500}, children: children}, nil
}

// info describes a snapshot as a file.
func (f archiveFS) info(name string, id int64) (info, error) {
	s, err := f.a.Snapshot(id)
	return info{name: path.Base(name), size: s.Size, mode: 0o400, time: s.ModTime}, err
}

// children lists what stands in a folder, by name.
func (f archiveFS) children(dir string) []fs.DirEntry {
	seen := map[string]bool{}
	var all []fs.DirEntry
	for name, id := range f.snapshots {
		rest := name
		if dir != "." {
			var ok bool
			if rest, ok = strings.CutPrefix(name, dir+"/"); !ok {
				continue
			}
		}
		child, _, below := strings.Cut(rest, "/")
		if seen[child] {
			continue
		}
		seen[child] = true
		all = append(all, dirEntry{f, path.Join(dir, child), id, below})
	}
	slices.SortFunc(all, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return all
}

// dirEntry is a file, or a folder, in a folder.
type dirEntry struct {
	fs     archiveFS
	path   string
	id     int64
	folder bool
}

func (d dirEntry) Name() string { return path.Base(d.path) }
func (d dirEntry) IsDir() bool  { return d.folder }

func (d dirEntry) Type() fs.FileMode {
	if d.folder {
		return fs.ModeDir
	}
	return 0
}

// Info implements fs.DirEntry.
func (d dirEntry) Info() (fs.FileInfo, error) {
	if d.folder {
		return info{name: d.Name(), mode: fs.ModeDir | 0o500}, nil
	}
	return d.fs.info(d.path, d.id)
}

// file is an open snapshot.
type file struct {
	*SnapshotReader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

// folder is an open folder.
type folder struct {
	info     info
	children []fs.DirEntry
}

func (d *folder) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *folder) Close() error               { return nil }

func (d *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.children)
	} else if len(d.children) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.children))
	all := d.children[:n:n]
	d.children = d.children[n:]
	return all, nil
}

// info is what FS says of a file or folder.
type info struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.time }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
