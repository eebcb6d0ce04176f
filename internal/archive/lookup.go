package archive

import (
	"database/sql"
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
	return a.someFiles("WHERE main = ? AND main != 0 ORDER BY id", main)
}

func (a *Archive) someFiles(where string, args ...any) ([]File, error) {
	var files []File
	err := a.view("list files", func(c *sql.Conn) (err error) {
		files, err = selectFiles(c, where, args...)
		return err
	})
	return files, err
}
