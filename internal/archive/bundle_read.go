package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// ErrBundle says that a file is no bundle, or not a whole one. The message names what is wrong with it.
var ErrBundle = errors.New("not a whole bundle")

// ErrBundleVersion says that a newer program made the bundle.
var ErrBundleVersion = errors.New("bundle of a newer version")

var errHash = errors.New("not a hash of 64 figures")

// Bundle is a bundle that was read from its first byte to its last and found whole.
type Bundle struct {
	Info  BundleInfo
	Stats BundleStats

	file    *os.File
	blocks  map[hexHash]span
	entries []placedEntry // of files, in order
	marks   []markFacts
	renames []renameFacts
	graves  []graveFacts
	imports []importFacts
}

// span is where the stored form of a block lies in the file.
type span struct {
	off    int64
	stored int32
	size   int32 // decoded
}

type placedEntry struct {
	name string
	off  int64
	size int64
}

// IsBundle reports whether a file begins as a bundle does.
func IsBundle(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // to open a pipe would wait for somebody who writes to it
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	return bytes.HasPrefix(head, append([]byte(bundleHead), 0))
}

// counted counts what was read, so that the place of an entry is known.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// OpenBundle reads all of a bundle and compares every byte of it with its hash. The error wraps ErrBundle and names the
// entry that is missing or damaged. Memory follows the number of blocks, not their size.
func OpenBundle(ctx context.Context, path string) (*Bundle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := &Bundle{file: f, blocks: map[hexHash]span{}}
	if err := b.read(ctx); err != nil {
		f.Close()
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBundle, fmt.Sprintf(format, args...))
}

// bundleReading is the one pass over a bundle.
type bundleReading struct {
	*Bundle
	ctx      context.Context
	counted  *counted
	tar      *tar.Reader
	found    map[string]bundleFile // entries but blocks
	manifest []byte
	sum      string
	buf      []byte
	bytes    int64
	lines    contentLines
}

func (b *Bundle) read(ctx context.Context) error {
	c := &counted{r: bufio.NewReaderSize(b.file, 1<<20)}
	r := &bundleReading{Bundle: b, ctx: ctx, counted: c, tar: tar.NewReader(c), found: map[string]bundleFile{}}
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := r.tar.Next()
		if err == io.EOF {
			break
		}
		if err != nil && first {
			return broken("no tar file")
		}
		if err != nil {
			return broken("cut short or damaged behind byte %d", c.n)
		}
		if first && h.Name != bundleHead {
			return broken("it does not begin with %q", bundleHead)
		}
		if err := r.entry(h); err != nil {
			return err
		}
	}
	return r.finish()
}

// The patterns are made when the first bundle is read, not at the start of every command.
var blockEntry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^blocks/([0-9a-f]{64})-([0-9]{1,7})\.zst$`)
})

func (r *bundleReading) entry(h *tar.Header) error {
	at := r.counted.n
	if m := blockEntry().FindStringSubmatch(h.Name); m != nil {
		return r.block(h, m, at)
	}
	if r.sum != "" {
		return broken("%q stands behind its end", h.Name)
	}
	sum := sha256.New()
	var held bytes.Buffer
	to := io.Writer(sum)
	switch h.Name {
	case bundleHead, bundleManifest, bundleSum:
		if h.Size > 64<<20 {
			return broken("%q has %d bytes", h.Name, h.Size)
		}
		to = io.MultiWriter(sum, &held)
	}
	if n, err := io.Copy(to, r.tar); err != nil || n != h.Size {
		return broken("%q is cut short", h.Name)
	}
	switch h.Name {
	case bundleHead:
		if err := r.head(held.Bytes()); err != nil {
			return err
		}
	case bundleManifest:
		r.manifest = held.Bytes()
		return nil
	case bundleSum:
		r.sum = strings.TrimSpace(held.String())
		return nil
	}
	if _, twice := r.found[h.Name]; twice {
		return broken("%q is there twice", h.Name)
	}
	r.found[h.Name] = bundleFile{h.Name, h.Size, hexHash(sum.Sum(nil))}
	r.entries = append(r.entries, placedEntry{h.Name, at, h.Size})
	return nil
}

func (r *bundleReading) head(data []byte) error {
	if err := json.Unmarshal(data, &r.Info); err != nil || r.Info.Format != bundleFormat {
		return broken("%q is damaged", bundleHead)
	}
	if r.Info.Version > bundleVersion {
		return fmt.Errorf("%w: version %d, this program knows %d; install the newer one", ErrBundleVersion, r.Info.Version, bundleVersion)
	}
	return nil
}

// block decodes a block and compares it with its name.
func (r *bundleReading) block(h *tar.Header, m []string, at int64) error {
	var name hexHash
	size, err := strconv.Atoi(m[2])
	if err != nil || name.UnmarshalText([]byte(m[1])) != nil || size < 1 || size > maxBlock || h.Size > maxBlock+maxBlock/8+1024 {
		return broken("the block %s has an impossible size", m[1])
	}
	r.buf = append(r.buf[:0], make([]byte, h.Size)...)
	if _, err := io.ReadFull(r.tar, r.buf); err != nil {
		return broken("the block %s is cut short", m[1])
	}
	decoded, err := decompress(nil, r.buf, codecZstd, size)
	if err != nil || hexHash(hashOf(decoded)) != name {
		return broken("the block %s is damaged", m[1])
	}
	if _, twice := r.blocks[name]; twice {
		return broken("the block %s is there twice", m[1])
	}
	r.blocks[name] = span{at, int32(h.Size), int32(size)}
	r.bytes += int64(size)
	return nil
}

// finish compares what was found with the manifest, and reads the lines.
func (r *bundleReading) finish() error {
	if r.manifest == nil || r.sum == "" {
		return broken("cut short: its end is missing")
	}
	if hexHash(hashOf(r.manifest)).String() != r.sum {
		return broken("%q is damaged", bundleManifest)
	}
	var m manifest
	if err := json.Unmarshal(r.manifest, &m); err != nil {
		return broken("%q is damaged", bundleManifest)
	}
	for _, want := range m.Entries {
		got, ok := r.found[want.Name]
		switch {
		case !ok:
			return broken("%q is missing", want.Name)
		case got != want:
			return broken("%q is damaged", want.Name)
		}
		delete(r.found, want.Name)
	}
	for name := range r.found {
		return broken("%q does not belong to it", name)
	}
	r.Stats = m.Stats
	if len(r.blocks) != m.Stats.Blocks || r.bytes != m.Stats.Bytes {
		return broken("it has %d blocks, its manifest says %d", len(r.blocks), m.Stats.Blocks)
	}
	return r.readLines()
}

// readLines reads all lines once: the files are only looked at, the rest is kept.
func (r *bundleReading) readLines() error {
	for _, err := range []error{readAll(r, bundleMarks, "mark", &r.marks), readAll(r, bundleRenames, "rename", &r.renames),
		readAll(r, bundleGraves, "tombstone", &r.graves), readAll(r, bundleImports, "import", &r.imports)} {
		if err != nil {
			return err
		}
	}
	err := r.eachFile(func(f *bundledFile) error {
		if err := r.checkFile(f); err != nil {
			return err
		}
		r.lines.add("file", &f.fileFacts)
		return r.ctx.Err()
	})
	if err == nil && r.lines.sum() != r.Stats.ContentHash {
		err = broken("its content is another than its manifest says")
	}
	return err
}

func readAll[T any](r *bundleReading, name, kind string, to *[]T) error {
	err := decodeLines(r.Bundle, name, func(v *T) error {
		*to = append(*to, *v)
		return nil
	})
	addAll(&r.lines, kind, *to)
	return err
}

// decodeLines decodes the lines of an entry.
func decodeLines[T any](b *Bundle, name string, f func(*T) error) error {
	for _, e := range b.entries {
		if e.name != name {
			continue
		}
		d := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(b.file, e.off, e.size), 64<<10))
		for {
			v := new(T)
			err := d.Decode(v)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return broken("%q: %v", name, err)
			}
			if err := f(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachFile calls f for each file of the bundle, in its order.
func (b *Bundle) eachFile(f func(*bundledFile) error) error {
	for _, e := range b.entries {
		if strings.HasPrefix(e.name, bundleFiles) {
			if err := decodeLines(b, e.name, f); err != nil {
				return err
			}
		}
	}
	return nil
}

var machineName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-v]{12}$`) })

// checkFile looks at what one line says: that all of it can be true.
func (b *Bundle) checkFile(f *bundledFile) error {
	if !machineName().MatchString(f.Machine) || f.Source == "" || f.Path == "" || len(f.Where) != len(f.Snapshots) || !strings.HasPrefix(f.Path, f.Place) {
		return broken("the line of the file %q is impossible", f.Path)
	}
	sizes := make([]int64, len(f.Chains))
	for i, chain := range f.Chains {
		for _, block := range chain {
			s, ok := b.blocks[block.Hash]
			if !ok || int(s.size) != block.Size {
				return broken("the block %s of %q is missing", block.Hash, f.Path)
			}
			sizes[i] += int64(block.Size)
		}
	}
	for i, s := range f.Snapshots {
		w := f.Where[i]
		if w.Chain < 0 || w.Chain >= len(sizes) || s.Size < 0 || s.Size > sizes[w.Chain] || i > 0 && s.At < f.Snapshots[i-1].At {
			return broken("snapshot %d of %q is impossible", i+1, f.Path)
		}
	}
	return nil
}
