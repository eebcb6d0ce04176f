package cursor

import (
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// partMark stands between the path of a database and the name of a part of its rows.
const partMark = "//"

// placeOf names the database of an evidence, be it read as a whole or in parts: what has no id of its own is anchored by
// it.
func placeOf(in adapter.Input) string {
	p, _, _ := strings.Cut(in.Source.Path, partMark)
	return in.Name(p)
}

// readWorkspace reads workspace.json beside a database: the folder that its chats took place in.
func (r *itemReader) readWorkspace() {
	name := path.Join(path.Dir(r.in.Source.Path), workspaceFile)
	if !exists(r.in, name) {
		return
	}
	whole, err := kit.Document(r.in, name, 1<<20)
	l := losses{file: r.in.Name(name)}
	switch {
	case err != nil:
		r.ledger.Damage(1)
		l.one(lore.BadJSON, lore.Warning, spot{}, "no JSON: the folder of the workspace is not known")
	case !whole.Value.IsObject():
		r.ledger.Skip(workspaceFile)
	default:
		l.list = whole.Losses
		uri := first(whole.Value.Get("folder"), whole.Value.Get("workspace"), whole.Value.Get("configuration"))
		r.project.Dir, _ = kit.FileURI(uri.String())
		r.project.Name = kit.ProjectName(r.project.Dir)
		if r.project.Dir == "" {
			r.ledger.Skip(workspaceFile)
		} else {
			r.ledger.Keep(1)
		}
	}
	r.losses.list = append(r.losses.list, l.list...)
}
