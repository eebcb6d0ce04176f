package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"lore"
)

// Folder is a folder that conversations are exported to, one file each. A conversation keeps the name that its file got
// first, also when its title changes, and a file that would say the same again is not touched. No name leads out of the
// folder.
type Folder struct {
	root  *os.Root
	names map[string]map[string]string // short id → name, by folder and ending
}

// OpenFolder opens a folder, which it makes where it is not there.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, names: map[string]map[string]string{}}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Known returns the name, without its ending, of the file that a conversation has in a folder below this one; empty when
// it has none.
func (f *Folder) Known(sub string, id lore.ID, ending string) string {
	text := id.String()
	for short, name := range f.listed(sub, ending) {
		if strings.HasPrefix(text, short) {
			return strings.TrimSuffix(name, ending)
		}
	}
	return ""
}

// listed returns the files of ours in a folder, by the short id in their names.
func (f *Folder) listed(sub, ending string) map[string]string {
	key := sub + "\x00" + ending
	if names, ok := f.names[key]; ok {
		return names
	}
	names := map[string]string{}
	f.names[key] = names
	entries, err := fs.ReadDir(f.root.FS(), path.Join(".", sub))
	if err != nil {
		return names // it is made with its first file
	}
	for _, e := range entries {
		if short := IDOf(e.Name(), ending); short != "" && e.Type().IsRegular() {
			names[short] = e.Name()
		}
	}
	return names
}

// Create begins the file of a conversation. It has the name that it had before, or the new one.
func (f *Folder) Create(sub, name string, id lore.ID, ending string) (*File, error) {
	known := f.Known(sub, id, ending)
	if known != "" {
		name = known
	}
	if sub != "" {
		if err := f.root.MkdirAll(sub, 0o700); err != nil {
			return nil, err
		}
	}
	file := &File{folder: f, name: path.Join(sub, name+ending), known: known != ""}
	file.temp = path.Join(sub, "."+id.Short()+".lore-part")
	if err := f.root.Remove(file.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out, err := f.root.OpenFile(file.temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	file.out, file.w = out, bufio.NewWriterSize(out, 64<<10)
	f.listed(sub, ending)[id.Short()] = name + ending
	return file, nil
}

// File is the file of a conversation while it is written: under another name until it is whole.
type File struct {
	folder     *Folder
	name, temp string
	known      bool // there is one of this name
	out        *os.File
	w          *bufio.Writer
	err        error
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err != nil {
		f.err = err
	}
	return n, err
}

// Err returns the error of the disk, if there was one.
func (f *File) Err() error { return f.err }

// Done puts the file in its place and returns its path below the folder and what became of it: "new", "changed", or
// "unchanged" when the old one says the same, which then stays as it is.
func (f *File) Done() (name, state string, err error) {
	defer f.Discard()
	if err := f.w.Flush(); err != nil {
		return f.name, "", fmt.Errorf("write %q: %w", f.name, err)
	}
	state = "new"
	if old, err := f.folder.root.Open(f.name); err == nil {
		same, err := equal(old, f.out)
		old.Close()
		if err != nil {
			return f.name, "", fmt.Errorf("compare %q: %w", f.name, err)
		}
		if same {
			return f.name, "unchanged", nil
		}
		state = "changed"
	}
	err = f.out.Close()
	f.out = nil
	if err == nil {
		err = f.folder.root.Rename(f.temp, f.name)
	}
	if err != nil {
		f.folder.root.Remove(f.temp)
		return f.name, "", fmt.Errorf("write %q: %w", f.name, err)
	}
	return f.name, state, nil
}

// Discard removes what is not in its place yet. After Done it does nothing.
func (f *File) Discard() {
	if f.out == nil {
		return
	}
	f.out.Close()
	f.out = nil
	f.folder.root.Remove(f.temp)
}

// equal reports whether two files have the same bytes.
func equal(a, b *os.File) (bool, error) {
	x, err := a.Stat()
	if err != nil {
		return false, err
	}
	y, err := b.Stat()
	if err != nil || x.Size() != y.Size() {
		return false, err
	}
	if _, err := b.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	var p, q [32 << 10]byte
	for {
		n, errA := io.ReadFull(a, p[:])
		m, errB := io.ReadFull(b, q[:])
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			ended := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
			if ended(errA) && ended(errB) {
				return true, nil
			}
			return false, errors.Join(errA, errB)
		}
	}
}
