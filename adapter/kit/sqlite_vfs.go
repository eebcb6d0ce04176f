package kit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"modernc.org/sqlite/vfs"
)

// SQLite reads a view through a file system that holds nothing but views under made-up names: no path of a source is
// ever part of a data source name, there is no journal, log or index to be found or made, and nothing can be written.
// One such file system serves the whole process, since it can only be taken away when no connection uses it.
type viewNames struct {
	sync.Mutex
	byName map[string]*view
	next   int
}

var openViews = viewNames{byName: map[string]*view{}}

// viewVFS returns the name under which SQLite knows openViews.
var viewVFS = sync.OnceValues(func() (string, error) {
	name, _, err := vfs.New(&openViews)
	return name, err
})

// add gives a view a name.
func (n *viewNames) add(v *view) string {
	n.Lock()
	defer n.Unlock()
	n.next++
	name := fmt.Sprintf("view%d", n.next)
	n.byName[name] = v
	return name
}

func (n *viewNames) remove(name string) {
	n.Lock()
	defer n.Unlock()
	delete(n.byName, name)
}

// Open implements fs.FS for the VFS.
func (n *viewNames) Open(name string) (fs.File, error) {
	n.Lock()
	defer n.Unlock()
	v := n.byName[name]
	if v == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &viewFile{view: v, name: name}, nil
}

// viewFile is a view as the VFS wants it: it seeks, then reads.
type viewFile struct {
	view *view
	name string
	off  int64
}

func (f *viewFile) Read(p []byte) (int, error) {
	n, err := f.view.ReadAt(p, f.off)
	f.off += int64(n)
	return n, err
}

func (f *viewFile) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekStart || off < 0 {
		return 0, errors.New("only from the start")
	}
	f.off = off
	return off, nil
}

// Stat and Close are the rest of fs.File. The view itself is closed by its Database.
func (f *viewFile) Stat() (fs.FileInfo, error) { return viewInfo{f}, nil }
func (f *viewFile) Close() error               { return nil }

type viewInfo struct{ f *viewFile }

func (i viewInfo) Name() string       { return i.f.name }
func (i viewInfo) Size() int64        { return int64(i.f.view.pages) * int64(i.f.view.page) }
func (i viewInfo) Mode() fs.FileMode  { return 0o400 }
func (i viewInfo) ModTime() time.Time { return time.Time{} }
func (i viewInfo) IsDir() bool        { return false }
func (i viewInfo) Sys() any           { return nil }
