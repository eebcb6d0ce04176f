package copilotcli

import (
	"io"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// workspace is what workspace.yaml says of a session.
type workspace struct {
	id      string
	title   string
	titled  lore.Time
	begun   lore.Time
	project lore.Project
	fields  int
}

// openWorkspace reads a workspace.yaml; false when it cannot be read.
func openWorkspace(in adapter.Input, name string) (workspace, bool) {
	f, err := in.FS.Open(name)
	if err != nil {
		return workspace{}, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return workspace{}, false
	}
	m := flatYAML(strings.ToValidUTF8(string(b), "\ufffd"))
	w := workspace{id: m["id"], title: m["name"], fields: len(m)}
	if w.title == "" {
		w.title = m["summary"]
	}
	w.titled, _ = kit.ParseTimeString(m["updated_at"])
	w.begun, _ = kit.ParseTimeString(m["created_at"])
	w.project = lore.Project{Dir: m["cwd"], Branch: m["branch"], Remote: m["repository"]}
	w.project.Name = kit.ProjectName(w.project.Dir)
	return w, true
}

// besideOf reads the workspace.yaml that belongs to a log.
func besideOf(in adapter.Input) workspace {
	for _, c := range in.Source.Companions {
		if path.Base(c) == workspaceName {
			w, _ := openWorkspace(in, c)
			return w
		}
	}
	return workspace{}
}

// readWorkspace reads a workspace.yaml of which no log is left: title and folder of a session that no evidence holds, or
// that the database holds.
func readWorkspace(in adapter.Input, yield yielder) error {
	w, ok := openWorkspace(in, in.Source.Path)
	if !ok || w.id == "" && w.project.Dir == "" {
		if ok && w.fields == 0 && in.Source.Store != "" {
			l := losses{in: in}
			l.one(lore.Empty, lore.Info, 0, "no session")
			return put(yield, account(in, lore.Ledger{}, l.list))
		}
		return adapter.ErrNotMine
	}
	c := account(in, lore.Ledger{}, nil)
	c.Ledger.Keep(1)
	if c.Native = w.id; c.Native == "" {
		c.Native = path.Base(path.Dir(in.Name(in.Source.Path)))
	}
	c.Project = w.project
	if w.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = w.title, lore.TitleFromSource, w.titled
	} else { // of a title without words, it is said where the title is found to have no conversation
		l := losses{in: in}
		l.one(lore.MissingBody, lore.Info, 0, "session "+c.Native+" has no log of events")
		c.Losses = l.list
	}
	return put(yield, c)
}

func put(yield yielder, c *lore.Conversation) error {
	if !yield(c, nil) {
		return errStopped
	}
	return nil
}
