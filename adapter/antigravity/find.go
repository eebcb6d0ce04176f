package antigravity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The places below the folder of a product, and the names of files in them.
const (
	brainDir  = "brain"
	logsDir   = ".system_generated/logs"
	storeDir  = "conversations"
	fullFile  = "transcript_full.jsonl"
	shortFile = "transcript.jsonl"
	histFile  = "history.jsonl"
)

// Find implements adapter.Adapter. The root holds a folder for each product, named antigravity and more. A folder that a
// user has named may be such a folder or one in it, or hold loose transcripts, which are known by their first records.
func (antigravity) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		w := &walk{ctx: ctx, at: at, yield: yield}
		w.folders(".", func(dir string) bool { return !strings.HasPrefix(dir, source) || w.product(dir) })
		if at.Root.Path != "" || w.stopped {
			return
		}
		whole := true
		switch base := path.Base(at.Name); {
		case strings.HasPrefix(base, source):
			whole = w.product(".")
		case base == brainDir:
			whole = w.brain(".")
		}
		_ = whole && w.logs(logsDir) && w.logs(".") && w.loose()
	}
}

// walk is one search below one root. Its methods return false when the caller wants no more.
type walk struct {
	ctx     context.Context
	at      adapter.Place
	yield   func(adapter.Source, error) bool
	stopped bool
}

func (w *walk) say(s adapter.Source, err error) bool {
	s.Product = source
	w.stopped = w.stopped || w.ctx.Err() != nil || !w.yield(s, err)
	return !w.stopped
}

// list returns the files of a folder by their names. What is skipped is told.
func (w *walk) list(dir string, is func(base string) bool) (files []adapter.Source) {
	for s, err := range kit.ListFiles(w.ctx, w.at.FS, dir, func(p string) bool { return is(path.Base(p)) }) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			loss.Source, loss.File = source, w.at.Name+"/"+s.Path
			err = loss
			fallthrough
		case err != nil:
			if !w.say(s, err) {
				return nil
			}
		default:
			files = append(files, s)
		}
	}
	return files
}

// folders calls f with each folder below dir, in order. A folder that cannot be read is told.
func (w *walk) folders(dir string, f func(dir string) bool) bool {
	entries, err := fs.ReadDir(w.at.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !w.say(adapter.Source{Path: dir}, err) {
		return false
	}
	for _, e := range entries {
		if w.stopped = w.stopped || w.ctx.Err() != nil; w.stopped || e.IsDir() && !f(path.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

// product looks through the folder of the editor or of its program.
func (w *walk) product(dir string) bool {
	ids := map[string]bool{}
	if !w.folders(path.Join(dir, brainDir), func(dir string) bool {
		return w.transcript(path.Join(dir, logsDir), func() { ids[path.Base(dir)] = true })
	}) {
		return false
	}
	for _, s := range w.list(dir, func(base string) bool { return base == histFile }) {
		if s.Store = storeHistory; !w.say(s, nil) {
			return false
		}
	}
	return !w.stopped && w.conversations(path.Join(dir, storeDir), ids)
}

func (w *walk) brain(dir string) bool {
	return w.folders(dir, func(dir string) bool { return w.logs(path.Join(dir, logsDir)) })
}

func (w *walk) logs(dir string) bool { return w.transcript(dir, func() {}) }

// transcript yields the transcript in a folder: the full one with the short one beside it, or the one there is.
func (w *walk) transcript(dir string, found func()) bool {
	files := w.list(dir, func(base string) bool { return base == fullFile || base == shortFile })
	if len(files) == 0 {
		return !w.stopped
	}
	s := files[len(files)-1] // transcript_full sorts behind transcript.jsonl
	for _, f := range files {
		if path.Base(f.Path) == fullFile {
			s = f
		}
	}
	for _, f := range files {
		if f.Path != s.Path {
			s.Companions = append(s.Companions, f.Path)
		}
	}
	s.Store = storeTranscripts
	found()
	return w.say(s, nil)
}

// conversations yields the databases of agy, and tells once of the files that cannot be read.
func (w *walk) conversations(dir string, told map[string]bool) bool {
	sealed, silent := 0, 0
	for _, s := range w.list(dir, func(base string) bool { return path.Ext(base) == ".db" || path.Ext(base) == ".pb" }) {
		if path.Ext(s.Path) == ".pb" {
			if sealed++; !told[stem(s.Path)] {
				silent++
			}
			continue
		}
		s.Store = storeDB
		if s.Info.Size() > 0 {
			s.Ranges = ranges()
		}
		if !w.say(s, nil) {
			return false
		}
	}
	if sealed == 0 || w.stopped {
		return !w.stopped
	}
	severity := lore.Info
	if silent > 0 {
		severity = lore.Warning
	}
	return w.say(adapter.Source{Path: dir}, lore.Loss{Code: lore.EncryptedStore, Severity: severity, Source: source, File: w.at.Name + "/" + dir,
		What: fmt.Sprintf("%d conversations in files that only Antigravity reads, %d of them without a transcript", sealed, silent), Count: sealed})
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// loose yields transcripts and histories that lie in a folder which a user has named, whatever their names.
func (w *walk) loose() bool {
	for _, s := range w.list(".", func(base string) bool { return path.Ext(base) == ".jsonl" }) {
		base := path.Base(s.Path)
		if base == fullFile || base == shortFile || base == histFile && strings.HasPrefix(path.Base(w.at.Name), source) {
			continue // found as what it is
		}
		in := adapter.Input{Source: s, FS: w.at.FS, Place: w.at.Name}
		store, err := shapeOf(in)
		if err != nil {
			continue
		}
		if s.Store = store; !w.say(s, nil) {
			return false
		}
	}
	return !w.stopped
}
