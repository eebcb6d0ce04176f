package ingest

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lore/adapter"
)

// A data export comes as a zip. Its files are read through the zip: nothing is unpacked to disk. What expands beyond
// these bounds is refused before a byte of it is read.
const (
	maxUnpacked = 8 << 30 // bytes of one file
	maxRatio    = 1000    // unpacked to packed, for files above minBomb
	minBomb     = 64 << 20
)

// isZip reports whether a file begins as a zip does.
func isZip(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "PK\x03\x04"
}

// zipPlaces opens a zip as a place of every adapter.
func zipPlaces(m Machine, adapters []adapter.Adapter, abs string) ([]place, error) {
	var found []place
	for _, a := range adapters {
		for _, root := range rootsFor(a) {
			z, err := zip.OpenReader(abs)
			if err != nil {
				return found, fmt.Errorf("cannot read the zip %q: %w", m.collapse(abs), err)
			}
			fsys := fs.FS(zipFS{&z.Reader})
			if root.Path != "" {
				if _, err := fs.Stat(fsys, root.Path); err != nil {
					z.Close()
					continue
				}
				if fsys, err = fs.Sub(fsys, root.Path); err != nil {
					z.Close()
					return found, err
				}
			}
			name := m.collapse(abs)
			if root.Path != "" {
				name += "/" + root.Path
			}
			found = append(found, place{Place: adapter.Place{Root: root, FS: fsys, Name: name}, adapter: a, dir: abs, close: z.Close})
		}
	}
	return found, nil
}

// zipFS refuses files that expand beyond the bounds.
type zipFS struct{ *zip.Reader }

// Open implements fs.FS.
func (z zipFS) Open(name string) (fs.File, error) {
	f, err := z.Reader.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if header, ok := info.Sys().(*zip.FileHeader); ok && bomb(header) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("expands from %d to %d bytes, which is beyond the bound", header.CompressedSize64, header.UncompressedSize64)}
	}
	return f, nil
}

func bomb(h *zip.FileHeader) bool {
	n := h.UncompressedSize64
	return n > maxUnpacked || (n > minBomb && n/maxRatio > h.CompressedSize64)
}
