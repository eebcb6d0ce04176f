package ingest

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// view is a read-only file system of a few files: what one Read may see. It holds either the bytes that were just kept
// or readers of archived snapshots, so that an adapter reads the very bytes that the archive has.
type view map[string]content

// content is one file of a view.
type content struct {
	r    io.ReaderAt
	size int64
	time time.Time
}

func held(b []byte, mod time.Time) content {
	return content{r: bytes.NewReader(b), size: int64(len(b)), time: mod}
}

// Open implements fs.FS.
func (v view) Open(name string) (fs.File, error) {
	c, ok := v[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &viewFile{SectionReader: io.NewSectionReader(c.r, 0, c.size), info: viewInfo{path.Base(name), c}}, nil
}

// Stat implements fs.StatFS.
func (v view) Stat(name string) (fs.FileInfo, error) {
	c, ok := v[name]
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return viewInfo{path.Base(name), c}, nil
}

type viewFile struct {
	*io.SectionReader
	info viewInfo
}

func (f *viewFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *viewFile) Close() error               { return nil }

type viewInfo struct {
	name string
	c    content
}

func (i viewInfo) Name() string       { return i.name }
func (i viewInfo) Size() int64        { return i.c.size }
func (i viewInfo) Mode() fs.FileMode  { return 0o400 }
func (i viewInfo) ModTime() time.Time { return i.c.time }
func (i viewInfo) IsDir() bool        { return false }
func (i viewInfo) Sys() any           { return nil }
