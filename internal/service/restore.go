package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
	"lore/internal/archive"
	"lore/internal/export"
)

// RestoreRequest asks for the evidence of a conversation as its source wrote it.
type RestoreRequest struct {
	Target  string // an id, or the path of an evidence
	To      string // folder, made where it is not there
	InPlace bool   // put back where the product finds it; To is empty then
	Version int    // which version, from 1 for the oldest, as inspect numbers them; 0: the newest
}

// RestoreResult says what was written.
type RestoreResult struct {
	Schema  string         `json:"schema"` // "lore.restore.v1"
	To      string         `json:"to,omitempty"`
	InPlace bool           `json:"in_place"`
	Files   []RestoredFile `json:"files"`
}

// RestoredFile is one file of an evidence.
type RestoredFile struct {
	Evidence string    `json:"evidence"` // its path when it was kept, home-collapsed
	File     string    `json:"file"`     // what was written: below To, or the path of this machine
	State    string    `json:"state"`    // "new", "same" when the file is there already, "kept" when another one is and stays
	Bytes    int64     `json:"bytes"`    // as kept; of rows before they become JSON
	Rows     bool      `json:"rows"`     // rows of a database, as JSON lines
	Version  int       `json:"version"`  // from 1 for the oldest
	Versions int       `json:"versions"` // that the archive holds
	KeptAt   lore.Time `json:"kept_at"`
}

// restoring is one restore.
type restoring struct {
	*library
	s      *Service
	req    RestoreRequest
	result *RestoreResult
}

// Restore writes the bytes of a conversation's evidence, with its companions, to a folder or back to their place. What is
// there already is never overwritten.
func (s *Service) Restore(ctx context.Context, req RestoreRequest) (*RestoreResult, error) {
	if (req.To == "") != req.InPlace {
		return nil, failf(Usage, nil, "say where to restore %q: name a folder with --to, or put it back with --in-place", req.Target)
	}
	if req.Version < 0 {
		return nil, failf(Usage, nil, "versions are numbered from 1, not %d; `lore inspect %s` lists them", req.Version, req.Target)
	}
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	x := &restoring{library: l, s: s, req: req, result: &RestoreResult{Schema: "lore.restore.v1", To: req.To, InPlace: req.InPlace, Files: []RestoredFile{}}}
	files, err := x.evidences()
	if err != nil {
		return nil, s.failure(err)
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := x.evidence(&f); err != nil {
			return nil, s.failure(err)
		}
	}
	return x.result, nil
}

// evidences returns what is to be restored. Of a conversation it is what holds its words, not the list of prompts of all
// conversations beside it, where there is both.
func (x *restoring) evidences() ([]archive.File, error) {
	found, err := x.s.evidencesAt(x.library, x.req.Target, false)
	if err != nil {
		return nil, err
	}
	var all, lists []archive.File
	for _, e := range found {
		f, err := x.archive.File(e.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case f.Snapshot == 0 || len(found) > 1 && x.empty(f):
		case x.s.storeOf(f.Source, f.Store).Prompts:
			lists = append(lists, *f)
		default:
			all = append(all, *f)
		}
	}
	if len(all) == 0 {
		all = lists
	}
	if len(all) == 0 {
		return nil, failf(NotFound, nil, "%q is no id and no file of the archive; `lore list` shows the ids", x.req.Target)
	}
	if x.req.Version > 0 && len(all) > 1 {
		var names []string
		for _, f := range all {
			names = append(names, f.Path)
		}
		return nil, failf(Usage, nil, "%q comes from %d files, each with versions of its own: name one of %s", x.req.Target, len(all), strings.Join(names, ", "))
	}
	return all, nil
}

// empty reports whether nothing is kept of a file itself: that of a database whose rows are kept in parts.
func (x *restoring) empty(f *archive.File) bool {
	s, err := x.archive.Snapshot(f.Snapshot)
	return err == nil && s.Size == 0
}

// evidence restores one evidence and its companions.
func (x *restoring) evidence(f *archive.File) error {
	root, err := x.root(f)
	if err != nil {
		return err
	}
	defer root.Close()
	versions, err := x.archive.Snapshots(f.ID)
	if err != nil {
		return err
	}
	at := 0
	if x.req.Version > len(versions) {
		return failf(Usage, nil, "%q has %d versions, not %d; `lore inspect` lists them", f.Path, len(versions), x.req.Version)
	} else if x.req.Version > 0 {
		at = len(versions) - x.req.Version
	}
	if err := x.file(root, f, versions, at); err != nil {
		return err
	}
	companions, err := x.archive.Companions(f.ID)
	if err != nil {
		return err
	}
	for i := range companions {
		c := &companions[i]
		all, err := x.archive.Snapshots(c.ID)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			continue
		}
		if err := x.file(root, c, all, beside(all, versions, at)); err != nil {
			return err
		}
	}
	return nil
}

// beside returns which version of a companion belongs to a version of the main file: the newest that was kept before the
// main file changed again.
func beside(companion, main []archive.Snapshot, at int) int {
	if at == 0 {
		return 0
	}
	i := slices.IndexFunc(companion, func(s archive.Snapshot) bool { return s.At.Before(main[at-1].At) })
	if i < 0 {
		return len(companion) - 1
	}
	return i
}

// root opens the folder that a file is restored below.
func (x *restoring) root(f *archive.File) (*export.Place, error) {
	dir := x.req.To
	if x.req.InPlace {
		if !x.s.storeOf(f.Source, f.Store).PutBack {
			return nil, failf(Usage, nil, "%s does not find a file again that is put back: restore %q to a folder with --to", f.Source, f.Path)
		}
		found, ok := x.s.machine().RootDir(x.s.Adapters, f.Source, f.Place)
		if !ok {
			return nil, failf(Usage, nil, "%q is no place where %s looks on this machine: restore it to a folder with --to", f.Place, f.Source)
		}
		dir = found
	}
	p, err := export.OpenPlace(dir)
	if err != nil {
		return nil, failf(Usage, err, "cannot write to the folder %q: %v", dir, err)
	}
	return p, nil
}

// file restores one version of a file.
func (x *restoring) file(root *export.Place, f *archive.File, versions []archive.Snapshot, at int) error {
	snap := versions[at]
	r, err := x.archive.OpenSnapshot(snap.ID)
	if err != nil {
		return err
	}
	done := RestoredFile{Evidence: f.Path, Bytes: snap.Size, Rows: kit.IsRowSet(r), Version: len(versions) - at, Versions: len(versions), KeptAt: lore.NewTime(snap.At.Truncate(time.Millisecond).UnixNano(), 3, false)}
	name := restoredName(f.Path, done.Rows)
	content := func(w io.Writer) error { _, err := io.Copy(w, r); return err }
	if done.Rows {
		content = func(w io.Writer) error { return writeRows(w, r, snap.Size) }
	}
	if x.req.InPlace {
		name = strings.TrimPrefix(f.Path, f.Place+"/")
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return failf(Usage, nil, "the path %q leads out of the folder and was not written", f.Path)
	}
	if done.State, err = root.Put(name, snap.ModTime, content); err != nil {
		return fmt.Errorf("restore %q: %w", f.Path, err)
	}
	done.File = name
	if x.req.InPlace {
		done.File = f.Path
	}
	x.result.Files = append(x.result.Files, done)
	return nil
}

// restoredName is the path of a restored file below the folder: as it was, without the home folder or the root of the
// disk. The rows of a database are a file beside it.
func restoredName(name string, rows bool) string {
	name, part, parted := strings.Cut(name, "//")
	name = strings.TrimLeft(strings.TrimPrefix(name, "~"), "/")
	if len(name) > 1 && name[1] == ':' {
		name = name[:1] + name[2:]
	}
	if name = path.Clean(name); parted {
		return name + ".rows/" + cmp.Or(export.Tag(part), "rows") + ".jsonl"
	}
	if rows {
		return name + ".rows.jsonl"
	}
	return name
}

// storeOf returns what an adapter declares of a store; nothing for one that no adapter has.
func (s *Service) storeOf(source, name string) adapter.Store {
	for _, a := range s.Adapters {
		for _, st := range a.Info().Stores {
			if st.Source == source && st.Name == name {
				return st
			}
		}
	}
	return adapter.Store{}
}

// errRows says that a row set cannot be read to its end.
var errRows = errors.New("the rows cannot be read")
