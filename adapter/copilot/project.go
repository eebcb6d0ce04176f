package copilot

import (
	"path"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// projectFile stands beside the sessions of a workspace and names its folder.
const projectFile = "workspace.json"

// projectOf reads the project of a workspace: a folder, the file of a workspace with several, or a place on another
// machine. A file that cannot be read says nothing.
func projectOf(in adapter.Input) lore.Project {
	for _, c := range in.Source.Companions {
		if path.Base(c) != projectFile {
			continue
		}
		whole, err := kit.Document(in, c, 1<<20)
		if err != nil {
			return lore.Project{}
		}
		for _, key := range []string{"folder", "workspace", "configuration"} {
			if ref, _, ok := uriOf(whole.Value.Get(key)); ok {
				return projectAt(ref)
			}
		}
	}
	return lore.Project{}
}

// projectAt is the project in a folder given by its URI or path: the path on this machine, or the decoded URI with the
// name of the other one.
func projectAt(ref string) lore.Project {
	dir := shown(ref)
	return lore.Project{Dir: dir, Name: kit.ProjectName(dir)}
}
