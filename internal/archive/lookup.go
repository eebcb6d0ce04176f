package archive

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// File returns one file by its id, without listing all. The error is ErrUnknown when there is none.
func (a *Archive) File(id int64) (*File, error) {
	files, err := a.someFiles("WHERE id = ?", id)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("archive: file %d: %w", id, ErrUnknown)
	}
	if err != nil {
		return nil, err
	}
	return &files[0], nil
}

// Companions returns the companions of a main evidence, by id. None is no error.
func (a *Archive) Companions(main int64) ([]File, error) {
	return a.someFiles("WHERE id IN (SELECT file FROM companion WHERE main = ?) ORDER BY id", main)
}

// Pair says that a file is a companion of a main evidence.
type Pair struct{ Main, File int64 }

// Pairs returns every companion with its main evidence, by main and then file.
func (a *Archive) Pairs() ([]Pair, error) {
	var pairs []Pair
	err := a.view("list companions", func(c *sql.Conn) error {
		return bulk(c, "SELECT main, file FROM companion ORDER BY main, file", nil, func(row []driver.Value) error {
			pairs = append(pairs, Pair{num(row[0]), num(row[1])})
			return nil
		})
	})
	return pairs, err
}

// Mains returns the evidences of which a file is a companion, by id.
func (a *Archive) Mains(file int64) ([]int64, error) {
	var mains []int64
	err := a.view("list companions", func(c *sql.Conn) error {
		return bulk(c, "SELECT main FROM companion WHERE file = ? ORDER BY main", []any{file}, func(row []driver.Value) error {
			mains = append(mains, num(row[0]))
			return nil
		})
	})
	return mains, err
}

// Accompany says that a file, which is kept already, is a companion of one more evidence.
func (w *Writer) Accompany(main, file int64) error {
	return w.do(func(k *clerk) error {
		_, err := k.exec("keep a file", "INSERT OR IGNORE INTO companion (main, file) VALUES (?, ?)", main, file)
		return err
	})
}

func (a *Archive) someFiles(where string, args ...any) ([]File, error) {
	var files []File
	err := a.view("list files", func(c *sql.Conn) (err error) {
		files, err = selectFiles(c, where, args...)
		return err
	})
	return files, err
}
