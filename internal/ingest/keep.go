package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
)

// kept is an evidence that the archive holds, ready to be read.
type kept struct {
	file   archive.File
	change archive.Change
	input  adapter.Input
	size   int64 // bytes of the main file

	grew    int64 // bytes that were appended; where extends is set
	extends int64 // the snapshot that the main file's newest one only goes on from; 0: none
	beside  bool  // a companion that was there before has changed

	companions []archive.File // as they are now
}

// keepSource puts an evidence and its companions into the archive and opens what was kept.
func (r *run) keepSource(ctx context.Context, j *job) (*kept, error) {
	if len(j.source.Ranges) > 0 {
		return r.keepDatabase(ctx, j)
	}
	v := view{}
	main, err := r.keepFile(ctx, j, j.source.Path, 0, v)
	if err != nil {
		return nil, err
	}
	k := &kept{file: main.File, change: main.Change, size: main.Snapshot.Size}
	if main.Change == archive.Appended {
		k.extends, k.grew = main.Snapshot.Extends, main.Snapshot.Size-j.file.Stat.Size
	}
	if err := r.keepCompanions(ctx, j, main.File.ID, v, k); err != nil {
		return nil, err
	}
	k.input = j.input(v)
	return k, nil
}

func (j *job) input(v view) adapter.Input {
	return adapter.Input{Source: j.source, FS: v, Place: j.name}
}

// keepFile puts one file into the archive and into the view.
func (r *run) keepFile(ctx context.Context, j *job, name string, of int64, v view) (*archive.Kept, error) {
	f, err := j.place.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file but %s", info.Mode().Type())
	}
	req := archive.KeepRequest{
		File: archive.File{Source: j.source.Product, Store: j.source.Store, Path: joinName(j.name, name), Place: j.name,
			Of: of, Stat: archive.StatOf(info)},
		Lines: isLines(name), Zstd: strings.HasSuffix(name, ".zst"), Whole: r.o.Verify,
	}
	if known := r.fileKnown(j, req.File.Path, of); known != nil {
		req.File.ID, req.File.Snapshot, req.File.Store = known.ID, known.Snapshot, known.Store
	}
	var whole []byte
	bound := r.o.held()
	if j.point != nil && of == 0 && info.Size() > j.file.Stat.Size {
		bound = 0 // only its end is read
	}
	if of == 0 && j.seen != nil {
		info = j.seen // what was written since was not looked at, and comes with the next import
		req.File.Stat = archive.StatOf(info)
	}
	if req.Content, whole, err = contentOf(f, info, bound); err != nil {
		return nil, err
	}
	if at, ok := req.Content.(io.ReaderAt); ok && of == 0 && len(j.blanks) > 0 {
		blanked := &archive.Blanked{R: at, Spans: j.blanks}
		if req.Content = io.NewSectionReader(blanked, 0, info.Size()); whole != nil {
			if _, err := blanked.ReadAt(whole, 0); err != nil && err != io.EOF {
				return nil, err
			}
			req.Content = bytes.NewReader(whole)
		}
	}
	k, err := r.archive.Keep(ctx, req)
	if err != nil {
		return nil, err
	}
	r.paths.Store(fileKey(j.source.Product, req.File.Path), k.File.ID)
	if whole != nil {
		v[name] = held(whole, info.ModTime())
		return &k, nil
	}
	return &k, r.hold(v, name, k.Snapshot)
}

// companion is a side file that this import keeps once, however many evidences it is read with.
type companion struct {
	once sync.Once
	kept *archive.Kept
	err  error
}

// keepCompanion puts a companion into the archive, or says that it is one of this evidence too.
func (r *run) keepCompanion(ctx context.Context, j *job, name string, main int64, v view) (*archive.Kept, error) {
	key := besideKey(j.source.Product, j.source.Store, joinName(j.name, name))
	made, _ := r.beside.LoadOrStore(key, &companion{})
	c := made.(*companion)
	first := false
	c.once.Do(func() {
		first = true
		c.kept, c.err = r.keepFile(ctx, j, name, main, v)
	})
	if c.err != nil || first {
		return c.kept, c.err
	}
	if err := r.archive.Accompany(main, c.kept.File.ID); err != nil {
		return nil, err
	}
	return c.kept, r.hold(v, name, c.kept.Snapshot)
}

// contentOf reads a file of a size up to a bound into memory; of a larger one it returns the file itself. A file may grow while
// it is read: it ends where it ended when it was opened.
func contentOf(f fs.File, info fs.FileInfo, bound int64) (io.Reader, []byte, error) {
	if info.Size() > bound {
		if at, ok := f.(io.ReaderAt); ok {
			return io.NewSectionReader(at, 0, info.Size()), nil, nil
		}
		return io.LimitReader(f, info.Size()), nil, nil
	}
	// Of exactly that size: a buffer that grows to see the end would be twice as big.
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	b = b[:n] // it may have been cut since
	return bytes.NewReader(b), b, nil
}

// hold opens an archived snapshot in a view.
func (r *run) hold(v view, name string, s archive.Snapshot) error {
	return hold(r.archive.Archive, v, name, s)
}

func hold(a *archive.Archive, v view, name string, s archive.Snapshot) error {
	reader, err := a.OpenSnapshot(s.ID)
	if err != nil {
		return err
	}
	v[name] = content{r: reader, size: s.Size, time: s.ModTime}
	return nil
}

// fileKnown returns the archive's row of a file, if it has one.
func (r *run) fileKnown(j *job, path string, of int64) *archive.File {
	if of == 0 {
		if j.file.ID != 0 {
			return &j.file
		}
		return nil
	}
	if f := r.known.beside[besideKey(j.source.Product, j.source.Store, path)]; f != nil {
		return f
	}
	// An evidence of its own until now, which has become the companion of another.
	if f := r.known.byPath[fileKey(j.source.Product, path)]; f != nil && f.Store == j.source.Store {
		return f
	}
	return nil
}

// keepGoneCompanions opens companions that the source has deleted, and notes that it has.
func (r *run) keepGoneCompanions(j *job, main int64, inSource map[string]bool, v view, to *kept) error {
	for _, c := range r.known.companions[main] {
		if inSource[c.Path] || c.Snapshot == 0 {
			continue
		}
		to.companions = append(to.companions, *c)
		if c.InSource {
			if err := r.archive.Gone(c.ID); err != nil {
				return err
			}
		}
		s, err := r.archive.Snapshot(c.Snapshot)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(c.Path, j.name+"/")
		if err := r.hold(v, name, s); err != nil {
			return err
		}
		j.source.Companions = append(j.source.Companions, name)
	}
	return nil
}

// companionLost reports a companion that could not be kept. Read finds it missing and says what that means.
func (r *run) companionLost(j *job, name string, err error) {
	code := lore.ExternalMissing
	if errors.Is(err, fs.ErrInvalid) || strings.Contains(err.Error(), "escapes") {
		code = lore.PathOutside
	}
	r.tally.lose(lore.Loss{Code: code, Severity: lore.Warning, Source: j.source.Product,
		File: joinName(j.name, name), What: cause(err).Error(), Count: 1})
}

// reopen opens an evidence from the archive alone, at its newest snapshot.
func (r *run) reopen(j *job) (*kept, error) {
	companions := r.companionFiles(j.file.ID)
	in, size, err := openArchived(r.archive.Archive, j.file, j.file.Snapshot, companions)
	if err != nil {
		return nil, err
	}
	return &kept{file: j.file, change: archive.Unchanged, input: in, size: size, companions: companions}, nil
}

func (r *run) companionFiles(main int64) []archive.File {
	var all []archive.File
	for _, c := range r.known.companions[main] {
		all = append(all, *c)
	}
	return all
}

// openArchived makes the input of one snapshot of an evidence and the newest snapshots of its companions.
func openArchived(a *archive.Archive, f archive.File, snapshot int64, companions []archive.File) (adapter.Input, int64, error) {
	s, err := a.Snapshot(snapshot)
	if err != nil {
		return adapter.Input{}, 0, err
	}
	rest := strings.TrimPrefix(f.Path, f.Place+"/")
	v := view{}
	if err := hold(a, v, rest, s); err != nil {
		return adapter.Input{}, 0, err
	}
	src := adapter.Source{Product: f.Source, Store: f.Store, Path: rest, Part: partOf(rest)}
	for _, c := range companions {
		if c.Snapshot == 0 {
			continue
		}
		cs, err := a.Snapshot(c.Snapshot)
		if err != nil {
			return adapter.Input{}, 0, err
		}
		name := strings.TrimPrefix(c.Path, f.Place+"/")
		if err := hold(a, v, name, cs); err != nil {
			return adapter.Input{}, 0, err
		}
		src.Companions = append(src.Companions, name)
	}
	src.Info, _ = v.Stat(rest)
	return adapter.Input{Source: src, FS: v, Place: f.Place}, s.Size, nil
}
