package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lore/internal/fault"
	"lore/internal/index"
)

// The index lives in a folder of its own, "index-N", and the file "index" names the one that counts. A rebuild fills a
// new folder while the old one serves, and then the name is changed in one step.
const indexName = "index"

// IndexDir returns the folder of the index that counts. The error is index.ErrNone when there is none.
func IndexDir(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, indexName))
	if errors.Is(err, os.ErrNotExist) {
		return "", index.ErrNone
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(b))
	if _, ok := indexNumber(name); !ok {
		return "", fmt.Errorf("%w: %q does not name an index", index.ErrRebuild, filepath.Join(dir, indexName))
	}
	return filepath.Join(dir, name), nil
}

func indexNumber(name string) (int, bool) {
	rest, ok := strings.CutPrefix(name, indexName+"-")
	n, err := strconv.Atoi(rest)
	return n, ok && err == nil && n > 0
}

// build is the index that an import writes to.
type build struct {
	dir    string // lore's folder
	at     string // folder of the index
	new    bool   // it is not the one that counts yet
	before int    // conversations in the one that it takes the place of
	writer *index.Writer
}

// openIndex opens the index that counts, or begins a new one beside it when there is none, when it has to be rebuilt, or
// when that was asked for.
func openIndex(dir string, reindex bool, o index.WriterOptions) (*build, error) {
	at, err := IndexDir(dir)
	if err == nil && !reindex {
		w, err := index.OpenWriter(at, o)
		if err == nil {
			return &build{dir: dir, at: at, writer: w}, nil
		}
		if !errors.Is(err, index.ErrRebuild) && !errors.Is(err, index.ErrNone) {
			return nil, err
		}
	} else if err != nil && !errors.Is(err, index.ErrNone) && !errors.Is(err, index.ErrRebuild) {
		return nil, err
	}
	before := countBefore(at)
	at, err = nextIndex(dir, filepath.Base(at))
	if err != nil {
		return nil, err
	}
	w, err := index.OpenWriter(at, o)
	if err != nil {
		return nil, err
	}
	return &build{dir: dir, at: at, new: true, before: before, writer: w}, nil
}

// countBefore returns how many conversations an index holds; 0 when it cannot be read, which is why it is made anew.
func countBefore(at string) int {
	if at == "" {
		return 0
	}
	x, err := index.Open(at, index.ReaderOptions{})
	if err != nil {
		return 0
	}
	defer x.Close()
	n, _, err := x.Counts()
	if err != nil {
		return 0
	}
	return n
}

// nextIndex makes the folder of a new index, and removes those that an interrupted rebuild has left.
func nextIndex(dir, current string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	top, _ := indexNumber(current)
	for _, e := range entries {
		n, ok := indexNumber(e.Name())
		if !ok || e.Name() == current {
			continue
		}
		top = max(top, n)
		discard(filepath.Join(dir, e.Name()))
	}
	at := filepath.Join(dir, indexName+"-"+strconv.Itoa(top+1))
	return at, os.MkdirAll(at, 0o700)
}

// publish makes a new index the one that counts, and removes the one before.
func (b *build) publish() error {
	if !b.new {
		return nil
	}
	old, _ := IndexDir(b.dir)
	fault.At("index: before a new one counts")
	if err := replaceFile(filepath.Join(b.dir, indexName), filepath.Base(b.at)+"\n"); err != nil {
		return err
	}
	fault.At("index: a new one counts")
	b.new = false
	if old != "" && old != b.at {
		discard(old)
	}
	return nil
}

// discard removes the folder of an index that does not count. A reader that is opening it puts files beside the catalogue
// while it is emptied, and on some systems an open file cannot be removed: what is left, the next rebuild removes.
func discard(at string) {
	for range 5 {
		if os.RemoveAll(at) == nil {
			return
		}
	}
}

// replaceFile writes a small file so that a reader sees the old or the new one whole.
func replaceFile(name, text string) error {
	tmp := name + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

func (b *build) close() error { return b.writer.Close() }
