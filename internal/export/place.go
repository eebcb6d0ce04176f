package export

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"time"
)

// Place is a folder that files are put into and never overwritten in. No name leads out of it, also not over a link.
type Place struct{ root *os.Root }

// OpenPlace opens a folder, which it makes where it is not there.
func OpenPlace(dir string) (*Place, error) {
	f, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Place{f.root}, nil
}

// Close releases the folder.
func (p *Place) Close() error { return p.root.Close() }

// Put writes a file that is whole under its name or not there at all, with the time that it had, and says what became of
// it: "new", "same" when a file with these bytes is there, "kept" when another one is, which stays.
func (p *Place) Put(name string, mod time.Time, content func(io.Writer) error) (state string, err error) {
	dir := path.Dir(name)
	if err := p.root.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	temp := path.Join(dir, ".lore-part-"+strconv.Itoa(os.Getpid()))
	if err := p.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	f, err := p.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer p.root.Remove(temp)
	defer f.Close()
	if err := content(f); err != nil {
		return "", err
	}
	if old, err := p.root.Open(name); err == nil {
		defer old.Close()
		if same, err := equal(old, f); err == nil && same {
			return "same", nil
		}
		return "kept", nil
	} else if _, err := p.root.Lstat(name); err == nil {
		return "kept", nil // something that cannot be opened
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return "", err
	}
	if !mod.IsZero() {
		if err := p.root.Chtimes(temp, mod, mod); err != nil {
			return "", err
		}
	}
	return p.settle(temp, name)
}

// settle gives a whole file its name, unless another has it meanwhile.
func (p *Place) settle(temp, name string) (string, error) {
	err := p.root.Link(temp, name)
	switch {
	case err == nil:
		return "new", nil
	case errors.Is(err, fs.ErrExist):
		return "kept", nil
	}
	// A file system without links. Between the look and the renaming another program could write the file.
	if _, err := p.root.Lstat(name); err == nil {
		return "kept", nil
	}
	if err := p.root.Rename(temp, name); err != nil {
		return "", err
	}
	return "new", nil
}
