package cline

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// Names of files.
const (
	requestsFile = "api_conversation_history.json"
	olderFile    = "claude_messages.json"
	rowsFile     = "ui_messages.json"
	metaFile     = "task_metadata.json"
	itemFile     = "history_item.json"
	indexFile    = "_index.json"
	stateFile    = "taskHistory.json"
	sessionEnd   = ".messages.json"
)

// Find implements adapter.Adapter: one evidence for each task's folder, and one for each list of tasks.
func (cline) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		dirs := []string{"sessions", "state", "tasks"}
		if at.Root.Path == "" {
			dirs = []string{"."}
		}
		var found []adapter.Source
		there := map[string]bool{}
		for _, dir := range dirs {
			for src, err := range kit.WalkFiles(ctx, at.FS, dir, isEvidence) {
				src.Product, src.Store = at.Root.Source, store
				if at.Root.Path == "" || src.Product == "" {
					src.Product = productOf("/" + path.Join(at.Name, src.Path))
				}
				if err != nil {
					var loss lore.Loss
					if errors.As(err, &loss) {
						loss.Source, loss.File = src.Product, path.Join(at.Name, loss.File)
						err = loss
					}
					if !yield(src, err) {
						return
					}
					continue
				}
				found = append(found, src)
				there[src.Path] = true
			}
		}
		for _, src := range found {
			if !leads(src.Path, there) {
				continue
			}
			dir := path.Dir(src.Path)
			if base := path.Base(src.Path); base != indexFile && base != stateFile && base != itemFile {
				src.Companions = beside(at.FS, src.Path, dir, there)
			}
			if !yield(src, nil) {
				return
			}
		}
	}
}

func isEvidence(p string) bool {
	base := path.Base(p)
	return shapeOf(base) != noShape || base == metaFile
}

// leads reports whether a file is an evidence of its own, not one that is read with another of its folder.
func leads(p string, there map[string]bool) bool {
	has := func(base string) bool { return there[path.Join(path.Dir(p), base)] }
	switch path.Base(p) {
	case olderFile:
		return !has(requestsFile)
	case rowsFile:
		return !has(requestsFile) && !has(olderFile)
	case itemFile:
		return !has(requestsFile) && !has(olderFile) && !has(rowsFile)
	case metaFile:
		return false
	}
	return true
}

// beside lists what is read with a file.
func beside(fsys fs.FS, main, dir string, there map[string]bool) []string {
	var list []string
	if stem, ok := strings.CutSuffix(main, sessionEnd); ok {
		if info, err := fs.Stat(fsys, stem+".json"); err == nil && info.Mode().IsRegular() {
			return []string{stem + ".json"}
		}
		return nil
	}
	for _, base := range []string{itemFile, metaFile, rowsFile} {
		if p := path.Join(dir, base); there[p] && p != main {
			list = append(list, p)
		}
	}
	return list
}

// taskID is the id of a task by the place of its file; empty when it does not stand where the tool puts it.
func taskID(name string) string {
	if stem, ok := strings.CutSuffix(path.Base(name), sessionEnd); ok {
		return stem
	}
	dir := path.Dir(name)
	id := path.Base(dir)
	if path.Base(path.Dir(dir)) == "tasks" || isDigits(id) && len(id) == 13 {
		return id
	}
	return ""
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
