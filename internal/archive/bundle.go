package archive

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"lore"
)

// A bundle is an archive, or a part of one, in a file that can be carried to another machine, checked as a whole before
// anything of it is used, and put together with the archive that is there. It is a tar file:
//
//	lore-bundle.json            what it is; the first entry
//	blocks/SHA256-SIZE.zst      each block once, by the hash and the size of its decoded bytes
//	files/000001.jsonl          files with their facts, block lists and snapshots, a line each
//	marks.jsonl                 what was done to marks
//	renames.jsonl               ids that were renamed
//	tombstones.jsonl            what was forgotten
//	imports.jsonl               the import log
//	manifest.json               hash and size of each entry but the blocks, which name their own; content hash of the whole
//	manifest.sha256             hash of the manifest; the last entry
//
// Everything is named as every archive knows it: files by the machine that kept them, marks by ids. So two bundles are put
// together by having what is in either.
const (
	bundleFormat  = "lore-bundle"
	bundleVersion = 1

	bundleHead     = "lore-bundle.json"
	bundleBlocks   = "blocks/"
	bundleFiles    = "files/"
	bundleMarks    = "marks.jsonl"
	bundleRenames  = "renames.jsonl"
	bundleGraves   = "tombstones.jsonl"
	bundleImports  = "imports.jsonl"
	bundleManifest = "manifest.json"
	bundleSum      = "manifest.sha256"
)

// BundleInfo is the first entry of a bundle.
type BundleInfo struct {
	Format  string `json:"format"`  // "lore-bundle"
	Version int    `json:"version"` // 1
	Machine string `json:"machine"` // name of the archive that made it
	Program string `json:"program"` // version of the program
	MadeAt  int64  `json:"made_at"` // ns since 1970
	Whole   bool   `json:"whole"`   // it holds all of that archive
}

// BundleStats counts what is in a bundle.
type BundleStats struct {
	Files     int   `json:"files"`
	Snapshots int   `json:"snapshots"`
	Blocks    int   `json:"blocks"`
	Bytes     int64 `json:"bytes"` // of the blocks, decoded
	Marks     int   `json:"marks"` // that there are, not what was done to them
	Renames   int   `json:"renames"`
	Forgotten int   `json:"forgotten"`
	Imports   int   `json:"imports"`

	// ContentHash is that of an archive which holds what the bundle holds and nothing else.
	ContentHash lore.ID `json:"content_hash"`
}

// manifest is the last but one entry.
type manifest struct {
	Stats   BundleStats  `json:"stats"`
	Entries []bundleFile `json:"entries"`
}

type bundleFile struct {
	Name   string  `json:"name"`
	Bytes  int64   `json:"bytes"`
	SHA256 hexHash `json:"sha256"`
}

// fileFacts is a file with its facts and snapshots as every archive knows them.
type fileFacts struct {
	Machine   string          `json:"machine"`
	Source    string          `json:"source"`
	Store     string          `json:"store"`
	Path      string          `json:"path"`
	Place     string          `json:"place"`
	Mains     []string        `json:"mains,omitempty"` // keys of the evidences that it is a companion of, sorted
	Size      int64           `json:"size"`
	MTime     int64           `json:"mtime"`
	CTime     int64           `json:"ctime"`
	Inode     int64           `json:"inode"`
	InSource  bool            `json:"in_source"`
	Seen      int64           `json:"seen"` // when the facts from Size on were last set
	Snapshots []snapshotFacts `json:"snapshots"`
}

// key names a file among those of all machines.
func (f *fileFacts) key() string { return fileKeyOf(f.Machine, f.Source, f.Store, f.Path) }

func fileKeyOf(machine, source, store, path string) string {
	return string(lore.AppendJSON(nil, []string{machine, source, store, path}))
}

// snapshotFacts is a snapshot as every archive knows it, in the order of their times.
type snapshotFacts struct {
	At    int64  `json:"at"`
	MTime int64  `json:"mtime"`
	Lines bool   `json:"lines"`
	Zstd  bool   `json:"zstd"`
	Size  int64  `json:"size"`
	Sum   uint32 `json:"sum"` // CRC-32C
}

// bundledFile is a file as a bundle holds it: with the content of its snapshots.
type bundledFile struct {
	fileFacts
	Chains [][]bundledBlock  `json:"chains"`
	Where  []bundledSnapshot `json:"where"` // by snapshot
}

// bundledBlock names a block of a chain.
type bundledBlock struct {
	Hash hexHash `json:"h"`
	Size int     `json:"n"`
}

// bundledSnapshot says which bytes a snapshot is: the first of a chain, as many as its size.
type bundledSnapshot struct {
	Chain   int  `json:"chain"`
	Extends bool `json:"extends"` // it begins with the snapshot before
}

// markFacts, renameFacts, graveFacts and importFacts are one line each of their entries.
type markFacts struct {
	On           lore.ID `json:"on"`
	Conversation lore.ID `json:"conversation"`
	Kind         string  `json:"kind"`
	Value        string  `json:"value"`
	At           int64   `json:"at"`
	Gone         bool    `json:"gone"`
}

type renameFacts struct {
	Old lore.ID `json:"old"`
	New lore.ID `json:"new"`
	At  int64   `json:"at"`
}

type graveFacts struct {
	Target lore.ID `json:"target"`
	At     int64   `json:"at"`
	Note   string  `json:"note"`
}

type importFacts struct {
	Machine string `json:"machine"`
	Start   int64  `json:"start"`
	Stop    int64  `json:"stop"`
	Program string `json:"program"`
	Report  string `json:"report"`
}

// hexHash is a hash in JSON: 64 figures.
type hexHash [sha256.Size]byte

const hexFigures = "0123456789abcdef"

// String writes the figures.
func (h hexHash) String() string {
	out := make([]byte, 0, 2*len(h))
	for _, b := range h {
		out = append(out, hexFigures[b>>4], hexFigures[b&15])
	}
	return string(out)
}

// MarshalText writes the figures; it never fails.
func (h hexHash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// AppendJSON appends the figures as a string.
func (h hexHash) AppendJSON(dst []byte) []byte {
	return append(append(append(dst, '"'), h.String()...), '"')
}

// UnmarshalText reads the figures.
func (h *hexHash) UnmarshalText(text []byte) error {
	if len(text) != 2*len(h) {
		return errHash
	}
	for i := range h {
		hi, lo := bytes.IndexByte([]byte(hexFigures), text[2*i]), bytes.IndexByte([]byte(hexFigures), text[2*i+1])
		if hi < 0 || lo < 0 {
			return errHash
		}
		h[i] = byte(hi<<4 | lo)
	}
	return nil
}

// contentLines collects the lines of what an archive, or a bundle, holds, and digests them in an order of their own.
type contentLines struct{ lines [][]byte }

func (c *contentLines) add(kind string, v any) {
	c.lines = append(c.lines, lore.AppendJSON([]byte(kind+" "), v))
}

// sum digests the lines, each once.
func (c *contentLines) sum() lore.ID {
	slices.SortFunc(c.lines, bytes.Compare)
	h := sha256.New()
	for i, l := range c.lines {
		if i > 0 && bytes.Equal(l, c.lines[i-1]) {
			continue
		}
		h.Write(l)
		h.Write([]byte{'\n'})
	}
	return lore.ID(h.Sum(nil))
}
