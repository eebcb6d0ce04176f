package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"time"

	"lore"
)

// BundleRequest says what goes into a bundle.
type BundleRequest struct {
	Program string // version of the program

	// Files and Ids choose a part of the archive: these evidences with their companions, and what was done to the marks
	// on, and renames of, these ids and what they were once called. Both nil: all of it.
	Files map[int64]bool
	Ids   map[lore.ID]bool
}

// WriteBundle writes a bundle of one state of the archive, block by block; memory does not follow its size.
func (a *Archive) WriteBundle(ctx context.Context, w io.Writer, req BundleRequest) (BundleStats, error) {
	b := &bundleWriter{ctx: ctx, req: req, tar: tar.NewWriter(w), written: map[int64]hexHash{}}
	err := a.view("write a bundle", func(c *sql.Conn) (err error) {
		if b.facts, err = newFactReader(c); err != nil {
			return err
		}
		return b.all(a.now())
	})
	return b.manifest.Stats, err
}

type bundleWriter struct {
	ctx      context.Context
	req      BundleRequest
	facts    *factReader
	tar      *tar.Writer
	written  map[int64]hexHash // blocks by the archive's id
	lines    bytes.Buffer      // of files, not written yet
	parts    int
	content  contentLines
	manifest manifest
	data     []byte
}

// linesHeld is how many bytes of lines go into one entry.
const linesHeld = 1 << 20

func (b *bundleWriter) whole() bool { return b.req.Files == nil && b.req.Ids == nil }

func (b *bundleWriter) all(now time.Time) error {
	head := BundleInfo{Format: bundleFormat, Version: bundleVersion, Machine: b.facts.machine, Program: b.req.Program, MadeAt: now.UnixNano(), Whole: b.whole()}
	if err := b.entry(bundleHead, lore.AppendJSON(nil, head)); err != nil {
		return err
	}
	files, err := b.facts.list()
	if err != nil {
		return err
	}
	for i := range files {
		if !b.whole() && !b.req.Files[files[i].ID] {
			continue
		}
		if err := b.file(&files[i]); err != nil {
			return err
		}
	}
	if err := b.flush(); err != nil {
		return err
	}
	if err := b.rest(); err != nil {
		return err
	}
	return b.end()
}

// file writes the blocks of a file that are not written yet, and notes its line.
func (b *bundleWriter) file(f *File) error {
	out := bundledFile{fileFacts: *b.facts.files[f.ID]}
	snapshots, facts, err := b.facts.snapshots(f.ID)
	if err != nil {
		return err
	}
	out.Snapshots = facts
	b.content.add("file", &out.fileFacts)
	chains := map[int64]int{}
	for i, s := range snapshots {
		n, ok := chains[s.chain]
		if !ok {
			n = len(out.Chains)
			chains[s.chain] = n
			blocks, err := b.chain(s.chain)
			if err != nil {
				return fmt.Errorf("%q: %w", f.Path, err)
			}
			out.Chains = append(out.Chains, blocks)
		}
		out.Where = append(out.Where, bundledSnapshot{Chain: n, Extends: i > 0 && s.Extends == snapshots[i-1].ID})
	}
	b.manifest.Stats.Files++
	b.manifest.Stats.Snapshots += len(snapshots)
	b.lines.Write(append(lore.AppendJSON(nil, &out), '\n'))
	if b.lines.Len() < linesHeld {
		return nil
	}
	return b.flush()
}

// chain writes the blocks of a chain and returns their names.
func (b *bundleWriter) chain(id int64) ([]bundledBlock, error) {
	l, err := readList(b.facts.c, id)
	if err != nil {
		return nil, err
	}
	blocks := make([]bundledBlock, 0, len(l.entries))
	for _, e := range l.entries {
		h, ok := b.written[e.id]
		if !ok {
			if h, err = b.block(e); err != nil {
				return nil, err
			}
			b.written[e.id] = h
		}
		blocks = append(blocks, bundledBlock{h, e.size})
	}
	return blocks, nil
}

func (b *bundleWriter) block(e entry) (h hexHash, err error) {
	if err := b.ctx.Err(); err != nil {
		return h, err
	}
	var name []byte
	var size, codec int
	err = b.facts.c.QueryRowContext(background, "SELECT hash, size, codec, data FROM block WHERE id = ?", e.id).Scan(&name, &size, &codec, &b.data)
	if err != nil {
		return h, fmt.Errorf("block %d: %w", e.id, err)
	}
	if codec != codecZstd || len(name) != len(h) || size != e.size {
		return h, fmt.Errorf("block %d is not what its list says: %w", e.id, ErrDamaged)
	}
	copy(h[:], name)
	b.manifest.Stats.Blocks++
	b.manifest.Stats.Bytes += int64(size)
	return h, b.put(blockName(h, size), b.data)
}

func blockName(h hexHash, size int) string { return fmt.Sprintf("%s%s-%d.zst", bundleBlocks, h, size) }

// put writes an entry. Nothing in it tells when or by whom, so that the same state gives the same bytes.
func (b *bundleWriter) put(name string, data []byte) error {
	err := b.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR})
	if err == nil {
		_, err = b.tar.Write(data)
	}
	return err
}

// entry writes an entry that the manifest lists.
func (b *bundleWriter) entry(name string, data []byte) error {
	b.manifest.Entries = append(b.manifest.Entries, bundleFile{name, int64(len(data)), hexHash(hashOf(data))})
	return b.put(name, data)
}

func (b *bundleWriter) flush() error {
	if b.lines.Len() == 0 {
		return nil
	}
	b.parts++
	err := b.entry(fmt.Sprintf("%s%06d.jsonl", bundleFiles, b.parts), b.lines.Bytes())
	b.lines.Reset()
	return err
}

// rest writes what is no file.
func (b *bundleWriter) rest() error {
	marks, err := b.facts.marks()
	if err != nil {
		return err
	}
	renames, err := b.facts.renames()
	if err != nil {
		return err
	}
	graves, err := b.facts.graves()
	if err != nil {
		return err
	}
	imports, err := b.facts.imports()
	if err != nil {
		return err
	}
	if !b.whole() {
		marks, renames = b.part(marks, renames)
		graves, imports = nil, nil
	}
	stats := &b.manifest.Stats
	stats.Renames, stats.Forgotten, stats.Imports, stats.Marks = len(renames), len(graves), len(imports), standingMarks(marks)
	addAll(&b.content, "mark", marks)
	addAll(&b.content, "rename", renames)
	addAll(&b.content, "tombstone", graves)
	addAll(&b.content, "import", imports)
	return cmpErr(writeLines(b, bundleMarks, marks), writeLines(b, bundleRenames, renames), writeLines(b, bundleGraves, graves), writeLines(b, bundleImports, imports))
}

// cmpErr is the first error.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// standingMarks counts the marks that are on something.
func standingMarks(events []markFacts) (n int) {
	on := map[markFacts]bool{}
	for _, e := range events { // in the order of their times
		gone := e.Gone
		e.At, e.Gone, e.Conversation = 0, false, lore.ID{}
		on[e] = !gone
	}
	for _, is := range on {
		if is {
			n++
		}
	}
	return n
}

// part keeps what concerns the chosen ids.
func (b *bundleWriter) part(marks []markFacts, steps []renameFacts) ([]markFacts, []renameFacts) {
	follow := renames{}
	for _, r := range steps {
		follow[r.Old] = r.New
	}
	chosen := func(id lore.ID) bool { return b.req.Ids[id] || b.req.Ids[follow.follow(id)] }
	marks = slices.DeleteFunc(marks, func(m markFacts) bool { return !chosen(m.On) && !chosen(m.Conversation) })
	steps = slices.DeleteFunc(steps, func(r renameFacts) bool { return !chosen(r.Old) })
	return marks, steps
}

func writeLines[T any](b *bundleWriter, name string, all []T) error {
	var out []byte
	for i := range all {
		out = append(lore.AppendJSON(out, all[i]), '\n')
	}
	return b.entry(name, out)
}

// end writes the manifest and its sum.
func (b *bundleWriter) end() error {
	b.manifest.Stats.ContentHash = b.content.sum()
	data := lore.AppendJSON(nil, &b.manifest)
	if err := b.put(bundleManifest, data); err != nil {
		return err
	}
	if err := b.put(bundleSum, []byte(hexHash(hashOf(data)).String()+"\n")); err != nil {
		return err
	}
	return b.tar.Close()
}
