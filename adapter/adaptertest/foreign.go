package adaptertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"lore/adapter"
	"lore/adapter/kit"
)

// maxForeign is how large a file of another adapter may be to be tried.
const maxForeign = 1 << 20

// checkForeign reads the files in the homes of all other adapters, as if a user had named each: none is this adapter's.
// dir is the folder in which the adapters stand, shares the names of those whose files may be read.
func checkForeign(a adapter.Adapter, dir string, shares []string) (list problems) {
	here, err := os.Getwd()
	if err != nil {
		return problems{err.Error()}
	}
	homes, err := filepath.Glob(filepath.Join(dir, "*", "testdata", "*", "home"))
	if err != nil {
		return problems{err.Error()}
	}
	for _, home := range homes {
		owner := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(home))))
		if owner == filepath.Base(here) || slices.Contains(shares, owner) {
			continue
		}
		err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(home, name)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil || len(data) == 0 || len(data) > maxForeign {
				return err
			}
			if p := checkNotMine(a, filepath.ToSlash(rel), data); p != "" {
				list = append(list, fmt.Sprintf("%s of %s: %s", rel, owner, p))
			}
			return nil
		})
		if err != nil {
			list = append(list, err.Error())
		}
	}
	return list
}

// checkNotMine wants ErrNotMine and nothing else. A file without one good record belongs to nobody: it may be malformed.
func checkNotMine(a adapter.Adapter, name string, data []byte) string {
	files := fstest.MapFS{name: {Data: data, Mode: 0o644, ModTime: fileTime}}
	info, err := fs.Stat(files, name)
	if err != nil {
		return err.Error()
	}
	in := adapter.Input{Source: adapter.Source{Path: name, Info: info}, FS: files, Place: "~"}
	r := read(a, in)
	switch {
	case r.panicked != "":
		return r.panicked
	case len(r.records) > 0:
		return fmt.Sprintf("is another adapter's, and is read as %q of %s/%s", r.records[0].Native, r.records[0].Source, r.records[0].Store)
	case errors.Is(r.err, adapter.ErrNotMine), errors.Is(r.err, adapter.ErrMalformed) && !anyRecord(in, name):
		return ""
	}
	return fmt.Sprintf("is another adapter's: want ErrNotMine, got %v", r.err)
}

func anyRecord(in adapter.Input, name string) bool {
	if strings.HasSuffix(name, ".json") {
		whole, err := kit.Document(in, name, 0)
		return err == nil && whole.Value.Exists()
	}
	lines, err := kit.OpenLines(in, name, kit.Options{})
	if err != nil {
		return false
	}
	defer lines.Close()
	for range lines.All() {
		return true
	}
	return false
}
