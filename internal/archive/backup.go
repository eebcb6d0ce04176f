package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"lore/internal/fault"
)

// Backup writes a copy of the archive to a new file: one state of it, whole, while others write. The file appears when it
// is complete and on the disk. It is an archive.db of its own; without anything beside it everything can be made again.
// The error is fs.ErrExist when there is a file of that name. It returns the size of the copy in bytes.
func (a *Archive) Backup(ctx context.Context, name string) (size int64, err error) {
	if _, err := os.Lstat(name); err == nil {
		return 0, &fs.PathError{Op: "backup", Path: name, Err: fs.ErrExist}
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".lore-backup-*") // 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	f.Close()
	if err := a.copyTo(ctx, f.Name()); err != nil {
		return 0, err
	}
	if size, err = synced(f.Name()); err != nil {
		return 0, fmt.Errorf("archive: backup: %w", err)
	}
	fault.At("archive: before a backup appears")
	if err := appear(f.Name(), name); err != nil {
		return 0, err
	}
	if d, err := os.Open(filepath.Dir(name)); err == nil {
		d.Sync()
		d.Close()
	}
	return size, nil
}

// copyTo writes one state of the archive to an empty file.
func (a *Archive) copyTo(ctx context.Context, name string) error {
	db, err := open(filepath.Join(a.dir, fileName), url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}})
	if err != nil {
		return explain("backup", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", name); err != nil {
		return explain("backup", err)
	}
	out, err := sql.Open("sqlite", dataSource(name, url.Values{}))
	if err != nil {
		return explain("backup", err)
	}
	// Sums of pages that lie where the copy will be put back are not of its pages.
	_, err = out.ExecContext(ctx, "DELETE FROM counter WHERE name = ?", stamp)
	if err = errors.Join(err, out.Close()); err != nil {
		return explain("backup", err)
	}
	return nil
}

// synced makes a file durable and returns its size.
func synced(name string) (int64, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Sync()
}

// appear gives a file its name, which nothing may have by now.
func appear(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no links.
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "backup", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
