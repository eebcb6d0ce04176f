package claudecode

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// readTranscript reads one file of records.
func readTranscript(ctx context.Context, in adapter.Input, out *sink) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	f := newFile(in, lines, placeOf(in.Source.Path))
	return f.read(ctx, out)
}

func newFile(in adapter.Input, src records, pl place) *file {
	return &file{
		in: in, src: src, place: pl, sides: newSides(in, pl), names: newNames(),
		logical: map[int32]key{}, sources: map[int32]key{}, sessions: map[int32]int{},
		losses: losses{file: in.Name(in.Source.Path)},
	}
}

// read reads the records twice and yields what they say.
func (f *file) read(ctx context.Context, out *sink) error {
	if err := f.scan(ctx); err != nil {
		return err
	}
	if f.mine == 0 || f.foreign > 0 && f.messages == 0 {
		return f.notMine(out)
	}
	f.freeze()
	f.structure()
	return f.write(ctx, out)
}

// structure finds order, twins and branches.
func (f *file) structure() {
	f.resolve()
	f.fold()
	f.pairQueued()
	f.supersede()
	f.branches()
	f.missed()
	f.entitle()
	f.describe(readMeta(f.in))
	f.bucket()
	f.mismatched()
}

// write is the second pass.
func (f *file) write(ctx context.Context, out *sink) error {
	whole := f.whole()
	for _, c := range f.convs[1:] {
		if !c.speaks && c.title == "" {
			f.leftover(c, &whole.Ledger)
		}
	}
	if !f.convs[0].speaks {
		f.leftover(f.convs[0], &whole.Ledger)
		if f.silent() {
			whole.Losses = append(whole.Losses, f.losses.make(lore.Empty, lore.Info, 0, plural(len(f.lines), "record", "records")+", no conversation"))
		}
		f.unheard(f.convs[0], whole)
		if out.put(whole); out.done {
			return nil
		}
		whole = nil
	}
	for _, c := range f.convs {
		switch {
		case c.speaks:
			if err := f.conversation(ctx, c, whole, out); err != nil {
				return err
			}
			whole = nil
		case c.title != "" && c != f.convs[0]:
			fact := &lore.Conversation{Source: source, Store: storeProjects, Partial: true, Kind: c.kind}
			f.leftover(c, &fact.Ledger)
			f.unheard(c, fact)
			out.put(fact)
		}
		if out.done {
			return nil
		}
	}
	f.abouts(out)
	f.started(out)
	return nil
}

// silent reports whether the file holds no conversation at all.
func (f *file) silent() bool {
	for _, c := range f.convs {
		if c.speaks {
			return false
		}
	}
	return true
}

// whole makes the record that speaks of the file as a whole: its damage, and what belongs to no conversation.
func (f *file) whole() *lore.Conversation {
	f.losses.close(lore.DuplicateLine, lore.Info, func(n int) string {
		return plural(n, "line repeats one before it byte for byte", "lines repeat one before them byte for byte")
	})
	c := &lore.Conversation{Source: source, Store: storeProjects, Partial: true, Kind: lore.Main}
	c.Ledger.Damage(f.src.Damaged())
	c.Losses = append(append(c.Losses, f.src.Losses()...), f.losses.list...)
	return c
}

// unheard makes a partial record say the title of a session that has no words here.
func (f *file) unheard(c *conv, fact *lore.Conversation) {
	if c.title == "" || c.native == "" {
		return
	}
	fact.Native, fact.Title, fact.TitleFrom = c.native, c.title, lore.TitleFromSource
}

// leftover counts the lines of a conversation without words: none of them is in a record, but for its title.
func (f *file) leftover(c *conv, ledger *lore.Ledger) {
	for _, i := range f.linesOf(c) {
		l := &f.lines[i]
		ledger.Merge(int(l.again))
		b, err := f.body(i)
		switch {
		case err != nil:
			ledger.Damage(1)
		case c.named == i && c.native != "":
			ledger.Keep(1)
		case b.known:
			ledger.Skip(b.typ)
		default:
			ledger.Meet(b.typ)
		}
	}
}

// notMine is for a file without a record of ours. Below projects/ it is another tool's file, kept whole and named;
// anywhere else it is simply not this source's.
func (f *file) notMine(out *sink) error {
	found := f.in.Source.Store == storeProjects
	if !found {
		return adapter.ErrNotMine
	}
	whole := f.whole()
	for i := range f.lines {
		b, err := f.body(int32(i))
		if err != nil {
			return err
		}
		whole.Ledger.Meet(b.typ)
		whole.Ledger.Merge(int(f.lines[i].again))
	}
	switch {
	case len(f.lines) > 0:
		whole.Losses = append(whole.Losses, f.losses.make(lore.ForeignFile, lore.Info, 0, plural(len(f.lines), "record", "records")+" of another tool"))
	case f.src.Damaged() == 0:
		whole.Losses = append(whole.Losses, f.losses.make(lore.Empty, lore.Info, 0, "no record"))
	}
	if out.put(whole); len(f.lines) > 0 || f.src.Damaged() == 0 || out.done {
		return nil
	}
	return fmt.Errorf("%w: none of the %s of %q is a record", adapter.ErrMalformed, plural(f.src.Damaged(), "line", "lines"), f.in.Source.Path)
}

// metaFile is what the file beside a sub-agent's says.
type metaFile struct{ call, description string }

const metaSuffix = ".meta.json"

// readMeta reads it; where it is missing or damaged, nothing is known.
func readMeta(in adapter.Input) metaFile {
	base := path.Base(in.Source.Path)
	if !strings.HasPrefix(base, "agent-") {
		return metaFile{}
	}
	doc, err := kit.Document(in, strings.TrimSuffix(in.Source.Path, ".jsonl")+metaSuffix, 1<<20)
	if err != nil {
		return metaFile{}
	}
	return metaFile{call: doc.Value.Get("toolUseId").String(), description: doc.Value.Get("description").String()}
}
