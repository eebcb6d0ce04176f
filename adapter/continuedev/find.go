package continuedev

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// Find implements adapter.Adapter. Each session has the index as its companion, because it says when the session began.
// The index is no evidence of its own: what else it can tell is which sessions are gone, and that is told here.
func (continuedev) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		dirs := []string{"sessions"}
		if at.Root.Path == "" {
			dirs = []string{".continue/sessions", "sessions"}
			if path.Base(at.Name) == "sessions" {
				dirs = []string{"."}
			}
		}
		for _, dir := range dirs {
			if !findIn(ctx, at, dir, yield) {
				return
			}
		}
	}
}

// findIn yields the sessions of one folder. False: the caller wants no more.
func findIn(ctx context.Context, at adapter.Place, dir string, yield func(adapter.Source, error) bool) bool {
	var found []adapter.Source
	var index *adapter.Source
	there := map[string]bool{}
	for src, err := range kit.ListFiles(ctx, at.FS, dir, isSession) {
		src.Product, src.Store = source, store
		var loss lore.Loss
		if errors.As(err, &loss) {
			loss.Source, loss.File = source, path.Join(at.Name, loss.File)
			err = loss
		}
		switch {
		case err != nil:
			if !yield(src, err) {
				return false
			}
		case path.Base(src.Path) == indexFile:
			index = &src
		default:
			found = append(found, src)
			there[path.Base(src.Path)] = true
		}
	}
	if index != nil {
		for _, loss := range gone(at, index.Path, there) {
			if !yield(*index, loss) {
				return false
			}
		}
	}
	for _, src := range found {
		if index != nil {
			src.Companions = []string{index.Path}
		}
		if !yield(src, nil) {
			return false
		}
	}
	return true
}

func isSession(p string) bool { return strings.HasSuffix(p, ".json") }

// maxIndex bounds the index, in bytes.
const maxIndex = 64 << 20

// gone tells which sessions an index names that have no file, and that an index cannot be read.
func gone(at adapter.Place, index string, there map[string]bool) []lore.Loss {
	in := adapter.Input{Source: adapter.Source{Product: source, Store: store, Path: index}, FS: at.FS, Place: at.Name}
	losses := kit.NewTally(in, index)
	doc, err := kit.Document(in, index, maxIndex)
	if err != nil {
		losses.One(lore.BadJSON, lore.Warning, 0, "the list of sessions cannot be read")
		return losses.List()
	}
	named := map[string]bool{}
	for v := range doc.Value.Items() {
		if id := v.Get("sessionId").String(); id != "" && !there[id+".json"] && !named[id] {
			named[id] = true
			losses.One(lore.MissingBody, lore.Info, 0, fmt.Sprintf("session %q", kit.Clip(id)))
		}
	}
	return losses.List()
}
