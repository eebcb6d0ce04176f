// Package watch tells that something has changed in folders that other programs write to: by notices of the system where
// it gives them, else by the clock. It tells what may have changed and reads nothing. It must not know what is in the
// folders.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Folder is one to be watched, with what lies below it.
type Folder struct {
	Name  string   // by which a change is told
	Dir   string   // absolute; it need not exist yet
	Below []string // slash paths of folders below it that matter now; those that come later are found
}

// Options tunes a Watcher.
type Options struct {
	Folders []Folder

	// Quiet is how long nothing has to happen before a change is told, Longest how long it is held back at most.
	// 0: 150 ms and 700 ms.
	Quiet, Longest time.Duration

	// Poll is after how long a folder of which the system gives no notice is told as changed. 0: 1 s.
	Poll time.Duration

	// Limit is how many folders may be watched; what is beyond is polled. 0: 8192. Below 0: all is polled.
	Limit int
}

// Changes are the names of the folders in which something may have changed, with the paths below them. No path means that
// it can be anywhere in the folder.
type Changes map[string][]string

// maxPaths is how many paths of one folder are told one by one.
const maxPaths = 64

// Add takes in what others say has changed.
func (c Changes) Add(more Changes) {
	for name, paths := range more {
		old, known := c[name]
		if known && old == nil || len(paths) == 0 || len(old)+len(paths) > maxPaths {
			c[name] = nil
			continue
		}
		for _, p := range paths {
			if !slices.Contains(old, p) {
				old = append(old, p)
			}
		}
		c[name] = old
	}
}

// Watcher watches. It is closed when it is of no more use.
type Watcher struct {
	o      Options
	notify *fsnotify.Watcher // nil: the system gives no notice
	done   chan struct{}
	wait   sync.WaitGroup

	mu      sync.Mutex
	pending Changes
	signal  chan struct{}
	watched map[string]bool // absolute
	polled  map[string]bool // names
	absent  map[string]Folder
}

// New begins to watch: whatever changes after it has returned is told.
func New(o Options) *Watcher {
	if o.Quiet <= 0 {
		o.Quiet = 150 * time.Millisecond
	}
	if o.Longest <= 0 {
		o.Longest = 700 * time.Millisecond
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.Limit == 0 {
		o.Limit = 8192
	}
	w := &Watcher{o: o, done: make(chan struct{}), pending: Changes{}, signal: make(chan struct{}, 1),
		watched: map[string]bool{}, polled: map[string]bool{}, absent: map[string]Folder{}}
	if o.Limit > 0 {
		w.notify, _ = fsnotify.NewWatcher() // none: all is polled
	}
	w.mu.Lock()
	for _, f := range o.Folders {
		w.attach(f)
	}
	w.mu.Unlock()
	if w.notify != nil {
		w.wait.Go(w.listen)
	}
	return w
}

// Close ends the watching.
func (w *Watcher) Close() error {
	close(w.done)
	if w.notify == nil {
		return nil
	}
	err := w.notify.Close()
	w.wait.Wait()
	return err
}

// State returns how many folders are watched, and the names of those that are polled and of those that are not there.
func (w *Watcher) State() (watched int, polled, absent []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.o.Folders {
		if w.polled[f.Name] {
			polled = append(polled, f.Name)
		} else if _, ok := w.absent[f.Name]; ok {
			absent = append(absent, f.Name)
		}
	}
	return len(w.watched), polled, absent
}

// attach begins to watch a folder, or, where it is not there, for its coming.
func (w *Watcher) attach(f Folder) {
	delete(w.absent, f.Name)
	if w.notify == nil {
		w.polled[f.Name] = true
		return
	}
	info, err := os.Stat(f.Dir)
	if err != nil || !info.IsDir() {
		w.absent[f.Name] = f
		for dir := filepath.Dir(f.Dir); ; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				if !w.add(dir) {
					w.poll(f.Name)
				}
				return
			}
			if dir == filepath.Dir(dir) {
				return
			}
		}
	}
	ok := w.add(f.Dir)
	for _, below := range f.Below {
		for dir := below; ok && dir != "." && dir != "/" && dir != ""; dir = filepath.ToSlash(filepath.Dir(dir)) {
			ok = w.add(filepath.Join(f.Dir, filepath.FromSlash(dir)))
		}
	}
	if !ok {
		w.poll(f.Name)
	}
}

// add watches one folder. False: the system, or the limit, does not allow it.
func (w *Watcher) add(dir string) bool {
	if w.watched[dir] {
		return true
	}
	if len(w.watched) >= w.o.Limit {
		return false
	}
	err := w.notify.Add(dir)
	if err == nil {
		w.watched[dir] = true
	}
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// poll gives a folder up to the clock.
func (w *Watcher) poll(name string) {
	delete(w.absent, name)
	w.polled[name] = true
}

// tree watches a folder that has come, and all below it.
func (w *Watcher) tree(dir string) bool {
	ok := true
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if ok = w.add(path); !ok {
			return filepath.SkipAll
		}
		return nil
	})
	return ok
}

// listen takes in the system's notices.
func (w *Watcher) listen() {
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			w.event(e)
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.all() // some notices are lost
		}
	}
}

// all tells every folder as changed.
func (w *Watcher) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.o.Folders {
		w.changed(f.Name, "")
	}
}

func (w *Watcher) event(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	if gone && w.watched[e.Name] {
		delete(w.watched, e.Name)
		w.notify.Remove(e.Name) // it may have moved away and still be watched
	}
	for _, f := range w.o.Folders {
		if _, ok := w.absent[f.Name]; ok {
			if e.Has(fsnotify.Create) && inside(f.Dir, e.Name) {
				w.attach(f)
				if _, still := w.absent[f.Name]; !still {
					w.fresh(f, f.Dir)
				}
			}
			continue
		}
		if !inside(e.Name, f.Dir) {
			continue
		}
		switch {
		case e.Name == f.Dir && gone:
			w.attach(f)
			w.changed(f.Name, "")
		case gone:
			w.changed(f.Name, "")
		case e.Has(fsnotify.Create):
			w.fresh(f, e.Name)
		default:
			w.changed(f.Name, rel(f.Dir, e.Name))
		}
	}
}

// fresh takes in what has come into a folder.
func (w *Watcher) fresh(f Folder, path string) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() && !w.tree(path) {
		w.poll(f.Name)
	}
	w.changed(f.Name, rel(f.Dir, path))
}

// changed notes a change; an empty path, or the folder itself, means all of it.
func (w *Watcher) changed(name, path string) {
	var paths []string
	if path != "" && path != "." {
		paths = []string{path}
	}
	w.pending.Add(Changes{name: paths})
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func rel(dir, path string) string {
	r, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(r)
}

// Next waits until something has changed, and then until nothing more does for a moment, and returns all of it. The error
// is the context's.
func (w *Watcher) Next(ctx context.Context) (Changes, error) {
	var poll <-chan time.Time
	if _, polled, _ := w.State(); len(polled) > 0 {
		t := time.NewTimer(w.o.Poll)
		defer t.Stop()
		poll = t.C
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-poll:
		return w.take(), nil
	case <-w.signal:
	}
	longest := time.NewTimer(w.o.Longest)
	defer longest.Stop()
	quiet := time.NewTimer(w.o.Quiet)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.signal:
			quiet.Reset(w.o.Quiet)
			continue
		case <-quiet.C:
		case <-longest.C:
		}
		return w.take(), nil
	}
}

// take returns what is pending, with the folders that are polled.
func (w *Watcher) take() Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.pending
	w.pending = Changes{}
	for name := range w.polled {
		c[name] = nil
	}
	return c
}
