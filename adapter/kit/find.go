package kit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"

	"lore"
	"lore/adapter"
)

// maxFolders is how deep a walk goes. Histories nest a handful of folders; a tree below this is no history.
const maxFolders = 64

// WalkFiles yields the regular files below dir that match, in the order of their names, with Path and Info set. A link
// that leads out of fsys is yielded as a lore.Loss symlink_skipped when its name matches or, having no extension, may be
// a folder's; a pipe, socket or device, or a link that leads nowhere, as a loss when its name matches. The File of such a
// loss is the path in fsys. A link to a file inside is yielded like a file; one to a folder inside is passed by, for the
// folder has its own path. A folder that cannot be read is yielded as an error and the walk goes on. A dir that does not
// exist yields nothing.
func WalkFiles(ctx context.Context, fsys fs.FS, dir string, match func(path string) bool) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := walker{ctx, fsys, match, yield, maxFolders}
		w.folder(path.Clean(dir), 0)
	}
}

// ListFiles is WalkFiles without the folders below dir.
func ListFiles(ctx context.Context, fsys fs.FS, dir string, match func(path string) bool) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := walker{ctx, fsys, match, yield, 0}
		w.folder(path.Clean(dir), 0)
	}
}

type walker struct {
	ctx   context.Context
	fsys  fs.FS
	match func(string) bool
	yield func(adapter.Source, error) bool
	below int // how many levels of folders below the start are walked
}

// folder walks one folder. False: the caller wants no more.
func (w *walker) folder(dir string, depth int) bool {
	if err := w.ctx.Err(); err != nil {
		w.yield(adapter.Source{Path: dir}, err)
		return false
	}
	if depth > w.below {
		return w.yield(adapter.Source{Path: dir}, fmt.Errorf("folder %q: nested deeper than %d", dir, maxFolders))
	}
	entries, err := fs.ReadDir(w.fsys, dir) // what could be read comes with the error
	if err != nil && !(depth == 0 && errors.Is(err, fs.ErrNotExist)) && !notFolder(w.fsys, dir, depth) {
		if !w.yield(adapter.Source{Path: dir}, fmt.Errorf("read folder %q: %w", dir, err)) {
			return false
		}
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if w.below == 0 {
				continue
			}
			if !w.folder(name, depth+1) {
				return false
			}
			continue
		}
		if !w.entry(name, e) {
			return false
		}
	}
	return true
}

// notFolder reports whether the walk's start is there and is no folder: nothing to find, and no fault.
func notFolder(fsys fs.FS, dir string, depth int) bool {
	info, err := fs.Stat(fsys, dir)
	return depth == 0 && err == nil && !info.IsDir()
}

func (w *walker) entry(name string, e fs.DirEntry) bool {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		return w.link(name)
	case !w.match(name):
		return true
	case !e.Type().IsRegular():
		return w.skip(name, lore.SpecialFile, kindOf(e.Type()))
	}
	info, err := e.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since the folder was read
		return true
	case err != nil:
		return w.yield(adapter.Source{Path: name}, fmt.Errorf("stat %q: %w", name, err))
	}
	return w.yield(adapter.Source{Path: name, Info: info}, nil)
}

// link yields the file that a link leads to when it stays inside; the file system itself refuses to lead out.
func (w *walker) link(name string) bool {
	info, err := fs.Stat(w.fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return !w.match(name) || w.skip(name, lore.SymlinkSkipped, "leads nowhere")
	case err != nil:
		return !w.match(name) && (w.below == 0 || path.Ext(name) != "") || w.skip(name, lore.SymlinkSkipped, "leads out of the source")
	case info.IsDir() || !w.match(name):
		return true
	case !info.Mode().IsRegular():
		return w.skip(name, lore.SpecialFile, kindOf(info.Mode()))
	}
	return w.yield(adapter.Source{Path: name, Info: info}, nil)
}

func (w *walker) skip(name string, code lore.Code, what string) bool {
	return w.yield(adapter.Source{Path: name}, lore.Loss{Code: code, Severity: lore.Info, File: name, What: what, Count: 1})
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}
