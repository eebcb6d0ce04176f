package chatexport

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// conversations are the names of files that hold conversations: one file, or one of several by number.
var conversations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^conversations(-[0-9]+)?\.json$`) })

// others are files of an export that hold none.
var others = []string{"user.json", "users.json", "projects.json", "memories.json", "message_feedback.json",
	"shared_conversations.json", "model_comparisons.json", "user_settings.json", "export_manifest.json"}

// Find implements adapter.Adapter. It looks into the place and the folders directly in it, no deeper: an export is flat,
// and a folder that a person names may hold anything. The same file could be of either product, and only its first bytes
// tell; they are looked at here, so that it is kept once and not for both.
func (chatexport) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		var found, assets []adapter.Source
		for src, err := range list(ctx, at.FS) {
			src.Product, src.Store = at.Root.Source, storeExport
			switch {
			case err != nil:
				if !yield(src, err) {
					return
				}
			case isAsset(src.Path):
				assets = append(assets, src)
			case of(at.FS, src.Path) == at.Root.Source:
				found = append(found, src)
			}
		}
		slices.SortStableFunc(found, func(a, b adapter.Source) int { return strings.Compare(a.Path, b.Path) })
		for _, src := range found {
			if src.Product == sourceGPT {
				src.Companions = beside(src.Path, assets)
			}
			if !yield(src, nil) {
				return
			}
		}
	}
}

// list yields what may belong to an export.
func list(ctx context.Context, fsys fs.FS) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		dirs := []string{"."}
		entries, _ := fs.ReadDir(fsys, ".") // the walk below tells the fault
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				dirs = append(dirs, e.Name())
			}
		}
		for _, dir := range dirs {
			for src, err := range kit.ListFiles(ctx, fsys, dir, isMember) {
				if err != nil && dir != "." && !errors.As(err, new(lore.Loss)) {
					continue // a folder that is no part of an export need not be readable
				}
				if !yield(src, err) {
					return
				}
			}
		}
	}
}

// isMember reports whether a file may hold conversations, or be an asset of one. One conversation may be a file of any
// name, but only where the person pointed.
func isMember(p string) bool {
	base := path.Base(p)
	switch {
	case conversations().MatchString(base), isAsset(p):
		return true
	case path.Ext(base) != ".json" || slices.Contains(others, base):
		return false
	}
	return path.Dir(p) == "." || path.Dir(p) == "conversations"
}

func of(fsys fs.FS, p string) string {
	b, err := peek(fsys, p)
	named := conversations().MatchString(path.Base(p))
	product := productOf(b, named)
	if product == "" && named && (err != nil || isBlank(b)) {
		return sourceGPT // one of the two has to say that it is empty, or cannot be read
	}
	return product
}

// isAsset reports whether a file is an image, a recording or another thing that a message shows: it is named by its id.
func isAsset(p string) bool {
	base := path.Base(p)
	return (strings.HasPrefix(base, "file-") || strings.HasPrefix(base, "file_")) && path.Ext(base) != ".json"
}

// beside returns the assets that belong to the export that a file is of.
func beside(p string, assets []adapter.Source) []string {
	var list []string
	for _, a := range assets {
		if dir := path.Dir(p); dir == "." || dir == path.Dir(a.Path) {
			list = append(list, a.Path)
		}
	}
	return list
}
