package archive

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Touch sets the stat facts of a file whose content is known to be as it was, and that it is in the source.
func (w *Writer) Touch(file int64, st Stat) error {
	return w.do(func(k *clerk) error {
		return k.change(fmt.Sprintf("touch file %d", file),
			"UPDATE file SET size = ?, mtime = ?, ctime = ?, inode = ?, in_source = 1, seen = ? WHERE id = ?",
			st.Size, st.MTime, st.CTime, int64(st.Inode), k.now().UnixNano(), file)
	})
}

// Gone says of files that an import looked for them and they are not in the source any more. What the archive has of
// them stays.
func (w *Writer) Gone(files ...int64) error {
	return w.do(func(k *clerk) error {
		for _, id := range files {
			if err := k.change(fmt.Sprintf("file %d", id), "UPDATE file SET in_source = 0, seen = ? WHERE id = ?", k.now().UnixNano(), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetReader says with which version of the reading rules a file was last read, and, when store is not empty, of which
// store it turned out to be. The error is ErrConflict when there is another file of that store and path.
func (w *Writer) SetReader(file int64, version int, store string) error {
	doing := fmt.Sprintf("set the reader of file %d", file)
	return w.do(func(k *clerk) error {
		if store != "" {
			if err := k.moveFile(doing, file, store); err != nil {
				return err
			}
		}
		return k.change(doing, "UPDATE file SET reader = ? WHERE id = ?", version, file)
	})
}

// moveFile gives a file to another store of its source.
func (k *clerk) moveFile(doing string, file int64, name string) error {
	var source, path string
	err := k.get(doing, "SELECT source, path FROM file JOIN store ON store.id = store WHERE file.id = ?", []any{file}, &source, &path)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("archive: %s: %w", doing, ErrUnknown)
	}
	if err != nil {
		return err
	}
	store, err := k.storeID(source, name)
	if err != nil {
		return err
	}
	var other int64
	err = k.get(doing, "SELECT id FROM file WHERE path = ? AND store = ? AND id <> ?", []any{path, store, file}, &other)
	if err == nil {
		return fmt.Errorf("archive: %s: %q is there as file %d: %w", doing, path, other, ErrConflict)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return k.change(doing, "UPDATE file SET store = ? WHERE id = ?", store, file)
}

// storeID returns the id of a store, which it adds if need be.
func (k *clerk) storeID(source, name string) (id int64, err error) {
	const doing = "add a store"
	err = k.get(doing, "SELECT id FROM store WHERE source = ? AND name = ?", []any{source, name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return k.add(doing, "INSERT INTO store (source, name) VALUES (?, ?)", source, name)
	}
	return id, err
}

// Import is one line of the import log.
type Import struct {
	ID         int64
	Start, End time.Time
	Program    string          // version of the program
	Report     json.RawMessage // what the import said in the end
}

// LogImport adds a line to the import log and returns its id.
func (w *Writer) LogImport(i Import) (id int64, err error) {
	err = w.do(func(k *clerk) (err error) {
		id, err = k.add("log the import", "INSERT INTO import (start, stop, program, report) VALUES (?, ?, ?, ?)",
			i.Start.UnixNano(), i.End.UnixNano(), i.Program, string(i.Report))
		return err
	})
	return id, err
}

// Imports returns the newest n lines of the import log, the newest first. n < 1: all.
func (a *Archive) Imports(n int) ([]Import, error) {
	if n < 1 {
		n = -1
	}
	rows, err := a.db.QueryContext(background, "SELECT id, start, stop, program, report FROM import WHERE machine = '' ORDER BY id DESC LIMIT ?", n)
	if err != nil {
		return nil, explain("read the import log", err)
	}
	defer rows.Close()
	var all []Import
	for rows.Next() {
		var i Import
		var start, stop int64
		var report string
		if err := rows.Scan(&i.ID, &start, &stop, &i.Program, &report); err != nil {
			return nil, explain("read the import log", err)
		}
		i.Start, i.End, i.Report = time.Unix(0, start), time.Unix(0, stop), json.RawMessage(report)
		all = append(all, i)
	}
	if err := rows.Err(); err != nil {
		return nil, explain("read the import log", err)
	}
	return all, nil
}
