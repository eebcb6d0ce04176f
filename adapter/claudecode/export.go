package claudecode

import (
	"bytes"
	"context"
	"io"
	"iter"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// export is the web product's session export: one document with the records of a transcript in a list.
type export struct {
	doc   *kit.Whole
	bytes []byte // of the document's value
	start int64  // where the value stands in the file
	again kit.Doc
	bad   int
	lost  []lore.Loss
	file  string
}

// readExport reads one. Its name says nothing of the session: the records do, or nobody does.
func readExport(ctx context.Context, in adapter.Input, out *sink) error {
	doc, err := kit.Document(in, in.Source.Path, 0)
	if err != nil {
		return err
	}
	if !doc.Value.Get("loglines").IsArray() {
		return adapter.ErrNotMine
	}
	e := &export{doc: doc, bytes: doc.Value.Raw(), lost: doc.Losses, file: in.Name(in.Source.Path)}
	e.start = before(in)
	pl := placeOf(in.Source.Path)
	pl.export, pl.agent = true, ""
	return newFile(in, e, pl).read(ctx, out)
}

// before returns how many bytes stand before a document's value: a byte order mark, white space.
func before(in adapter.Input) int64 {
	f, err := in.FS.Open(in.Source.Path)
	if err != nil {
		return 0
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4096))
	return int64(max(bytes.IndexByte(head, '{'), 0))
}

// All yields the elements of the list; what is no object is damaged.
func (e *export) All() iter.Seq[*kit.Record] {
	return func(yield func(*kit.Record) bool) {
		at := 0
		for v := range e.doc.Value.Get("loglines").Items() {
			raw := v.Raw()
			at += max(bytes.Index(e.bytes[at:], raw), 0)
			r := &kit.Record{Value: v, Offset: e.start + int64(at), Length: int64(len(raw)), Hash: xxhash.Sum64(raw)}
			at += len(raw)
			if !v.IsObject() {
				e.bad++
				e.lost = append(e.lost, lore.Loss{
					Code: lore.BadJSON, Severity: lore.Warning, Source: source, File: e.file, What: "an element that is " + shape(v), Count: 1,
				})
				continue
			}
			if !yield(r) {
				return
			}
		}
	}
}

// At reads one element again.
func (e *export) At(offset, length int64) (kit.Value, error) {
	offset -= e.start
	return e.again.Parse(e.bytes[offset : offset+length])
}

// Losses, Damaged and Err are those of the document.
func (e *export) Losses() []lore.Loss { return e.lost }
func (e *export) Damaged() int        { return e.bad }
func (e *export) Err() error          { return nil }
