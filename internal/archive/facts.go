package archive

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"slices"

	"lore"
)

// The facts of an archive as every archive knows them: what its content hash is made of and what a bundle carries.

// factReader reads facts from one state of an archive.
type factReader struct {
	c       *sql.Conn
	machine string
	files   map[int64]*fileFacts
	keys    map[int64]string
}

func newFactReader(c *sql.Conn) (*factReader, error) {
	r := &factReader{c: c, files: map[int64]*fileFacts{}, keys: map[int64]string{}}
	err := c.QueryRowContext(background, "SELECT value FROM fact WHERE name = ?", machineFact).Scan(&r.machine)
	return r, err
}

// list reads all files, without their snapshots.
func (r *factReader) list() ([]File, error) {
	all, err := listFiles(r.c)
	if err != nil {
		return nil, err
	}
	seen := map[int64]int64{}
	err = bulk(r.c, "SELECT id, seen FROM file", nil, func(row []driver.Value) error {
		seen[num(row[0])] = num(row[1])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		f := &all[i]
		facts := &fileFacts{Machine: r.machine, Source: f.Source, Store: f.Store, Path: f.Path, Place: f.Place, Size: f.Stat.Size,
			MTime: f.Stat.MTime, CTime: f.Stat.CTime, Inode: int64(f.Stat.Inode), InSource: f.InSource, Seen: seen[f.ID]}
		if name, rest := OtherMachine(f.Path); name != "" {
			facts.Machine, facts.Path = name, rest
			_, facts.Place = OtherMachine(f.Place)
		}
		r.files[f.ID], r.keys[f.ID] = facts, facts.key()
	}
	return all, r.mains()
}

// mains notes which files are companions of which evidences.
func (r *factReader) mains() error {
	err := bulk(r.c, "SELECT file, main FROM companion", nil, func(row []driver.Value) error {
		if f := r.files[num(row[0])]; f != nil && r.keys[num(row[1])] != "" {
			f.Mains = append(f.Mains, r.keys[num(row[1])])
		}
		return nil
	})
	for _, f := range r.files {
		slices.Sort(f.Mains)
	}
	return err
}

// snapshots reads the snapshots of a file, the oldest first.
func (r *factReader) snapshots(file int64) ([]Snapshot, []snapshotFacts, error) {
	rows, err := r.c.QueryContext(background, "SELECT "+snapshotColumns+" FROM snapshot WHERE file = ? ORDER BY at, sum, id", file)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var all []Snapshot
	var facts []snapshotFacts
	for rows.Next() {
		s, err := scanSnapshot(rows.Scan)
		if err != nil {
			return nil, nil, err
		}
		all, facts = append(all, s), append(facts, factsOf(s))
	}
	return all, facts, rows.Err()
}

func factsOf(s Snapshot) snapshotFacts {
	f := snapshotFacts{At: s.At.UnixNano(), Lines: s.Lines, Zstd: s.Plain != PlainNone, Size: s.Size, Sum: s.Sum}
	if !s.ModTime.IsZero() {
		f.MTime = s.ModTime.UnixNano()
	}
	return f
}

func (r *factReader) marks() (all []markFacts, err error) {
	events, err := readMarks(r.c, "")
	for _, e := range events {
		all = append(all, markFacts{e.On, e.Conversation, e.Kind, e.Value, e.At.UnixNano(), e.Gone})
	}
	return all, err
}

func (r *factReader) renames() (all []renameFacts, err error) {
	err = bulk(r.c, "SELECT old, new, at FROM rename ORDER BY old", nil, func(row []driver.Value) error {
		x := renameFacts{At: num(row[2])}
		copy(x.Old[:], blob(row[0]))
		copy(x.New[:], blob(row[1]))
		all = append(all, x)
		return nil
	})
	return all, err
}

func (r *factReader) graves() (all []graveFacts, err error) {
	err = bulk(r.c, "SELECT target, at, note FROM tombstone ORDER BY target", nil, func(row []driver.Value) error {
		x := graveFacts{At: num(row[1]), Note: text(row[2])}
		var note tombstoneNote
		if json.Unmarshal([]byte(x.Note), &note) == nil && note.Evidence {
			return nil // of a file at a source of this machine, by its path here
		}
		copy(x.Target[:], blob(row[0]))
		all = append(all, x)
		return nil
	})
	return all, err
}

func (r *factReader) imports() (all []importFacts, err error) {
	err = bulk(r.c, "SELECT machine, start, stop, program, report FROM import", nil, func(row []driver.Value) error {
		all = append(all, importFacts{cmp.Or(text(row[0]), r.machine), num(row[1]), num(row[2]), text(row[3]), text(row[4])})
		return nil
	})
	slices.SortFunc(all, func(a, b importFacts) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Stop, b.Stop), cmp.Compare(a.Report, b.Report))
	})
	return all, err
}

// ContentHash is the digest of all that the archive holds: files with their snapshots and facts, what was done to marks,
// renames, what was forgotten, imports. Two archives that hold the same have the same, however it came into them and
// however it is stored.
func (a *Archive) ContentHash() (id lore.ID, err error) {
	err = a.view("digest the archive", func(c *sql.Conn) error {
		r, err := newFactReader(c)
		if err != nil {
			return err
		}
		var lines contentLines
		files, err := r.list()
		for i := range files {
			if err != nil {
				return err
			}
			f := r.files[files[i].ID]
			if _, f.Snapshots, err = r.snapshots(files[i].ID); err == nil {
				lines.add("file", f)
			}
		}
		if err == nil {
			err = r.rest(&lines)
		}
		id = lines.sum()
		return err
	})
	return id, err
}

// rest adds what is no file.
func (r *factReader) rest(lines *contentLines) error {
	marks, err := r.marks()
	if err != nil {
		return err
	}
	renames, err := r.renames()
	if err != nil {
		return err
	}
	graves, err := r.graves()
	if err != nil {
		return err
	}
	imports, err := r.imports()
	addAll(lines, "mark", marks)
	addAll(lines, "rename", renames)
	addAll(lines, "tombstone", graves)
	addAll(lines, "import", imports)
	return err
}

func addAll[T any](lines *contentLines, kind string, all []T) {
	for i := range all {
		lines.add(kind, all[i])
	}
}
