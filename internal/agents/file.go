package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mostFile bounds a configuration, in bytes.
const mostFile = 64 << 20

// readFile returns what a configuration holds; false when there is none. Only a plain file is touched: what a link leads to
// may be shared with other machines, and a pipe or device is no configuration.
func readFile(path string) (content []byte, mode fs.FileMode, exists bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, false, nil
	case err != nil:
		return nil, 0, false, fmt.Errorf("cannot look at %q: %w", path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, 0, false, fmt.Errorf("%q is a symbolic link; edit the file that it leads to by hand", path)
	case !info.Mode().IsRegular():
		return nil, 0, false, fmt.Errorf("%q is not a plain file; move it away", path)
	case info.Size() > mostFile:
		return nil, 0, false, fmt.Errorf("%q has %d bytes, too many for a configuration", path, info.Size())
	}
	content, err = os.ReadFile(path)
	return content, info.Mode().Perm(), true, err
}

// writeFile puts content in the place of what a file held when it was read: all of it or nothing, also when the machine
// stops in the middle. A file that somebody has changed since is left as it is.
func writeFile(c *Change) (err error) {
	now, _, exists, err := readFile(c.Path)
	if err != nil {
		return err
	}
	if exists != c.Existed || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%q was changed by another program in this moment; run the command again", c.Path)
	}
	if c.Gone {
		return os.Remove(c.Path)
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(c.Path), ".lore-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(c.After); err != nil {
		return err
	}
	if err = tmp.Chmod(c.mode); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), c.Path)
}

// missingDirs returns the folders above a path that are not there, the outermost first.
func missingDirs(path string) (dirs []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return dirs
		}
		dirs = append([]string{dir}, dirs...)
	}
}
